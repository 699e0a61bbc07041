// State: bodies and shapes in slots on the queue's target, and what the host knows about them.
#pragma once

#include "kernels/runtime/runtime.hpp"
#include "kernels/state/integration.hpp"

#include <cairn/scene.hpp>
#include <cairn/world.hpp>

#include <map>
#include <set>
#include <unordered_map>

namespace cairn {

template <class T> class State {
 public:
  explicit State(Queue& queue) : queue_(queue) {}

  // Bodies come and go. Input has been validated; names must not be taken (InvalidInput otherwise, before anything changed).
  void add(const std::vector<BodyDef>& bodies);
  BodyId add(const BodyDef& body, int stepsDone);
  void remove(BodyId body);

  // Handles. Throw InvalidInput for one that is gone or never was.
  int slotOf(BodyId body) const;
  BodyId idOf(int slot) const { return {slot, bodies_[static_cast<size_t>(slot)].generation}; }
  BodyId find(const std::string& name) const;
  std::string name(int slot) const;
  std::vector<BodyId> bodies() const;

  // Reading and writing between steps.
  BodyState read(int slot) const;
  std::vector<BodyState> readAll() const;
  void setPose(int slot, const Posed& pose);
  void setVelocity(int slot, Vec3d linear, Vec3d angular);
  void addForce(int slot, Vec3d force, Vec3d torque);
  void clearForces();

  // Poses and velocities as they are now, and back to them.
  void backUp();
  void restore();

  int bodySlots() const { return static_cast<int>(bodies_.size()); }
  int shapeSlots() const { return static_cast<int>(shapeOwners_.size()); }
  int bodyCount() const { return alive_; }
  int dynamicCount() const { return dynamic_; }
  int shapeCount() const { return shapes_; }
  bool anyRestitution() const { return bouncyShapes_ > 0; }
  bool anyRound() const { return roundShapes_ > 0; }  // spheres, capsules, ellipsoids
  bool anyEllipsoid() const { return ellipsoids_ > 0; }
  bool anyColliding() const { return collidingShapes_ > 0; }  // shapes whose filter lets anything near them
  long touched() const { return touched_; }                   // how often bodies were added, removed, or given a pose or velocity from outside
  bool alive(int slot) const { return bodies_[static_cast<size_t>(slot)].alive; }
  bool dynamic(int slot) const { return bodies_[static_cast<size_t>(slot)].type == BodyType::Dynamic; }
  Vec3d centreOf(int slot) const { return bodies_[static_cast<size_t>(slot)].centre; }  // of mass, in the body's frame
  int shapeOwner(int shape) const { return shapeOwners_[static_cast<size_t>(shape)].body; }
  int shapeIndexInBody(int shape) const { return shapeOwners_[static_cast<size_t>(shape)].index; }

  Buffer<BodyPose<T>> poses;
  Buffer<BodyVelocity<T>> velocities;
  Buffer<BodyInertia<T>> inertias;
  Buffer<BodyMotion<T>> motions;
  Buffer<BodyConstants<T>> constants;
  Buffer<ShapeRecord<T>> shapeRecords;
  std::vector<BodyForce<T>> downloadForces() const {  // [bodySlots()]
    return forcesApplied_ ? forces_.download(queue_) : std::vector<BodyForce<T>>(bodies_.size());
  }
  const BodyForce<T>* forces() const { return forcesApplied_ ? forces_.data() : nullptr; }

 private:
  struct Body {
    std::string name;
    Vec3d centre{0, 0, 0};  // of mass, in the body's frame
    int firstShape = 0, shapeCount = 0, bouncyShapes = 0, roundShapes = 0, ellipsoids = 0, collidingShapes = 0;
    uint32_t generation = 0;
    BodyType type = BodyType::Static;
    bool alive = false;
  };
  struct ShapeOwner {
    int body = -1, index = 0;
  };

  void claimName(const std::string& name, int slot);
  void fill(const BodyDef& def, int slot, int firstShape, int birthStep, BodyPose<T>& pose, BodyVelocity<T>& velocity, BodyInertia<T>& inertia,
            BodyConstants<T>& constant, ShapeRecord<T>* shapes);
  int takeShapeSlots(int count);
  BodyState toState(int slot, const BodyPose<T>& pose, const BodyVelocity<T>& velocity) const;

  Queue& queue_;
  std::vector<Body> bodies_;
  std::vector<ShapeOwner> shapeOwners_;
  std::unordered_map<std::string, int> slotByName_;
  std::set<int> freeBodies_;
  std::map<int, int> freeShapes_;  // first slot -> how many
  int alive_ = 0, dynamic_ = 0, shapes_ = 0, bouncyShapes_ = 0, roundShapes_ = 0, ellipsoids_ = 0, collidingShapes_ = 0;
  long touched_ = 0;
  Buffer<BodyForce<T>> forces_;
  bool forcesApplied_ = false;
  Buffer<BodyPose<T>> savedPoses_;
  Buffer<BodyVelocity<T>> savedVelocities_;
};

}  // namespace cairn
