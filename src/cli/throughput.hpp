// A run's time against what it had to do: contact points, sweeps, memory moved.
#pragma once

#include "src/io/report_json.hpp"

namespace cairn::cli {

// Quantities of a whole step, and of its stage `solve`; NaN where there is nothing to divide by: no contacts, no sweeps, no times of stages.
struct StepAndSolve {
  double step, solve;
};

struct Throughput {
  double nsPerPoint;                 // and step
  StepAndSolve nsPerPointAndSweep;   // a sweep is a pass over all contacts
  double sweepBytes;                 // moved by a step's sweeps over contacts, by count (src/rows/sweep_traffic.hpp)
  double copyBandwidth;              // [bytes/s]; 0: not known
  StepAndSolve fractionOfBandwidth;  // sweepBytes by the time, over copyBandwidth
};

Throughput throughputOf(const RunRow& row, double copyBandwidth);
// Keys of docs/report.md.
Json throughputJson(const Throughput& throughput);

}  // namespace cairn::cli
