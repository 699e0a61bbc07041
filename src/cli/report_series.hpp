// What a run's reports say over its steps: the series of `cairn run --report-every`, which `cairn plot` draws. Keys: docs/report.md.
#pragma once

#include "src/io/report_json.hpp"

#include <string>
#include <utility>
#include <vector>

namespace cairn::cli {

class ReportSeries {
 public:
  // A row after every so many steps, >= 1, and one after the last.
  explicit ReportSeries(int every) : every_(every) {}
  // A step that was taken: its time, and its stages' [ms].
  void note(double milliseconds, const std::vector<StageTime>& stages);
  bool due() const { return sinceRow_ == every_; }
  // A row of the World as it is after the steps that were noted; none where there is one already.
  void add(const World& world);
  Json json() const;

 private:
  int every_, sinceRow_ = 0;
  double stepSum_ = 0;
  std::vector<StageTime> stageSums_;
  std::vector<Json> reports_;
  std::vector<double> steps_;
  std::vector<std::pair<std::string, std::vector<double>>> stages_;
};

}  // namespace cairn::cli
