// State: bodies and shapes in slots on the queue's target, and what the host knows about them.
#pragma once

#include "kernels/runtime/runtime.hpp"
#include "kernels/state/damping.hpp"
#include "kernels/state/geometry_view.hpp"
#include "kernels/state/integration.hpp"
#include "kernels/state/rolling_material.hpp"
#include "kernels/state/step_check.hpp"

#include "src/state/hull_table.hpp"
#include "src/state/mesh_table.hpp"
#include "src/state/slot_ranges.hpp"
#include "src/state/slot_table.hpp"

#include <cairn/scene.hpp>
#include <cairn/world.hpp>

namespace cairn::v0 {

template <class T> class State {
 public:
  explicit State(Queue& queue) : queue_(queue) {}

  // Bodies come and go. Input has been validated; names must not be taken (InvalidInput otherwise). Nothing has changed where they throw, except
  // that a State whose first bodies could not be added is good for nothing.
  void add(const std::vector<BodyDef>& bodies);  // the first ones
  BodyId add(const BodyDef& body, int stepsDone);
  void remove(BodyId body);

  // Handles. Throw InvalidInput for one that is gone or never was.
  int slotOf(BodyId body) const { return slots_.slotOf(body); }
  BodyId idOf(int slot) const { return slots_.idOf(slot); }
  BodyId find(const std::string& name) const { return slots_.find(name); }
  std::string name(int slot) const { return slots_.name(slot); }
  std::vector<BodyId> bodies() const { return slots_.ids(); }

  // Reading and writing between steps.
  BodyState read(int slot) const;
  std::vector<BodyState> readAll() const;
  void setPose(int slot, const Posed& pose);
  void setVelocity(int slot, Vec3d linear, Vec3d angular);
  void addForce(int slot, Vec3d force, Vec3d torque);
  void clearForces();
  // An impulse at the centre of mass [N s] and an angular one [N m s], world: what is locked stays as it is. Throws as addForce does.
  void addImpulse(int slot, Vec3d impulse, Vec3d angular);
  // Of many at once: one copy each way instead of one a body. Slots may repeat: the last one counts, forces add up. Input has been checked.
  void setPoses(const std::vector<int>& slots, const std::vector<Posed>& poses);
  void setVelocities(const std::vector<int>& slots, const std::vector<Vec3d>& linear, const std::vector<Vec3d>& angular);
  void addForces(const std::vector<int>& slots, const std::vector<Vec3d>& forces, const std::vector<Vec3d>& torques);

  // What a body is made of, between steps. In state_changes.cpp.
  void setMaterial(int slot, int shape, const Material& material);
  void setFilter(int slot, int shape, const CollisionFilter& filter);
  void setGravityScale(int slot, double scale);
  void setMass(int slot, double mass);  // the inertia scales with it
  void setDamping(int slot, double linear, double angular);
  void setType(int slot, BodyType type);
  BodyType type(int slot) const { return bodies_[static_cast<size_t>(slot)].type; }
  void setInertia(int slot, const Sym3<double>& inertia);
  void setCentreOfMass(int slot, Vec3d centre);
  int shapeCountOf(int slot) const { return bodies_[static_cast<size_t>(slot)].counts.shapes; }
  Posed centreOfMass(int slot) const;  // where it is now [m]
  // For the caller's kernels to add to, for the next step; null for a World without bodies.
  BodyForce<T>* forcesToAddTo() {
    requireForces();
    return forces_.data();
  }
  bool forcesApplied() const { return forcesApplied_; }
  // Those for the next step, where they lie; null: there are none.
  BodyForce<T>* pendingForces() { return forcesApplied_ ? forces_.data() : nullptr; }
  void noteMove() { ++revision_; }  // bodies have been given poses and velocities from outside, on the target
  // A step that was to take the forces up has not: they are there again.
  void returnForces() { forcesApplied_ = true; }

  // Poses and velocities as they are now, and back to them.
  void backUp();
  void restore();
  void restoreIfFailed(const StepStatus* status);
  const BodyPose<T>* savedPoses() const { return savedPoses_.data(); }
  const BodyVelocity<T>* savedVelocities() const { return savedVelocities_.data(); }
  // What acted in the last step; null: nothing. There while no body comes.
  const BodyForce<T>* forcesOfStep() const { return !actedForces_ ? nullptr : forcesApplied_ ? pastForces_.data() : forces_.data(); }

  int bodySlots() const { return slots_.slots(); }
  int shapeSlots() const { return shapeRanges_.slots(); }
  int bodyCount() const { return slots_.count(); }
  int dynamicCount() const { return counts_.dynamicBodies; }
  int shapeCount() const { return counts_.shapes; }
  bool anyRestitution() const { return counts_.bouncy > 0; }
  // Torsional or rolling friction, by shape slot; null: no shape has any.
  bool anyRolling() const { return counts_.rolling > 0; }
  const RollingMaterial<T>* rolling() const { return anyRolling() ? rolling_.data() : nullptr; }
  bool anyRound() const { return counts_.round > 0; }  // spheres, capsules, ellipsoids, cylinders, cones
  bool anyEllipsoid() const { return counts_.ellipsoids > 0; }
  int solidBodies() const { return counts_.solids; }       // that move and have meshes, which have an inside then
  bool anyCompound() const { return severalShaped_ > 0; }  // bodies of kSeveralShapes or more
  // Whether two bodies may be of so many shapes that their contacts are reduced (kernels/collide/contact_reduction.hpp).
  bool anyReducible() const { return manyShaped_ > 0 || severalShaped_ > 1; }
  // Null: no body is damped. The work is that of the step, body by body.
  const BodyDamping<T>* damping() const { return counts_.damped > 0 ? damping_.data() : nullptr; }
  double* dampingWork() const { return dampingWork_.data(); }
  BodyDamping<T> dampingOf(int slot) const { return bodies_[static_cast<size_t>(slot)].damping; }
  bool anyColliding() const { return counts_.colliding > 0; }  // shapes whose filter lets anything near them
  long revision() const { return revision_; }                  // how often bodies were added, removed, or given a pose or velocity from outside
  bool alive(int slot) const { return slots_.alive(slot); }
  bool dynamic(int slot) const { return bodies_[static_cast<size_t>(slot)].type == BodyType::Dynamic; }
  uint64_t userData(int slot) const { return bodies_[static_cast<size_t>(slot)].userData; }
  void setUserData(int slot, uint64_t data) { bodies_[static_cast<size_t>(slot)].userData = data; }
  Vec3d centreOf(int slot) const { return centreOf(bodies_[static_cast<size_t>(slot)]); }  // of mass, in the body's frame
  int shapeOwner(int shape) const { return shapeOwners_[static_cast<size_t>(shape)].body; }
  int shapeIndexInBody(int shape) const { return shapeOwners_[static_cast<size_t>(shape)].index; }

  Buffer<BodyPose<T>> poses;
  Buffer<BodyVelocity<T>> velocities;
  Buffer<BodyInertia<T>> inertias;
  Buffer<BodyMotion<T>> motions;
  Buffer<PositionRemainder<T>> remainders;  // of positions; putPose makes a body's zero, writing on the target does not
  Buffer<BodyConstants<T>> constants;
  Buffer<ShapeRecord<T>> shapeRecords;
  std::vector<BodyForce<T>> downloadForces() const {  // [bodySlots()]
    return forcesApplied_ ? forces_.download(queue_) : std::vector<BodyForce<T>>(bodies_.size());
  }
  // For snapshots. Reads into a State without bodies; throws InvalidInput for what does not fit together. In state_snapshot.cpp.
  template <class Archive> void archive(Archive& a);
  GeometryView geometry() const { return {hulls_.view(), meshes_.view(), counts_.revolved > 0}; }
  const BodyForce<T>* forces() const { return forcesApplied_ ? forces_.data() : nullptr; }

 private:
  struct Counts {
    int dynamicBodies = 0, shapes = 0, bouncy = 0, rolling = 0, round = 0, ellipsoids = 0, revolved = 0, solids = 0, colliding = 0, damped = 0;
    void add(const Counts& other, int sign);
  };
  struct Body {
    MassProperties mass;  // of a dynamic body, or of what it would be as one
    int firstShape = 0;
    Counts counts;
    BodyType type = BodyType::Static;
    int locks = 0;  // of BodyFlags, likewise
    BodyDamping<T> damping{};
    uint64_t userData = 0;
  };
  struct ShapeOwner {
    int body = -1, index = 0;
  };
  // What a shape's record follows from where its body gets another centre of mass, and what is not in that record.
  struct ShapePlace {
    Vec3d position{0, 0, 0};      // in the body's frame [m]
    double radius = 0, more = 0;  // how far it reaches from there: the sum of both [m]
    RollingMaterial<T> rolling{};
  };
  // Everything a body is made of but its shapes.
  struct Records {
    Body body;
    BodyPose<T> pose;
    BodyVelocity<T> velocity;
    BodyInertia<T> inertia;
    BodyConstants<T> constants;
  };

  void countBody(const Body& body, int sign);
  // Bodies that are not dynamic move about their origin.
  static Vec3d centreOf(const Body& body) { return body.type == BodyType::Dynamic ? body.mass.centre : Vec3d{0, 0, 0}; }
  static void setMassOf(Records& records);
  static void placeShape(const ShapePlace& place, Vec3d centre, ShapeRecord<T>& record);
  Body checkedMass(int slot, const char* what, const MassProperties& mass) const;
  void remake(int slot, const Body& body);
  void reserveDamping(size_t bodies);
  void listDamping(int slot, bool listed);
  void listAllDamping();
  void reserveRolling(size_t shapes);
  void listRolling(int firstShape, int count, bool listed);
  void listAllRolling();
  void requireDynamicMakeup(int slot) const;
  ShapeRecord<T> shapeOf(int slot, int shape) const;
  void writeShape(int slot, int shape, const ShapeRecord<T>& record);
  void requireForces();
  // What a body and its shapes are to be made of.
  struct NewBody {
    int slot, firstShape, birthStep;
    ShapeRecord<T>* shapes;
    ShapePlace* places;
  };
  int surfaceTypeOf(const ShapeDef& shape, int number);
  Records recordsOf(const BodyDef& def, const NewBody& made);  // hulls and meshes that are new come to the tables
  void settle(int slot, const Body& body, const ShapePlace* places);
  void putPose(size_t slot, const BodyPose<T>& pose);
  void checkLinks(const std::vector<ShapeRecord<T>>& shapes) const;
  void reserve(size_t bodies, size_t shapes);
  void resizeToSlots();
  BodyState toState(int slot, const BodyPose<T>& pose, const BodyVelocity<T>& velocity) const;

  Queue& queue_;
  SlotTable<BodyId> slots_{"body"};
  SlotRanges shapeRanges_{kFixedBit - 1};
  std::vector<Body> bodies_;             // by slot
  std::vector<ShapeOwner> shapeOwners_;  // by shape slot
  std::vector<ShapePlace> shapePlaces_;  // likewise
  Counts counts_;
  int severalShaped_ = 0, manyShaped_ = 0;  // bodies of several, and of many shapes
  HullTable hulls_;
  MeshTable meshes_;
  long revision_ = 0;
  Buffer<BodyForce<T>> forces_;
  bool forcesApplied_ = false;       // for the next step
  bool actedForces_ = false;         // in the last step
  Buffer<BodyForce<T>> pastForces_;  // which they were, once there are some for the next one
  // Of the bodies of a World where one was ever damped, by slot; empty elsewhere.
  Buffer<BodyDamping<T>> damping_;
  mutable Buffer<double> dampingWork_;
  Buffer<RollingMaterial<T>> rolling_;  // likewise of shapes, by slot
  Buffer<BodyPose<T>> savedPoses_;
  Buffer<BodyVelocity<T>> savedVelocities_;
  Buffer<PositionRemainder<T>> savedRemainders_;
};

}  // namespace cairn::v0
