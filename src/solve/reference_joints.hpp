// Joints as equality rows of the reference's problem: J v + upsilon = 0 on the dofs of the dynamic bodies.
#pragma once

#include "src/problems/contact_export.hpp"
#include "src/state/step_context.hpp"

#include <cairn/reference.hpp>

namespace cairn::v0 {

template <class T> class ReferenceJoints {
 public:
  // The locked axes of the step's joints, at the bodies' poses and with the errors of the step's rows. Throws InvalidInput for joints that are more
  // than locked axes: limits, motors, springs, friction, distances, gears and black boxes have no equality rows.
  void begin(StepContext<T>& step);
  bool empty() const { return rows_.empty(); }
  // Rows for bodies with the velocities v (six dofs a dynamic body, in their order): what the errors ask for is linearised there.
  reference::EqualityRows rows(const std::vector<ExportedBody>& bodies, const std::vector<double>& v, const JointBlock<double>& block) const;
  // Impulses of rows() back to the step's rows.
  void store(StepContext<T>& step, const std::vector<double>& impulses);

 private:
  struct Row {
    int joint = -1, bodyA = -1, bodyB = -1;
    bool rotational = false;  // about the axis; else along it
    Vec3<double> axis{0, 0, 0}, rA{0, 0, 0}, rB{0, 0, 0}, error{0, 0, 0};
  };
  std::vector<Row> rows_;
  Buffer<JointImpulse<T>> impulses_;  // by joint slot
};

}  // namespace cairn::v0
