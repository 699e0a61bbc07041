#include "src/state/state.hpp"

#include <cmath>

namespace cairn {
namespace {

int flagsOf(const BodyDef& def, const Sym3<double>& inertia) {
  int flags = kBodyAlive;
  if (def.type == BodyType::Kinematic) return flags | kBodyKinematic;
  if (def.type == BodyType::Static) return flags;
  flags |= kBodyDynamic;
  const int translation[3] = {kLockTranslationX, kLockTranslationY, kLockTranslationZ};
  const int rotation[3] = {kLockRotationX, kLockRotationY, kLockRotationZ};
  for (size_t axis = 0; axis < 3; ++axis) {
    if (def.lockTranslation[axis]) flags |= translation[axis];
    if (def.lockRotation[axis]) flags |= rotation[axis];
  }
  const double small = 1e-9 * inertia.xx;
  const bool isotropic = std::abs(inertia.xx - inertia.yy) <= small && std::abs(inertia.xx - inertia.zz) <= small && std::abs(inertia.xy) <= small &&
                         std::abs(inertia.xz) <= small && std::abs(inertia.yz) <= small;
  return isotropic ? flags | kBodyIsotropic : flags;
}

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
    default:
      return {0, 0, 0};
  }
}

double boundingRadius(const ShapeDef& shape, Vec3d offset) {
  switch (shape.type) {
    case ShapeType::Sphere:
      return length(offset) + shape.radius;
    case ShapeType::Capsule:
      return length(offset) + shape.radius + shape.halfHeight;
    case ShapeType::Box:
      return length(offset) + length(shape.halfExtents);
    case ShapeType::Ellipsoid:
      return length(offset) + std::max({shape.halfExtents.x, shape.halfExtents.y, shape.halfExtents.z});
    default:
      return 0;
  }
}

}  // namespace

template <class T> void State<T>::fill(const BodyDef& def, int slot, int firstShape, int birthStep, BodyPose<T>& pose, BodyVelocity<T>& velocity,
                                       BodyInertia<T>& inertia, BodyConstants<T>& constant, ShapeRecord<T>* shapes) {
  const bool dynamicBody = def.type == BodyType::Dynamic;
  MassProperties mass;
  if (dynamicBody) mass = massProperties(def);
  const int flags = flagsOf(def, mass.inertia);
  const Quatd q = normalized(def.pose.q);
  const Vec3d centre = mass.centre;

  pose = {convert<T>(def.pose.p + rotate(q, centre)), T(0), normalized(convert<T>(q))};
  const double inverse = dynamicBody ? 1 / mass.mass : 0;
  const bool moves = def.type != BodyType::Static;
  const Vec3<T> zero{T(0), T(0), T(0)};
  velocity = {moves ? convert<T>(def.linearVelocity) : zero, T(def.lockTranslation[0] ? 0 : inverse), moves ? convert<T>(def.angularVelocity) : zero,
              T(def.lockTranslation[1] ? 0 : inverse)};
  inertia = {{T(0), T(0), T(0), T(0), T(0), T(0)}, T(def.lockTranslation[2] ? 0 : inverse), T(0)};
  constant = {convertSym<T>(mass.inertia), dynamicBody ? convertSym<T>(cairn::inverse(mass.inertia)) : Sym3<T>{}, T(mass.mass), T(def.gravityScale),
              flags};

  Body& body = bodies_[static_cast<size_t>(slot)];
  body.centre = centre;
  body.type = def.type;
  body.alive = true;
  body.firstShape = firstShape;
  body.shapeCount = static_cast<int>(def.shapes.size());
  body.bouncyShapes = body.roundShapes = body.ellipsoids = body.collidingShapes = 0;
  for (int k = 0; k < body.shapeCount; ++k) {
    const ShapeDef& shape = def.shapes[static_cast<size_t>(k)];
    const Vec3d offset = shape.localPose.p - centre;
    shapes[k] = {{convert<T>(offset), convert<T>(normalized(shape.localPose.q))},
                 convert<T>(sizeOf(shape)),
                 static_cast<int>(shape.type),
                 slot,
                 k,
                 T(shape.material.friction),
                 T(shape.material.restitution),
                 T(boundingRadius(shape, offset)),
                 shape.filter.category,
                 shape.filter.mask,
                 shape.filter.group,
                 birthStep};
    shapeOwners_[static_cast<size_t>(firstShape + k)] = {slot, k};
    if (shape.material.restitution > 0) ++body.bouncyShapes;
    if (shape.type != ShapeType::Box && shape.type != ShapeType::HalfSpace) ++body.roundShapes;
    if (shape.type == ShapeType::Ellipsoid) ++body.ellipsoids;
    if (shape.filter.group > 0 || (shape.filter.category != 0 && shape.filter.mask != 0)) ++body.collidingShapes;
  }
  ++alive_;
  if (dynamicBody) ++dynamic_;
  shapes_ += body.shapeCount;
  bouncyShapes_ += body.bouncyShapes;
  roundShapes_ += body.roundShapes;
  ellipsoids_ += body.ellipsoids;
  collidingShapes_ += body.collidingShapes;
  ++touched_;
}

