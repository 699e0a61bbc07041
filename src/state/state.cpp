#include "src/state/state.hpp"

#include "kernels/state/compounds.hpp"
#include "src/mesh/solid_mesh.hpp"
#include "src/scene/revolved_size.hpp"
#include "src/scene/surface.hpp"
#include "src/state/state_checks.hpp"

#include <cmath>

namespace cairn::v0 {
namespace {

int locksOf(const BodyDef& def) {
  int locks = 0;
  const int translation[3] = {kLockTranslationX, kLockTranslationY, kLockTranslationZ};
  const int rotation[3] = {kLockRotationX, kLockRotationY, kLockRotationZ};
  for (size_t axis = 0; axis < 3; ++axis) {
    if (def.lockTranslation[axis]) locks |= translation[axis];
    if (def.lockRotation[axis]) locks |= rotation[axis];
  }
  return locks;
}

int flagsOf(BodyType type, int locks, const Sym3<double>& inertia) {
  if (type == BodyType::Kinematic) return kBodyAlive | kBodyKinematic;
  if (type == BodyType::Static) return kBodyAlive;
  const int flags = kBodyAlive | kBodyDynamic | locks;
  const double small = 1e-9 * inertia.xx;
  const bool isotropic = std::abs(inertia.xx - inertia.yy) <= small && std::abs(inertia.xx - inertia.zz) <= small && std::abs(inertia.xy) <= small &&
                         std::abs(inertia.xz) <= small && std::abs(inertia.yz) <= small;
  return isotropic ? flags | kBodyIsotropic : flags;
}

// Of a solid mesh [m].
double cellOf(const ShapeDef& shape) { return shape.cell > 0 ? shape.cell : solidFacts(shape.triangles)->longest / kCellsAlong; }

bool isZero(Vec3d v) { return v.x == 0 && v.y == 0 && v.z == 0; }

template <class To, class From> Sym3<To> convertSym(const Sym3<From>& s) { return {To(s.xx), To(s.yy), To(s.zz), To(s.xy), To(s.xz), To(s.yz)}; }

Vec3d sizeOf(const ShapeDef& shape) {
  switch (shape.type) {
    case ShapeType::Sphere:
      return {shape.radius, shape.radius, shape.radius};
    case ShapeType::Capsule:
      return {shape.radius, shape.halfHeight, shape.radius};
    case ShapeType::Box:
    case ShapeType::Ellipsoid:
      return shape.halfExtents;
    case ShapeType::Cylinder:
    case ShapeType::Cone:
      return sizeOfRevolved(shape);
    default:
      return {0, 0, 0};
  }
}

// A needle's inertia about itself may be so small that its inverse, turned into the world's axes, loses the others to rounding, and with them the
// sign of what an impulse does. It gets this part of the whole at least, which nobody can tell from less.
template <class T> constexpr double kLeastInertia = sizeof(T) == 8 ? 1e-13 : 5e-6;

template <class T> Sym3<double> withoutNeedles(Sym3<double> m) {
  const double trace = m.xx + m.yy + m.zz, unit = trace > 0 ? 1 / trace : 0;
  const Sym3<double> u = unit * m;
  const double determinant = u.xx * (u.yy * u.zz - u.yz * u.yz) + u.xy * (u.xz * u.yz - u.xy * u.zz) + u.xz * (u.xy * u.yz - u.xz * u.yy);
  // Of a needle: its smallest part, and a half each for the other two.
  if (!(determinant < 0.25 * kLeastInertia<T>)) return m;
  const double more = kLeastInertia<T> * trace;
  return {m.xx + more, m.yy + more, m.zz + more, m.xy, m.xz, m.yz};
}

double radiusOf(const ShapeDef& shape) {
  switch (shape.type) {
    case ShapeType::Sphere:
    case ShapeType::Capsule:
      return shape.radius;
    case ShapeType::Box:
      return length(shape.halfExtents);
    case ShapeType::Cylinder:
    case ShapeType::Cone:
      return std::hypot(shape.radius, shape.halfHeight);
    case ShapeType::Ellipsoid:
      return std::max({shape.halfExtents.x, shape.halfExtents.y, shape.halfExtents.z});
    default:
      return 0;
  }
}

}  // namespace

template <class T> void State<T>::Counts::add(const Counts& other, int sign) {
  dynamicBodies += sign * other.dynamicBodies;
  shapes += sign * other.shapes;
  bouncy += sign * other.bouncy;
  rolling += sign * other.rolling;
  round += sign * other.round;
  ellipsoids += sign * other.ellipsoids;
  revolved += sign * other.revolved;
  solids += sign * other.solids;
  colliding += sign * other.colliding;
  damped += sign * other.damped;
}

template <class T> void State<T>::countBody(const Body& body, int sign) {
  counts_.add(body.counts, sign);
  if (body.counts.shapes >= kSeveralShapes) severalShaped_ += sign;
  if (body.counts.shapes >= kManyShapes) manyShaped_ += sign;
}

// All that follows from a body's type and mass properties, but for its place; no mass moves a body that is not dynamic.
template <class T> void State<T>::setMassOf(Records& records) {
  const Body& body = records.body;
  const bool dynamicBody = body.type == BodyType::Dynamic;
  const MassProperties mass = dynamicBody ? body.mass : MassProperties{};
  const int flags = flagsOf(body.type, body.locks, mass.inertia);
  const double inverse = dynamicBody ? 1 / mass.mass : 0;
  const Sym3<double> inertia = withoutNeedles<T>(mass.inertia);
  records.constants.flags = flags;
  records.velocity.invMassX = T((flags & kLockTranslationX) != 0 ? 0 : inverse);
  records.velocity.invMassY = T((flags & kLockTranslationY) != 0 ? 0 : inverse);
  records.inertia.invMassZ = T((flags & kLockTranslationZ) != 0 ? 0 : inverse);
  records.constants.inertia = convertSym<T>(inertia);
  records.constants.invInertia = dynamicBody ? convertSym<T>(cairn::inverse(inertia)) : Sym3<T>{};
  records.constants.mass = T(mass.mass);
}

template <class T> void State<T>::placeShape(const ShapePlace& place, Vec3d centre, ShapeRecord<T>& record) {
  const Vec3d offset = place.position - centre;
  record.localPose.p = convert<T>(offset);
  record.boundingRadius = record.type == kHalfSpace ? T(0) : T(length(offset) + place.radius + place.more);
}

// Of a mesh or height field, the shape with this number on its body. Throws InvalidInput with a pointer from the body for a solid's field that would
// be too large, which nobody knows before it is made.
template <class T> int State<T>::surfaceTypeOf(const ShapeDef& shape, int number) {
  if (shape.type == ShapeType::HeightField) return meshes_.typeOf(shape.heights);
  try {
    const int threads = queue_.team != nullptr ? queue_.team->threads() : defaultThreads();
    return meshes_.typeOf(shape.triangles, {shape.twoSided, shape.solid ? cellOf(shape) : 0}, threads);
  } catch (const InvalidInput& flaw) {
    if (flaw.place != "cell") throw;
    throw InvalidInput("/shapes/" + std::to_string(number) + "/cell", flaw.reason);
  }
}

template <class T> typename State<T>::Records State<T>::recordsOf(const BodyDef& def, const NewBody& made) {
  Records records{};
  Body& body = records.body;
  body.mass = massProperties(def);
  body.type = def.type;
  body.locks = locksOf(def);
  body.damping = {T(def.linearDamping), T(def.angularDamping)};
  body.firstShape = made.firstShape;
  const Quatd q = normalized(def.pose.q);
  const bool moves = def.type != BodyType::Static;
  const Vec3<T> zero{T(0), T(0), T(0)};
  const Vec3d centre = centreOf(body);
  records.pose = {convert<T>(def.pose.p + rotate(q, centre)), T(0), normalized(convert<T>(q))};
  records.velocity.v = moves ? convert<T>(def.linearVelocity) : zero;
  records.velocity.w = moves ? convert<T>(def.angularVelocity) : zero;
  records.constants.gravityScale = T(def.gravityScale);
  setMassOf(records);

  Counts& counts = body.counts;
  counts.dynamicBodies = def.type == BodyType::Dynamic ? 1 : 0;
  counts.damped = def.type == BodyType::Dynamic && isDamped(body.damping) ? 1 : 0;
  for (const ShapeDef& shape : def.shapes) {
    ShapePlace& place = made.places[counts.shapes];
    place = {shape.localPose.p, radiusOf(shape), shape.type == ShapeType::Capsule ? shape.halfHeight : 0, {}};
    if (!shape.sensor) place.rolling = rollingOf<T>(shape.material);
    ShapeRecord<T>& record = made.shapes[counts.shapes];
    Vec3d size = sizeOf(shape);
    record.type = static_cast<int>(shape.type) | (shape.sensor ? kSensor : 0);
    if (shape.type == ShapeType::Hull) {
      const std::shared_ptr<const ConvexHull> hull = hullOf(shape);
      record.type |= hulls_.typeOf(*hull);
      place.position += rotate(normalized(shape.localPose.q), hull->centre);
      place.radius = hull->outer;
      size = {hull->inner, hull->outer, 0};
    } else if (isSurface(shape)) {
      const int type = surfaceTypeOf(shape, counts.shapes);
      record.type = type;
      place.radius = meshes_.outer(type);
      size = {meshes_.inner(type), 0, 0};
    }
    record.localPose.q = convert<T>(normalized(shape.localPose.q));
    placeShape(place, centre, record);
    record.size = convert<T>(size);
    record.body = made.slot;
    record.indexInBody = counts.shapes++;
    record.friction = T(shape.material.friction);
    record.restitution = T(shape.material.restitution);
    record.category = shape.filter.category;
    record.mask = shape.filter.mask;
    record.group = shape.filter.group;
    record.birthStep = made.birthStep;
    if (shape.sensor) continue;
    if (shape.material.restitution > 0) ++counts.bouncy;
    if (isRolling(place.rolling)) ++counts.rolling;
    if (shape.type != ShapeType::Box && shape.type != ShapeType::HalfSpace && shape.type != ShapeType::Hull && !isSurface(shape)) ++counts.round;
    if (shape.type == ShapeType::Ellipsoid) ++counts.ellipsoids;
    if (isRevolved(static_cast<int>(shape.type))) ++counts.revolved;
    if (counts.dynamicBodies > 0 && isSurface(shape)) counts.solids = 1;
    if (collidesAtAll(shape.filter)) ++counts.colliding;
  }
  return records;
}

// The host's side of a body that is there from now on. There is room for it.
template <class T> void State<T>::settle(int slot, const Body& body, const ShapePlace* places) {
  bodies_.resize(static_cast<size_t>(bodySlots()));
  shapeOwners_.resize(static_cast<size_t>(shapeSlots()));
  shapePlaces_.resize(static_cast<size_t>(shapeSlots()));
  bodies_[static_cast<size_t>(slot)] = body;
  for (int k = 0; k < body.counts.shapes; ++k) {
    shapeOwners_[static_cast<size_t>(body.firstShape + k)] = {slot, k};
    shapePlaces_[static_cast<size_t>(body.firstShape + k)] = places[k];
  }
  countBody(body, 1);
  ++revision_;
}

template <class T> void State<T>::putPose(size_t slot, const BodyPose<T>& pose) {
  poses.write(queue_, slot, pose);
  remainders.write(queue_, slot, {});
}

// Room on host and target, nothing else.
template <class T> void State<T>::reserve(size_t bodies, size_t shapes) {
  makeRoom(bodies_, bodies);
  makeRoom(shapeOwners_, shapes);
  makeRoom(shapePlaces_, shapes);
  shapeRanges_.reserve(bodies);
  poses.reserve(queue_, bodies);
  velocities.reserve(queue_, bodies);
  inertias.reserve(queue_, bodies);
  motions.reserve(queue_, bodies);
  remainders.reserve(queue_, bodies);
  constants.reserve(queue_, bodies);
  savedPoses_.reserve(queue_, bodies);
  savedVelocities_.reserve(queue_, bodies);
  savedRemainders_.reserve(queue_, bodies);
  if (forcesApplied_) forces_.reserve(queue_, bodies);
  shapeRecords.reserve(queue_, shapes);
}

// The arrays have as many items as there are slots. There is room for them.
template <class T> void State<T>::resizeToSlots() {
  const auto bodies = static_cast<size_t>(bodySlots());
  poses.resizeKeep(queue_, bodies);
  velocities.resizeKeep(queue_, bodies);
  inertias.resizeKeep(queue_, bodies);
  motions.resizeKeep(queue_, bodies);
  remainders.resizeKeep(queue_, bodies);
  constants.resizeKeep(queue_, bodies);
  savedPoses_.resizeKeep(queue_, bodies);
  savedVelocities_.resizeKeep(queue_, bodies);
  savedRemainders_.resizeKeep(queue_, bodies);
  shapeRecords.resizeKeep(queue_, static_cast<size_t>(shapeSlots()));
}

template <class T> void State<T>::reserveDamping(size_t bodies) {
  damping_.reserve(queue_, bodies);
  dampingWork_.reserve(queue_, bodies);
}

// Where some body is damped the target has a list of all. `listed`: it was there before this body changed; else this is the only one. There is room.
template <class T> void State<T>::listDamping(int slot, bool listed) {
  if (counts_.damped == 0) return;
  dampingWork_.resize(queue_, bodies_.size());
  damping_.resizeKeep(queue_, bodies_.size());
  if (!listed) damping_.fillZero(queue_);
  damping_.write(queue_, static_cast<size_t>(slot), bodies_[static_cast<size_t>(slot)].damping);
}
template <class T> void State<T>::listAllDamping() {
  if (counts_.damped == 0) return;
  dampingWork_.resize(queue_, bodies_.size());
  std::vector<BodyDamping<T>> all;
  all.reserve(bodies_.size());
  for (const Body& body : bodies_) all.push_back(body.damping);
  damping_.upload(queue_, all);
}

template <class T> void State<T>::reserveRolling(size_t shapes) { rolling_.reserve(queue_, shapes); }

// Likewise for the shapes of a body.
template <class T> void State<T>::listRolling(int firstShape, int count, bool listed) {
  if (!anyRolling()) return;
  if (!listed) return listAllRolling();
  rolling_.resizeKeep(queue_, shapePlaces_.size());
  for (int shape = firstShape; shape < firstShape + count; ++shape) {
    rolling_.write(queue_, static_cast<size_t>(shape), shapePlaces_[static_cast<size_t>(shape)].rolling);
  }
}
template <class T> void State<T>::listAllRolling() {
  if (!anyRolling()) return;
  std::vector<RollingMaterial<T>> all;
  all.reserve(shapePlaces_.size());
  for (const ShapePlace& place : shapePlaces_) all.push_back(place.rolling);
  rolling_.upload(queue_, all);
}

template <class T> void State<T>::add(const std::vector<BodyDef>& defs) {
  size_t shapeCount = 0;
  for (const BodyDef& def : defs) shapeCount += def.shapes.size();
  const size_t n = defs.size();
  shapeRanges_.requireSlots(shapeCount);
  reserve(n, shapeCount);
  std::vector<BodyPose<T>> hostPoses(n);
  std::vector<BodyVelocity<T>> hostVelocities(n);
  std::vector<BodyInertia<T>> hostInertias(n);
  std::vector<BodyConstants<T>> hostConstants(n);
  std::vector<ShapeRecord<T>> hostShapes(shapeCount);
  std::vector<ShapePlace> places;
  for (size_t i = 0; i < n; ++i) {
    const int slot = slots_.claim(defs[i].name), firstShape = shapeSlots();
    shapeRanges_.take(static_cast<int>(defs[i].shapes.size()));
    places.resize(defs[i].shapes.size());
    const Records records = [&] {
      try {
        return recordsOf(defs[i], {slot, firstShape, 0, hostShapes.data() + firstShape, places.data()});
      } catch (const InvalidInput& flaw) {
        if (flaw.place[0] != '/') throw;
        throw InvalidInput("/bodies/" + std::to_string(i) + flaw.place, flaw.reason + " (body '" + name(slot) + "')");
      }
    }();
    hostPoses[i] = records.pose;
    hostVelocities[i] = records.velocity;
    hostInertias[i] = records.inertia;
    hostConstants[i] = records.constants;
    settle(slot, records.body, places.data());
  }
  hulls_.upload(queue_);
  meshes_.upload(queue_);
  resizeToSlots();
  poses.upload(queue_, hostPoses);
  remainders.upload(queue_, std::vector<PositionRemainder<T>>(hostPoses.size(), PositionRemainder<T>{}));
  velocities.upload(queue_, hostVelocities);
  inertias.upload(queue_, hostInertias);
  constants.upload(queue_, hostConstants);
  shapeRecords.upload(queue_, hostShapes);
  listAllDamping();
  listAllRolling();
}

template <class T> BodyId State<T>::add(const BodyDef& def, int stepsDone) {
  slots_.requireFree(def.name);
  const int slot = slots_.next(), shapeCount = static_cast<int>(def.shapes.size()), firstShape = shapeRanges_.find(shapeCount);
  if (firstShape == shapeSlots()) shapeRanges_.requireSlots(def.shapes.size());
  const size_t i = static_cast<size_t>(slot), bodies = std::max(i + 1, bodies_.size());
  const size_t shapeRoom = std::max(static_cast<size_t>(firstShape + shapeCount), shapeOwners_.size());
  reserve(bodies, shapeRoom);
  std::vector<ShapeRecord<T>> shapes(def.shapes.size());
  std::vector<ShapePlace> places(def.shapes.size());
  NewInTable<HullTable> hulls(hulls_);
  NewInTable<MeshTable> meshes(meshes_);
  const Records records = recordsOf(def, {slot, firstShape, stepsDone, shapes.data(), places.data()});
  hulls_.upload(queue_);
  meshes_.upload(queue_);
  const bool listed = damping() != nullptr, rollingListed = anyRolling();
  if (listed || records.body.counts.damped > 0) reserveDamping(bodies);
  if (rollingListed || records.body.counts.rolling > 0) reserveRolling(shapeRoom);
  // The last that may fail, apart from a device that is lost.
  slots_.claim(def.name);
  hulls.keep();
  meshes.keep();
  shapeRanges_.take(shapeCount);
  settle(slot, records.body, places.data());
  resizeToSlots();
  putPose(i, records.pose);
  velocities.write(queue_, i, records.velocity);
  inertias.write(queue_, i, records.inertia);
  constants.write(queue_, i, records.constants);
  if (forcesApplied_) {
    forces_.resizeKeep(queue_, bodies);
    forces_.write(queue_, i, {});
  }
  listDamping(slot, listed);
  listRolling(firstShape, shapeCount, rollingListed);
  if (!shapes.empty()) uploadBytes(queue_, shapeRecords.data() + firstShape, shapes.data(), shapes.size() * sizeof(ShapeRecord<T>));
  return idOf(slot);
}

template <class T> void State<T>::remove(BodyId id) {
  const int slot = slotOf(id);
  Body& body = bodies_[static_cast<size_t>(slot)];
  ShapeRecord<T> empty{};
  empty.body = -1;
  for (int k = 0; k < body.counts.shapes; ++k) {
    shapeRecords.write(queue_, static_cast<size_t>(body.firstShape + k), empty);
    shapeOwners_[static_cast<size_t>(body.firstShape + k)] = {};
    shapePlaces_[static_cast<size_t>(body.firstShape + k)] = {};
  }
  // Zero velocity, no mass, no flags: every stage passes the slot by.
  BodyPose<T> pose{};
  pose.q = identityQuat<T>();
  putPose(static_cast<size_t>(slot), pose);
  velocities.write(queue_, static_cast<size_t>(slot), {});
  inertias.write(queue_, static_cast<size_t>(slot), {});
  constants.write(queue_, static_cast<size_t>(slot), {});
  if (forcesApplied_) forces_.write(queue_, static_cast<size_t>(slot), {});

  shapeRanges_.give(body.firstShape, body.counts.shapes);
  countBody(body, -1);
  body = Body{};
  slots_.release(slot);
  ++revision_;
}

template <class T> BodyState State<T>::toState(int slot, const BodyPose<T>& pose, const BodyVelocity<T>& velocity) const {
  const Quatd q = convert<double>(pose.q);
  return {{convert<double>(pose.x) - rotate(q, centreOf(slot)), q}, convert<double>(velocity.v), convert<double>(velocity.w)};
}

template <class T> BodyState State<T>::read(int slot) const {
  return toState(slot, poses.read(queue_, static_cast<size_t>(slot)), velocities.read(queue_, static_cast<size_t>(slot)));
}

template <class T> std::vector<BodyState> State<T>::readAll() const {
  const std::vector<BodyPose<T>> hostPoses = poses.download(queue_);
  const std::vector<BodyVelocity<T>> hostVelocities = velocities.download(queue_);
  std::vector<BodyState> states;
  states.reserve(static_cast<size_t>(bodyCount()));
  for (int slot = 0; slot < bodySlots(); ++slot) {
    if (alive(slot)) states.push_back(toState(slot, hostPoses[static_cast<size_t>(slot)], hostVelocities[static_cast<size_t>(slot)]));
  }
  return states;
}

template <class T> void State<T>::setPose(int slot, const Posed& pose) {
  const Quatd q = normalized(pose.q);
  if (!fitsInto<T>(pose.p)) throw InvalidInput("pose of body '" + name(slot) + "'", kTooLarge);
  ++revision_;
  putPose(static_cast<size_t>(slot), {convert<T>(pose.p + rotate(q, centreOf(slot))), T(0), normalized(convert<T>(q))});
}

template <class T> void State<T>::setVelocity(int slot, Vec3d linear, Vec3d angular) {
  const bool moves = !isZero(linear) || !isZero(angular);
  if (moves && bodies_[static_cast<size_t>(slot)].type == BodyType::Static) {
    throw InvalidInput("velocity of body '" + name(slot) + "'", "cannot be set: the body is static");
  }
  if (!fitsInto<T>(linear) || !fitsInto<T>(angular)) throw InvalidInput("velocity of body '" + name(slot) + "'", kTooLarge);
  BodyVelocity<T> velocity = velocities.read(queue_, static_cast<size_t>(slot));
  ++revision_;
  velocity.v = convert<T>(linear);
  velocity.w = convert<T>(angular);
  velocities.write(queue_, static_cast<size_t>(slot), velocity);
}

// The array of forces for the next step is there.
template <class T> void State<T>::requireForces() {
  if (forcesApplied_) return;
  if (actedForces_ && forces_.size() == bodies_.size()) {
    pastForces_.resize(queue_, forces_.size());
    copyBytes(queue_, pastForces_.data(), forces_.data(), forces_.size() * sizeof(BodyForce<T>));
  }
  forces_.resize(queue_, bodies_.size());
  forces_.fillZero(queue_);
  forcesApplied_ = true;
}

template <class T> void State<T>::addForce(int slot, Vec3d force, Vec3d torque) {
  if (!dynamic(slot)) throw InvalidInput("force on body '" + name(slot) + "'", "cannot act: the body is not dynamic");
  requireForces();
  BodyForce<T> sum = forces_.read(queue_, static_cast<size_t>(slot));
  sum.force += convert<T>(force);
  sum.torque += convert<T>(torque);
  const T size = length(sum.force) + length(sum.torque);
  if (!std::isfinite(size)) throw InvalidInput("force on body '" + name(slot) + "'", kTooLarge);
  forces_.write(queue_, static_cast<size_t>(slot), sum);
}

template <class T> void State<T>::clearForces() {
  actedForces_ = forcesApplied_;
  forcesApplied_ = false;
}

template <class T> void State<T>::backUp() {
  copyBytes(queue_, savedPoses_.data(), poses.data(), poses.size() * sizeof(BodyPose<T>));
  copyBytes(queue_, savedVelocities_.data(), velocities.data(), velocities.size() * sizeof(BodyVelocity<T>));
  copyBytes(queue_, savedRemainders_.data(), remainders.data(), remainders.size() * sizeof(PositionRemainder<T>));
}

template <class T> void State<T>::restore() {
  copyBytes(queue_, poses.data(), savedPoses_.data(), poses.size() * sizeof(BodyPose<T>));
  copyBytes(queue_, velocities.data(), savedVelocities_.data(), velocities.size() * sizeof(BodyVelocity<T>));
  copyBytes(queue_, remainders.data(), savedRemainders_.data(), remainders.size() * sizeof(PositionRemainder<T>));
}

template <class T> void State<T>::restoreIfFailed(const StepStatus* status) {
  copyIfFailed(queue_, status, {poses.data(), savedPoses_.data(), poses.size() * sizeof(BodyPose<T>)},
               {velocities.data(), savedVelocities_.data(), velocities.size() * sizeof(BodyVelocity<T>)});
  copyIfFailed(queue_, status, {remainders.data(), savedRemainders_.data(), remainders.size() * sizeof(PositionRemainder<T>)});
}

template class State<float>;
template class State<double>;

}  // namespace cairn::v0
