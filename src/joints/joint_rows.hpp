// The rows of a World's joints: definitions compiled to records and axis rows, their arrays on the target with the impulses that they keep from step
// to step, and the tiles that they lie in. Kernels: kernels/joints/joint_rows.cu.
//
// Two things are kept as long as they are true. The arrays serve until joints come, go or break. The tiles, with the rows in them, serve the next
// step too, if the bodies lie where the last substep left them; `rowsRevision_` says for which state of the bodies that holds.
#pragma once

#include "kernels/joints/joint_rows.hpp"
#include "src/joints/joint_set.hpp"
#include "src/joints/joint_step_view.hpp"
#include "src/joints/joint_system.hpp"
#include "src/joints/joint_tiles.hpp"

namespace cairn::v0 {

// Bits 0..2 for x, y, z: the axes of frame A that a joint locks.
struct LockedAxes {
  int linear, angular;
};
LockedAxes lockedAxes(const JointDef& def);

// What acts on the axes that a joint leaves free. Limits come last: a sweep's last word on an axis.
template <class T> std::vector<AxisRow<T>> axisRowsOf(const JointDef& def);

// A joint's frame on a body, seen from the body's centre of mass.
template <class T> Pose<T> frameFromCentre(const Posed& frame, Vec3d centre) {
  return {convert<T>(frame.p - centre), normalized(convert<T>(normalized(frame.q)))};
}

// Kept by a joint from the last step.
template <class T> struct JointMemory {
  JointReaction<T> reaction{};
  T phase = T(0);  // of a gear [rad]
};

template <class T> class JointRows {
 public:
  explicit JointRows(Queue& queue) : queue_(queue) {}

  // --- between steps ---
  // Arrays and equations of the joints that act now; nothing to do if they have not changed. Whatever it throws, nothing has changed.
  void update(const JointSet& joints, const State<T>& bodies, JointSolver solver);
  // After JointSet::setMotor and setLimits. Motors of vehicles change every step: as long as a joint has as many rows as before, new numbers go into
  // the old places.
  void rewrite(const JointSet& joints, int slot);

  JoinedPairs joinedPairs() const { return {made_.joinedKeys.data(), static_cast<int>(made_.joinedKeys.size())}; }
  // By body slot: bodies that joints connect have one number, that of a body among them; null without joints.
  const int* assemblies() const { return made_.live.empty() ? nullptr : made_.assemblies.data(); }
  // CSR by body slot over the sides of joints; null without joints.
  const int* jointOffsets() const { return made_.live.empty() ? nullptr : made_.bodyOffsets.data(); }
  JointMemory<T> memoryOf(const JointSet& joints, int slot) const;
  std::vector<JointMemory<T>> memories(const JointSet& joints) const;  // by slot

  // The joints of masked environments keep nothing of what was. The mask lies on the target.
  void forget(EnvironmentMask mask, int jointsEach);

  // For snapshots: what joints keep from the last step. Once update() has been called. In joint_snapshot.cpp.
  template <class Archive> void archive(Archive& a, long bodiesRevision);

  // What motors, springs, damping, friction and limits of all joints gave the bodies in the last step [J].
  double measureWork(PrimitiveScratch& scratch) const;

  // --- for the caller's kernels, once update() has been called ---
  const Buffer<JointReaction<T>>& reactions() const { return made_.reactions; }  // by slot, of the last step
  Buffer<AxisRow<T>>& axisRows() { return made_.axisRows; }
  // Of a motor; -1: the axis has none, or the joint does not act.
  int motorRow(const JointSet& joints, int slot, int axis) const;

  // --- where gears' phases lie ---
  const T* phases() const { return made_.phases.data(); }
  int phaseOf(const JointSet& joints, int slot) const;  // of a gear; -1: it has not acted yet
  long timesMade() const { return made_.serial; }       // changes when phases have moved

  // --- a step ---
  JointStepView<T> view();
  // Constraints and priorities of the joints that act, in the lists of all constraints from *first on (on the target).
  void describe(FirstPlace first, const BodyConstants<T>* constants, ConstraintBodies* constraints, uint32_t* priorities, int jointsEach = 0);
  // Tiles for the colours of this step's graph, whose constraints from *first on are the joints. The strip is the target's, or the one given.
  JointView<T> layout(PrimitiveScratch& scratch, const ConstraintBodies* constraints, const GraphView& graph, FirstPlace first,
                      StepCounts* counts = nullptr, int strip = 0);
  const JointView<T>& lastLayout() const { return tiles_.view(); }
  // The last step's tiles and rows serve bodies of this revision (State::revision). After steps with contacts, and after changes, they serve none.
  bool rowsServe(long bodiesRevision) const { return rowsRevision_ == bodiesRevision; }
  void keepRows(long bodiesRevision) { rowsRevision_ = bodiesRevision; }
  void dropRows() { rowsRevision_ = inertiasRevision_ = kNoRevision; }
  // In a World from a snapshot that was taken where the rows serve there are no tiles for them yet, but the bodies' inertias that go with them. Such
  // a step lays out tiles and prepares rows like any other, and then puts those back.
  bool inertiasServe(long bodiesRevision) const { return inertiasRevision_ == bodiesRevision; }
  void putRowsBack();

  // What a step changes of them. `rows`: those of the last step serve this one, and are kept with the bodies' inertias, which go with them.
  void backUp(const State<T>& bodies, bool rows);
  void restore(State<T>& bodies);
  // Ends a step. Returns the slots of the joints that had to bear more than they can: their rows act no longer once they are marked broken.
  std::vector<int> finishStep();

  // --- a planned step ---
  // Some joint asks the host within a substep.
  bool anyCallback() const { return made_.boxes.anyCallback(); }
  // The plan has it that no joint breaks.
  void expectNoneBroken(StepCounts& counts);
  // Impulses as before the step, or the step's reactions, as its status says.
  void settleStep(const StepStatus* status, State<T>& bodies);
  // On the host, after a planned step that was not done. `rows`: those that it was to begin with served it.
  void takeBack(long bodiesRevision, bool rows);

 private:
  static constexpr long kNoRevision = -1;

  // A joint's axis rows, and whose they are.
  struct RowRange {
    uint32_t generation = 0;
    int first = 0, count = 0;
    bool acted = false;  // in a step: what the arrays hold for the slot is the joint's own
  };
  // All that is made anew when joints come, go or break.
  struct Made {
    long jointsRevision = 0;
    long serial = 0;  // of arrays that were made
    int bodySlots = 0;
    bool anySwept = false, breakable = false;
    int maxRows = 0;               // axis rows of a joint
    std::vector<RowRange> ranges;  // by slot
    std::vector<int> live;         // slots of the joints that act
    Buffer<JointRecord<T>> records;
    Buffer<AxisRow<T>> axisRows;
    Buffer<JointImpulse<T>> impulses, savedImpulses;
    Buffer<T> rowImpulses, phases, savedRowImpulses, savedPhases;
    Buffer<T> leans, pulls;                             // of the bodies, and of the substep
    Buffer<JointReaction<T>> reactions, stepReactions;  // of the last step that was done, and of the one that is being done
    Buffer<int> liveOnTarget, laneOfJoint, broken;
    Buffer<int> bodyOffsets, bodySides, assemblies;
    Buffer<uint64_t> joinedKeys;
    JointSystem system;
    BlackBoxes<T> boxes;
  };
  struct Compiled;

  struct TilesOnHost;

  bool owns(JointId joint) const;
  void countBroken();
  std::vector<T> keptRows();
  TileRange rangeFrom(FirstPlace first) const { return {first.at, nullptr, static_cast<int>(made_.live.size()), first.most}; }
  void compile(const JointSet& joints, const State<T>& bodies, JointSolver solver, Compiled& out) const;
  void addEquations(const State<T>& bodies, JointSolver solver, Compiled& out) const;
  void listByBody(const JointSet& joints, Made& made) const;
  void listAssemblies(const JointSet& joints, const State<T>& bodies, Made& made) const;

  Queue& queue_;
  Made made_;

  Buffer<T>& fields() { return tiles_.fields(); }
  JointTiles<T> tiles_;  // of the step
  long rowsRevision_ = kNoRevision, inertiasRevision_ = kNoRevision;
  std::vector<T> rowsOfSnapshot_;  // by joint that acts, as long as inertiasRevision_ says that they serve
  Buffer<T> savedFields_;
  Buffer<BodyInertia<T>> savedInertias_;
  mutable Buffer<double> works_, work_;
  bool rowsSaved_ = false, inertiasSaved_ = false;
};

}  // namespace cairn::v0
