// Bytes as text of a page.
#pragma once

#include <string>

namespace cairn::v0 {

// Compressed as zlib does (RFC 1950): what a browser's DecompressionStream calls "deflate".
std::string deflated(const std::string& bytes);
std::string base64(const std::string& bytes);
// Of text that stands between tags or in an attribute.
std::string escapedHtml(const std::string& text);

}  // namespace cairn::v0
