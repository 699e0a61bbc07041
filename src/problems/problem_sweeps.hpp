// A stand-alone problem on a queue's target: scaled, coloured, swept.
#pragma once

#include "kernels/problems/problem_sweep.hpp"
#include "kernels/runtime/primitives.hpp"
#include "src/problems/sweeps.hpp"

#include <cairn/contact_problem.hpp>

namespace cairn {

// W is divided by its mean diagonal and q by its largest entry, so that float serves problems in any units.
template <class T> class ProblemSweeps final : public Sweeps {
 public:
  ProblemSweeps(Queue& queue, const ContactProblem& local);

  void reset(const std::vector<double>& r) override;
  std::vector<double> impulses() const override;
  void gaussSeidel() override;
  // Damped so that it converges for any W: by the largest number of contacts that one contact meets, itself included.
  void jacobi();
  void nncg() override;

 private:
  Queue& queue_;
  mutable PrimitiveScratch scratch_;
  double impulseUnit_ = 1;
  T damping_ = T(1);
  double lastSquare_ = 0;
  bool conjugate_ = false;
  std::vector<int> colourStarts_;
  Buffer<int> rowStart_, column_, diagonal_, order_;
  Buffer<T> blocks_, q_, friction_, r_, next_, before_, change_, squares_, direction_, sum_;
  ProblemView<T> view_;
};

}  // namespace cairn
