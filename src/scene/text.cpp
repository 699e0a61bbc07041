#include "src/scene/text.hpp"

#include <cairn/error.hpp>

#include <charconv>
#include <cmath>
#include <stdexcept>

namespace cairn::v0 {
namespace {

template <class... Format> std::string digitsOf(double value, Format... format) {
  char buffer[64];
  return std::string(buffer, std::to_chars(buffer, buffer + sizeof(buffer), value, format...).ptr);
}

// Bytes of the UTF-8 character that the text begins with; 0 if it begins with none. Surrogates and forms longer than needed are none (RFC 3629).
size_t characterLength(std::string_view text) {
  const auto byte = [text](size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0u; };
  const unsigned first = byte(0);
  if (first < 0x80) return text.empty() ? 0 : 1;
  const size_t length = first >= 0xc2 && first <= 0xdf ? 2 : first >= 0xe0 && first <= 0xef ? 3 : first >= 0xf0 && first <= 0xf4 ? 4 : 0;
  for (size_t k = 1; k < length; ++k) {
    if ((byte(k) & 0xc0) != 0x80) return 0;
  }
  const bool tooLong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
  const bool noCharacter = (first == 0xed && byte(1) > 0x9f) || (first == 0xf4 && byte(1) > 0x8f);
  return tooLong || noCharacter ? 0 : length;
}

// Those of ASCII and, in two bytes, of Latin 1.
bool isControl(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  return first < 0x20 || first == 0x7f || (first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0);
}

}  // namespace

const char* flawOfName(std::string_view name) {
  while (!name.empty()) {
    const size_t length = characterLength(name);
    if (length == 0) return "must be UTF-8";
    if (isControl(name.substr(0, length))) return "must not contain control characters";
    name.remove_prefix(length);
  }
  return nullptr;
}

std::string printable(const std::string& text) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  std::string_view rest = text;
  while (!rest.empty()) {
    const size_t length = characterLength(rest), taken = length == 0 ? 1 : length;
    if (length > 0 && !isControl(rest.substr(0, length))) {
      out.append(rest, 0, length);
    } else {
      for (const char c : rest.substr(0, taken)) {
        const auto byte = static_cast<unsigned char>(c);
        out.append("\\x").append(1, kDigits[byte >> 4]).append(1, kDigits[byte & 15]);
      }
    }
    rest.remove_prefix(taken);
  }
  return out;
}

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

std::string inSmallLetters(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

}  // namespace cairn::v0
