// Inertias of bodies with joints as they turn, and what their joints' pull adds to them. One body, or a pack of bodies side by side.
//
// A link under tension is a pendulum on both sides: its joints' forces turn it back at the rate that tension, arm and inertia give, and where that is
// beyond what explicit steps can follow (h^2 K > 4 I) a taut chain of light links blows up. The change of a joint's torque with the rotation of its
// arm, taken implicitly, adds h^2 K to the inertia (Tournier et al., "Stable Constrained Dynamics", 2015; added only as far as stability asks:
// Andrews, Teichmann and Kry, "Geometric Stiffness for Real-Time Constrained Multibody Dynamics", 2017). Where steps are short enough nothing
// changes.
#pragma once

#include "kernels/joints/joint_rows.hpp"
#include "kernels/rows/body_lanes.hpp"
#include "kernels/rows/row_math.hpp"
#include "kernels/state/world_inertia.hpp"

#include <cstddef>

namespace cairn::v0 {

constexpr double kSafeStiffness = 1;  // h^2 K / I up to which nothing is added
constexpr double kSurelySafe = 0.9;   // the same of a bound, with room for rounding
constexpr int kIdleLanes = 4;         // lanes for each joint, up to which a pack is cheaper than one body after the other

template <class T> struct StiffenBody {
  JointsOfBodies of;
  JointInputs<T> in;
  T h;
  bool damp;
  BodyInertia<T>* inertias;
  BodyVelocity<T>* velocities;
  const T* pulls;  // JointInputs: by joint and side, for the impulses as they are; null: not known

  // A joint's part of h^2 K: impulses are forces times h, one more h is here. `f`: its impulse on the body, `r`: where it acts.
  template <class V> CAIRN_HD void add(Vec3<V> f, Vec3<V> r, joint::LaneMask<V> there, Sym3<V>& k) const {
    // Across the arm a pull turns it back at the rate f.r; along it nothing does, and a push does not turn back at all.
    const V zero = V(T(0)), r2 = dot(r, r), along = V(h) * dot(f, r);
    const auto turnsBack = there & (along > zero) & (r2 > zero);
    const V part = along / r2;
    const Sym3<V> more = k + Sym3<V>{along - part * r.x * r.x, along - part * r.y * r.y, along - part * r.z * r.z,
                                     -(part * r.x * r.y),      -(part * r.x * r.z),      -(part * r.y * r.z)};
    k = select(turnsBack, more, k);
  }
  // The sum of the eigenvalues of I^-1 h^2 K: at least the largest.
  template <class V> CAIRN_HD static V ratioOf(const Sym3<V>& mobility, const Sym3<V>& k) {
    return mobility.xx * k.xx + mobility.yy * k.yy + mobility.zz * k.zz + V(T(2)) * (mobility.xy * k.xy + mobility.xz * k.xz + mobility.yz * k.yz);
  }

  // The inverse inertia of a body that its joints turn back too fast, and its angular velocity where that is damped.
  template <class V> CAIRN_HD void slow(const Sym3<V>& k, V ratio, Sym3<V>& mobility, Vec3<V>& w) const {
    const V zero = V(T(0)), one = V(T(1)), part = one - V(T(kSafeStiffness)) / ratio;
    const auto x = mobility.xx > zero, y = mobility.yy > zero, z = mobility.zz > zero;
    const Sym3<V> inertia = inverse(
        Sym3<V>{select(x, mobility.xx, one), select(y, mobility.yy, one), select(z, mobility.zz, one), mobility.xy, mobility.xz, mobility.yz});
    const Sym3<V> slower = inverse(Sym3<V>{inertia.xx + part * k.xx, inertia.yy + part * k.yy, inertia.zz + part * k.zz, inertia.xy + part * k.xy,
                                           inertia.xz + part * k.xz, inertia.yz + part * k.yz});
    mobility = {select(x, slower.xx, zero),     select(y, slower.yy, zero),     select(z, slower.zz, zero),
                select(x & y, slower.xy, zero), select(x & z, slower.xz, zero), select(y & z, slower.yz, zero)};
    if (!damp) return;
    const Vec3<V> slowed = mobility * (inertia * w);
    w = {select(x, slowed.x, w.x), select(y, slowed.y, w.y), select(z, slowed.z, w.z)};
  }

  // Whether a body's joints pull so hard that they may make it stiff, whichever way they do.
  CAIRN_HD bool mayBeStiff(int body) const {
    if (pulls == nullptr) return true;
    T sum = T(0);
    for (int side = of.offsets[body]; side < of.offsets[body + 1]; ++side) sum += pulls[of.sides[side]];
    return !(sum <= T(kSurelySafe));
  }
  // Whether one of bodies side by side may be, with so many joints at most.
  template <class V> CAIRN_HD bool mayBeStiff(int first, int most) const {
    const int* const offsets = of.offsets + first;
    V sum = V(T(0));
    for (int n = 0; n < most; ++n) {
      sum += LaneTraits<V>::fromLanes([&](int lane) {
        const int side = offsets[lane] + n;
        return side < offsets[lane + 1] ? pulls[of.sides[side]] : T(0);
      });
    }
    return anyLane(select(sum <= V(T(kSurelySafe)), V(T(0)), V(T(1))));
  }

  CAIRN_HD void operator()(int body) const {
    const int begin = of.offsets[body], end = of.offsets[body + 1];
    if (begin == end || !mayBeStiff(body)) return;
    const T zero = T(0);
    Sym3<T> k{zero, zero, zero, zero, zero, zero};
    for (int side = begin; side < end; ++side) {
      const int index = of.sides[side] / 2;
      const JointRecord<T>& j = in.records[index];
      const bool isB = (of.sides[side] & 1) != 0;
      const Quat<T> qA = in.poses[j.bodyA].q;
      const Vec3<T> onB = in.laneOfJoint != nullptr ? JointLane<T>(in.lanes, in.laneOfJoint[index]).vectorOf(kJointLinear)
                                                    : rotate(qA * j.frameA.q, in.impulses[index].linear);
      const Vec3<T> f = isB ? onB : -onB;
      add<T>(f, isB ? rotate(in.poses[j.bodyB].q, j.frameB.p) : rotate(qA, j.frameA.p), true, k);
    }
    const T ratio = ratioOf(inertias[body].invInertia, k);
    if (!(ratio > T(kSafeStiffness))) return;
    of.components.note(body, kComponentStiffened);
    Vec3<T> w = damp ? velocities[body].w : Vec3<T>{zero, zero, zero};
    slow(k, ratio, inertias[body].invInertia, w);
    if (damp) velocities[body].w = w;
  }

  // Bodies side by side, `first` the first of them: the most joints that one of them has.
  CAIRN_HD int mostJoints(int first, int bodies) const {
    int most = 0;
    for (int i = first; i < first + bodies; ++i) {
      const int count = of.offsets[i + 1] - of.offsets[i];
      if (count > most) most = count;
    }
    return most;
  }
  // Their h^2 K, turned by q.
  template <class V> CAIRN_HD Sym3<V> pullOf(int first, Quat<V> q, int most) const {
    using Lanes = LaneTraits<V>;
    const V zero = V(T(0));
    const int* const offsets = of.offsets + first;
    Sym3<V> k{zero, zero, zero, zero, zero, zero};
    for (int n = 0; n < most; ++n) {
      int joints[Lanes::kWidth], bodiesA[Lanes::kWidth];
      bool isB[Lanes::kWidth], there[Lanes::kWidth];
      for (int lane = 0; lane < Lanes::kWidth; ++lane) {
        there[lane] = offsets[lane] + n < offsets[lane + 1];
        const int side = of.sides[there[lane] ? offsets[lane] + n : 0];  // of one that is not there any other's
        joints[lane] = side / 2;
        isB[lane] = (side & 1) != 0;
        bodiesA[lane] = in.records[joints[lane]].bodyA;
      }
      const auto jointOf = [&joints](int lane) { return joints[lane]; };
      const Vec3<V> point = jointFrames<V>(in.records, jointOf, [&isB](int lane) { return isB[lane]; }).p;
      const Vec3<V> onB = in.laneOfJoint != nullptr ? inLanes<V>(joints) : inFrames<V>(joints, bodiesA);
      const auto holds = [](const bool(&lanes)[Lanes::kWidth]) {
        return Lanes::fromLanes([&lanes](int lane) { return lanes[lane] ? T(1) : T(0); }) > V(T(0.5));
      };
      const Vec3<V> r = rotate(q, point);
      add<V>(select(holds(isB), onB, -onB), r, holds(there), k);
    }
    return k;
  }

 private:
  // The impulses on B of joints side by side: as their lanes have them, or as they came back, turned with A.
  template <class V> CAIRN_HD Vec3<V> inLanes(const int* joints) const {
    const auto impulseOf = [&](int k) {
      return LaneTraits<V>::fromLanes([&](int lane) { return JointLane<T>(in.lanes, in.laneOfJoint[joints[lane]]).of(kJointLinear + k); });
    };
    return {impulseOf(0), impulseOf(1), impulseOf(2)};
  }
  template <class V> CAIRN_HD Vec3<V> inFrames(const int* joints, const int* bodiesA) const {
    using Lanes = LaneTraits<V>;
    const Quat<V> frame = jointFrames<V>(
                              in.records, [joints](int lane) { return joints[lane]; }, [](int) { return false; })
                              .q;
    const auto impulseOf = [&](auto axis) { return Lanes::fromLanes([&](int lane) { return in.impulses[joints[lane]].linear.*axis; }); };
    V poseA[8];
    Lanes::gather(reinterpret_cast<const T*>(in.poses), bodiesA, poseA);
    return rotate(Quat<V>{poseA[4], poseA[5], poseA[6], poseA[7]} * frame,
                  Vec3<V>{impulseOf(&Vec3<T>::x), impulseOf(&Vec3<T>::y), impulseOf(&Vec3<T>::z)});
  }
};

// One joint's two. The trace of I^-1 K with K across the arm, which turns with the body: not where some axis of the world is locked.
template <class T> struct FindLean {
  const JointRecord<T>* joints;
  const int* live;
  const BodyConstants<T>* constants;
  T* leans;

  CAIRN_HD void operator()(int k) const {
    const JointRecord<T>& j = joints[live[k]];
    leans[2 * live[k]] = leanOf(constants[j.bodyA], j.frameA.p);
    leans[2 * live[k] + 1] = leanOf(constants[j.bodyB], j.frameB.p);
  }
  CAIRN_HD static T leanOf(const BodyConstants<T>& body, Vec3<T> arm) {
    const T r2 = dot(arm, arm);
    if ((body.flags & kBodyDynamic) == 0 || !(r2 > T(0))) return T(0);
    if ((body.flags & kLockRotation) != 0) return T(kUnknownPull);
    const Sym3<T> m = body.invInertia;
    return squareRoot(r2) * (m.xx + m.yy + m.zz - dot(arm, m * arm) / r2);
  }
};

template <class T> struct FollowTurn {
  const BodyConstants<T>* constants;
  StiffenBody<T> stiffen;

  CAIRN_HD void operator()(int body) const {
    stiffen.inertias[body].invInertia = worldInvInertia(stiffen.in.poses[body].q, constants[body]);
    stiffen(body);
  }

  // Of bodies side by side, `first` the first of them.
  template <class V> CAIRN_HD void at(int first) const {
    using Lanes = LaneTraits<V>;
    V pose[8], record[8];
    Lanes::loadRecords(reinterpret_cast<const T*>(stiffen.in.poses + first), pose);
    T* const inertias = reinterpret_cast<T*>(stiffen.inertias + first);
    Lanes::loadRecords(inertias, record);
    const Quat<V> q{pose[4], pose[5], pose[6], pose[7]};
    const BodyConstants<T>* const bodies = constants + first;
    V n[8];  // the inverse inertia, and two numbers that lie behind
    static_assert(offsetof(BodyConstants<T>, mass) == 12 * sizeof(T));
    Lanes::eightOf([bodies](int lane) { return reinterpret_cast<const T*>(bodies + lane) + 6; }, n);
    const Sym3<V> own{n[0], n[1], n[2], n[3], n[4], n[5]};
    Sym3<V> mobility = rotated(rotationMatrix(q), own);
    // Of a body that is static, round or held about some axis, as worldInvInertia has it by itself.
    const auto turnsAlone = [](int flags) { return (flags & (kBodyDynamic | kBodyIsotropic | kLockRotation)) == kBodyDynamic; };
    const auto alone = Lanes::fromLanes([&](int lane) { return turnsAlone(bodies[lane].flags) ? T(1) : T(0); });
    V others[6] = {mobility.xx, mobility.yy, mobility.zz, mobility.xy, mobility.xz, mobility.yz};
    if (anyLane(V(T(1)) - alone)) {
      for (int k = 0; k < 6; ++k) {
        others[k] = Lanes::fromLanes([&](int lane) {
          if (turnsAlone(bodies[lane].flags)) return T(0);
          const Sym3<T> m = worldInvInertia(stiffen.in.poses[first + lane].q, bodies[lane]);
          return k == 0 ? m.xx : k == 1 ? m.yy : k == 2 ? m.zz : k == 3 ? m.xy : k == 4 ? m.xz : m.yz;
        });
      }
    }
    const auto plain = alone > V(T(0.5));
    mobility = select(plain, mobility, Sym3<V>{others[0], others[1], others[2], others[3], others[4], others[5]});
    // Joints by turns in each lane: not where most lanes would wait for a few.
    const int most = stiffen.mostJoints(first, Lanes::kWidth), joints = stiffen.of.offsets[first + Lanes::kWidth] - stiffen.of.offsets[first];
    const bool even = joints > 0 && most * Lanes::kWidth <= kIdleLanes * joints;
    if (even && stiffen.template mayBeStiff<V>(first, most)) slowDown(first, q, most, mobility);
    const V all[8] = {mobility.xx, mobility.yy, mobility.zz, mobility.xy, mobility.xz, mobility.yz, record[6], record[7]};
    Lanes::storeRecords(inertias, all);
    for (int i = first; !even && joints > 0 && i < first + Lanes::kWidth; ++i) stiffen(i);
  }

 private:
  template <class V> CAIRN_HD void slowDown(int first, Quat<V> q, int most, Sym3<V>& mobility) const {
    using Lanes = LaneTraits<V>;
    const Sym3<V> k = stiffen.pullOf(first, q, most);
    const V ratio = stiffen.ratioOf(mobility, k);
    const auto stiff = ratio > V(T(kSafeStiffness));
    const V stiffened = select(stiff, V(T(1)), V(T(0)));
    if (!anyLane(stiffened)) return;
    T slowed[Lanes::kWidth];
    Lanes::store(slowed, stiffened);
    for (int lane = 0; lane < Lanes::kWidth; ++lane) {
      if (slowed[lane] > T(0)) stiffen.of.components.note(first + lane, kComponentStiffened);
    }
    T* const velocities = reinterpret_cast<T*>(stiffen.velocities + first);
    V u[8];
    Lanes::loadRecords(velocities, u);
    Sym3<V> slower = mobility;
    Vec3<V> w{u[4], u[5], u[6]};
    stiffen.slow(k, ratio, slower, w);
    mobility = select(stiff, slower, mobility);
    const V next[8] = {u[0], u[1], u[2], u[3], select(stiff, w.x, u[4]), select(stiff, w.y, u[5]), select(stiff, w.z, u[6]), u[7]};
    Lanes::storeRecords(velocities, next);
  }
};

}  // namespace cairn::v0