template <class T> void State<T>::claimName(const std::string& name, int slot) {
  if (!name.empty() && !slotByName_.emplace(name, slot).second) throw InvalidInput("body '" + name + "'", "there is a body of this name already");
}

template <class T> void State<T>::add(const std::vector<BodyDef>& defs) {
  size_t shapeCount = 0;
  for (const BodyDef& def : defs) shapeCount += def.shapes.size();
  const size_t n = defs.size();
  // The device's arrays first: they are what memory may not suffice for.
  poses.resize(queue_, n);
  velocities.resize(queue_, n);
  inertias.resize(queue_, n);
  motions.resize(queue_, n);
  constants.resize(queue_, n);
  savedPoses_.resize(queue_, n);
  savedVelocities_.resize(queue_, n);
  shapeRecords.resize(queue_, shapeCount);

  bodies_.resize(n);
  shapeOwners_.resize(shapeCount);
  std::vector<BodyPose<T>> hostPoses(n);
  std::vector<BodyVelocity<T>> hostVelocities(n);
  std::vector<BodyInertia<T>> hostInertias(n);
  std::vector<BodyConstants<T>> hostConstants(n);
  std::vector<ShapeRecord<T>> hostShapes(shapeCount);
  int firstShape = 0;
  for (size_t i = 0; i < n; ++i) {
    const int slot = static_cast<int>(i);
    claimName(defs[i].name, slot);
    bodies_[i].name = defs[i].name;
    fill(defs[i], slot, firstShape, 0, hostPoses[i], hostVelocities[i], hostInertias[i], hostConstants[i], hostShapes.data() + firstShape);
    firstShape += bodies_[i].shapeCount;
  }
  poses.upload(queue_, hostPoses);
  velocities.upload(queue_, hostVelocities);
  inertias.upload(queue_, hostInertias);
  constants.upload(queue_, hostConstants);
  shapeRecords.upload(queue_, hostShapes);
}

// The first run of free slots that is long enough, else fresh ones at the end.
template <class T> int State<T>::takeShapeSlots(int count) {
  if (count == 0) return 0;
  for (auto run = freeShapes_.begin(); run != freeShapes_.end(); ++run) {
    if (run->second < count) continue;
    const int first = run->first, left = run->second - count;
    freeShapes_.erase(run);
    if (left > 0) freeShapes_.emplace(first + count, left);
    return first;
  }
  const int first = shapeSlots();
  shapeOwners_.resize(shapeOwners_.size() + static_cast<size_t>(count));
  shapeRecords.resizeKeep(queue_, shapeOwners_.size());
  return first;
}

template <class T> BodyId State<T>::add(const BodyDef& def, int stepsDone) {
  const int slot = freeBodies_.empty() ? bodySlots() : *freeBodies_.begin();
  if (freeBodies_.empty()) {
    // What may not fit comes first: a failure here leaves the bodies as they were.
    const size_t n = bodies_.size() + 1;
    poses.resizeKeep(queue_, n);
    velocities.resizeKeep(queue_, n);
    inertias.resizeKeep(queue_, n);
    constants.resizeKeep(queue_, n);
    motions.resize(queue_, n);
    savedPoses_.resize(queue_, n);
    savedVelocities_.resize(queue_, n);
    if (forcesApplied_) {
      forces_.resizeKeep(queue_, n);
      forces_.write(queue_, n - 1, {});
    }
    claimName(def.name, slot);
    bodies_.emplace_back();
  } else {
    claimName(def.name, slot);
    freeBodies_.erase(freeBodies_.begin());
  }
  const auto i = static_cast<size_t>(slot);
  bodies_[i].name = def.name;
  const int firstShape = takeShapeSlots(static_cast<int>(def.shapes.size()));
  BodyPose<T> pose;
  BodyVelocity<T> velocity;
  BodyInertia<T> inertia;
  BodyConstants<T> constant;
  std::vector<ShapeRecord<T>> shapes(def.shapes.size());
  fill(def, slot, firstShape, stepsDone, pose, velocity, inertia, constant, shapes.data());
  poses.write(queue_, i, pose);
  velocities.write(queue_, i, velocity);
  inertias.write(queue_, i, inertia);
  constants.write(queue_, i, constant);
  if (!shapes.empty()) uploadBytes(queue_, shapeRecords.data() + firstShape, shapes.data(), shapes.size() * sizeof(ShapeRecord<T>));
  return idOf(slot);
}

