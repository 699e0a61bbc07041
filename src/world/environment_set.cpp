#include "src/world/environment_set.hpp"

#include "src/state/snapshot_bytes.hpp"
#include "src/world/simulation_of.hpp"

namespace cairn::v0 {
namespace {

std::string whyRefused(const std::string& what) { return "in a World of environments " + what + ": the bits of each would depend on the others"; }

}  // namespace

// --- what there can be ---------------------------------------------------------------------------------------------

// What looks at the whole World to decide how to go on has no place where each environment goes its own way.
void requireEnvironments(const Scene& scene, int count, const WorldSettings& settings) {
  if (count < 1) throw InvalidInput("environments", "must be at least 1, is " + std::to_string(count));
  if (scene.bodies.empty()) throw InvalidInput("environments", "need a scene with a body");
  size_t shapes = 0;
  for (const BodyDef& body : scene.bodies) shapes += body.shapes.size();
  const size_t largest = std::max({scene.bodies.size(), shapes, scene.joints.size()}), most = static_cast<size_t>(kFixedBit - 1) / largest;
  if (static_cast<size_t>(count) > most) {
    throw InvalidInput("environments", "must be at most " + std::to_string(most) + " of this scene, are " + std::to_string(count));
  }
  requireEnvironments(settings);
}

void requireEnvironments(const WorldSettings& settings) {
  if (settings.tolerance > 0) throw InvalidInput("settings.tolerance", whyRefused("must be 0, since sweeps end by the residual of the whole"));
  if (settings.solver != Solver::Pgs && settings.solver != Solver::Jacobi) {
    throw InvalidInput("settings.solver", whyRefused("must be pgs or jacobi, since the others take steps along the whole"));
  }
  if (settings.sleeping) throw InvalidInput("settings.sleeping", whyRefused("must be off, since what wakes one wakes all"));
  if (settings.positionCorrections > 0) {
    throw InvalidInput("settings.positionCorrections", whyRefused("must be 0, since they are undone by the worst of the whole"));
  }
  if (settings.jointStabilization == JointStabilization::Post) {
    throw InvalidInput("settings.jointStabilization", whyRefused("must not be post, which is undone by the worst of the whole"));
  }
}

Scene replicated(const Scene& scene, int count) {
  const auto named = [](const std::string& name, const char* noun, size_t place, int environment) {
    return (name.empty() ? noun + std::to_string(place) : name) + "@" + std::to_string(environment);
  };
  Scene all;
  all.name = scene.name;
  all.gravity = scene.gravity;
  all.defaultSteps = scene.defaultSteps;
  const size_t bodies = scene.bodies.size(), joints = scene.joints.size();
  all.bodies.reserve(bodies * static_cast<size_t>(count));
  all.joints.reserve(joints * static_cast<size_t>(count));
  for (int k = 0; k < count; ++k) {
    const int firstBody = k * static_cast<int>(bodies);
    for (size_t i = 0; i < bodies; ++i) {
      all.bodies.push_back(scene.bodies[i]);
      all.bodies.back().name = named(scene.bodies[i].name, "body-", i, k);
    }
    for (size_t i = 0; i < joints; ++i) {
      JointDef& joint = all.joints.emplace_back(scene.joints[i]);
      joint.name = named(scene.joints[i].name, "joint-", i, k);
      joint.bodyA += firstBody;
      joint.bodyB += firstBody;
    }
  }
  return all;
}

// --- Environments --------------------------------------------------------------------------------------------------

template <class T> void Environments<T>::begin(Queue& queue, const State<T>& bodies, const EnvironmentLayout& layout) {
  layout_ = layout;
  if (!any()) return;
  anyRestitution_ = bodies.anyRestitution();
  anyRolling_ = bodies.anyRolling();
  const auto count = static_cast<size_t>(layout.bodies);
  startPoses_.resize(queue, count);
  startVelocities_.resize(queue, count);
  copyBytes(queue, startPoses_.data(), bodies.poses.data(), count * sizeof(BodyPose<T>));
  copyBytes(queue, startVelocities_.data(), bodies.velocities.data(), count * sizeof(BodyVelocity<T>));
  chosen_.resize(queue, static_cast<size_t>(layout.count));
}

template <class T> ShapeEnvironments Environments<T>::ofShapes() const {
  ShapeEnvironments shapes;
  if (!any() || layout_.shapes == 0) return shapes;
  shapes.count = layout_.count;
  shapes.shapes = layout_.shapes;
  return shapes;
}

template <class T> void Environments<T>::require(int environment) const {
  if (!any()) throw InvalidInput("environment", "there are none: the World was made of a scene without a number of them");
  if (environment < 0 || environment >= layout_.count) {
    throw InvalidInput("environment", "must be from 0 to " + std::to_string(layout_.count - 1) + ", is " + std::to_string(environment));
  }
}

template <class T> void Environments<T>::requireFixed(const char* call) const {
  if (any()) throw InvalidInput(call, "cannot be done in a World of environments: bodies and joints are those of the scene in each of them");
}

template <class T> void Environments<T>::setGravity(int environment, Vec3d gravity, Vec3d common) {
  if (gravities_.empty()) gravities_.assign(static_cast<size_t>(layout_.count), common);
  gravities_[static_cast<size_t>(environment)] = gravity;
  uploaded_ = false;
}

template <class T> Vec3d Environments<T>::gravityOf(int environment, Vec3d common) const {
  return gravities_.empty() ? common : gravities_[static_cast<size_t>(environment)];
}

template <class T> void Environments<T>::upload(Queue& queue) const {
  if (uploaded_) return;
  std::vector<Vec3<T>> narrow;
  narrow.reserve(gravities_.size());
  for (const Vec3d each : gravities_) narrow.push_back(convert<T>(each));
  gravitiesOnTarget_.upload(queue, narrow);
  wideGravities_.upload(queue, gravities_);
  uploaded_ = true;
}

template <class T> GravityField<T> Environments<T>::field(Queue& queue, Vec3d common) const {
  GravityField<T> field(convert<T>(common));
  if (gravities_.empty()) return field;
  upload(queue);
  field.own = gravitiesOnTarget_.data();
  field.bodies = layout_.bodies;
  return field;
}

template <class T> GravityField<double> Environments<T>::wideField(Queue& queue, Vec3d common) const {
  GravityField<double> field(common);
  if (gravities_.empty()) return field;
  upload(queue);
  field.own = wideGravities_.data();
  field.bodies = layout_.bodies;
  return field;
}

template <class T> EnvironmentMask Environments<T>::uploaded(Queue& queue, const std::vector<unsigned char>& mask) {
  mask_.upload(queue, mask);
  return mask_.data();
}

template <class T> EnvironmentMask Environments<T>::chosen(Queue& queue, EnvironmentMask mask, const StepStatus* status) {
  chooseEnvironments(queue, mask, status, layout_.count, chosen_.data());
  return chosen_.data();
}

template <class T> std::vector<unsigned char> Environments<T>::downloaded(Queue& queue, EnvironmentMask mask) const {
  std::vector<unsigned char> onHost(static_cast<size_t>(layout_.count));
  downloadBytes(queue, onHost.data(), mask, onHost.size());
  return onHost;
}

template <class T> template <class Archive> void Environments<T>::archive(Archive& a, Queue& queue, const State<T>& bodies, int jointSlots) {
  a(layout_.count);
  a(layout_.bodies);
  a(layout_.shapes);
  a(layout_.joints);
  a(anyRestitution_);
  a(anyRolling_);
  a.records(gravities_);
  const auto fits = [this](int each, int slots) { return each >= 0 && static_cast<int64_t>(each) * layout_.count == slots; };
  if constexpr (Archive::kReads) {
    const bool none = layout_.count == 0 && layout_.bodies == 0 && layout_.shapes == 0 && layout_.joints == 0;
    a.require(none || (layout_.count > 0 && layout_.bodies > 0 && fits(layout_.bodies, bodies.bodySlots()) &&
                       bodies.bodyCount() == bodies.bodySlots() && fits(layout_.shapes, bodies.shapeSlots()) && fits(layout_.joints, jointSlots)),
              "has environments that do not fit its bodies");
    a.require(gravities_.empty() || gravities_.size() == static_cast<size_t>(layout_.count), "has gravities without environments");
  }
  if (!any()) return;
  a.records(queue, startPoses_, static_cast<size_t>(layout_.bodies));
  a.records(queue, startVelocities_, static_cast<size_t>(layout_.bodies));
  if constexpr (Archive::kReads) chosen_.resize(queue, static_cast<size_t>(layout_.count));
}

// --- a simulation's ------------------------------------------------------------------------------------------------

template <class T> void SimulationOf<T>::setGravityOf(int environment, Vec3d gravity) {
  environments_.require(environment);
  environments_.setGravity(environment, gravity, gravity_);
  jointRows_.dropRows();
  planned_ = false;
}

template <class T> void SimulationOf<T>::resetEnvironments(const std::vector<unsigned char>& mask) {
  environments_.require(0);
  const auto count = static_cast<size_t>(environments_.layout().count);
  if (mask.size() != count) {
    throw InvalidInput("mask", "must have one item an environment, " + std::to_string(count) + ", has " + std::to_string(mask.size()));
  }
  resetOnTarget(environments_.uploaded(queue_, mask));
}

// Joints are whole again first: the lists that this changes are the host's.
template <class T> void SimulationOf<T>::resetOnTarget(const unsigned char* mask) {
  environments_.require(0);
  const EnvironmentLayout& layout = environments_.layout();
  std::vector<int> broken;
  for (int slot = 0; slot < joints_.slotCount(); ++slot) {
    if (joints_[slot].broken) broken.push_back(slot);
  }
  if (!broken.empty()) {
    const std::vector<unsigned char> chosen = environments_.downloaded(queue_, mask);
    for (const int slot : broken) {
      if (chosen[static_cast<size_t>(slot / layout.joints)] == 0) continue;
      joints_.mend(slot);
      planned_ = false;
    }
  }
  resetWhole(mask);
}

// Of environments whose joints are whole.
template <class T> void SimulationOf<T>::resetWhole(EnvironmentMask mask) {
  const EnvironmentLayout& layout = environments_.layout();
  resetBodies(queue_, mask, environments_.start(), state_.bodySlots(), state_.poses.data(), state_.remainders.data(), state_.velocities.data(),
              state_.pendingForces());
  if (layout.joints > 0) jointRows_.forget(mask, layout.joints);
  if (layout.shapes > 0) tracking_.forget(queue_, mask, layout.shapes);
  if (settings_.contactEvents) contactEvents_.forget(queue_, mask, layout.bodies);
  state_.noteMove();
}

template <class T> void SimulationOf<T>::enqueueReset(EnvironmentMask mask) {
  environments_.require(0);
  const ForeignRecording capture(queue_);
  if (capture.number() != 0 && !planned_) throw InvalidInput("enqueueReset", "a capture needs a step() before it, with nothing changed since");
  for (int slot = 0; slot < joints_.slotCount(); ++slot) {
    if (joints_[slot].broken) throw InvalidInput("enqueueReset", "cannot make joints whole, and '" + joints_.name(slot) + "' is broken");
  }
  beginWriting(capture);
  enqueued_.written = true;
  if (queue_.target == Target::Cpu) return resetWhole(mask);
  flight_.begin(queue_);
  resetWhole(environments_.chosen(queue_, mask, flight_.status()));
}

template <class T> std::vector<EnvironmentReport> SimulationOf<T>::environmentReports() const {
  environments_.require(0);
  const EnvironmentLayout& layout = environments_.layout();
  EnvironmentPoints<T> points;
  points.shapes = layout.shapes;
  SolvedRows<T> solved;
  if (last_.done && last_.manifolds.count > 0) {
    points.manifolds = last_.manifolds.manifolds;
    points.offsets = last_.manifolds.offsets;
    solved = solvedRows();
  }
  const BodyStates<T> bodies{state_.bodySlots(), state_.poses.data(), state_.velocities.data(), state_.constants.data()};
  const std::vector<EnvironmentSums> sums =
      residual_.measureEnvironments(queue_, scratch_, bodies, environments_.wideField(queue_, gravity_), solved, points, layout.count);
  std::vector<EnvironmentReport> reports;
  reports.reserve(sums.size());
  for (const EnvironmentSums& sum : sums) {
    EnvironmentReport& report = reports.emplace_back();
    report.kineticEnergy = sum.kinetic;
    report.potentialEnergy = sum.potential;
    report.maxSpeed = sum.speed;
    report.contactPoints = sum.points;
    report.residualMax = sum.residual;
    report.penetrationMax = sum.penetration;
  }
  return reports;
}

#define CAIRN_INSTANTIATE(T)                                                             \
  template class Environments<T>;                                                        \
  template void Environments<T>::archive(SnapshotWriter&, Queue&, const State<T>&, int); \
  template void Environments<T>::archive(SnapshotReader&, Queue&, const State<T>&, int); \
  template void SimulationOf<T>::setGravityOf(int, Vec3d);                               \
  template void SimulationOf<T>::resetEnvironments(const std::vector<unsigned char>&);   \
  template void SimulationOf<T>::resetOnTarget(const unsigned char*);                    \
  template void SimulationOf<T>::resetWhole(EnvironmentMask);                            \
  template void SimulationOf<T>::enqueueReset(EnvironmentMask);                          \
  template std::vector<EnvironmentReport> SimulationOf<T>::environmentReports() const;
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
