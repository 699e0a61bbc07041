// Settings in words: what `cairn settings`, the manual's tables and the page of `man` are made from.
#pragma once

#include "src/scene/setting.hpp"

#include <string>
#include <vector>

namespace cairn::cli {

// A setting, with everything that depends on its type as text.
struct Description {
  SettingWords words;
  std::string type;                  // "choice", "switch", "whole number", "number"
  std::vector<std::string> choices;  // of a choice or a switch
  std::string initial;
  std::string meaning;  // help, note and what it does not go together with
  bool inReports = false;
};

// Of the command "run" or "solve", group by group. Throws InvalidInput for another one.
std::vector<Description> describeSettings(const std::string& command);

// All names of a setting's option.
std::vector<std::string> optionsOf(const SettingWords& words);

// "`a`, `b`" with the quote "`".
std::string joined(const std::vector<std::string>& texts, const std::string& quote);

// Choices or range, and the unit.
std::string valuesOf(const Description& description, const std::string& quote);

}  // namespace cairn::cli
