// Queries between steps, but for rays and shapes (shape_queries.cpp). None of them changes the World.
#include "src/solve/stabilization.hpp"
#include "src/world/fnv1a.hpp"
#include "src/world/simulation_of.hpp"

namespace cairn::v0 {
namespace {

template <class Item> std::vector<Item> downloaded(Queue& queue, const Item* from, int count) {
  std::vector<Item> out(static_cast<size_t>(count));
  downloadBytes(queue, out.data(), from, out.size() * sizeof(Item));
  return out;
}

}  // namespace

// The contacts of the manifolds that are wanted, one by one.
template <class T> template <class Wanted, class Do> void SimulationOf<T>::forContacts(const Wanted& wanted, const Do& act) const {
  if (!last_.done) return;
  const std::vector<Manifold<T>> manifolds = downloaded(queue_, last_.manifolds.manifolds, last_.manifolds.count);
  const std::vector<ManifoldImpulse<T>> impulses = downloaded(queue_, tracking_.impulses(), last_.manifolds.count);
  const std::vector<BodyPose<T>> poses = state_.poses.download(queue_);
  for (size_t i = 0; i < manifolds.size(); ++i) {
    const Manifold<T>& m = manifolds[i];
    if (!isCurrent(m) || !wanted(m)) continue;
    Vec3<T> t1, t2;
    tangentFrame(m.normal, t1, t2);
    for (int p = 0; p < m.pointCount; ++p) {
      const Vec3<T> lambda = impulses[i].points[p];
      Contact contact{};
      contact.bodyA = state_.idOf(m.bodyA);
      contact.bodyB = state_.idOf(m.bodyB);
      contact.shapeA = state_.shapeIndexInBody(m.shapeA);
      contact.shapeB = state_.shapeIndexInBody(m.shapeB);
      contact.point = convert<double>(poses[static_cast<size_t>(m.bodyA)].x + m.points[p].rA);
      contact.normal = convert<double>(m.normal);
      contact.separation = double(m.points[p].separation);
      contact.feature = m.points[p].feature;
      contact.normalImpulse = double(lambda.x);
      contact.frictionImpulse = convert<double>(lambda.y * t1 + lambda.z * t2);
      act(contact);
    }
  }
}

template <class T> std::vector<Contact> SimulationOf<T>::contacts() const {
  std::vector<Contact> contacts;
  if (last_.done) contacts.reserve(static_cast<size_t>(countContactPoints(last_.manifolds.count, nullptr)));
  forContacts([](const Manifold<T>&) { return true; }, [&](const Contact& contact) { contacts.push_back(contact); });
  return contacts;
}

template <class T> std::vector<Contact> SimulationOf<T>::contactsOf(BodyId body) const {
  const int slot = state_.slotOf(body);
  std::vector<Contact> contacts;
  forContacts([slot](const Manifold<T>& m) { return m.bodyA == slot || m.bodyB == slot; },
              [&](const Contact& contact) { contacts.push_back(contact); });
  return contacts;
}

template <class T> size_t SimulationOf<T>::contacts(Contact* into, size_t room) const {
  size_t count = 0;
  const auto put = [&](const Contact& contact) {
    if (count < room) into[count] = contact;
    ++count;
  };
  forContacts([](const Manifold<T>&) { return true; }, put);
  return count;
}

template <class T> StepReport SimulationOf<T>::report() const {
  StepReport report;
  report.step = steps_;
  report.time = time();
  report.bodies = state_.bodyCount();
  report.dynamicBodies = state_.dynamicCount();
  report.shapes = state_.shapeCount();
  residual_.measureBodies(queue_, scratch_, {state_.bodySlots(), state_.poses.data(), state_.velocities.data(), state_.constants.data()},
                          environments_.wideField(queue_, gravity_), report);
  report.joints = joints_.count();
  const JointErrors errors = jointGauges_.measure(queue_, scratch_, joints_, jointRows_, state_, settings_.dt / settings_.substeps);
  report.jointErrorMax = errors.linear;
  report.jointAngularErrorMax = errors.angular;
  report.jointSwingMax = errors.swing;
  report.energyBalance = energyBalance();
  report.memoryBytes = owned_.memory.current;
  report.peakMemoryBytes = owned_.memory.peak;
  for (const int asleep : sleep_.asleep(queue_, revision())) report.sleepingBodies += asleep;
  if (last_.done) reportContacts(report);
  return report;
}

template <class T> bool SimulationOf<T>::asleep(BodyId body) const {
  const auto slot = static_cast<size_t>(state_.slotOf(body));
  const std::vector<int> bySlot = sleep_.asleep(queue_, revision());
  return slot < bySlot.size() && bySlot[slot] != 0;
}
template <class T> std::vector<unsigned char> SimulationOf<T>::asleep() const {
  const std::vector<int> bySlot = sleep_.asleep(queue_, revision());
  std::vector<unsigned char> out;
  out.reserve(static_cast<size_t>(state_.bodyCount()));
  for (size_t slot = 0; slot < static_cast<size_t>(state_.bodySlots()); ++slot) {
    if (state_.alive(static_cast<int>(slot))) out.push_back(slot < bySlot.size() && bySlot[slot] != 0 ? 1 : 0);
  }
  return out;
}

template <class T> EnergyBalance SimulationOf<T>::energyBalance() const {
  if (!last_.done || last_.bodies != state_.revision() || last_.joints != joints_.revision()) return {};
  StepWork<T> step;
  step.after = {state_.bodySlots(), state_.poses.data(), state_.velocities.data(), state_.constants.data()};
  step.posesBefore = state_.savedPoses();
  step.velocitiesBefore = state_.savedVelocities();
  step.forces = state_.forcesOfStep();
  step.dampingWork = state_.damping() == nullptr ? nullptr : state_.dampingWork();
  EnergyBalance balance = residual_.measureWork(queue_, scratch_, step, environments_.wideField(queue_, gravity_));
  balance.jointWork = jointRows_.measureWork(scratch_);
  balance.contactWork = balance.kineticChange + balance.potentialChange - balance.forceWork - balance.dampingWork - balance.jointWork;
  return balance;
}

template <class T> void SimulationOf<T>::reportContacts(StepReport& report) const {
  const ManifoldView<T>& manifolds = last_.manifolds;
  report.candidatePairs = last_.pairCount;
  report.manifolds = manifolds.count;
  const GraphScalars graph = downloaded(queue_, graph_.scalars, 1).front();
  report.colours = graph.colourCount;
  report.maxDegree = graph.maxDegree;
  report.tailConstraints = graph.overflowCount;
  report.sweeps = solve_.sweeps() + counts_.known(StepCount::Sweeps);
  report.contactPoints = countContactPoints(manifolds.count, nullptr);
  const ResidualSummary summary = residual_.measure(queue_, scratch_, solvedRows(), report.contactPoints);
  report.residualMax = summary.max;
  report.residualRms = summary.rms;
  report.penetrationMax = summary.penetrationMax;
  report.penetrationMean = summary.penetrationMean;
  report.activePoints = summary.activePoints;
  if (summary.worst >= 0) {
    // contacts() lists the points of current manifolds alone.
    const int worst = summary.worst / kMaxManifoldPoints;
    report.residualMaxContact = countContactPoints(worst, state_.shapeRecords.data()) + summary.worst % kMaxManifoldPoints;
  }
  if (settings_.stageTimes) report.stages = stageTimes();
}

template <class T> SolvedRows<T> SimulationOf<T>::solvedRows() const {
  SolvedRows<T> solved;
  solved.rows = last_.rows;
  solved.rolling = last_.rolling;
  solved.manifolds = last_.manifolds;
  solved.freeVelocities = solve_.freeVelocities();
  solved.solvedVelocities = state_.velocities.data();
  solved.inertias = state_.inertias.data();
  solved.biased = settings_.relaxations == 0;
  solved.restSpeed = normalBias<T>(settings_, settings_.dt / settings_.substeps).restSpeed;
  return solved;
}

// Counts the points of the first so many manifolds of the last step. With `shapes` a manifold counts only if its shapes are still its bodies'.
template <class T> int SimulationOf<T>::countContactPoints(int manifolds, const ShapeRecord<T>* shapes) const {
  if (manifolds == 0) return 0;
  const auto count = static_cast<size_t>(manifolds);
  pointCounts_.resize(queue_, count + 1);
  countPoints(queue_, last_.manifolds.manifolds, manifolds, shapes, pointCounts_.data());
  reduceSum(queue_, scratch_, pointCounts_.data(), pointCounts_.data() + count, manifolds);
  return pointCounts_.read(queue_, count);
}

template <class T> std::vector<StageTime> SimulationOf<T>::stageTimes() const {
  if (!settings_.stageTimes) throw InvalidInput("stageTimes", "were not asked for: WorldSettings::stageTimes has them taken");
  std::vector<StageTime> stages;
  for (const auto& [stage, milliseconds] : clock_.read(queue_)) stages.push_back({stage, milliseconds});
  return stages;
}

template <class T> std::vector<int> SimulationOf<T>::contactLevels() const {
  const std::vector<BodyId> ids = state_.bodies();
  std::vector<int> levels(ids.size(), -1);
  if (!last_.done || last_.manifolds.count == 0) return levels;
  levels_.update(queue_, constraints_.data(), last_.manifolds.found, last_.manifolds.count, state_.bodySlots());
  const std::vector<int> bySlot = levels_.download(queue_);
  for (size_t i = 0; i < ids.size(); ++i) levels[i] = bySlot[static_cast<size_t>(ids[i].index)];
  return levels;
}

template <class T> uint64_t SimulationOf<T>::stateHash() const { return hashOf(0, state_.bodySlots()); }

template <class T> uint64_t SimulationOf<T>::stateHashOf(int environment) const {
  environments_.require(environment);
  const int bodies = environments_.layout().bodies;
  return hashOf(environment * bodies, (environment + 1) * bodies);
}

template <class T> uint64_t SimulationOf<T>::hashOf(int firstSlot, int endSlot) const {
  const std::vector<BodyPose<T>> poses = state_.poses.download(queue_);
  const std::vector<BodyVelocity<T>> velocities = state_.velocities.download(queue_);
  Fnv1a hash;
  for (int slot = firstSlot; slot < endSlot; ++slot) {
    if (!state_.alive(slot)) continue;
    const auto i = static_cast<size_t>(slot);
    hash.add(&poses[i].x, sizeof poses[i].x);
    hash.add(&poses[i].q, sizeof poses[i].q);
    hash.add(&velocities[i].v, sizeof velocities[i].v);
    hash.add(&velocities[i].w, sizeof velocities[i].w);
  }
  return hash.value();
}

#define CAIRN_INSTANTIATE(T)                                               \
  template std::vector<Contact> SimulationOf<T>::contacts() const;         \
  template std::vector<Contact> SimulationOf<T>::contactsOf(BodyId) const; \
  template size_t SimulationOf<T>::contacts(Contact*, size_t) const;       \
  template bool SimulationOf<T>::asleep(BodyId) const;                     \
  template std::vector<unsigned char> SimulationOf<T>::asleep() const;     \
  template StepReport SimulationOf<T>::report() const;                     \
  template std::vector<StageTime> SimulationOf<T>::stageTimes() const;     \
  template std::vector<int> SimulationOf<T>::contactLevels() const;        \
  template uint64_t SimulationOf<T>::stateHash() const;                    \
  template uint64_t SimulationOf<T>::stateHashOf(int) const;               \
  template SolvedRows<T> SimulationOf<T>::solvedRows() const;
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
