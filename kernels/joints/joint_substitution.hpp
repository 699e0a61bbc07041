// Solving with a factor that is there: right-hand side, substitution, impulses on the bodies. See joint_substitution.cu.
#pragma once

#include "kernels/joints/joint_system.hpp"

namespace cairn {

// view.vector := the impulses that take away the errors of the joints' rows, as `block` counts them.
template <class T> void solveFactorized(Queue& queue, const SystemView& view, const SystemBodies<T>& bodies, const JointBlock<T>& block);
// Those impulses on the bodies, and with `store` onto the lanes' impulses, except in components whose limits have changed.
template <class T> void applyAnswer(Queue& queue, const SystemView& view, const SystemBodies<T>& bodies, bool store);

}  // namespace cairn
