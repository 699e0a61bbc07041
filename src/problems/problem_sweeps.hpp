// A stand-alone problem on a queue's target, swept by the blocks of W: scaled and coloured.
#pragma once

#include "kernels/problems/problem_sweep.hpp"
#include "src/problems/impulse_sweeps.hpp"

#include <cairn/contact_problem.hpp>

namespace cairn::v0 {

// W is divided by its mean diagonal and q by its largest entry, so that float serves problems in any units.
template <class T> class ProblemSweeps final : public ImpulseSweeps<T> {
 public:
  ProblemSweeps(Queue& queue, const ContactProblem& local);

  // Damped so that it converges for any W: by the largest number of contacts that one contact meets, itself included.
  void jacobi();

 private:
  using ImpulseSweeps<T>::queue_, ImpulseSweeps<T>::impulseUnit_, ImpulseSweeps<T>::r_, ImpulseSweeps<T>::next_, ImpulseSweeps<T>::change_,
      ImpulseSweeps<T>::direction_;
  void sweep() override;
  void follow(T beta) override;

  T damping_ = T(1);
  std::vector<int> colourStarts_;
  Buffer<int> rowStart_, column_, diagonal_, order_;
  Buffer<T> blocks_, q_, friction_;
  ProblemView<T> view_{};
};

}  // namespace cairn::v0
