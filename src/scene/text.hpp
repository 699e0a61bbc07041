// Text of messages, put together without a formatting library: the core links none.
#pragma once

#include <cairn/export.hpp>

#include <initializer_list>
#include <string>
#include <string_view>

namespace cairn::v0 {

// Shortest digits that give the same number back: 100000, 1e+16, 0.0001, 1e-05, -0, inf, nan. Exponents below -4 and from 16 on are written.
std::string textOf(double value);
// Why a name cannot be quoted in a line of text: "must ..."; null if it can.
const char* flawOfName(std::string_view name);

// ASCII alone, whatever the locale: names are written in small letters here, and understood in any.
std::string inSmallLetters(std::string text);

// With so many significant digits, as printf's %g writes them.
std::string textOf(double value, int digits);
inline std::string textOf(int value) { return std::to_string(value); }
inline std::string textOf(unsigned value) { return std::to_string(value); }
inline std::string textOf(long value) { return std::to_string(value); }
inline std::string textOf(long long value) { return std::to_string(value); }
inline std::string textOf(unsigned long value) { return std::to_string(value); }
inline std::string textOf(unsigned long long value) { return std::to_string(value); }
inline std::string textOf(std::string_view value) { return std::string(value); }
inline std::string textOf(const char* value) { return value; }
inline std::string textOf(const std::string& value) { return value; }
// Neither has one obvious text.
std::string textOf(bool) = delete;
std::string textOf(char) = delete;

// The pattern with its {}, from left to right, replaced by the values. Throws std::logic_error where their counts differ.
std::string fillIn(std::string_view pattern, std::initializer_list<std::string> values);

// text("must be at most {}, is {}", 5, 7.5)
template <class... Values> std::string text(std::string_view pattern, const Values&... values) { return fillIn(pattern, {textOf(values)...}); }

}  // namespace cairn::v0