template <class T> void State<T>::remove(BodyId id) {
  const int slot = slotOf(id);
  Body& body = bodies_[static_cast<size_t>(slot)];
  ShapeRecord<T> empty{};
  empty.body = -1;
  for (int k = 0; k < body.shapeCount; ++k) {
    shapeRecords.write(queue_, static_cast<size_t>(body.firstShape + k), empty);
    shapeOwners_[static_cast<size_t>(body.firstShape + k)] = {};
  }
  // Zero velocity, no mass, no flags: every stage passes the slot by.
  BodyPose<T> pose{};
  pose.q = identityQuat<T>();
  poses.write(queue_, static_cast<size_t>(slot), pose);
  velocities.write(queue_, static_cast<size_t>(slot), {});
  inertias.write(queue_, static_cast<size_t>(slot), {});
  constants.write(queue_, static_cast<size_t>(slot), {});
  if (forcesApplied_) forces_.write(queue_, static_cast<size_t>(slot), {});

  if (!body.name.empty()) slotByName_.erase(body.name);
  if (body.shapeCount > 0) {
    auto run = freeShapes_.emplace(body.firstShape, body.shapeCount).first;
    const auto next = std::next(run);
    if (next != freeShapes_.end() && run->first + run->second == next->first) {
      run->second += next->second;
      freeShapes_.erase(next);
    }
    if (run != freeShapes_.begin()) {
      const auto previous = std::prev(run);
      if (previous->first + previous->second == run->first) {
        previous->second += run->second;
        freeShapes_.erase(run);
      }
    }
  }
  freeBodies_.insert(slot);
  --alive_;
  if (body.type == BodyType::Dynamic) --dynamic_;
  shapes_ -= body.shapeCount;
  bouncyShapes_ -= body.bouncyShapes;
  roundShapes_ -= body.roundShapes;
  ellipsoids_ -= body.ellipsoids;
  collidingShapes_ -= body.collidingShapes;
  ++touched_;
  const uint32_t generation = body.generation + 1;
  body = Body{};
  body.generation = generation;
}

template <class T> int State<T>::slotOf(BodyId id) const {
  if (id.index < 0 || id.index >= bodySlots() || !alive(id.index) || bodies_[static_cast<size_t>(id.index)].generation != id.generation) {
    throw InvalidInput("body id " + std::to_string(id.index) + "." + std::to_string(id.generation),
                       "no such body: it was removed, or belongs to another World");
  }
  return id.index;
}

template <class T> BodyId State<T>::find(const std::string& name) const {
  const auto found = slotByName_.find(name);
  if (found != slotByName_.end()) return idOf(found->second);
  for (int slot = 0; slot < bodySlots(); ++slot) {
    if (alive(slot) && bodies_[static_cast<size_t>(slot)].name.empty() && this->name(slot) == name) return idOf(slot);
  }
  throw InvalidInput("body '" + name + "'", "there is no body of this name");
}

template <class T> std::string State<T>::name(int slot) const {
  const std::string& given = bodies_[static_cast<size_t>(slot)].name;
  return given.empty() ? "body-" + std::to_string(slot) : given;
}

template <class T> std::vector<BodyId> State<T>::bodies() const {
  std::vector<BodyId> ids;
  ids.reserve(static_cast<size_t>(alive_));
  for (int slot = 0; slot < bodySlots(); ++slot) {
    if (alive(slot)) ids.push_back(idOf(slot));
  }
  return ids;
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
  states.reserve(static_cast<size_t>(alive_));
  for (int slot = 0; slot < bodySlots(); ++slot) {
    if (alive(slot)) states.push_back(toState(slot, hostPoses[static_cast<size_t>(slot)], hostVelocities[static_cast<size_t>(slot)]));
  }
  return states;
}

template <class T> void State<T>::setPose(int slot, const Posed& pose) {
  const Quatd q = normalized(pose.q);
  ++touched_;
  poses.write(queue_, static_cast<size_t>(slot), {convert<T>(pose.p + rotate(q, centreOf(slot))), T(0), normalized(convert<T>(q))});
}

template <class T> void State<T>::setVelocity(int slot, Vec3d linear, Vec3d angular) {
  BodyVelocity<T> velocity = velocities.read(queue_, static_cast<size_t>(slot));
  ++touched_;
  velocity.v = convert<T>(linear);
  velocity.w = convert<T>(angular);
  velocities.write(queue_, static_cast<size_t>(slot), velocity);
}

template <class T> void State<T>::addForce(int slot, Vec3d force, Vec3d torque) {
  if (!forcesApplied_) {
    forces_.resize(queue_, bodies_.size());
    forces_.fillZero(queue_);
    forcesApplied_ = true;
  }
  BodyForce<T> sum = forces_.read(queue_, static_cast<size_t>(slot));
  sum.force += convert<T>(force);
  sum.torque += convert<T>(torque);
  const T size = length(sum.force) + length(sum.torque);
  if (!std::isfinite(size)) throw InvalidInput("force on body '" + name(slot) + "'", "too large for the World's precision");
  forces_.write(queue_, static_cast<size_t>(slot), sum);
}

template <class T> void State<T>::clearForces() { forcesApplied_ = false; }

template <class T> void State<T>::backUp() {
  copyBytes(queue_, savedPoses_.data(), poses.data(), poses.size() * sizeof(BodyPose<T>));
  copyBytes(queue_, savedVelocities_.data(), velocities.data(), velocities.size() * sizeof(BodyVelocity<T>));
}

template <class T> void State<T>::restore() {
  copyBytes(queue_, poses.data(), savedPoses_.data(), poses.size() * sizeof(BodyPose<T>));
  copyBytes(queue_, velocities.data(), savedVelocities_.data(), velocities.size() * sizeof(BodyVelocity<T>));
}

template class State<float>;
template class State<double>;

}  // namespace cairn
