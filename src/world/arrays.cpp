// The arrays of a World where they lie, for kernels and code of the caller's. What they are: <cairn/world_arrays.hpp>.
#include "src/world/simulation_of.hpp"

#include <algorithm>

namespace cairn::v0 {
namespace {

[[noreturn]] void refuse(const char* asked, const char* held) {
  throw InvalidInput("precision", std::string("must be that of the World, ") + held + ", is " + asked);
}

// Field of a record: its member's address in the first one.
template <class Record, class T> constexpr std::ptrdiff_t strideOf() {
  static_assert(sizeof(Record) % sizeof(T) == 0, "records are arrays of scalars");
  return static_cast<std::ptrdiff_t>(sizeof(Record));
}
template <int N, class T, class Record> Field<T, N> fieldOf(T* member, const Record*) { return {member, strideOf<Record, T>()}; }

// Of BodyArrays or BodyInputs.
template <class Pose, class Velocity, class Bodies> void putStates(Pose* poses, Velocity* velocities, Bodies& bodies) {
  bodies.position = fieldOf<3>(&poses->x.x, poses);
  bodies.orientation = fieldOf<4>(&poses->q.x, poses);
  bodies.linearVelocity = fieldOf<3>(&velocities->v.x, velocities);
  bodies.angularVelocity = fieldOf<3>(&velocities->w.x, velocities);
}

}  // namespace

void Simulation::read(WorldArrays<float>&) { refuse("float", "double"); }
void Simulation::read(WorldArrays<double>&) { refuse("double", "float"); }
void Simulation::write(BodyInputs<float>&) { refuse("float", "double"); }
void Simulation::write(BodyInputs<double>&) { refuse("double", "float"); }
void Simulation::write(ForceInputs<float>&) { refuse("float", "double"); }
void Simulation::write(ForceInputs<double>&) { refuse("double", "float"); }
void Simulation::write(MotorInputs<float>&) { refuse("float", "double"); }
void Simulation::write(MotorInputs<double>&) { refuse("double", "float"); }

// --- to read -------------------------------------------------------------------------------------------------------

template <class T> BodyArrays<T> SimulationOf<T>::bodyArrays() {
  const auto slots = static_cast<size_t>(state_.bodySlots());
  if (centresRevision_ != state_.revision() || localCentres_.size() != slots) {
    std::vector<Vec3<T>> centres(slots, {T(0), T(0), T(0)});
    for (size_t slot = 0; slot < slots; ++slot) {
      if (state_.alive(static_cast<int>(slot))) centres[slot] = convert<T>(state_.centreOf(static_cast<int>(slot)));
    }
    localCentres_.upload(queue_, centres);
    centresRevision_ = state_.revision();
  }
  BodyArrays<T> bodies;
  bodies.count = static_cast<int>(slots);
  if (slots == 0) return bodies;
  const State<T>& state = state_;
  putStates(state.poses.data(), state.velocities.data(), bodies);
  bodies.localCentre = fieldOf<3>(&static_cast<const Buffer<Vec3<T>>&>(localCentres_).data()->x, localCentres_.data());
  return bodies;
}

template <class T> ContactArrays<T> SimulationOf<T>::contactArrays() {
  ContactArrays<T> contacts;
  contactsOnHost_ = last_.done ? last_.manifolds.count : 0;
  contacts.count = &contactsOnHost_;
  const Manifold<T>* const m = narrowPhase_.manifolds();
  const ManifoldImpulse<T>* const impulses = tracking_.impulses();
  contacts.capacity = static_cast<int>(std::min(narrowPhase_.manifoldRoom(), tracking_.impulseRoom()));
  if (queue_.target == Target::Cuda) {
    // Where the check of each planned step leaves it.
    int* const count = flight_.status()->values + static_cast<size_t>(StepCount::Manifolds);
    uploadBytes(queue_, count, &contactsOnHost_, sizeof contactsOnHost_);
    contacts.count = count;
  }
  if (m == nullptr || impulses == nullptr) return contacts;
  contacts.bodies = fieldOf<2>(&m->bodyA, m);
  contacts.points = {reinterpret_cast<const int*>(&m->pointCount), strideOf<Manifold<T>, int>()};
  contacts.normal = fieldOf<3>(&m->normal.x, m);
  contacts.friction = fieldOf<1>(&m->friction, m);
  contacts.restitution = fieldOf<1>(&m->restitution, m);
  for (size_t k = 0; k < kMaxManifoldPoints; ++k) {
    const ManifoldPoint<T>& point = m->points[k];
    contacts.armA[k] = fieldOf<3>(&point.rA.x, m);
    contacts.armB[k] = fieldOf<3>(&point.rB.x, m);
    contacts.separation[k] = fieldOf<1>(&point.separation, m);
    contacts.feature[k] = {reinterpret_cast<const uint32_t*>(&point.feature), strideOf<Manifold<T>, uint32_t>()};
    contacts.impulse[k] = fieldOf<3>(&impulses->points[k].x, impulses);
  }
  return contacts;
}

template <class T> JointArrays<T> SimulationOf<T>::jointArrays() {
  JointArrays<T> joints;
  joints.count = joints_.slotCount();
  if (joints.count == 0) return joints;
  const Buffer<JointReaction<T>>& reactions = jointRows_.reactions();
  joints.impulse = fieldOf<3>(&reactions.data()->linear.x, reactions.data());
  joints.angularImpulse = fieldOf<3>(&reactions.data()->angular.x, reactions.data());
  jointGauges_.reserveCoordinates(queue_, joints_, jointRows_, state_);
  jointGauges_.measureCoordinates(queue_, jointRows_, state_);
  joints.coordinates = {static_cast<const Buffer<T>&>(jointGauges_.coordinates()).data()};
  return joints;
}

template <class T> void SimulationOf<T>::read(WorldArrays<T>& arrays) {
  settle();
  jointRows_.update(joints_, state_, settings_.jointSolver);
  flight_.begin(queue_);
  arrays.bodies = bodyArrays();
  arrays.contacts = contactArrays();
  arrays.joints = jointArrays();
  arrays.status = reinterpret_cast<const EnqueuedStatus*>(flight_.status());
}

template <class T> void SimulationOf<T>::measureJoints() {
  if (joints_.count() == 0) return;
  if (!jointGauges_.current(joints_, jointRows_) || jointGauges_.coordinates().size() != 6 * static_cast<size_t>(joints_.slotCount())) {
    throw InvalidInput("measureJoints", "needs arrays() before it, since joints have come, gone or broken");
  }
  jointGauges_.measureCoordinates(queue_, jointRows_, state_);
}

// --- to write ------------------------------------------------------------------------------------------------------

// Steps of step() may have to be done again, with the states and forces that they were to begin with.
template <class T> void SimulationOf<T>::beginWriting(const ForeignRecording& capture) {
  if (flight_.queued() == 0) return;
  if (capture.number() != 0) throw InvalidInput("World", "a capture needs wait() before it: steps of step() are under way");
  settle();
}

template <class T> void SimulationOf<T>::write(BodyInputs<T>& inputs) {
  const ForeignRecording capture(queue_);
  beginWriting(capture);
  state_.noteMove();
  enqueued_.written = true;
  inputs.count = state_.bodySlots();
  if (inputs.count > 0) putStates(state_.poses.data(), state_.velocities.data(), inputs);
}

template <class T> void SimulationOf<T>::write(ForceInputs<T>& inputs) {
  const ForeignRecording capture(queue_);
  beginWriting(capture);
  BodyForce<T>* const forces = state_.forcesToAddTo();
  inputs.count = state_.bodySlots();
  if (inputs.count == 0) return;
  inputs.force = fieldOf<3>(&forces->force.x, forces);
  inputs.torque = fieldOf<3>(&forces->torque.x, forces);
}

template <class T> void SimulationOf<T>::write(MotorInputs<T>& inputs) {
  const ForeignRecording capture(queue_);
  beginWriting(capture);
  jointRows_.update(joints_, state_, settings_.jointSolver);
  jointRows_.dropRows();
  sleep_.wakeAll();
  enqueued_.written = true;
  Buffer<AxisRow<T>>& rows = jointRows_.axisRows();
  inputs.count = static_cast<int>(rows.size());
  if (inputs.count == 0) return;
  inputs.target = fieldOf<1>(&rows.data()->target, rows.data());
  inputs.maxForce = fieldOf<1>(&rows.data()->maxForce, rows.data());
}

template <class T> int SimulationOf<T>::motorRow(JointId joint, int axis) const {
  const int row = jointRows_.motorRow(joints_, joints_.slotOf(joint), axis);
  if (row < 0) throw InvalidInput("joint '" + joints_.name(joints_.slotOf(joint)) + "': axis " + std::to_string(axis), "has no motor that is on");
  return row;
}

#define CAIRN_INSTANTIATE(T)                                            \
  template BodyArrays<T> SimulationOf<T>::bodyArrays();                 \
  template ContactArrays<T> SimulationOf<T>::contactArrays();           \
  template JointArrays<T> SimulationOf<T>::jointArrays();               \
  template void SimulationOf<T>::read(WorldArrays<T>&);                 \
  template void SimulationOf<T>::measureJoints();                       \
  template void SimulationOf<T>::beginWriting(const ForeignRecording&); \
  template void SimulationOf<T>::write(BodyInputs<T>&);                 \
  template void SimulationOf<T>::write(ForceInputs<T>&);                \
  template void SimulationOf<T>::write(MotorInputs<T>&);                \
  template int SimulationOf<T>::motorRow(JointId, int) const;
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
