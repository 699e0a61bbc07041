#include "src/scene/text.hpp"

#include <charconv>
#include <cmath>
#include <stdexcept>

namespace cairn {
namespace {

template <class... Format> std::string digitsOf(double value, Format... format) {
  char buffer[64];
  return std::string(buffer, std::to_chars(buffer, buffer + sizeof(buffer), value, format...).ptr);
}

}  // namespace

std::string textOf(double value) {
  if (std::isnan(value)) return std::signbit(value) ? "-nan" : "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  const std::string scientific = digitsOf(value, std::chars_format::scientific);
  const int power = std::stoi(scientific.substr(scientific.find('e') + 1));
  return power < -4 || power >= 16 ? scientific : digitsOf(value, std::chars_format::fixed);
}

std::string textOf(double value, int digits) { return digitsOf(value, std::chars_format::general, digits); }

std::string fillIn(std::string_view pattern, std::initializer_list<std::string> values) {
  std::string filled;
  auto value = values.begin();
  for (size_t hole; (hole = pattern.find("{}")) != std::string_view::npos; pattern.remove_prefix(hole + 2)) {
    if (value == values.end()) throw std::logic_error("a message has more holes than values");
    filled.append(pattern, 0, hole).append(*value++);
  }
  if (value != values.end()) throw std::logic_error("a message has more values than holes");
  return filled.append(pattern);
}

}  // namespace cairn
