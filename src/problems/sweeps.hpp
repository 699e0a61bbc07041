// What a solver's loop needs of a problem that sits on a queue's target.
#pragma once

#include <vector>

namespace cairn {

class Sweeps {
 public:
  virtual ~Sweeps() = default;
  virtual void reset(const std::vector<double>& r) = 0;
  virtual std::vector<double> impulses() const = 0;  // in the problem's units; after nncg() those right after its sweep
  virtual void gaussSeidel() = 0;
  // A sweep and the step of the nonsmooth nonlinear conjugate gradient method (Silcowitz, Niebe and Erleben, 2010; formulas section 6).
  virtual void nncg() = 0;
};

// The factor of the next step from the squares of this sweep's change and the last one's: Fletcher and Reeves; 0 to start anew.
inline double conjugateFactor(bool started, double square, double lastSquare) {
  const double beta = started && lastSquare > 0 ? square / lastSquare : 0;
  return beta > 1 ? 0 : beta;
}

}  // namespace cairn
