// JSON text as a tree, strictly read.
#pragma once

#include <cairn/export.hpp>

#include <nlohmann/json.hpp>

#include <string>

namespace cairn::v0 {

// A tree of standard JSON. Throws InvalidInput, with "source:line:column" for a syntax error and "source: /pointer" for a key
// that an object has twice, for a number beyond the range of a double, and for nesting deeper than 64.
nlohmann::json parseStrictJson(const std::string& text, const std::string& source);

}  // namespace cairn::v0
