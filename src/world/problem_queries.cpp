// The problems that a World exports: the next substep's contact problem, and the acceleration-level problem of its contacts now.
#include "src/problems/acceleration_export.hpp"
#include "src/solve/stabilization.hpp"
#include "src/world/simulation_of.hpp"

namespace cairn::v0 {
namespace {

// Of a shape whose normal turns in a way that is not known here; empty: it is known.
std::string kindWithoutRow(int type) {
  if (isHull(type)) return "a hull";
  if (isMesh(type)) return "a mesh or height field";
  if (isRevolved(type)) return type == kCylinder ? "a cylinder" : "a cone";
  return type == kEllipsoid ? "an ellipsoid" : "";
}

template <class T> ExportedShape exportedShape(const ShapeRecord<T>& shape, const BodyPose<T>& pose) {
  const Quat<double> q = convert<double>(pose.q);
  return {static_cast<ShapeType>(shape.type), convert<double>(shape.size), rotate(q, convert<double>(shape.localPose.p)),
          q * convert<double>(shape.localPose.q)};
}

// The velocity of B's point against A's along the normal, before any force; negative where they approach [m/s].
template <class T> double normalSpeed(const std::vector<BodyVelocity<T>>& velocities, const Manifold<T>& m, int point) {
  const auto pointVelocity = [&](int body, Vec3<T> r) {
    const BodyVelocity<T>& u = velocities[static_cast<size_t>(body)];
    return convert<double>(u.v) + cross(convert<double>(u.w), convert<double>(r));
  };
  return dot(convert<double>(m.normal), pointVelocity(m.bodyB, m.points[point].rB) - pointVelocity(m.bodyA, m.points[point].rA));
}

}  // namespace

template <class T> typename SimulationOf<T>::Prediction SimulationOf<T>::predict(double h) const {
  if (state_.anyRolling()) {
    throw InvalidInput("the World's contact problem", "has no rows for torsional and rolling friction, which some of its shapes have");
  }
  Prediction prediction;
  findContacts(prediction);
  findVelocities(h, prediction);
  return prediction;
}

// By stages of its own: what the last step found stays.
template <class T> void SimulationOf<T>::findContacts(Prediction& prediction) const {
  BroadPhase<T> broadPhase;
  NarrowPhase<T> narrowPhase;
  const PairView pairs = broadPhase.update(queue_, scratch_, broadPhaseInput());
  const ManifoldView<T> view =
      narrowPhase.update(queue_, scratch_, pairs, placedShapes(broadPhase), jointRows_.joinedPairs(), nullptr, sweptBodies(broadPhase));
  prediction.manifolds.resize(static_cast<size_t>(view.count));
  downloadBytes(queue_, prediction.manifolds.data(), view.manifolds, prediction.manifolds.size() * sizeof(Manifold<T>));
}

// On copies of the bodies.
template <class T> void SimulationOf<T>::findVelocities(double h, Prediction& prediction) const {
  const auto slots = static_cast<size_t>(state_.bodySlots());
  prediction.before = state_.velocities.download(queue_);
  Buffer<BodyVelocity<T>> velocities;
  Buffer<BodyInertia<T>> inertias;
  Buffer<BodyMotion<T>> motions;
  velocities.resize(queue_, slots);
  inertias.resize(queue_, slots);
  motions.resize(queue_, slots);
  copyBytes(queue_, velocities.data(), state_.velocities.data(), slots * sizeof(BodyVelocity<T>));
  copyBytes(queue_, inertias.data(), state_.inertias.data(), slots * sizeof(BodyInertia<T>));
  beginStep(queue_, state_.bodySlots(), state_.poses.data(), state_.constants.data(), inertias.data(), motions.data());
  const VelocityIntegration<T> bodies{state_.poses.data(), state_.constants.data(), motions.data(),
                                      inertias.data(),     state_.forces(),         velocities.data()};
  integrateVelocities(queue_, state_.bodySlots(), bodies, T(h), environments_.field(queue_, gravity_));
  if (state_.damping() != nullptr) {
    const DampedBodies<T> damped{state_.damping(), state_.constants.data(), state_.poses.data(), velocities.data(), nullptr};
    dampVelocities(queue_, state_.bodySlots(), damped, T(h), true);
  }
  const std::vector<BodyVelocity<T>> free = velocities.download(queue_);
  const std::vector<BodyInertia<T>> world = inertias.download(queue_);
  for (size_t i = 0; i < slots; ++i) {
    const int slot = static_cast<int>(i);
    prediction.bodies.push_back(exportedBody(free[i], world[i], state_.alive(slot) && state_.dynamic(slot)));
  }
}

template <class T> ContactProblem SimulationOf<T>::contactProblem() const {
  const double h = settings_.dt / settings_.substeps;
  const Prediction prediction = predict(h);
  std::vector<ExportedContact> contacts;
  for (const Manifold<T>& m : prediction.manifolds) {
    for (int p = 0; p < m.pointCount; ++p) {
      const double separation = double(m.points[p].separation), approach = normalSpeed(prediction.before, m, p);
      const double offset = normalOffset(settings_, h, separation, approach, double(m.restitution));
      contacts.push_back(exportedContact(m, p, offset));
    }
  }
  return assembleContactProblem(prediction.bodies, contacts);
}

// Fills the problem's bodies; returns the position of each slot's body among them, -1 for empty slots.
template <class T> std::vector<int> SimulationOf<T>::exportBodies(const Prediction& prediction, reference::AccelerationProblem& problem) const {
  const std::vector<BodyPose<T>> poses = state_.poses.download(queue_);
  const std::vector<BodyConstants<T>> constants = state_.constants.download(queue_);
  const std::vector<BodyForce<T>> forces = state_.downloadForces();
  std::vector<int> position(poses.size(), -1);
  for (size_t i = 0; i < poses.size(); ++i) {
    if (!state_.alive(static_cast<int>(i))) continue;
    position[i] = static_cast<int>(problem.bodies.size());
    reference::AccelerationBody body;
    body.v = convert<double>(prediction.before[i].v);
    body.w = convert<double>(prediction.before[i].w);
    const ExportedBody& exported = prediction.bodies[i];
    if (exported.dynamic) {
      body.invMass = exported.invMass;
      body.invInertia = exported.invInertia;
      body.inertia = rotated(rotationMatrix(convert<double>(poses[i].q)), convert<double>(constants[i].inertia));
      body.force = double(constants[i].mass * constants[i].gravityScale) * gravityAt(static_cast<int>(i)) + convert<double>(forces[i].force);
      body.torque = convert<double>(forces[i].torque);
      const BodyDamping<T> damping = state_.dampingOf(static_cast<int>(i));
      body.force -= (double(damping.linear) * double(constants[i].mass)) * body.v;
      body.torque -= double(damping.angular) * (body.inertia * body.w);
    }
    problem.bodies.push_back(body);
  }
  return position;
}

template <class T> reference::AccelerationProblem SimulationOf<T>::accelerationProblem(double touching, double resting) const {
  const Prediction prediction = predict(settings_.dt);
  reference::AccelerationProblem problem;
  const std::vector<int> position = exportBodies(prediction, problem);
  const std::vector<BodyPose<T>> poses = state_.poses.download(queue_);
  const std::vector<ShapeRecord<T>> shapes = state_.shapeRecords.download(queue_);
  for (const Manifold<T>& m : prediction.manifolds) {
    const auto counts = [&](int p) { return double(m.points[p].separation) <= touching && normalSpeed(prediction.before, m, p) <= resting; };
    bool any = false;
    for (int p = 0; p < m.pointCount; ++p) any = any || counts(p);
    if (!any) continue;
    for (const auto& [shape, body] : {std::pair{m.shapeA, m.bodyA}, {m.shapeB, m.bodyB}}) {
      const std::string kind = kindWithoutRow(shapes[static_cast<size_t>(shape)].type);
      if (kind.empty()) continue;
      throw InvalidInput("body '" + state_.name(body) + "'",
                         kind + "'s contact has no acceleration-level row: how its normal turns is not known here");
    }
    const ExportedShape a = exportedShape(shapes[static_cast<size_t>(m.shapeA)], poses[static_cast<size_t>(m.bodyA)]);
    const ExportedShape b = exportedShape(shapes[static_cast<size_t>(m.shapeB)], poses[static_cast<size_t>(m.bodyB)]);
    for (int p = 0; p < m.pointCount; ++p) {
      const double speed = normalSpeed(prediction.before, m, p);
      if (!counts(p)) continue;
      if (speed < -resting) ++problem.approaching;
      reference::AccelerationContact contact;
      contact.bodyA = position[static_cast<size_t>(m.bodyA)];
      contact.bodyB = position[static_cast<size_t>(m.bodyB)];
      contact.normal = normalizedOr(convert<double>(m.normal), Vec3<double>{0, 1, 0});
      contact.rA = convert<double>(m.points[p].rA);
      contact.rB = convert<double>(m.points[p].rB);
      contact.friction = double(m.friction);
      classifyNormal(a, b, contact);
      problem.contacts.push_back(contact);
    }
  }
  return problem;
}

#define CAIRN_INSTANTIATE(T)                                       \
  template ContactProblem SimulationOf<T>::contactProblem() const; \
  template reference::AccelerationProblem SimulationOf<T>::accelerationProblem(double, double) const;
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
