// The largest errors of a World's joints, found where the World runs: three numbers come back, however many joints there are. Kernels:
// kernels/joints/joint_errors.cu.
//
// Definitions are sent to the target when they are first asked for, and again when joints have come, gone or broken. Black boxes with callbacks are
// asked on the host, one by one, as in a step.
#pragma once

#include "kernels/joints/joint_errors.hpp"
#include "src/joints/black_boxes.hpp"
#include "src/joints/joint_rows.hpp"

namespace cairn::v0 {

// The largest errors over all joints that are not broken, and the largest swing.
struct JointErrors {
  double linear = 0;   // [m]
  double angular = 0;  // [rad]
  double swing = 0;    // within a substep [rad]
};

// Without the gear's phase, which belongs to the rows.
JointGauge jointGauge(const JointDef& def, int bodyA, int bodyB, Vec3d centreA, Vec3d centreB);

template <class T> class JointErrorGauges {
 public:
  // Coordinates of all joints by slot, as the kernels of arrays() see them: room, with 0 everywhere, and what they are for the bodies as they are
  // now.
  void reserveCoordinates(Queue& queue, const JointSet& joints, const JointRows<T>& rows, const State<T>& bodies);
  const Buffer<T>& coordinates() const { return coordinates_; }
  void measureCoordinates(Queue& queue, const JointRows<T>& rows, const State<T>& bodies);
  // Whether the gauges are those of the joints as they are.
  bool current(const JointSet& joints, const JointRows<T>& rows) const {
    return source_.joints == joints.revision() && source_.rows == rows.timesMade();
  }
  // h: a substep [s].
  JointErrors measure(Queue& queue, PrimitiveScratch& scratch, const JointSet& joints, const JointRows<T>& rows, const State<T>& bodies, double h);

 private:
  // What the gauges were made from.
  struct Source {
    long joints = -1, rows = -1;
  };
  void update(Queue& queue, const JointSet& joints, const JointRows<T>& rows, const State<T>& bodies);

  Source source_;
  Buffer<JointGauge> gauges_;
  BlackBoxes<double> boxes_;
  Buffer<double> offsets_, turns_, swings_;
  Buffer<T> coordinates_;
  Buffer<MaxAt<double>> maxima_;
};

}  // namespace cairn::v0
