#include "tests/world/array_kernels.hpp"

#include "kernels/runtime/launch.hpp"

namespace cairn::test {
namespace {

template <class T, int N> CAIRN_HD inline T& at(const Field<T, N>& field, int item, int k) {
  using Byte = std::conditional_t<std::is_const<T>::value, const unsigned char, unsigned char>;
  return *reinterpret_cast<T*>(reinterpret_cast<Byte*>(field.data) + item * field.stride + k * field.componentStride);
}
CAIRN_HD inline void put(const Field<float, 3>& field, int item, Vec3f v) {
  at(field, item, 0) = v.x;
  at(field, item, 1) = v.y;
  at(field, item, 2) = v.z;
}

struct Push {
  ForceInputs<float> forces;
  int body;
  Vec3f force, torque;
  CAIRN_HD void operator()(int) const {
    for (int k = 0; k < 3; ++k) {
      at(forces.force, body, k) += component(force, k);
      at(forces.torque, body, k) += component(torque, k);
    }
  }
};
struct SetVelocity {
  BodyInputs<float> bodies;
  int body;
  Vec3f linear, angular;
  CAIRN_HD void operator()(int) const {
    put(bodies.linearVelocity, body, linear);
    put(bodies.angularVelocity, body, angular);
  }
};
struct SetPosition {
  BodyInputs<float> bodies;
  int body;
  Vec3f position;
  CAIRN_HD void operator()(int) const { put(bodies.position, body, position); }
};
struct SetTarget {
  MotorInputs<float> motors;
  int row;
  float target, maxForce;
  CAIRN_HD void operator()(int) const {
    at(motors.target, row, 0) = target;
    at(motors.maxForce, row, 0) = maxForce;
  }
};
struct ChooseByTurns {
  int* round;
  int environments;
  unsigned char* mask;
  CAIRN_HD void operator()(int) const {
    for (int k = 0; k < environments; ++k) mask[k] = k == *round % environments ? 1 : 0;
    ++*round;
  }
};
template <class T, int N> struct Gather {
  Field<const T, N> field;
  T* out;
  CAIRN_HD void operator()(int i) const {
    for (int k = 0; k < N; ++k) out[N * i + k] = at(field, i, k);
  }
};

}  // namespace

void push(Queue& queue, const ForceInputs<float>& forces, int body, Vec3f force, Vec3f torque) {
  forEach(queue, "test/push", 1, Push{forces, body, force, torque});
}
void setVelocity(Queue& queue, const BodyInputs<float>& bodies, int body, Vec3f linear, Vec3f angular) {
  forEach(queue, "test/velocity", 1, SetVelocity{bodies, body, linear, angular});
}
void setPosition(Queue& queue, const BodyInputs<float>& bodies, int body, Vec3f position) {
  forEach(queue, "test/position", 1, SetPosition{bodies, body, position});
}
void setTarget(Queue& queue, const MotorInputs<float>& motors, int row, float target, float maxForce) {
  forEach(queue, "test/target", 1, SetTarget{motors, row, target, maxForce});
}
void chooseByTurns(Queue& queue, int* round, int environments, unsigned char* mask) {
  forEach(queue, "test/choose", 1, ChooseByTurns{round, environments, mask});
}
template <class T, int N> void gather(Queue& queue, const Field<const T, N>& field, int count, T* out) {
  forEach(queue, "test/gather", count, Gather<T, N>{field, out});
}

template void gather(Queue&, const Field<const float, 3>&, int, float*);
template void gather(Queue&, const Field<const float, 4>&, int, float*);
template void gather(Queue&, const Field<const float, 6>&, int, float*);
template void gather(Queue&, const Field<const float, 1>&, int, float*);
template void gather(Queue&, const Field<const int, 1>&, int, int*);
template void gather(Queue&, const Field<const int, 2>&, int, int*);
template void gather(Queue&, const Field<const uint32_t, 1>&, int, uint32_t*);

}  // namespace cairn::test
