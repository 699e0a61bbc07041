#include "src/experiments/experiment.hpp"

#include <algorithm>
#include <cassert>

namespace cairn::v0::experiments {
namespace {

struct Range {
  size_t begin, end;
};
Range part(size_t size, double from, double to) {
  assert(0 <= from && from <= to && to <= 1);
  return {static_cast<size_t>(from * static_cast<double>(size)), static_cast<size_t>(to * static_cast<double>(size))};
}

}  // namespace

std::vector<Experiment> all() {
  std::vector<Experiment> list = anitescuHart();
  for (const auto& more : {silcowitz(), clinePai(), hanging(), weinstein(), tankExperiments()}) list.insert(list.end(), more.begin(), more.end());
  return list;
}

WorldSettings plainSettings(const WorldSettings& base) {
  WorldSettings settings = base;
  settings.precision = Precision::Double;
  settings.substeps = 1;
  settings.relaxations = 0;
  settings.forceMixing = 0;
  settings.overRelaxation = 1;
  settings.slop = 0;
  settings.growEnvelope = false;
  return settings;
}

double largest(const std::vector<double>& values, double from, double to) {
  const Range r = part(values.size(), from, to);
  double maximum = 0;
  for (size_t i = r.begin; i < r.end; ++i) maximum = std::max(maximum, values[i]);
  return maximum;
}

double meanOf(const std::vector<double>& values, double from, double to) {
  const Range r = part(values.size(), from, to);
  double sum = 0;
  for (size_t i = r.begin; i < r.end; ++i) sum += values[i];
  return r.end > r.begin ? sum / static_cast<double>(r.end - r.begin) : 0;
}

}  // namespace cairn::v0::experiments
