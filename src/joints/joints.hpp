// Joints: those of a World between steps, and what a step does with them. Rows: kernels/joints/joint_rows.cu; their direct solve: joint_system.
#pragma once

#include "kernels/joints/joint_rows.hpp"
#include "src/graph/contact_graph.hpp"
#include "src/joints/black_boxes.hpp"
#include "src/joints/joint_system.hpp"
#include "src/rows/tile_layout.hpp"
#include "src/state/state.hpp"

#include <unordered_map>

namespace cairn {

struct JointErrors {
  double offset = 0, turn = 0;  // the largest [m], [rad]
};

template <class T> class Joints {
 public:
  Joints(Queue& queue, const State<T>& state) : queue_(queue), state_(state) {}

  // Joints come and go between steps. Input has been validated, apart from what its bodies are; throws InvalidInput before anything changed.
  JointId add(const JointDef& def, BodyId bodyA, BodyId bodyB, const std::string& place);
  void remove(JointId joint);
  void removeOf(int bodySlot);
  void setMotor(JointId joint, int axis, JointMotor motor, double target, double maxForce);

  int count() const { return alive_; }
  std::vector<JointId> ids() const;
  JointId find(const std::string& name) const;
  std::string name(JointId joint) const { return nameOfSlot(slotOf(joint)); }
  JointState state(JointId joint, double dt) const;
  std::vector<JointState> states(double dt) const;
  JointErrors errors() const;

  // --- a step ---
  // Arrays and equations as the joints are now.
  void update(JointSolver solver);
  int liveCount() const { return static_cast<int>(live_.size()); }  // joints that act
  JoinedPairs joinedPairs() const { return {joinedKeys_.data(), joinedCount_}; }
  bool anyRows() const { return !hostRows_.empty(); }
  bool anySwept() const { return sweptCount_ > 0; }
  bool anyBlackBox() const { return !blackBoxes_.empty(); }
  void describe(const BodyConstants<T>* constants, ConstraintBodies* constraints, uint32_t* priorities);
  // Tiles for the colours of this step's graph: those of the live joints are colours[0..]. The strip is the target's, or the one given.
  JointView<T> layout(PrimitiveScratch& scratch, const ConstraintBodies* constraints, const int* colours, int colourCount, int strip = 0);
  // Whether the last layout and the rows in it are still true: nothing was added, removed or moved from outside since, and no contact was there.
  bool keepsLayout(long touched) const { return layoutTouched_ >= 0 && layoutTouched_ == touched && preparedRows_; }
  const JointView<T>& lastLayout() const { return lastLayout_; }
  void rememberLayout(const JointView<T>& view, long touched) {
    lastLayout_ = view;
    layoutTouched_ = touched;
    preparedRows_ = false;
  }
  bool rowsPrepared() const { return preparedRows_; }  // at the poses as they are, with this layout
  void rowsArePrepared() { preparedRows_ = true; }
  void rowsAreStale() { preparedRows_ = false; }
  JointInputs<T> inputs();
  SystemView system() { return system_.view(); }
  const JointRecord<T>* records() const { return records_.data(); }
  std::vector<JointRecord<T>> hostRecords() const { return records_.download(queue_); }  // by slot
  std::vector<int> hostLanes() const { return laneOfJoint_.download(queue_); }           // by slot
  const std::vector<int>& live() const { return live_; }
  const int* slotOfJoint() const { return laneOfJoint_.data(); }
  JointReaction<T>* reactions() { return reactions_.data(); }
  JointsOfBodies ofBodies() const { return {bodyOffsets_.data(), bodySides_.data()}; }
  void beginStep();
  void forgetImpulses();  // for steps that start from none
  void predict(T h);      // asks the black boxes
  void backUp();
  void restore();
  void finishStep();  // breaks what had to bear too much

 private:
  struct Joint {
    JointDef def;
    BodyId bodyA, bodyB;
    uint32_t generation = 0;
    bool alive = false, broken = false;
    bool acted = false;  // in a step: its slot's impulses are its own
    int firstRow = 0, rowCount = 0;
  };

  int slotOf(JointId joint) const;
  std::string nameOfSlot(int slot) const;
  JointRecord<T> record(const Joint& joint) const;
  static std::vector<AxisRow<T>> rowsOf(const JointDef& def);
  static int equationsOf(const JointRecord<T>& record, const std::vector<AxisRow<T>>& rows);
  JointState stateOf(const Joint& joint, const BodyPose<double>& a, const BodyPose<double>& b, T phase, const JointReaction<T>& reaction,
                     double dt) const;
  void listByBody();

  Queue& queue_;
  const State<T>& state_;
  std::vector<Joint> joints_;
  std::set<int> free_;
  std::unordered_map<std::string, int> slotByName_;
  int alive_ = 0, sweptCount_ = 0;
  bool changed_ = false, breakable_ = false;
  int builtSlots_ = 0;

  std::vector<int> live_;
  std::vector<AxisRow<T>> hostRows_;
  Buffer<JointRecord<T>> records_;
  Buffer<AxisRow<T>> axisRows_;
  Buffer<JointImpulse<T>> impulses_, savedImpulses_;
  Buffer<T> rowImpulses_, phases_, savedRowImpulses_, savedPhases_;
  Buffer<JointReaction<T>> reactions_;
  Buffer<int> liveOnTarget_, laneOfJoint_, broken_;
  Buffer<int> bodyOffsets_, bodySides_;
  Buffer<uint64_t> joinedKeys_;
  int joinedCount_ = 0;
  JointSystem system_;
  BlackBoxes<T> blackBoxes_;

  // Tiles of the step.
  TileLayout tiles_;
  Buffer<int> jointOfLane_, tileRows_, tileTurns_;
  Buffer<T> fields_;
  JointView<T> lastLayout_{};
  long layoutTouched_ = -1;
  bool preparedRows_ = false;
};

}  // namespace cairn
