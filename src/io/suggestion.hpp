// What a user may have meant by a mistyped name.
#pragma once

#include <cairn/export.hpp>

#include <string>
#include <vector>

namespace cairn::v0 {

// The known names nearest to it, or all of them: "did you mean a, b?" or "there are a, b, c".
std::string suggestion(const std::string& name, const std::vector<std::string>& known);
// The nearest alone, those that it begins before others; empty if none is near.
std::vector<std::string> namesNear(const std::string& name, const std::vector<std::string>& known);

}  // namespace cairn::v0
