#include "src/cli/plot_input.hpp"

#include <cairn/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

namespace cairn::cli {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostSettings = 4;  // in a label
// Where and how a run was timed, not how it was solved; threads have their own word in a label.
const std::set<std::string> kNotInLabels{"backend", "device", "threads", "stage_times", "cuda_graph"};

[[noreturn]] void refuse(const std::string& path, const std::string& reason) { throw InvalidInput(path, reason); }

const Json* find(const Json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

bool isText(const Json& object, const char* key) {
  const Json* value = find(object, key);
  return value != nullptr && value->is_string();
}

// A number, or null for one that was not finite.
bool isNumber(const Json& object, const char* key) {
  const Json* value = find(object, key);
  return value != nullptr && (value->is_number() || value->is_null());
}

bool isListOfNumbers(const Json& value, size_t size) {
  return value.is_array() && value.size() == size &&
         std::all_of(value.begin(), value.end(), [](const Json& one) { return one.is_number() || one.is_null(); });
}

// --- series ----------------------------------------------------------------------------------------------------

constexpr const char* kDrawn[] = {
    "time_s",       "step_ms",      "kinetic_energy_j",  "potential_energy_j",          "penetration_mean_m", "penetration_max_m",
    "residual_rms", "residual_max", "joint_error_max_m", "joint_angular_error_max_rad", "contact_points",     "sleeping_bodies",
    "max_speed_m_s"};

void requireSeries(const std::string& path, const Json& document) {
  const Json* series = find(document, "series");
  if (series == nullptr) refuse(path, "has no series of steps to plot; cairn run SCENE --report FILE --report-every N writes one");
  for (const char* key : {"scene", "device"}) {
    if (!isText(document, key)) refuse(path, fmt::format("/{}: must be a text, as cairn run writes it", key));
  }
  for (const char* key : {"dt_s", "bodies", "joints"}) {
    if (!isNumber(document, key) || document.at(key).is_null()) refuse(path, fmt::format("/{}: must be a number, as cairn run writes it", key));
  }
  const Json* steps = find(*series, "step");
  if (steps == nullptr || !steps->is_array() || steps->empty() || !isListOfNumbers(*steps, steps->size())) {
    refuse(path, "/series/step: must be a list of numbers that is not empty");
  }
  const auto requireList = [&](const std::string& place, const Json* list) {
    if (list == nullptr || !isListOfNumbers(*list, steps->size()))
      refuse(path, fmt::format("{}: must be a list of {} numbers, as /series/step is", place, steps->size()));
  };
  for (const char* key : kDrawn) requireList(fmt::format("/series/{}", key), find(*series, key));
  const Json* stages = find(*series, "stage_ms");
  if (stages == nullptr || !stages->is_object()) refuse(path, "/series/stage_ms: must be an object with a list for each stage");
  for (const auto& [stage, times] : stages->items()) requireList("/series/stage_ms/" + stage, &times);
}

// --- rows ------------------------------------------------------------------------------------------------------

// Of one engine on one scene.
struct Point {
  std::string scene, engine, label, file;
  Json settings;  // of Cairn's own rows, else null
  int threads = 0;
  Json values = Json::object();
};

double nowhere() { return std::numeric_limits<double>::quiet_NaN(); }

double numberOr(const Json& object, const char* key, double otherwise) {
  const Json* value = find(object, key);
  return value != nullptr && value->is_number() ? value->get<double>() : otherwise;
}

void requireRows(const std::string& path, const Json& document) {
  const std::string command = document.at("command");
  const Json* rows = find(document, "rows");
  if (rows == nullptr || !rows->is_array() || rows->empty()) refuse(path, "/rows: must be a list of rows that is not empty");
  for (size_t k = 0; k < rows->size(); ++k) {
    const Json& row = (*rows)[k];
    const auto require = [&](bool good, const char* key) {
      if (!good) refuse(path, fmt::format("/rows/{}/{}: is not there, or not as {} writes it", k, key, command == "bench" ? "cairn bench" : command));
    };
    require(isText(row, "scene"), "scene");
    if (command == "compare") {
      require(isText(row, "engine"), "engine");
      for (const char* key : {"ms", "points", "penMeanMm", "drift"}) require(isNumber(row, key), key);
      continue;
    }
    std::vector<const char*> engines{"cairn", "bullet"};
    if (command == "bench") {
      require(find(row, "settings") != nullptr && row.at("settings").is_object(), "settings");
      engines = {nullptr};
    }
    for (const char* engine : engines) {
      if (engine != nullptr) require(find(row, engine) != nullptr, engine);
      const Json& of = engine != nullptr ? row.at(engine) : row;
      require(find(of, "step_ms") != nullptr && isNumber(of.at("step_ms"), "median"), "step_ms");
      for (const char* key : {"contact_points", "penetration_mean_m", "drift_max_m"}) require(isNumber(of, key), key);
    }
  }
}

// Quality in millimetres and metres; null where the engine does not say.
Json valuesOf(double milliseconds, const Json& of, double points) {
  return {{"ms", milliseconds},
          {"ms_low", milliseconds},
          {"ms_high", milliseconds},
          {"points", points},
          {"penetration_mean_mm", 1000 * numberOr(of, "penetration_mean_m", nowhere())},
          {"drift_m", numberOr(of, "drift_max_m", nowhere())},
          {"joint_error_mm", 1000 * numberOr(of, "joint_error_peak_m", nowhere())}};
}

Point ofCompare(const Json& row, const std::string& path) {
  Point point{
      row.at("scene"), row.at("engine"), {}, path, nullptr, static_cast<int>(numberOr(row, "threads", numberOr(row, "asked_threads", 0))), {}};
  const double ms = numberOr(row, "ms", nowhere());
  double low = ms, high = ms;
  if (const Json* rounds = find(row, "rounds_ms"); rounds != nullptr && isListOfNumbers(*rounds, rounds->size())) {
    for (const Json& round : *rounds) {
      low = std::min(low, round.is_number() ? round.get<double>() : low);
      high = std::max(high, round.is_number() ? round.get<double>() : high);
    }
  }
  point.values = {{"ms", ms},
                  {"ms_low", low},
                  {"ms_high", high},
                  {"points", numberOr(row, "points", 0)},
                  {"penetration_mean_mm", numberOr(row, "penMeanMm", nowhere())},
                  {"drift_m", numberOr(row, "drift", nowhere())},
                  {"joint_error_mm", numberOr(row, "jointSepMm", nowhere())}};
  return point;
}

std::vector<Point> pointsOf(const ReportFile& file) {
  std::vector<Point> points;
  const std::string command = file.document.at("command");
  for (const Json& row : file.document.at("rows")) {
    if (command == "compare") {
      points.push_back(ofCompare(row, file.path));
    } else if (command == "bench") {
      Point point{row.at("scene"), "cairn", {}, file.path, row.at("settings"), static_cast<int>(numberOr(row, "threads", 0)), {}};
      point.values = valuesOf(numberOr(row.at("step_ms"), "median", nowhere()), row, numberOr(row, "contact_points", 0));
      if (numberOr(row, "joints", 0) == 0) point.values["joint_error_mm"] = nullptr;
      points.push_back(std::move(point));
    } else {
      for (const char* engine : {"cairn", "bullet"}) {
        const Json& of = row.at(engine);
        Point point{row.at("scene"), engine, {}, file.path, nullptr, static_cast<int>(numberOr(file.document, "threads", 0)), {}};
        point.values = valuesOf(numberOr(of.at("step_ms"), "median", nowhere()), of, numberOr(of, "contact_points", 0));
        points.push_back(std::move(point));
      }
    }
  }
  return points;
}

// --- labels ----------------------------------------------------------------------------------------------------

std::string stemOf(const std::string& path) { return fs::path(path).stem().string(); }

std::string shown(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.is_boolean() ? (value.get<bool>() ? "on" : "off") : value.dump();
}

// "substeps 4, solver nncg": what of the settings is not the same for all. Null settings are nobody's.
std::vector<std::string> differences(const std::vector<Json>& all) {
  std::vector<std::string> labels(all.size());
  std::vector<std::string> keys;
  for (const Json& one : all) {
    if (!one.is_object()) continue;
    for (const auto& [key, value] : one.items()) {
      if (kNotInLabels.count(key) == 0 && std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    }
  }
  std::vector<size_t> counts(all.size(), 0);
  for (const std::string& key : keys) {
    std::set<std::string> values;
    for (const Json& one : all) {
      if (one.is_object()) values.insert(one.contains(key) ? one.at(key).dump() : "");
    }
    if (values.size() < 2) continue;
    for (size_t k = 0; k < all.size(); ++k) {
      if (!all[k].is_object() || !all[k].contains(key) || ++counts[k] > kMostSettings) continue;
      std::string words = key;
      std::replace(words.begin(), words.end(), '_', ' ');
      labels[k] += fmt::format("{}{} {}", labels[k].empty() ? "" : ", ", words, shown(all[k].at(key)));
    }
  }
  return labels;
}

// Engine and settings; the file too, where two files have the same of one scene, or a number.
void label(std::vector<Point>& points) {
  std::vector<Json> settings;
  std::set<int> threads;
  for (const Point& point : points) {
    settings.push_back(point.settings);
    threads.insert(point.threads);
  }
  const std::vector<std::string> words = differences(settings);
  for (size_t k = 0; k < points.size(); ++k) {
    std::string& name = points[k].label;
    name = points[k].engine + (words[k].empty() ? "" : ", " + words[k]);
    if (threads.size() > 1 && points[k].threads > 0) name += fmt::format(", {} thread{}", points[k].threads, points[k].threads == 1 ? "" : "s");
  }
  const auto clashing = [&] {
    std::map<std::string, std::set<std::string>> files;  // of a label on a scene
    std::set<std::string> labels;
    for (const Point& point : points) files[point.label + "\n" + point.scene].insert(point.file);
    for (const Point& point : points) {
      if (files.at(point.label + "\n" + point.scene).size() > 1) labels.insert(point.label);
    }
    return labels;
  }();
  for (Point& point : points) {
    if (clashing.count(point.label) > 0) point.label += ", " + stemOf(point.file);
  }
}

}  // namespace

ReportFile readReportFile(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) refuse(path, "is a folder, not a report");
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(path, "cannot be opened: " + std::string(std::strerror(errno)));
  ReportFile report{path, Json::parse(file, nullptr, false)};
  if (report.document.is_discarded()) refuse(path, "is no JSON");
  const std::string command = isText(report.document, "command") ? report.document.at("command").get<std::string>() : "";
  if (command == "run") {
    requireSeries(path, report.document);
  } else if (command == "bench" || command == "compare" || command == "bench_bullet") {
    requireRows(path, report.document);
  } else {
    refuse(path, command.empty()
                     ? "is no report: cairn run --report and cairn bench --json write them"
                     : "is what " + command + " wrote, of which there is nothing to plot; of cairn run, cairn bench and bench/compare there is");
  }
  return report;
}

Json seriesDocument(const std::vector<ReportFile>& files, bool columns) {
  std::vector<Json> settings;
  for (const ReportFile& file : files) settings.push_back(file.document.value("settings", Json()));
  const std::vector<std::string> words = differences(settings);
  Json runs = Json::array();
  for (size_t k = 0; k < files.size(); ++k) {
    const std::string name = stemOf(files[k].path);
    runs.push_back({{"name", name}, {"label", name + (words[k].empty() ? "" : " (" + words[k] + ")")}, {"report", files[k].document}});
  }
  return {{"columns", columns}, {"runs", std::move(runs)}};
}

Json qualityDocument(const std::vector<ReportFile>& files) {
  std::vector<Point> points;
  std::set<std::string> processors;
  bool overPoints = false, overPairs = false;
  for (const ReportFile& file : files) {
    for (Point& point : pointsOf(file)) points.push_back(std::move(point));
    (file.document.at("command") == "bench" ? overPoints : overPairs) = true;
    if (isText(file.document, "processor")) processors.insert(file.document.at("processor"));
  }
  label(points);
  Json notes = Json::array(), drawn = Json::array();
  if (overPoints && overPairs) {
    notes.push_back(
        "Penetration is the mean over contact points in cairn bench's rows, and over overlapping pairs, from the poses, in the others: not the same "
        "measure");
  } else {
    notes.push_back(overPoints ? "Penetration: mean over contact points" : "Penetration: mean over overlapping pairs, from the poses");
  }
  for (const std::string& processor : processors) notes.push_back(processor);
  for (const Point& point : points) {
    Json entry{{"scene", point.scene}, {"engine", point.engine}, {"label", point.label}};
    entry.update(point.values);
    drawn.push_back(std::move(entry));
  }
  return {{"points", std::move(drawn)}, {"notes", std::move(notes)}};
}

}  // namespace cairn::cli
