// A global problem of rigid bodies on a queue's target, swept by velocities without ever making W.
#pragma once

#include "kernels/problems/body_sweep.hpp"
#include "kernels/runtime/primitives.hpp"
#include "src/problems/sweeps.hpp"

#include <cairn/contact_problem.hpp>

namespace cairn {

// Whether M couples no dofs but those of one body and each contact touches few bodies.
bool hasBodies(const ContactProblem& problem);

template <class T> class BodySweeps final : public Sweeps {
 public:
  // hasBodies(problem) must hold.
  BodySweeps(Queue& queue, const ContactProblem& problem);

  void reset(const std::vector<double>& r) override;
  std::vector<double> impulses() const override;
  void gaussSeidel() override;
  void nncg() override;

 private:
  void uploadVelocities(const std::vector<double>& r);

  Queue& queue_;
  const ContactProblem& problem_;
  PrimitiveScratch scratch_;
  double impulseUnit_ = 1, velocityUnit_ = 1;
  double lastSquare_ = 0;
  bool conjugate_ = false;
  std::vector<int> colourStarts_;
  std::vector<double> inverseBlocks_;  // of M, 36 a body
  Buffer<int> armStart_, firstDof_, order_;
  Buffer<T> jacobian_, response_, diagonal_, w_, friction_, r_, v_, next_, before_, change_, squares_, direction_, step_, sum_;
  BodyProblemView<T> view_;
};

}  // namespace cairn
