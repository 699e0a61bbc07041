#include "python/src/results.hpp"

#include <nanobind/stl/vector.h>

namespace cairn::python {

BodyStateArrays::BodyStateArrays(const std::vector<BodyId>& bodies, const std::vector<BodyState>& states)
    : indices_({states.size()}),
      positions_({states.size(), 3}),
      orientations_({states.size(), 4}),
      linearVelocities_({states.size(), 3}),
      angularVelocities_({states.size(), 3}) {
  for (size_t i = 0; i < states.size(); ++i) {
    indices_.data()[i] = bodies[i].index;
    positions_.setRow(i, states[i].pose.p);
    const Quatd q = states[i].pose.q;
    double* const row = orientations_.data() + 4 * i;
    row[0] = q.x, row[1] = q.y, row[2] = q.z, row[3] = q.w;
    linearVelocities_.setRow(i, states[i].linearVelocity);
    angularVelocities_.setRow(i, states[i].angularVelocity);
  }
}

nb::dict BodyStateArrays::release() {
  nb::dict out;
  out["indices"] = indices_.release();
  out["positions"] = positions_.release();
  out["orientations"] = orientations_.release();
  out["linear_velocities"] = linearVelocities_.release();
  out["angular_velocities"] = angularVelocities_.release();
  return out;
}

PairArrays::PairArrays(size_t count)
    : bodyA_({count}), bodyB_({count}), generationA_({count}), generationB_({count}), shapeA_({count}), shapeB_({count}) {}

nb::dict PairArrays::release() {
  nb::dict out;
  out["body_a"] = bodyA_.release();
  out["body_b"] = bodyB_.release();
  out["generation_a"] = generationA_.release();
  out["generation_b"] = generationB_.release();
  out["shape_a"] = shapeA_.release();
  out["shape_b"] = shapeB_.release();
  return out;
}

ContactArrays::ContactArrays(const std::vector<Contact>& contacts)
    : pairs_(contacts.size()),
      point_({contacts.size(), 3}),
      normal_({contacts.size(), 3}),
      separation_({contacts.size()}),
      feature_({contacts.size()}),
      normalImpulse_({contacts.size()}),
      frictionImpulse_({contacts.size(), 3}) {
  for (size_t i = 0; i < contacts.size(); ++i) {
    const Contact& contact = contacts[i];
    pairs_.put(i, contact);
    point_.setRow(i, contact.point);
    normal_.setRow(i, contact.normal);
    separation_.data()[i] = contact.separation;
    feature_.data()[i] = contact.feature;
    normalImpulse_.data()[i] = contact.normalImpulse;
    frictionImpulse_.setRow(i, contact.frictionImpulse);
  }
}

nb::dict ContactArrays::release() {
  nb::dict out = pairs_.release();
  out["point"] = point_.release();
  out["normal"] = normal_.release();
  out["separation"] = separation_.release();
  out["feature"] = feature_.release();
  out["normal_impulse"] = normalImpulse_.release();
  out["friction_impulse"] = frictionImpulse_.release();
  return out;
}

JointStateArrays::JointStateArrays(const std::vector<JointId>& joints, const std::vector<JointState>& states)
    : joints_(joints),
      indices_({states.size()}),
      type_({states.size()}),
      bodyA_({states.size()}),
      bodyB_({states.size()}),
      generationA_({states.size()}),
      generationB_({states.size()}),
      broken_({states.size()}),
      coordinates_({states.size(), 6}),
      error_({states.size()}),
      angularError_({states.size()}),
      force_({states.size(), 3}),
      torque_({states.size(), 3}) {
  for (size_t i = 0; i < states.size(); ++i) {
    const JointState& state = states[i];
    indices_.data()[i] = joints[i].index;
    type_.data()[i] = static_cast<int32_t>(state.type);
    bodyA_.data()[i] = state.bodyA.index;
    bodyB_.data()[i] = state.bodyB.index;
    generationA_.data()[i] = state.bodyA.generation;
    generationB_.data()[i] = state.bodyB.generation;
    broken_.data()[i] = state.broken;
    std::copy(state.coordinates.begin(), state.coordinates.end(), coordinates_.data() + 6 * i);
    error_.data()[i] = state.error;
    angularError_.data()[i] = state.angularError;
    force_.setRow(i, state.force);
    torque_.setRow(i, state.torque);
  }
}

nb::dict JointStateArrays::release() {
  nb::dict out;
  out["ids"] = joints_;
  out["indices"] = indices_.release();
  out["type"] = type_.release();
  out["body_a"] = bodyA_.release();
  out["body_b"] = bodyB_.release();
  out["generation_a"] = generationA_.release();
  out["generation_b"] = generationB_.release();
  out["broken"] = broken_.release();
  out["coordinates"] = coordinates_.release();
  out["error"] = error_.release();
  out["angular_error"] = angularError_.release();
  out["force"] = force_.release();
  out["torque"] = torque_.release();
  return out;
}

RayHitArrays::RayHitArrays(const std::vector<RayHit>& hits)
    : body_({hits.size()}), generation_({hits.size()}), shape_({hits.size()}), distance_({hits.size()}), normal_({hits.size(), 3}) {
  for (size_t i = 0; i < hits.size(); ++i) {
    body_.data()[i] = hits[i].body.index;
    generation_.data()[i] = hits[i].body.generation;
    shape_.data()[i] = hits[i].shape;
    distance_.data()[i] = hits[i].body.index < 0 ? std::numeric_limits<double>::infinity() : hits[i].distance;
    normal_.setRow(i, hits[i].normal);
  }
}

nb::dict RayHitArrays::release() {
  nb::dict out;
  out["body"] = body_.release();
  out["generation"] = generation_.release();
  out["shape"] = shape_.release();
  out["distance"] = distance_.release();
  out["normal"] = normal_.release();
  return out;
}

ShapeHitArrays::ShapeHitArrays(const std::vector<ShapeHit>& hits)
    : body_({hits.size()}),
      generation_({hits.size()}),
      shape_({hits.size()}),
      distance_({hits.size()}),
      point_({hits.size(), 3}),
      normal_({hits.size(), 3}) {
  for (size_t i = 0; i < hits.size(); ++i) {
    const ShapeHit& hit = hits[i];
    body_.data()[i] = hit.body.index;
    generation_.data()[i] = hit.body.generation;
    shape_.data()[i] = hit.shape;
    distance_.data()[i] = hit.shape < 0 ? std::numeric_limits<double>::infinity() : hit.distance;
    point_.setRow(i, hit.point);
    normal_.setRow(i, hit.normal);
  }
}

nb::dict ShapeHitArrays::release() {
  nb::dict out;
  out["body"] = body_.release();
  out["generation"] = generation_.release();
  out["shape"] = shape_.release();
  out["distance"] = distance_.release();
  out["point"] = point_.release();
  out["normal"] = normal_.release();
  return out;
}

OverlapArrays::OverlapArrays(const std::vector<Overlap>& overlaps)
    : body_({overlaps.size()}), generation_({overlaps.size()}), shape_({overlaps.size()}) {
  for (size_t i = 0; i < overlaps.size(); ++i) {
    body_.data()[i] = overlaps[i].body.index;
    generation_.data()[i] = overlaps[i].body.generation;
    shape_.data()[i] = overlaps[i].shape;
  }
}

nb::dict OverlapArrays::release() {
  nb::dict out;
  out["body"] = body_.release();
  out["generation"] = generation_.release();
  out["shape"] = shape_.release();
  return out;
}

nb::dict toDict(const BodyState& state) {
  nb::dict out;
  out["position"] = toTuple(state.pose.p);
  out["orientation"] = toTuple(state.pose.q);
  out["linear_velocity"] = toTuple(state.linearVelocity);
  out["angular_velocity"] = toTuple(state.angularVelocity);
  return out;
}

namespace {

nb::dict toDict(const EnergyBalance& balance) {
  nb::dict out;
  out["known"] = balance.known;
  out["kinetic_change"] = balance.kineticChange;
  out["potential_change"] = balance.potentialChange;
  out["force_work"] = balance.forceWork;
  out["damping_work"] = balance.dampingWork;
  out["joint_work"] = balance.jointWork;
  out["contact_work"] = balance.contactWork;
  return out;
}

}  // namespace

nb::dict toDict(const std::vector<StageTime>& stages) {
  nb::dict out;
  for (const StageTime& stage : stages) out[stage.stage.c_str()] = stage.milliseconds;
  return out;
}

nb::dict toDict(const StepReport& r) {
  nb::dict out;
  out["step"] = r.step;
  out["time"] = r.time;
  out["bodies"] = r.bodies;
  out["dynamic_bodies"] = r.dynamicBodies;
  out["shapes"] = r.shapes;
  out["candidate_pairs"] = r.candidatePairs;
  out["manifolds"] = r.manifolds;
  out["contact_points"] = r.contactPoints;
  out["active_points"] = r.activePoints;
  out["sleeping_bodies"] = r.sleepingBodies;
  out["joints"] = r.joints;
  out["colours"] = r.colours;
  out["max_degree"] = r.maxDegree;
  out["tail_constraints"] = r.tailConstraints;
  out["sweeps"] = r.sweeps;
  out["residual_max"] = r.residualMax;
  out["residual_max_contact"] = r.residualMaxContact;
  out["residual_rms"] = r.residualRms;
  out["penetration_max"] = r.penetrationMax;
  out["penetration_mean"] = r.penetrationMean;
  out["joint_error_max"] = r.jointErrorMax;
  out["joint_angular_error_max"] = r.jointAngularErrorMax;
  out["joint_swing_max"] = r.jointSwingMax;
  out["kinetic_energy"] = r.kineticEnergy;
  out["potential_energy"] = r.potentialEnergy;
  out["linear_momentum"] = toTuple(r.linearMomentum);
  out["angular_momentum"] = toTuple(r.angularMomentum);
  out["max_speed"] = r.maxSpeed;
  out["rms_speed"] = r.rmsSpeed;
  out["energy_balance"] = toDict(r.energyBalance);
  out["stages"] = toDict(r.stages);
  out["memory_bytes"] = r.memoryBytes;
  out["peak_memory_bytes"] = r.peakMemoryBytes;
  return out;
}

}  // namespace cairn::python
