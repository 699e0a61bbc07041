#include "src/solve/reference_joints.hpp"

#include "kernels/joints/locked_lanes.hpp"

#include <cairn/error.hpp>

#include <cassert>

namespace cairn::v0 {

template <class T> void ReferenceJoints<T>::begin(StepContext<T>& step) {
  rows_.clear();
  if (step.joints.count == 0) return;
  if (step.joints.axisRowCount > 0 || step.joints.boxes.count > 0) {
    throw InvalidInput("solver lemke",
                       "takes joints that lock axes and no more: there are limits, motors, springs, friction, distances, gears or black boxes");
  }
  const auto slots = static_cast<size_t>(step.joints.slotCount);
  std::vector<JointRecord<T>> records(slots);
  downloadBytes(step.queue, records.data(), step.joints.records, slots * sizeof(JointRecord<T>));
  std::vector<BodyPose<T>> poses(static_cast<size_t>(step.bodySlots));
  downloadBytes(step.queue, poses.data(), step.poses, poses.size() * sizeof(BodyPose<T>));
  for (int n = 0; n < step.joints.count; ++n) {
    const int slot = step.joints.live[n];
    const JointRecord<T>& j = records[static_cast<size_t>(slot)];
    const joint::Frames<T> f = joint::framesOf(j, poses[static_cast<size_t>(j.bodyA)], poses[static_cast<size_t>(j.bodyB)]);
    const Mat3<T> a = rotationMatrix(f.qA), b = rotationMatrix(f.qB);
    const joint::Directions<T> offsets = joint::lockedTranslations(j.lockedLinear, a), turns = joint::lockedRotations(j.lockedAngular, a, b);
    Row row{slot, j.bodyA, j.bodyB};
    row.rA = convert<double>(f.armA + f.offset);
    row.rB = convert<double>(f.armB);
    row.error = convert<double>(f.offset);
    for (int k = 0; k < offsets.count; ++k) {
      row.axis = convert<double>(offsets.d[k]);
      rows_.push_back(row);
    }
    row.rotational = true;
    row.error = convert<double>(joint::angularError(j.lockedAngular, a, b, conjugate(f.qA) * f.qB));
    for (int k = 0; k < turns.count; ++k) {
      row.axis = convert<double>(turns.d[k]);
      rows_.push_back(row);
    }
  }
}

template <class T> reference::EqualityRows ReferenceJoints<T>::rows(const std::vector<ExportedBody>& bodies, const std::vector<double>& v,
                                                                    const JointBlock<double>& block) const {
  assert(v.size() % 6 == 0);
  std::vector<int> firstDof(bodies.size(), -1);
  int dofs = 0;
  std::vector<LaneBody<double>> lanes;
  for (size_t i = 0; i < bodies.size(); ++i) {
    LaneBody<double> lane{bodies[i].v, bodies[i].w, bodies[i].invMass, bodies[i].invInertia};
    if (bodies[i].dynamic) {
      firstDof[i] = dofs;
      assert(static_cast<size_t>(dofs) + 6 <= v.size());
      const double* u = v.data() + dofs;
      lane.v = {u[0], u[1], u[2]};
      lane.w = {u[3], u[4], u[5]};
      dofs += 6;
    }
    lanes.push_back(lane);
  }
  reference::EqualityRows out;
  const int count = static_cast<int>(rows_.size());
  out.J = reference::DenseMatrix::zero(count, dofs);
  out.upsilon.assign(rows_.size(), 0);
  for (int r = 0; r < count; ++r) {
    const Row& row = rows_[static_cast<size_t>(r)];
    const LaneBody<double>&a = lanes[static_cast<size_t>(row.bodyA)], &b = lanes[static_cast<size_t>(row.bodyB)];
    const Vec3<double> speed =
        row.rotational ? block.angularVelocityError(a, b, row.error) : block.linearVelocityError(a, b, row.rA, row.rB, row.error);
    double own = 0;
    const auto side = [&](int body, double sign, Vec3<double> arm) {
      if (firstDof[static_cast<size_t>(body)] < 0) return;
      const int first = firstDof[static_cast<size_t>(body)];
      const Vec3<double> linear = row.rotational ? Vec3<double>{0, 0, 0} : sign * row.axis;
      const Vec3<double> angular = row.rotational ? sign * row.axis : sign * cross(arm, row.axis);
      // A body's locked degrees of freedom have no entries, as in contact rows.
      const ExportedBody& exported = bodies[static_cast<size_t>(body)];
      const double parts[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
      const double moves[6] = {exported.invMass.x,     exported.invMass.y,     exported.invMass.z,
                               exported.invInertia.xx, exported.invInertia.yy, exported.invInertia.zz};
      for (int d = 0; d < 6; ++d) {
        if (!(moves[d] > 0)) continue;
        out.J.at(r, first + d) = parts[d];
        own += parts[d] * v[static_cast<size_t>(first + d)];
      }
    };
    side(row.bodyA, -1, row.rA);
    side(row.bodyB, 1, row.rB);
    out.upsilon[static_cast<size_t>(r)] = dot(row.axis, speed) - own;
  }
  return out;
}

template <class T> void ReferenceJoints<T>::store(StepContext<T>& step, const std::vector<double>& impulses) {
  assert(impulses.size() == rows_.size());
  std::vector<JointImpulse<T>> sums(static_cast<size_t>(step.joints.slotCount), JointImpulse<T>{{T(0), T(0), T(0)}, {T(0), T(0), T(0)}});
  for (size_t r = 0; r < rows_.size(); ++r) {
    JointImpulse<T>& sum = sums[static_cast<size_t>(rows_[r].joint)];
    (rows_[r].rotational ? sum.angular : sum.linear) += convert<T>(impulses[r] * rows_[r].axis);
  }
  impulses_.upload(step.queue, sums);
  storeJointImpulses(step.queue, step.joints.rows, impulses_.data());
}

template class ReferenceJoints<float>;
template class ReferenceJoints<double>;

}  // namespace cairn::v0
