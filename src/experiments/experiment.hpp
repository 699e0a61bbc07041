// The papers' experiments: runs, measurements and claims. docs/experiments.md describes them.
#pragma once

#include <cairn/settings.hpp>
#include <cairn/world.hpp>

#include <functional>
#include <string>
#include <vector>

namespace cairn::v0::experiments {

struct Curve {
  std::string name;
  std::vector<double> x, y;
};

// One set of axes of the figure.
struct Panel {
  std::string title, xLabel, yLabel;
  bool logarithmic = false;  // the y axis
  std::vector<Curve> curves;
};

// `ours` is what was measured. If a claim does not hold, `explanation` says why, with evidence in `ours`; empty: it should hold.
struct Claim {
  std::string claim, paper, ours;
  bool holds;
  std::string explanation;
};

// Beside the claims: what the same experiment does with other settings and scenes, so that what was chosen can be judged.
struct Measured {
  std::string what, measured;
};

struct Outcome {
  std::vector<Panel> panels;
  std::vector<Claim> claims;
  std::vector<Measured> alsoMeasured;
};

// An experiment's surroundings: settings of the machine, a listener for its progress, and a place for pictures of its scenes.
struct Context {
  WorldSettings base;  // backend and threads; everything else is the experiment's
  std::function<void(const std::string& what, int done, int total)> progress;
  std::function<void(const std::string& name, const World& world, const Scene& scene)> picture;
};

struct Experiment {
  std::string name, paper, title;
  Outcome (*run)(const Context&);
};

std::vector<Experiment> anitescuHart();
std::vector<Experiment> silcowitz();
std::vector<Experiment> clinePai();
std::vector<Experiment> hanging();
std::vector<Experiment> weinstein();
std::vector<Experiment> tankExperiments();

// All, in the order in which they are listed.
std::vector<Experiment> all();

// The settings of the papers' time stepping: one substep, rigid rows, no leak, nothing after the positions, contacts within the envelope and no
// others; in double.
WorldSettings plainSettings(const WorldSettings& base);

double largest(const std::vector<double>& values, double from = 0, double to = 1);  // of the fraction [from, to) of them
double meanOf(const std::vector<double>& values, double from = 0, double to = 1);

}  // namespace cairn::v0::experiments
