// What Worlds answer, as arrays and dicts: the arguments of the records in cairn/_records.py.
#pragma once

#include "python/src/convert.hpp"

#include <cairn/world.hpp>

namespace cairn::python {

// Arrays filled by one thread without the interpreter's lock; release() needs it.
class BodyStateArrays {
 public:
  BodyStateArrays(const std::vector<BodyId>& bodies, const std::vector<BodyState>& states);
  nb::dict release();

 private:
  OwnedArray<int32_t> indices_;
  OwnedArray<double> positions_, orientations_, linearVelocities_, angularVelocities_;
};

// The two shapes of each of several pairs.
class PairArrays {
 public:
  explicit PairArrays(size_t count);
  template <class Pair> void put(size_t i, const Pair& pair) {
    bodyA_.data()[i] = pair.bodyA.index;
    bodyB_.data()[i] = pair.bodyB.index;
    generationA_.data()[i] = pair.bodyA.generation;
    generationB_.data()[i] = pair.bodyB.generation;
    shapeA_.data()[i] = pair.shapeA;
    shapeB_.data()[i] = pair.shapeB;
  }
  nb::dict release();

 private:
  OwnedArray<int32_t> bodyA_, bodyB_;
  OwnedArray<uint32_t> generationA_, generationB_;
  OwnedArray<int32_t> shapeA_, shapeB_;
};

class ContactArrays {
 public:
  explicit ContactArrays(const std::vector<Contact>& contacts);
  nb::dict release();

 private:
  PairArrays pairs_;
  OwnedArray<double> point_, normal_, separation_;
  OwnedArray<uint32_t> feature_;
  OwnedArray<double> normalImpulse_, frictionImpulse_;
};

class JointStateArrays {
 public:
  JointStateArrays(const std::vector<JointId>& joints, const std::vector<JointState>& states);
  nb::dict release();

 private:
  std::vector<JointId> joints_;
  OwnedArray<int32_t> indices_, type_;  // the type's position among the names of types
  OwnedArray<int32_t> bodyA_, bodyB_;
  OwnedArray<uint32_t> generationA_, generationB_;
  OwnedArray<bool> broken_;
  OwnedArray<double> coordinates_, error_, angularError_, force_, torque_;
};

class RayHitArrays {
 public:
  explicit RayHitArrays(const std::vector<RayHit>& hits);
  nb::dict release();

 private:
  OwnedArray<int32_t> body_;
  OwnedArray<uint32_t> generation_;
  OwnedArray<int32_t> shape_;
  OwnedArray<double> distance_, normal_;
};

class ShapeHitArrays {
 public:
  explicit ShapeHitArrays(const std::vector<ShapeHit>& hits);
  nb::dict release();

 private:
  OwnedArray<int32_t> body_;
  OwnedArray<uint32_t> generation_;
  OwnedArray<int32_t> shape_;
  OwnedArray<double> distance_, point_, normal_;
};

class OverlapArrays {
 public:
  explicit OverlapArrays(const std::vector<Overlap>& overlaps);
  nb::dict release();

 private:
  OwnedArray<int32_t> body_;
  OwnedArray<uint32_t> generation_;
  OwnedArray<int32_t> shape_;
};

nb::dict toDict(const BodyState& state);
nb::dict toDict(const StepReport& report);
nb::dict toDict(const std::vector<StageTime>& stages);

}  // namespace cairn::python
