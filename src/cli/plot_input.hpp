// What plots are made of: files of reports, read and checked.
#pragma once

#include "src/io/report_json.hpp"

#include <string>
#include <vector>

namespace cairn::cli {

// A file that a command wrote as JSON.
struct ReportFile {
  std::string path;
  Json document;
  bool ofRun() const { return document.at("command") == "run"; }
};

// Throws InvalidInput for what is no report of `cairn run` with a series, nor rows of `cairn bench`, `bench/compare` or `bench_bullet`.
ReportFile readReportFile(const std::string& path);

// {"columns", "runs": [{"name", "label", "report"}]} for scripts/plot-reports. Labels are the files' names, with the settings that are not those of
// all runs.
Json seriesDocument(const std::vector<ReportFile>& files, bool columns);

// {"points": [...], "notes": [...]} for scripts/plot-quality: of each row engine and settings, time, and what its time bought.
Json qualityDocument(const std::vector<ReportFile>& files);

}  // namespace cairn::cli
