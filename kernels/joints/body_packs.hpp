// Bodies side by side, on a CPU, for what the impulses of their joints do to them: eight that follow each other in SystemView::bodies. What is
// computed is what joint_substitution.hpp says, operation by operation.
//
// Structure: src/joints/body_packs.hpp.
#pragma once

#include "kernels/joints/column_packs.hpp"

namespace cairn::v0 {

constexpr int kPackBodies = kPackColumns;
constexpr int kMostSides = 8;  // joints of a body: those beside one with more would add zeros

// A pack's sources are rows of kPackBodies numbers, one a body, in the order in which they are read:
//   the bodies' slots
//   how many joints the one that has most has (one number), and of each: where its impulse is in SystemView::vector, where the body's arm is, in arms
//     as single numbers, and with which sign the impulse acts, which is 0 for bodies that have fewer.
// Of bodies with other joints than those that hold points, and of those that are left at the end, there is no pack.
template <class T> struct ApplyImpulses;
template <class T> void applyInPack(const ApplyImpulses<T>& pass, const int* sources);

}  // namespace cairn::v0
