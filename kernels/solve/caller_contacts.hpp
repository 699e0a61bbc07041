// A caller's bodies and contacts, in the caller's arrays, as the library's records, and its answers back. See caller_contacts.cu.
#pragma once

#include "kernels/graph/contact_graph.hpp"
#include "kernels/runtime/runtime.hpp"
#include "kernels/state/views.hpp"

#include <cairn/contact_solver.hpp>

namespace cairn::v0 {

template <class T> struct CallerArrays {
  SolverBodies<T> bodies;
  SolverContacts<T> contacts;
  SolverJoints<T> joints;
  bool warmStart;  // impulses are read
};

// What a call has found out so far, on the target.
struct CallState {
  int contacts;  // in the caller's arrays; 0 if they are more than there is room for
  int flaws;     // the flags as the input alone had them
  ContactSolverStatus status;

  CAIRN_HD bool refused() const { return status.flags != 0; }
};

// The library's records. Body slots are the caller's bodies, and behind them the world.
template <class T> struct BodyRecords {
  BodyPose<T>* poses;
  BodyVelocity<T>* velocities;
  BodyInertia<T>* inertias;
  BodyMotion<T>* motions;
  BodyConstants<T>* constants;  // flags alone
};
template <class T> struct ManifoldRecords {
  Manifold<T>* manifolds;
  ManifoldImpulse<T>* impulses;
  int* firstContact;                  // by manifold
  const BodyConstants<T>* constants;  // by body
};

// Nothing found out yet. How many contacts there are; more than `capacity` are refused.
template <class T> void beginCall(Queue& queue, const SolverContacts<T>& contacts, const ContactCapacity& capacity, CallState* state);
// Checks the bodies and writes their records.
template <class T> void readBodies(Queue& queue, const SolverBodies<T>& bodies, const BodyRecords<T>& out, CallState* state);
// Checks the contacts, the first `most` of them at most, likewise below. heads[i]: 1 if contact i is the first of a manifold, else 0.
template <class T> void checkContacts(Queue& queue, const CallerArrays<T>& caller, int most, CallState* state, int* heads);
// From places[i], the number of manifolds that begin before contact i (most + 1 of them), to manifolds and impulses. Notes the input's flaws; of a
// call that has been refused there is no manifold: places[most] becomes 0.
template <class T>
void readManifolds(Queue& queue, const CallerArrays<T>& caller, int most, CallState* state, int* places, const ManifoldRecords<T>& out);

// What a call ends with.
template <class T> struct SolvedCall {
  BodyRecords<T> bodies;         // their velocities
  const BodyVelocity<T>* moves;  // to move the bodies with; null: nobody asks
  ManifoldRecords<T> manifolds;  // their impulses
  const int* manifoldCount;      // on the target
  int manifoldBound;
  const GraphScalars* colours;
  int sweeps;
};
// Refuses what overflows, and results that are not finite.
template <class T> void checkResult(Queue& queue, int bodies, const SolvedCall<T>& solved, CallState* state);
// Velocities and impulses to the caller's arrays unless the call was refused, and its status (null: nobody asks).
template <class T>
void writeResult(Queue& queue, const CallerArrays<T>& caller, const SolvedCall<T>& solved, const CallState* state, ContactSolverStatus* status);
// The residual from its maxima (Residual::maxima; null: there are no contacts).
template <class T> void noteResidual(Queue& queue, const MaxAt<T>* maxima, CallState* state);

}  // namespace cairn::v0
