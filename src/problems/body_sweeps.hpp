// A global problem of rigid bodies on a queue's target, swept by velocities without ever making W.
#pragma once

#include "kernels/problems/body_sweep.hpp"
#include "src/problems/impulse_sweeps.hpp"

#include <cairn/contact_problem.hpp>

namespace cairn::v0 {

// True if M couples no dofs but those of one body, and each contact touches few bodies.
bool hasBodies(const ContactProblem& problem);

// Units are those of ProblemSweeps: velocities by the largest that is given, impulses by that over the mean diagonal of W.
template <class T> class BodySweeps final : public ImpulseSweeps<T> {
 public:
  // hasBodies(problem) must hold; the problem must outlive the sweeps.
  BodySweeps(Queue& queue, const ContactProblem& problem);

  void reset(const std::vector<double>& r) override;

 private:
  using ImpulseSweeps<T>::queue_, ImpulseSweeps<T>::impulseUnit_, ImpulseSweeps<T>::r_, ImpulseSweeps<T>::change_, ImpulseSweeps<T>::direction_;
  void sweep() override;
  void follow(T beta) override;

  const ContactProblem& problem_;
  double velocityUnit_ = 1;
  std::vector<int> colourStarts_;
  std::vector<double> inverseBlocks_;  // of M, 36 a body
  Buffer<int> armStart_, firstDof_, order_;
  Buffer<T> jacobian_, response_, diagonal_, w_, friction_, v_, step_;
  BodyProblemView<T> view_{};
};

}  // namespace cairn::v0
