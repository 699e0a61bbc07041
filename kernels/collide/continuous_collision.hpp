// Bodies that went through something within a step are put back to where they met it. The sequence is in src/collide/continuous_collision.cpp, the
// algorithm in continuous_collision.cu.
#pragma once

#include "kernels/collide/broad_phase_tree.hpp"
#include "kernels/collide/swept_pairs.hpp"

namespace cairn::v0 {

// The step as it went, by body slot.
template <class T> struct PathsTaken {
  const BodyPose<T>* before;
  const BodyPose<T>* after;           // where bodies are by now
  const BodyVelocity<T>* velocities;  // after the step
  const BodyConstants<T>* constants;
  const int* assemblies;    // bodies that joints connect have one number, that of a body among them; null: each has its own
  const int* jointOffsets;  // CSR over the sides of joints; null: there are none
  // Poses at the ends of the substeps, [substeps][bodySlots]: bodies that joints connect go back along them, since along the chord
  // of a turn their joints come apart. Null: there are none.
  const BodyPose<T>* between;
  int substeps, bodySlots;
  T dt;
  GeometryView geometry{};
  CAIRN_HD int assemblyOf(int body) const { return assemblies == nullptr ? body : assemblies[body]; }
  CAIRN_HD bool hasJoints(int body) const { return jointOffsets != nullptr && jointOffsets[body + 1] > jointOffsets[body]; }
};

// Shapes that moved further than a part of their inner size, to the list, whose count must be zero before.
template <class T>
void findFastMotions(Queue& queue, const ShapeRecord<T>* shapes, const BoundedShapes<T>& bounded, const PathsTaken<T>& paths, const FastList& fast);

// By assembly: the earliest time at which one of its bodies met something, and what pushes it from then on. Zero: it met nothing.
using MeetingKey = uint64_t;

// What rounds before this one have put back; in the first all are null.
template <class T> struct RoundsBefore {
  const MeetingKey* all = nullptr;   // by assembly, the earliest of all of them
  const MeetingKey* last = nullptr;  // by assembly, of the last one
  const int* lastCount = nullptr;    // bodies that the last one put back
};

// The earliest meetings of the list's shapes. Keys must be zero before. A round after the first looks at those alone whose ways lead past bodies that
// the last one put back, from the time on at which these stand.
template <class T> void findMeetings(Queue& queue, const ShapeRecord<T>* shapes, const BoundedShapes<T>& bounded, const PathsTaken<T>& paths,
                                     const JoinedPairs& joined, const FastList& fast, const RoundsBefore<T>& before, MeetingKey* meetings);

// Bodies that met something go back to where they did.
template <class T> struct PutBackBodies {
  PathsTaken<T> paths;
  BodyPose<T>* poses;
  BodyVelocity<T>* velocities;
  GravityField<T> gravity;
};
// *count, zero before: how many.
template <class T>
void putBack(Queue& queue, int bodySlots, const MeetingKey* meetings, const PutBackBodies<T>& bodies, const RoundsBefore<T>& before, int* count);

// Meetings of a round to those of all rounds so far; and the next round's are zero.
void addRound(Queue& queue, int bodySlots, const MeetingKey* meetings, MeetingKey* all, MeetingKey* next);

}  // namespace cairn::v0
