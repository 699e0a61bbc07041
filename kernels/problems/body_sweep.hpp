// Sweeps over a stand-alone contact problem by its bodies' velocities: M v = H r + f, u = H^T v + w. See body_sweep.cu.
#pragma once

#include "kernels/problems/problem_sweep.hpp"

namespace cairn::v0 {

constexpr int kBodyDofs = 6;

// On the queue's target. A contact's arms are its bodies: first dof, H's and M^-1 H's 6 x 3 blocks, row-major. Contacts of one colour share no body.
template <class T> struct BodyProblemView {
  const int* armStart;  // [contacts + 1]
  const int* firstDof;  // [arms]
  const T* jacobian;    // [18 arms] blocks of H
  const T* response;    // [18 arms] blocks of M^-1 H
  const T* diagonal;    // [9 contacts] W_ii
  const T* w;           // [3 contacts]
  const T* friction;    // [contacts]
  T* r;                 // [3 contacts]
  T* v;                 // [dofs], f and r included
  const int* order;
  const int* hostColourStarts;
  int contacts, colourCount;
};

// Projected Gauss-Seidel in place on r and v, colour by colour.
template <class T> void sweepBodies(Queue& queue, const BodyProblemView<T>& view);
// r += change and v += M^-1 H change.
template <class T> void addImpulses(Queue& queue, const BodyProblemView<T>& view, const T* change);

}  // namespace cairn::v0
