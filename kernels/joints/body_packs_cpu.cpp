// The impulses of joints on bodies side by side.
//
// The same bits as ApplyImpulses, whatever the width: a number is the sum of the same products in the same order. Bodies may have fewer joints than
// those beside them: zeros take their place, which change no bit, as no sum that began with zero is -0.
#include "kernels/joints/body_packs.hpp"
#include "kernels/joints/joint_substitution.hpp"
#include "kernels/joints/pack_numbers.hpp"

namespace cairn::v0 {
namespace {

using namespace beside;

// Bodies first .. first + kWidth - 1 of a pack.
template <class T> CAIRN_INLINE void applyToPart(const ApplyImpulses<T>& pass, SourceReader sources) {
  const SystemView& view = pass.view;
  const int* const slots = sources.row();
  const V zero = V(0.0);
  Vec3<V> linear{zero, zero, zero}, angular = linear;
  for (int count = sources.count(); count > 0; --count) {
    const int *const rows = sources.row(), *const arms = sources.row();
    const V sign = numbersOf(sources.row());
    const Vec3<V> impulse = sign * gatherVector([&view, rows](int lane) { return view.vector + rows[lane]; });
    linear += impulse;
    angular += cross(gatherVector([&view, arms](int lane) { return &view.arms->onA.x + arms[lane]; }), impulse);
  }
  using Records = RecordLanes<T, kWidth>;
  const auto recordOf = [&pass, slots](int lane) { return reinterpret_cast<T*>(pass.bodies.velocities + slots[lane]); };
  Pack<T, kWidth> inertia[8], velocity[8];  // vx, vy, vz, the mass along x; wx, wy, wz, the mass along y
  Records::load([&pass, slots](int lane) { return reinterpret_cast<const T*>(pass.bodies.inertias + slots[lane]); }, inertia);
  Records::load(recordOf, velocity);
  const Vec3<V> moved = scale({widened<T>(velocity[3]), widened<T>(velocity[7]), widened<T>(inertia[6])}, linear);
  const Vec3<V> turned = inertiaOf<T>(inertia) * angular;
  velocity[0] += rounded<T>(moved.x);
  velocity[1] += rounded<T>(moved.y);
  velocity[2] += rounded<T>(moved.z);
  velocity[4] += rounded<T>(turned.x);
  velocity[5] += rounded<T>(turned.y);
  velocity[6] += rounded<T>(turned.z);
  Records::store(recordOf, velocity);
}

}  // namespace

template <class T> CAIRN_FLATTEN void applyInPack(const ApplyImpulses<T>& pass, const int* sources) {
  for (int first = 0; first < kPackBodies; first += kWidth) applyToPart(pass, SourceReader{sources, first});
}
template void applyInPack(const ApplyImpulses<float>&, const int*);
template void applyInPack(const ApplyImpulses<double>&, const int*);

}  // namespace cairn::v0
