// cairn paper: the papers' experiments, our figures beside theirs.
#include "src/cli/arguments.hpp"
#include "src/cli/commands.hpp"
#include "src/cli/figure.hpp"
#include "src/cli/options.hpp"
#include "src/cli/output_file.hpp"
#include "src/cli/progress.hpp"
#include "src/experiments/experiment.hpp"
#include "src/io/report_json.hpp"
#include "src/render/picture.hpp"

#include <cairn/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <set>

namespace cairn::cli {
namespace {

using experiments::Claim;
using experiments::Experiment;
using experiments::Outcome;
using experiments::Panel;

struct PaperOptions {
  std::vector<std::string> experiments;
  std::string out = "paper", json, plots = "png";
  bool list = false;
  WorldSettings settings;
};

std::string fileName(const std::string& text) {
  std::string name;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  return name;
}

void writeCsv(const Experiment& experiment, const Outcome& outcome, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  file << fmt::format("# experiment\t{}\n", experiment.name);
  file << fmt::format("# title\t{}: {}\n", experiment.title, experiment.paper);
  for (size_t k = 0; k < outcome.panels.size(); ++k) {
    const Panel& panel = outcome.panels[k];
    file << fmt::format("# panel {}\t{}\t{}\t{}\t{}\n", k, panel.title, panel.xLabel, panel.yLabel, panel.logarithmic ? "log" : "linear");
  }
  file << "panel,curve,x,y\n";
  for (size_t k = 0; k < outcome.panels.size(); ++k) {
    for (const experiments::Curve& curve : outcome.panels[k].curves) {
      for (size_t i = 0; i < curve.x.size(); ++i) file << fmt::format("{},\"{}\",{:.9g},{:.9g}\n", k, curve.name, curve.x[i], curve.y[i]);
    }
  }
  file.close();
  if (!file) throw InvalidInput(path, "writing failed: is the disk full?");
}

constexpr const char* kScript = "plot-paper";

void plot(const std::string& csv, const std::string& figure) {
  const std::string failure = runFigureScript(kScript, {csv, figure});
  if (failure.empty()) {
    fmt::print("  plotted in {}\n", figure);
  } else {
    fmt::print("  no plot: {}; scripts/plot-paper {} {} makes it\n", failure, csv, figure);
  }
}

// Long texts over several lines of a column.
std::vector<std::string> wrapped(const std::string& text, size_t width) {
  std::vector<std::string> lines{""};
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width) lines.push_back("");
    lines.back() += (lines.back().empty() ? "" : " ") + word;
    begin = end + 1;
  }
  return lines;
}

void printClaim(const Claim& claim) {
  const std::vector<std::string> columns[3] = {wrapped(claim.claim, 48), wrapped(claim.paper, 24), wrapped(claim.ours, 48)};
  const size_t lines = std::max({columns[0].size(), columns[1].size(), columns[2].size()});
  for (size_t i = 0; i < lines; ++i) {
    const auto cell = [&](size_t c) { return i < columns[c].size() ? columns[c][i] : std::string(); };
    fmt::print("  {:48}  {:24}  {:48}  {}\n", cell(0), cell(1), cell(2),
               i > 0                       ? ""
               : claim.holds               ? "holds"
               : claim.explanation.empty() ? "DOES NOT HOLD"
                                           : "explained");
  }
  if (!claim.holds && !claim.explanation.empty()) fmt::print("    why: {}\n", claim.explanation);
}

void printMeasured(const std::vector<experiments::Measured>& measured) {
  if (measured.empty()) return;
  fmt::print("  also measured\n");
  for (const experiments::Measured& each : measured) {
    const std::vector<std::string> columns[2] = {wrapped(each.what, 48), wrapped(each.measured, 74)};
    for (size_t i = 0; i < std::max(columns[0].size(), columns[1].size()); ++i) {
      const auto cell = [&](size_t c) { return i < columns[c].size() ? columns[c][i] : std::string(); };
      fmt::print("  {:48}  {}\n", cell(0), cell(1));
    }
  }
}

void list(const std::vector<Experiment>& experiments) {
  for (const Experiment& each : experiments) fmt::print("{:24} {} ({})\n", each.name, each.title, each.paper);
}

