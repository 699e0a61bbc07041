// Parameters of generators, and their values as they are written: "base=40,shape=box".
#include "scenes/scene_library.hpp"

#include "src/io/suggestion.hpp"
#include "src/scene/text.hpp"

#include <cairn/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace cairn::v0::scenes {

namespace {

Parameter described(std::string name, Parameter::Kind kind, std::string meaning, std::string defaultValue) {
  Parameter parameter;
  parameter.name = std::move(name);
  parameter.kind = kind;
  parameter.meaning = std::move(meaning);
  parameter.defaultValue = std::move(defaultValue);
  return parameter;
}

}  // namespace

Parameter whole(std::string name, std::string meaning, long defaultValue, double low, double high) {
  Parameter parameter = described(std::move(name), Parameter::Kind::Whole, std::move(meaning), std::to_string(defaultValue));
  parameter.low = low;
  parameter.high = high;
  return parameter;
}

Parameter real(std::string name, std::string meaning, std::string defaultValue, double low, double high) {
  Parameter parameter = described(std::move(name), Parameter::Kind::Real, std::move(meaning), std::move(defaultValue));
  parameter.low = low;
  parameter.high = high;
  return parameter;
}

Parameter choice(std::string name, std::string meaning, std::vector<std::string> choices) {
  Parameter parameter = described(std::move(name), Parameter::Kind::Choice, std::move(meaning), choices.front());
  parameter.choices = std::move(choices);
  return parameter;
}

void Arguments::reject(const std::string& name, const std::string& reason) const { throw InvalidInput(generator_ + ": " + name, reason); }

bool Arguments::has(const std::string& name) const {
  return std::any_of(values_.begin(), values_.end(), [&](const Value& v) { return v.name == name; });
}

const Arguments::Value& Arguments::value(const std::string& name) const {
  for (const Value& v : values_)
    if (v.name == name) return v;
  throw Error("generator '" + generator_ + "' asked for a parameter '" + name + "' that it does not declare");
}

namespace {

std::string numberText(double value) {
  return std::floor(value) == value && std::abs(value) < 1e15 ? fmt::format("{:.0f}", value) : fmt::format("{}", value);
}

}  // namespace

std::string rangeText(const Parameter& parameter) {
  if (parameter.kind == Parameter::Kind::Choice) return fmt::format("{}", fmt::join(parameter.choices, "|"));
  return numberText(parameter.low) + " to " + numberText(parameter.high);
}

namespace {

Arguments::Value readValue(const std::string& generator, const Parameter& parameter, const std::string& text) {
  const auto fail = [&](const char* what) {
    throw InvalidInput(generator + ": " + parameter.name, fmt::format("must be {} {}, is '{}'", what, rangeText(parameter), text));
  };
  if (parameter.kind == Parameter::Kind::Choice) {
    const std::string name = inSmallLetters(text);
    if (std::find(parameter.choices.begin(), parameter.choices.end(), name) == parameter.choices.end()) fail("one of");
    return {parameter.name, name, 0};
  }
  const bool isWhole = parameter.kind == Parameter::Kind::Whole;
  const char* what = isWhole ? "a whole number from" : "a number from";
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || !(number >= parameter.low && number <= parameter.high) || (isWhole && std::floor(number) != number))
    fail(what);
  return {parameter.name, text, number};
}

// "base=40,shape=box" to values; `text` without the generator's name and colon.
Arguments readGiven(const std::string& generator, const std::vector<Parameter>& parameters, const std::string& text) {
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters) names.push_back(parameter.name);
  std::vector<Arguments::Value> values;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string item = text.substr(begin, end - begin);
    begin = end + 1;
    const size_t equals = item.find('=');
    if (equals == std::string::npos)
      throw InvalidInput(generator, fmt::format("parameters are written name=value and parted by commas, found '{}'", item));
    const std::string name = inSmallLetters(item.substr(0, equals));
    const auto parameter = std::find_if(parameters.begin(), parameters.end(), [&](const Parameter& p) { return p.name == name; });
    if (parameter == parameters.end()) throw InvalidInput(generator, fmt::format("has no parameter '{}'; {}", name, suggestion(name, names)));
    for (const Arguments::Value& earlier : values)
      if (earlier.name == name) throw InvalidInput(generator + ": " + name, "is given twice");
    values.push_back(readValue(generator, *parameter, item.substr(equals + 1)));
  }
  return Arguments(generator, std::move(values));
}

}  // namespace

Arguments readArguments(const std::string& generator, const std::vector<Parameter>& parameters, const std::string* text) {
  std::vector<Arguments::Value> values;
  const Arguments given = text ? readGiven(generator, parameters, *text) : Arguments(generator, {});
  for (const Parameter& parameter : parameters)
    values.push_back(given.has(parameter.name) ? given.value(parameter.name) : readValue(generator, parameter, parameter.defaultValue));
  return Arguments(generator, std::move(values));
}

}  // namespace cairn::v0::scenes
