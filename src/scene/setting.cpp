#include "src/scene/setting.hpp"

#include "src/scene/text.hpp"

#include <cairn/error.hpp>

#include <cctype>
#include <cmath>

namespace cairn::v0 {
namespace {

// "maxColours" with '_': "max_colours".
std::string separated(const std::string& name, char separator) {
  std::string out;
  for (const char c : name) {
    if (std::isupper(static_cast<unsigned char>(c)) != 0) out += separator;
    out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

}  // namespace

bool SettingRange::contains(double value) const {
  const bool aboveMin = minIsOpen ? value > min : value >= min;
  const bool belowMax = maxIsOpen ? value < max : value <= max;
  return aboveMin && belowMax && (!finite || std::isfinite(value));
}

std::string optionOf(const std::string& field) { return "--" + separated(field, '-'); }

std::string SettingWords::fieldInSmallLetters() const { return separated(name, '_'); }

std::string SettingWords::key() const {
  std::string key = fieldInSmallLetters();
  if (unit.empty()) return key;
  key += '_';
  for (const char c : unit) key += c == '/' || c == ' ' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return key;
}

std::string SettingWords::meaning() const {
  std::string text = help;
  const auto add = [&](const std::string& more) { text += (text.empty() || more.empty() ? "" : "; ") + more; };
  if (!zero.empty()) add("0: " + zero);
  add(note);
  return text;
}

std::string describeRange(const SettingRange& range, bool whole) {
  if (*range.words != '\0') return range.words;
  const bool hasMax = std::isfinite(range.max);
  const std::string number = whole ? "a whole number" : hasMax || !range.finite ? "a number" : "a finite number";
  if (hasMax && !range.minIsOpen && !range.maxIsOpen) return text("{} from {} to {}", number, range.min, range.max);
  std::string bounds = text("{} {} {}", number, range.minIsOpen ? ">" : ">=", range.min);
  if (hasMax) bounds += text(" and {} {}", range.maxIsOpen ? "<" : "<=", range.max);
  return range.finite ? bounds : bounds + " or infinity";
}

void refuseSetting(const std::string& name, const std::string& allowed, const std::string& value) {
  throw InvalidInput("settings." + name, "must be " + allowed + ", is " + value);
}

}  // namespace cairn::v0
