#include "src/io/mesh_text.hpp"

#include <cairn/error.hpp>

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace cairn::v0 {

bool MeshWords::nextLine(std::vector<std::string_view>& words) {
  constexpr std::string_view kBlanks = " \t\r\v\f";
  words.clear();
  while (at_ < text_.size() && words.empty()) {
    line_ = next_;
    for (bool goesOn = true; goesOn;) {
      const size_t end = std::min(text_.find('\n', at_), text_.size());
      std::string_view line = text_.substr(at_, end - at_);
      at_ = std::min(end + 1, text_.size());
      ++next_;
      line = line.substr(0, line.find('#'));
      const size_t last = line.find_last_not_of(kBlanks);
      goesOn = last != std::string_view::npos && line[last] == '\\' && at_ < text_.size();
      if (goesOn) line = line.substr(0, last);
      for (size_t begin = 0; (begin = line.find_first_not_of(kBlanks, begin)) != std::string_view::npos;) {
        const size_t stop = std::min(line.find_first_of(kBlanks, begin), line.size());
        words.push_back(line.substr(begin, stop - begin));
        begin = stop;
      }
    }
  }
  return !words.empty();
}

void MeshWords::fail(const std::string& reason) const { throw InvalidInput(fmt::format("{}:{}", source_, line_), reason); }

double MeshWords::number(std::string_view word) const {
  const std::string_view digits = !word.empty() && word[0] == '+' ? word.substr(1) : word;
  double value = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool read = stop == digits.data() + digits.size() && !digits.empty();
  // A number too small for a double is 0 to any purpose; from_chars leaves open which of both it was.
  if (read && error == std::errc::result_out_of_range && std::abs(std::strtod(std::string(digits).c_str(), nullptr)) < 1) return 0;
  if (error != std::errc() || !read) fail(fmt::format("'{}' is no number", word.substr(0, 40)));
  if (!(std::abs(value) <= kLargestMagnitude))
    fail(fmt::format("coordinates must be finite and at most {} in size, one is {}", kLargestMagnitude, value));
  return value;
}

}  // namespace cairn::v0
