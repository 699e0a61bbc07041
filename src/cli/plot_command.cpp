// cairn plot: reports drawn. Series of runs over their steps, rows of benchmarks as time against quality.
#include "src/cli/commands.hpp"
#include "src/cli/figure.hpp"
#include "src/cli/output_file.hpp"
#include "src/cli/plot_input.hpp"

#include <cairn/error.hpp>

#include <fmt/format.h>

namespace cairn::cli {
namespace {

constexpr size_t kMostRuns = 8;  // that one can tell apart

struct PlotOptions {
  std::vector<std::string> reports;
  std::string out = "plot.png";
  bool columns = false;
};

void plot(const PlotOptions& options) {
  std::vector<ReportFile> files;
  for (const std::string& path : options.reports) {
    files.push_back(readReportFile(path));
    if (files.back().ofRun() != files.front().ofRun()) {
      throw InvalidInput(
          path, fmt::format("is of another kind than {}: series of runs and rows of benchmarks have plots of their own", files.front().path));
    }
    requireDistinct({{"REPORT", path}, {"--out", options.out}});
  }
  const bool runs = files.front().ofRun();
  if (runs && files.size() > kMostRuns) throw InvalidInput("plot", fmt::format("draws at most {} runs at once, not {}", kMostRuns, files.size()));
  if (!runs && options.columns) throw InvalidInput("--columns", "is of series of runs; rows of benchmarks have a panel a scene");
  const Figure figure("--out", options.out, runs ? "plot-reports" : "plot-quality");
  figure.draw({}, (runs ? seriesDocument(files, options.columns) : qualityDocument(files)).dump());
  fmt::print("plotted in {}\n", options.out);
}

}  // namespace

void addPlot(CLI::App& app, int&) {
  CLI::App* command = app.add_subcommand("plot", "Plots of reports: series of runs over their steps, time against quality of benchmarks");
  auto options = std::make_shared<PlotOptions>();
  command->add_option("reports", options->reports, "Files of run --report with --report-every; or of bench --json and bench/compare --json")
      ->type_name("REPORT")
      ->required();
  command->add_option("--out", options->out, "The plot: .png, .svg or .pdf")->type_name("FILE")->capture_default_str();
  command->add_flag("--columns", options->columns, "Each run in a column of its own, instead of all in the same panels");
  command->callback([options] { plot(*options); });
}

}  // namespace cairn::cli
