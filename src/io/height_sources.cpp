#include "src/io/height_sources.hpp"

#include "src/io/grey_image.hpp"

#include <cairn/error.hpp>

#include <filesystem>
#include <limits>

namespace cairn::v0 {
namespace {

using nlohmann::json;

void readRows(const FieldReader& reader, const json& list, const JsonPath& at, HeightField& field) {
  const bool rows = list.is_array() && std::all_of(list.begin(), list.end(), [](const json& row) { return row.is_array(); });
  if (!rows) reader.fail(at, "must be an array of rows of numbers, is " + describe(list));
  constexpr size_t kMost = std::numeric_limits<int>::max();
  const size_t columns = list.empty() ? 0 : list[0].size();
  if (list.size() > kMost || columns > kMost) reader.fail(at, fmt::format("must be at most {} rows and columns", kMost));
  field.rows = static_cast<int>(list.size());
  field.columns = static_cast<int>(columns);
  field.heights.reserve(list.size() * columns);
  for (size_t i = 0; i < list.size(); ++i) {
    const JsonPath row{&at, nullptr, i};
    if (list[i].size() != columns) reader.fail(row, fmt::format("must have {} numbers as the first row has, has {}", columns, list[i].size()));
    for (size_t k = 0; k < columns; ++k) {
      if (!list[i][k].is_number()) reader.fail({&row, nullptr, k}, "must be a number, is " + describe(list[i][k]));
      field.heights.push_back(list[i][k].get<double>());
    }
  }
}

// From the lowest grey to the highest is from `low` to `high`.
void readPicture(const std::string& path, double low, double high, HeightField& field) {
  const GreyImage image = readGreyPng(path, kMostHeightFieldCells);
  field.rows = image.height;
  field.columns = image.width;
  field.heights.reserve(image.samples.size());
  for (const uint16_t sample : image.samples) field.heights.push_back(low + (high - low) * (double(sample) / image.most));
}

}  // namespace

ShapeDef HeightSources::field(const FieldReader& reader, const json& object, const JsonPath& path) const {
  HeightField field;
  reader.required(object, "spacing", path);
  reader.readNumbers(object, "spacing", path, field.spacing);
  const json* const rows = FieldReader::find(object, "heights");
  if ((rows == nullptr) == (FieldReader::find(object, "file") == nullptr)) reader.fail(path, "a height field has heights or a file: one of the two");
  if (rows) {
    if (FieldReader::find(object, "height")) reader.fail({&path, "height"}, "does not go with heights");
    readRows(reader, *rows, {&path, "heights"}, field);
    return ShapeDef::heightField(std::move(field));
  }
  std::array<double, 2> range{};
  reader.required(object, "height", path);
  reader.readNumbers(object, "height", path, range);
  const auto [low, high] = range;
  if (!(low <= high && low >= -kLargestMagnitude && high <= kLargestMagnitude))
    reader.fail({&path, "height"}, fmt::format("must be two numbers in order and at most {} in size, is [{}, {}]", kLargestMagnitude, low, high));
  std::string name;
  reader.readString(object, "file", path, name);
  std::shared_ptr<const HeightField>& made = made_[{name, {field.spacing[0], field.spacing[1], low, high}}];
  if (!made) {
    try {
      readPicture((std::filesystem::path(reader.source()).parent_path() / name).string(), low, high, field);
    } catch (const InvalidInput& error) {
      reader.fail({&path, "file"}, error.what());
    }
    made = std::make_shared<const HeightField>(std::move(field));
  }
  return ShapeDef::heightField(made);
}

}  // namespace cairn::v0
