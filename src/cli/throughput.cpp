#include "src/cli/throughput.hpp"

#include "src/rows/sweep_traffic.hpp"

#include <cmath>
#include <limits>

namespace cairn::cli {
namespace {

double ratio(double a, double b) { return b > 0 ? a / b : std::numeric_limits<double>::quiet_NaN(); }

double solveMilliseconds(const RunRow& row) {
  for (const StageTime& stage : row.stageMedians)
    if (stage.stage == "solve") return stage.milliseconds;
  return std::numeric_limits<double>::quiet_NaN();
}

Json numberOrNull(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
Json bothJson(const StepAndSolve& both) { return {{"step", numberOrNull(both.step)}, {"solve", numberOrNull(both.solve)}}; }

}  // namespace

Throughput throughputOf(const RunRow& row, double copyBandwidth) {
  const StepReport& r = row.report;
  const double solve = solveMilliseconds(row), visits = double(r.contactPoints) * r.sweeps;
  const auto traffic = row.settings.precision == Precision::Float ? sweepTraffic<float> : sweepTraffic<double>;
  Throughput throughput{};
  throughput.nsPerPoint = ratio(1e6 * row.stepMedian, r.contactPoints);
  throughput.nsPerPointAndSweep = {ratio(1e6 * row.stepMedian, visits), ratio(1e6 * solve, visits)};
  throughput.sweepBytes = r.sweeps * traffic(r.manifolds, r.contactPoints);
  throughput.copyBandwidth = copyBandwidth;
  const auto fraction = [&](double milliseconds) { return ratio(throughput.sweepBytes, 1e-3 * milliseconds * copyBandwidth); };
  throughput.fractionOfBandwidth = {fraction(row.stepMedian), fraction(solve)};
  return throughput;
}

Json throughputJson(const Throughput& throughput) {
  return {{"ns_per_point", numberOrNull(throughput.nsPerPoint)},
          {"ns_per_point_and_sweep", bothJson(throughput.nsPerPointAndSweep)},
          {"sweep_bytes", throughput.sweepBytes},
          {"copy_bandwidth_bytes_per_s", throughput.copyBandwidth > 0 ? Json(throughput.copyBandwidth) : Json(nullptr)},
          {"fraction_of_copy_bandwidth", bothJson(throughput.fractionOfBandwidth)}};
}

}  // namespace cairn::cli