// In the order in which they are listed.
std::vector<Experiment> chosen(const std::vector<std::string>& names) {
  const std::vector<Experiment> every = experiments::all();
  std::vector<std::string> known{"all"};
  for (const Experiment& each : every) known.push_back(each.name);
  std::set<std::string> wanted;
  for (const std::string& name : names) wanted.insert(oneOf("paper", name, known));
  std::vector<Experiment> found;
  for (const Experiment& each : every) {
    if (wanted.count("all") != 0 || wanted.count(each.name) != 0) found.push_back(each);
  }
  return found;
}

Outcome runExperiment(const Experiment& experiment, const PaperOptions& options) {
  Progress progress(experiment.name);
  experiments::Context context;
  context.base = options.settings;
  context.progress = [&](const std::string& what, int done, int total) {
    progress.sayAtTimes([&] { return fmt::format("{}: {} {}/{}", experiment.name, what, done, total); });
  };
  context.picture = [&](const std::string& name, const World& world, const Scene& scene) {
    writePicture(world, scene, options.out + "/" + experiment.name + "-" + fileName(name) + ".png");
  };
  return experiment.run(context);
}

void printOutcome(const Experiment& experiment, const Outcome& outcome) {
  fmt::print("{}: {} ({})\n", experiment.name, experiment.title, experiment.paper);
  fmt::print("  {:48}  {:24}  {:48}\n", "claim", "paper", "ours");
  for (const Claim& claim : outcome.claims) printClaim(claim);
  printMeasured(outcome.alsoMeasured);
}

Json outcomeJson(const Experiment& experiment, const Outcome& outcome) {
  Json claims = Json::array(), measured = Json::array();
  for (const Claim& claim : outcome.claims) {
    Json entry{{"claim", claim.claim}, {"paper", claim.paper}, {"ours", claim.ours}, {"holds", claim.holds}};
    if (!claim.explanation.empty()) entry["explanation"] = claim.explanation;
    claims.push_back(entry);
  }
  for (const experiments::Measured& each : outcome.alsoMeasured) measured.push_back({{"what", each.what}, {"measured", each.measured}});
  return {{"experiment", experiment.name}, {"claims", claims}, {"also_measured", measured}};
}

int paper(const PaperOptions& options) {
  if (options.list || options.experiments.empty()) {
    list(experiments::all());
    return 0;
  }
  const std::vector<Experiment> wanted = chosen(options.experiments);
  const std::string format = oneOf("--plots", options.plots, {"png", "svg", "pdf"});
  requireUsable(options.settings);
  const OutputFile json("--json", options.json);
  requireDirectory(options.out);
  const bool table = options.json != "-";
  Json results = Json::array();
  bool failed = false;
  for (const Experiment& experiment : wanted) {
    const Outcome outcome = runExperiment(experiment, options);
    const std::string name = options.out + "/" + experiment.name, csv = name + ".csv", figure = name + "." + format;
    writeCsv(experiment, outcome, csv);
    for (const Claim& claim : outcome.claims) failed = failed || (!claim.holds && claim.explanation.empty());
    results.push_back(outcomeJson(experiment, outcome));
    if (table) {
      printOutcome(experiment, outcome);
      plot(csv, figure);
      fmt::print("  written to {}\n\n", csv);
      std::fflush(stdout);
    } else {
      runFigureScript(kScript, {csv, figure});
    }
  }
  if (json.wanted()) {
    Json document = documentJson("paper");
    document["backend"] = World(Scene{}, options.settings).backend() == Backend::Cuda ? "cuda" : "cpu";
    document["experiments"] = results;
    json.write(document.dump(2));
  }
  return failed ? 1 : 0;
}

}  // namespace

void addPaper(CLI::App& app, int& exitStatus) {
  CLI::App* command = app.add_subcommand("paper", "Run experiments of the papers, their figures beside ours");
  auto options = std::make_shared<PaperOptions>();
  command->add_option("experiments", options->experiments, "Some of --list, or all")->type_name("EXPERIMENT");
  command->add_flag("--list", options->list, "The experiments");
  command->add_option("--out", options->out, "Directory for tables (CSV), plots and pictures")->type_name("DIR")->capture_default_str();
  command->add_option("--plots", options->plots, "Format of the plots: png, svg, pdf")->type_name("NAME")->capture_default_str();
  command->add_option("--json", options->json, "Claims and what was measured beside them, as JSON; - for standard output")->type_name("FILE");
  addTarget(*command, options->settings);
  command->callback([options, &exitStatus] { exitStatus = paper(*options); });
}

}  // namespace cairn::cli
