// One manifold in one sweep: the operations, and the wrappers that reach the bodies (ColouredLane, OverflowLane). One lane of a tile each, for a GPU
// thread or a CPU pack.
//
// Within a colour no two lanes share a body that can move, so lanes and tiles may run in any order.
#pragma once

#include "kernels/rows/row_math.hpp"
#include "kernels/rows/rows.hpp"

#include <type_traits>

namespace cairn::v0 {

// Impulses along one direction at a manifold's points, of whom each adds its own: their sum, and the sum of impulse times arm, once all have.
template <class V> struct PointSums {
  V sum = V(typename LaneTraits<V>::Scalar(0));
  Vec3<V> moment{sum, sum, sum};

  CAIRN_HD void add(V impulse, Vec3<V> arm) {
    sum += impulse;
    moment += impulse * arm;
  }
  template <class Contact> CAIRN_HD void finish(const Contact&) {}
};

// A lane's manifold, body records and row addresses.
template <class V> struct LaneContact {
  using Lanes = LaneTraits<V>;
  using T = typename Lanes::Scalar;
  using Sums = PointSums<V>;

  T* fields;
  typename Lanes::Slots slotsA, slotsB;
  PointArray<T> slips;
  const T* rounds;  // of the lane; null if no shape is round
  int roundFields, slot, points;
  Vec3<V> normal, toB;
  V friction;

  LaneContact() = default;  // of no lane
  CAIRN_HD LaneContact(const RowView<T>& rows, int slotOfLane) {
    place(rows, slotOfLane);
    read();
  }
  // Where the lane is, which empty lanes have too.
  CAIRN_HD void place(const RowView<T>& rows, int slotOfLane) {
    fields = laneFields(rows, slotOfLane, Lanes::kStrip);
    slotsA = rows.bodyA + slotOfLane;
    slotsB = rows.bodyB + slotOfLane;
    slips = rows.slips;
    rounds = rows.rounds == nullptr
                 ? nullptr
                 : rows.rounds + static_cast<int64_t>(slotOfLane / kTileLanes) * rows.roundFields * kTileLanes + slotOfLane % kTileLanes;
    roundFields = rows.roundFields;
    slot = slotOfLane;
    points = rows.tilePoints[slotOfLane / kTileLanes];
  }
  CAIRN_HD void read() {
    normal = getVector(kNormalField);
    toB = getVector(kToBField);
    friction = get(kFrictionField);
  }
  CAIRN_HD V get(int field) const { return Lanes::load(fields + field * Lanes::kStrip); }
  CAIRN_HD Vec3<V> getVector(int field) const { return {get(field), get(field + 1), get(field + 2)}; }
  CAIRN_HD void put(int field, V value) const { Lanes::store(fields + field * Lanes::kStrip, value); }
  CAIRN_HD V getRound(int field) const { return Lanes::load(rounds + field * kTileLanes); }
  CAIRN_HD V get(const PointArray<T>& array, int point, int field) const { return Lanes::load(array.at(slot, point, field)); }
  CAIRN_HD void put(const PointArray<T>& array, int point, int field, V value) const { Lanes::store(array.at(slot, point, field), value); }
  CAIRN_HD static int base(int point) { return kManifoldFields + point * kPointFields; }

  CAIRN_HD V blockStep() const { return get(kBlockStepField); }
  CAIRN_HD V frictionStep() const { return get(kFrictionStepField); }
  CAIRN_HD TangentBlock<V> tangents() const { return {get(kTangentField), get(kTangentField + 1), get(kTangentField + 2), get(kTangentField + 3)}; }

  // The points, one after the other, and their fields: read where they are used.
  template <class Do> CAIRN_HD void forPoints(const Do& act) const {
    for (int p = 0; p < points; ++p) act(p);
  }
  CAIRN_HD V getPoint(int point, int field) const { return get(placeOf(point, field)); }
  CAIRN_HD void putPoint(int point, int field, V value) const { put(placeOf(point, field), value); }
  // For what the same operation stores anew.
  CAIRN_HD void changePoint(int point, int field, V value) const { putPoint(point, field, value); }
  CAIRN_HD int placeOf(int point, int field) const { return field == kPointSeparation ? separationField(points, point) : base(point) + field; }

  CAIRN_HD void putBodies(T* velocities, const LaneBody<V>& a, const LaneBody<V>& b) const {
    scatterBody(velocities, slotsA, a);
    scatterBody(velocities, slotsB, b);
  }
};

// The same with the fields `kFields` of its points (bit f: field f) in registers, all of which are read before any is used. A lane that stands alone
// waits for what it reads: so it waits once for all points instead of twice for each.
template <class V, unsigned kFields> struct HeldContact : LaneContact<V> {
  using T = typename LaneContact<V>::T;

  V held[kMaxManifoldPoints][kPointNumbers];
  V heldBlockStep, heldFrictionStep;
  TangentBlock<V> heldTangents;

  HeldContact() = default;
  CAIRN_HD HeldContact(const RowView<T>& rows, int slotOfLane) {
    this->place(rows, slotOfLane);
    read();
  }
  CAIRN_HD void read() {
    LaneContact<V>::read();
    heldBlockStep = LaneContact<V>::blockStep();
    heldFrictionStep = LaneContact<V>::frictionStep();
    heldTangents = LaneContact<V>::tangents();
    forPoints([this](int p) {
      for (int f = 0; f < kPointNumbers; ++f) {
        if ((kFields >> f & 1u) != 0) held[p][f] = this->get(this->placeOf(p, f));
      }
    });
  }
  CAIRN_HD V blockStep() const { return heldBlockStep; }
  CAIRN_HD V frictionStep() const { return heldFrictionStep; }
  CAIRN_HD TangentBlock<V> tangents() const { return heldTangents; }
  // Each point in code of its own: numbers that are chosen while it runs would be chosen from memory.
  template <class Do> CAIRN_HD void forPoints(const Do& act) const {
    static_assert(kMaxManifoldPoints == 4, "a line for each");
    if (this->points > 0) act(0);
    if (this->points > 1) act(1);
    if (this->points > 2) act(2);
    if (this->points > 3) act(3);
  }
  CAIRN_HD V getPoint(int point, int field) const { return held[point][field]; }
  CAIRN_HD void changePoint(int point, int field, V value) { held[point][field] = value; }
  CAIRN_HD void putPoint(int point, int field, V value) {
    held[point][field] = value;
    this->put(this->placeOf(point, field), value);
  }
};

// An operation that says `kHeldFields` has its lane as a HeldContact where it stands alone. Packs hold nothing: they have too few registers.
template <class V, class Operation, class = void> struct ContactOf { using Type = LaneContact<V>; };
template <class V, class Operation> struct ContactOf<V, Operation, std::enable_if_t<LaneTraits<V>::kWidth == 1 && Operation::kHeldFields != 0>> {
  using Type = HeldContact<V, Operation::kHeldFields>;
};
// The same of a manifold that several threads go through together (spread_contact.hpp).
template <class V, unsigned kFields> struct SpreadContact;
constexpr unsigned fieldBits(int first, int count) { return ((1u << count) - 1u) << first; }

// The arm of a point on A.
template <class Contact> CAIRN_HD inline auto armOf(const Contact& contact, int p) {
  const auto x = contact.getPoint(p, kPointRA);
  return Vec3<std::decay_t<decltype(x)>>{x, contact.getPoint(p, kPointRA + 1), contact.getPoint(p, kPointRA + 2)};
}

// Impulses along n at several points at once: their sum, and the sums of impulse times arm.
template <class V> CAIRN_HD inline void applyNormalImpulses(LaneBody<V>& a, LaneBody<V>& b, Vec3<V> n, V sum, Vec3<V> sumA, Vec3<V> sumB) {
  const Vec3<V> impulse = sum * n;
  a.v -= scale(a.invMass, impulse);
  a.w -= a.invInertia * cross(sumA, n);
  b.v += scale(b.invMass, impulse);
  b.w += b.invInertia * cross(sumB, n);
}

// The velocity of B's points against A's, as that of one rigid body: at the arm rA it is linear + angular x rA.
template <class V> struct PointMotion {
  Vec3<V> linear, angular;
  CAIRN_HD PointMotion(const LaneContact<V>& contact, const LaneBody<V>& a, const LaneBody<V>& b)
      : linear((b.v - a.v) + cross(b.w, contact.toB)), angular(b.w - a.w) {}
};

// Impulses at several points at once, on B, their opposites on A: their sum, and their moment about A's centre of mass.
template <class V> CAIRN_HD inline void applyImpulses(const LaneContact<V>& contact, LaneBody<V>& a, LaneBody<V>& b, Vec3<V> sum, Vec3<V> moment) {
  a.v -= scale(a.invMass, sum);
  a.w -= a.invInertia * moment;
  b.v += scale(b.invMass, sum);
  b.w += b.invInertia * (moment + cross(contact.toB, sum));
}

// --- operations on one manifold --------------------------------------------------------------------------------

// The rows of one manifold: first the normal impulses of its points, all at once (see row_masses.hpp), `normalPasses` times over; then their
// friction impulses, all at once as well (frictionStep), each on the disk of radius mu lambda_n.
template <class T> struct SolveBlock {
  bool biased;       // with the stabilization's speed, or without (relaxation)
  T massScale;       // soft rows: fraction of the impulse that is asked for, and of the old one that is taken back;
  T impulseScale;    // 1 and 0 for rigid ones
  T restSpeed;       // of NormalBias
  T overRelaxation;  // of the normal impulses, 0..2
  int normalPasses;
  T slipSoftness = T(0);  // relative CFM of friction rows while their slip is taken back

  static constexpr unsigned kHeldFields =
      fieldBits(kPointRA, 3) | fieldBits(kPointBias, 1) | fieldBits(kPointNormalMass, 1) | fieldBits(kPointImpulse, 3);

  template <class Contact, class V> CAIRN_HD void apply(Contact& contact, LaneBody<V>& a, LaneBody<V>& b) const {
    const Vec3<V> n = contact.normal;
    const V step = contact.blockStep() * V(overRelaxation), zero = V(T(0));
    for (int pass = 0; pass < normalPasses; ++pass) {
      const PointMotion<V> motion(contact, a, b);
      const V along = dot(n, motion.linear);
      const Vec3<V> turn = cross(n, motion.angular);  // n . (w x r) = r . (n x w)
      typename Contact::Sums sums;
      contact.forPoints([&](int p) {
        const Vec3<V> rA = armOf(contact, p);
        const V bias = contact.getPoint(p, kPointBias);
        const V old = contact.getPoint(p, kPointImpulse);
        const V mass = contact.getPoint(p, kPointNormalMass);
        const V u = along + dot(rA, turn);
        V change;
        if (biased) {
          // Soft rows give way to penetration only; gaps are rigid.
          const auto gap = bias > V(restSpeed);
          const V softMass = mass * select(gap, V(T(1)), V(massScale));
          const V softness = select(gap, V(T(0)), V(impulseScale));
          change = -(softMass * (u + bias)) - softness * old;
        } else {
          change = -(mass * (u + gapSpeed(bias, V(restSpeed))));
        }
        const V fresh = maxOf(old + step * change, zero);
        contact.putPoint(p, kPointImpulse, fresh);
        sums.add(fresh - old, rA);
      });
      sums.finish(contact);
      applyImpulses(contact, a, b, sums.sum * n, cross(sums.moment, n));
    }
    Vec3<V> t1, t2;
    tangentFrame(n, t1, t2);
    const PointMotion<V> motion(contact, a, b);
    const V along1 = dot(t1, motion.linear), along2 = dot(t2, motion.linear), frictionStep = contact.frictionStep();
    const TangentBlock<V> block = contact.tangents();
    const Vec3<V> turn1 = cross(t1, motion.angular), turn2 = cross(t2, motion.angular);
    typename Contact::Sums first, second;
    contact.forPoints([&](int p) {
      const Vec3<V> rA = armOf(contact, p);
      const Tangential<V> old{contact.getPoint(p, kPointImpulse + 1), contact.getPoint(p, kPointImpulse + 2)};
      Tangential<V> slip{along1 + dot(rA, turn1), along2 + dot(rA, turn2)}, from = old;
      if (biased && contact.slips.values != nullptr) {
        const V kept = V(T(1)) - V(slipSoftness) * contact.get(contact.slips, p, kSlipKept);
        slip = {kept * (slip.first + contact.get(contact.slips, p, kSlipBias)), kept * (slip.second + contact.get(contact.slips, p, kSlipBias + 1))};
        from = {kept * old.first, kept * old.second};
      }
      slip = {frictionStep * slip.first, frictionStep * slip.second};
      const Tangential<V> fresh = projectedFriction(from, slip, block, contact.friction * contact.getPoint(p, kPointImpulse));
      contact.putPoint(p, kPointImpulse + 1, fresh.first);
      contact.putPoint(p, kPointImpulse + 2, fresh.second);
      first.add(fresh.first - old.first, rA);
      second.add(fresh.second - old.second, rA);
    });
    first.finish(contact);
    second.finish(contact);
    applyImpulses(contact, a, b, first.sum * t1 + second.sum * t2, cross(first.moment, t1) + cross(second.moment, t2));
  }
};

// The motion of a lane's two bodies since the collision pass.
template <class V> struct LaneMotion {
  Vec3<V> dpA, dpB;
  Quat<V> dqA, dqB;
  V rolled;  // what the separation of round surfaces loses against that of the points that touched first [m]

  template <class T> CAIRN_HD LaneMotion(const LaneContact<V>& contact, const T* motions) {
    V a[8], b[8];
    LaneTraits<V>::gather(motions, contact.slotsA, a);
    LaneTraits<V>::gather(motions, contact.slotsB, b);
    dpA = {a[0], a[1], a[2]};
    dqA = {a[4], a[5], a[6], a[7]};
    dpB = {b[0], b[1], b[2]};
    dqB = {b[4], b[5], b[6], b[7]};
    rolled = V(T(0));
    if (contact.rounds == nullptr) return;
    // A point on a surface that rolls lifts off, by the radius times the cosine that the turn takes from the normal; the surface itself does not.
    const Vec3<V> halfA{dqA.x, dqA.y, dqA.z}, halfB{dqB.x, dqB.y, dqB.z};  // half the turn, for small ones
    const V alongA = dot(halfA, contact.normal), alongB = dot(halfB, contact.normal);
    rolled = V(T(2)) * (contact.getRound(kRadius) * (lengthSquared(halfA) - alongA * alongA) +
                        contact.getRound(kRadius + 1) * (lengthSquared(halfB) - alongB * alongB));
    if (contact.roundFields == kRadiusFields) return;
    Vec3<V> t1, t2;
    tangentFrame(contact.normal, t1, t2);
    rolled += lift(contact, kCurvature, halfA, t1, t2) + lift(contact, kCurvature + 3, halfB, t1, t2);
  }
  CAIRN_HD static V lift(const LaneContact<V>& contact, int first, Vec3<V> half, Vec3<V> t1, Vec3<V> t2) {
    const V k11 = contact.getRound(first), k12 = contact.getRound(first + 1), k22 = contact.getRound(first + 2);
    const V a = dot(half, t1), b = dot(half, t2), ab = a * b;
    return V(2) * (k11 * b * b - (ab * k12 + ab * k12) + k22 * a * a);
  }
  // The motion of B's point against A's.
  CAIRN_HD Vec3<V> relative(Vec3<V> rA, Vec3<V> rB) const { return pointMotion(dpB, dqB, rB) - pointMotion(dpA, dqA, rA); }
};

// The separations of a lane's points, moved along with the bodies since the collision pass. What a turn R moves a point at r by along n is
// n . (R - 1) r = ((R^T - 1) n) . r, so that the turns are applied once a manifold, to its normal.
template <class V> struct MovedSeparations {
  V common;
  Vec3<V> byArm;

  CAIRN_HD MovedSeparations(const LaneContact<V>& contact, const LaneMotion<V>& motion) {
    const V zero = V(typename LaneContact<V>::T(0));
    const Vec3<V> none{zero, zero, zero};
    const Vec3<V> turnedB = pointMotion(none, conjugate(motion.dqB), contact.normal);
    byArm = turnedB - pointMotion(none, conjugate(motion.dqA), contact.normal);
    common = dot(contact.normal, motion.dpB - motion.dpA) + dot(contact.toB, turnedB) - motion.rolled;
  }
  template <class Contact> CAIRN_HD V of(const Contact& contact, int point) const {
    return contact.getPoint(point, kPointSeparation) + (common + dot(armOf(contact, point), byArm));
  }
};

template <class V, class Contact, class T> CAIRN_HD inline void updateBias(Contact& contact, const T* motions, const NormalBias<T>& bias) {
  const MovedSeparations<V> moved(contact, LaneMotion<V>(contact, motions));
  contact.forPoints([&](int p) { contact.putPoint(p, kPointBias, normalBias(moved.of(contact, p), bias)); });
}

// What an operation does to a lane before it needs the bodies' velocities: nothing, mostly. On a device this is done while other threads still
// compute.
template <class V, class Operation, class Contact> CAIRN_HD inline void prepareLane(const Operation&, Contact&) {}

// Warm starts with momentum: a substep begins from lambda + theta (lambda - lambda of the substep before), Polyak's heavy ball ("Some methods of
// speeding up the convergence of iteration methods", 1964, section 2) over the substeps of a step. Slow modes, of which a sweep takes a small part,
// and the leak that damps them go 1/(1 - theta) times as far; what a sweep solves by itself forgets where it began (docs/defaults.md).
template <class T> struct ImpulseMomentum {
  PointArray<T> last{};  // the impulses that the substep before began with, without their momentum; no values: none
  T factor = T(0);       // theta; 0: there is none before
  bool noted = false;    // what begins, for the substep behind
};
constexpr int kMomentumFields = 3;
// What the first substep begins with is put on the bodies by a pass over rows, and is not known by body.
constexpr int kSubstepsWithoutMomentum = 2;

// `change` puts a point's impulse.
template <class V, class T, class Contact, class Change>
CAIRN_HD inline void addMomentum(Contact& contact, const ImpulseMomentum<T>& momentum, const Change& change) {
  if (momentum.last.values == nullptr) return;
  contact.forPoints([&](int p) {
    for (int f = 0; f < kMomentumFields; ++f) {
      const V now = contact.getPoint(p, kPointImpulse + f);
      if (momentum.factor > T(0)) change(p, kPointImpulse + f, now + V(momentum.factor) * (now - contact.get(momentum.last, p, f)));
      if (momentum.noted) contact.put(momentum.last, p, f, now);
    }
  });
}

// The first sweep of a substep, which computes its biases as it goes: that spares a pass over the rows.
template <class T> struct FirstSolve {
  SolveBlock<T> block;
  const T* motions;  // BodyMotion records: (dp, -, dq); null: the biases are there already
  NormalBias<T> bias;
  ImpulseMomentum<T> momentum{};  // of impulses whose bodies have it already (IntegrateVelocity)

  static constexpr unsigned kHeldFields = SolveBlock<T>::kHeldFields | fieldBits(kPointSeparation, 1);

  template <class Contact, class V> CAIRN_HD void apply(Contact& contact, LaneBody<V>& a, LaneBody<V>& b) const { block.apply(contact, a, b); }
};
template <class V, class T, class Contact> CAIRN_HD inline void prepareLane(const FirstSolve<T>& first, Contact& contact) {
  if (first.motions != nullptr) updateBias<V>(contact, first.motions, first.bias);
  addMomentum<V>(contact, first.momentum, [&contact](int p, int field, V value) { contact.changePoint(p, field, value); });
}

// The start of a substep: the rows' impulses once more on the bodies.
template <class T> struct BeginBlock {
  const int* turning = nullptr;  // by body, not 0: only rows of such bodies act; null: all do
  ImpulseMomentum<T> momentum{};

  static constexpr unsigned kHeldFields = fieldBits(kPointRA, 3) | fieldBits(kPointImpulse, 3);

  template <class Contact, class V> CAIRN_HD void apply(Contact& contact, LaneBody<V>& a, LaneBody<V>& b) const {
    whereDue(contact, a, b, [&] { applyAll(contact, a, b); });
  }
  // Other lanes keep their bodies to the last bit, zeros' signs among them.
  template <class Contact, class V, class Apply>
  CAIRN_HD void whereDue(const Contact& contact, LaneBody<V>& a, LaneBody<V>& b, const Apply& act) const {
    if (turning == nullptr) return act();
    const int *const bodiesA = contact.slotsA, *const bodiesB = contact.slotsB, *const flags = turning;
    const V due =
        LaneTraits<V>::fromLanes([=](int lane) { return (flags[slotOf(bodiesA[lane])] | flags[slotOf(bodiesB[lane])]) != 0 ? T(1) : T(0); });
    if (!anyLane(due)) return;
    if constexpr (LaneTraits<V>::kWidth == 1) return act();
    const LaneBody<V> oldA = a, oldB = b;
    act();
    const auto changes = due > V(T(0));
    a.v = select(changes, a.v, oldA.v);
    a.w = select(changes, a.w, oldA.w);
    b.v = select(changes, b.v, oldB.v);
    b.w = select(changes, b.w, oldB.w);
  }
  template <class Contact, class V> CAIRN_HD void applyAll(Contact& contact, LaneBody<V>& a, LaneBody<V>& b) const {
    typename Contact::Sums normal, first, second;
    contact.forPoints([&](int p) {
      const Vec3<V> rA = armOf(contact, p);
      normal.add(contact.getPoint(p, kPointImpulse), rA);
      first.add(contact.getPoint(p, kPointImpulse + 1), rA);
      second.add(contact.getPoint(p, kPointImpulse + 2), rA);
    });
    normal.finish(contact);
    first.finish(contact);
    second.finish(contact);
    const Vec3<V> n = contact.normal;
    Vec3<V> t1, t2;
    tangentFrame(n, t1, t2);
    applyImpulses(contact, a, b, normal.sum * n + first.sum * t1 + second.sum * t2,
                  cross(normal.moment, n) + cross(first.moment, t1) + cross(second.moment, t2));
  }
};

template <class V, class T, class Contact> CAIRN_HD inline void prepareLane(const BeginBlock<T>& begin, Contact& contact) {
  addMomentum<V>(contact, begin.momentum, [&contact](int p, int field, V value) { contact.putPoint(p, field, value); });
}

// Bouncing collisions, one manifold at a time in the order of the colours, as Guendelman, Bridson and Fedkiw ("Nonconvex Rigid Bodies with
// Stacking", 2003, section 5) treat them: a point that closes within the substep and approaches faster than the threshold leaves with e times that
// speed. The points of a manifold are solved together, so that a box that lands flat does not spin; friction acts within the cone of these
// impulses. Sweeps over it hand an impact on from body to body (Newton's cradle).
//
// Where a point leaves is not yet how much energy it leaves with: Newton's restitution beside friction, or at several points of a body that turns,
// can give more than came (Stronge, "Rigid Body Collisions with Friction", 1990). Such impulses are scaled down, all alike, to the ones that give
// nothing.
constexpr int kImpactPasses = 8;
constexpr double kImpactRounding = 1e-5;

// What a manifold's impulses have done to its two bodies.
template <class V> struct ImpulseWork {
  Vec3<V> vA, wA, vB, wB;  // before
  Vec3<V> sum, momentA, momentB;

  CAIRN_HD ImpulseWork(const LaneBody<V>& a, const LaneBody<V>& b) : vA(a.v), wA(a.w), vB(b.v), wB(b.w) {
    using T = typename LaneTraits<V>::Scalar;
    const V zero = V(T(0));
    sum = momentA = momentB = {zero, zero, zero};
  }
  CAIRN_HD void add(Vec3<V> rA, Vec3<V> rB, Vec3<V> impulse) {
    sum += impulse;
    momentA += cross(rA, impulse);
    momentB += cross(rB, impulse);
  }
  // Of the impulses, against the velocities before and against half their change: a fraction s of them changes the energy by s first + s^2 second.
  // Answers the fraction that was left of them.
  CAIRN_HD V limit(LaneBody<V>& a, LaneBody<V>& b) const {
    using T = typename LaneTraits<V>::Scalar;
    const V zero = V(T(0)), one = V(T(1));
    const Vec3<V> dvA = a.v - vA, dwA = a.w - wA, dvB = b.v - vB, dwB = b.w - wB;
    const V first = dot(sum, vB - vA) + dot(momentB, wB) - dot(momentA, wA);
    const V second = V(T(0.5)) * (dot(sum, dvB - dvA) + dot(momentB, dwB) - dot(momentA, dwA));
    // Energies of grains may be nothing in float.
    const auto gains = (second > zero) & (second > V(T(1 + kImpactRounding)) * -first);
    const V share = select(gains, maxOf(-first, zero) / select(gains, second, one), one);
    a.v = select(gains, vA + share * dvA, a.v);
    a.w = select(gains, wA + share * dwA, a.w);
    b.v = select(gains, vB + share * dvB, b.v);
    b.w = select(gains, wB + share * dwB, b.w);
    return share;
  }
};

template <class T> struct ImpactBlock {
  T threshold;  // [m/s] > 0
  T restSpeed;
  int* bounced = nullptr;  // becomes 1 if anything bounces; null: nobody asks

  template <class V> CAIRN_HD void apply(const LaneContact<V>& contact, LaneBody<V>& a, LaneBody<V>& b) const {
    Vec3<V> lambda[kMaxManifoldPoints];
    solve(contact, a, b, lambda);
  }
  // The same with the points' impulses, and the fraction of them that is left.
  template <class V> CAIRN_HD V solve(const LaneContact<V>& contact, LaneBody<V>& a, LaneBody<V>& b, Vec3<V>* lambda) const {
    const Vec3<V> n = contact.normal;
    const V zero = V(T(0)), none = V(T(-1));
    const V restitution = contact.get(restitutionField(contact.points));
    Vec3<V> t1, t2;
    tangentFrame(n, t1, t2);
    V target[kMaxManifoldPoints], most = none;
    for (int p = 0; p < contact.points; ++p) {
      const int base = LaneContact<V>::base(p);
      const V u = dot(n, relativeVelocity(a, b, contact.getVector(base + kPointRA), contact.getVector(base + kPointRA) + contact.toB));
      const auto bounces = (u < V(-threshold)) & (u + gapSpeed(contact.get(base + kPointBias), V(restSpeed)) < zero) & (restitution > zero);
      target[p] = select(bounces, -(restitution * u), none);
      most = maxOf(most, target[p]);
      lambda[p] = {zero, zero, zero};
    }
    // Most contacts rest, whatever they are made of.
    if (!anyLane(most)) return V(T(1));
    if (bounced != nullptr && loadRelaxed(bounced) == 0) atomicOrInt(bounced, 1);
    TangentBlock<V> tangents[kMaxManifoldPoints];  // each point's own: what is solved point by point may not overshoot
    for (int p = 0; p < contact.points; ++p) {
      const Vec3<V> rA = contact.getVector(LaneContact<V>::base(p) + kPointRA), rB = rA + contact.toB;
      tangents[p] = tangentBlock(effectiveInverseMass(a, b, rA, rB, t1, t1), effectiveInverseMass(a, b, rA, rB, t1, t2),
                                 effectiveInverseMass(a, b, rA, rB, t2, t2));
    }
    ImpulseWork<V> work(a, b);
    for (int pass = 0; pass < kImpactPasses; ++pass) {
      for (int p = 0; p < contact.points; ++p) {
        const int base = LaneContact<V>::base(p);
        const Vec3<V> rA = contact.getVector(base + kPointRA), rB = rA + contact.toB;
        const V mass = select(target[p] >= zero, contact.get(base + kPointNormalMass), zero);
        const V u = dot(n, relativeVelocity(a, b, rA, rB));
        const V fresh = maxOf(lambda[p].x - mass * (u - target[p]), zero);
        applyImpulse(a, b, rA, rB, (fresh - lambda[p].x) * n);
        lambda[p].x = fresh;
        const Vec3<V> slip = relativeVelocity(a, b, rA, rB);
        const Tangential<V> old{lambda[p].y, lambda[p].z};
        const Tangential<V> next = projectedFriction(old, Tangential<V>{dot(t1, slip), dot(t2, slip)}, tangents[p], contact.friction * fresh);
        applyImpulse(a, b, rA, rB, (next.first - old.first) * t1 + (next.second - old.second) * t2);
        lambda[p].y = next.first;
        lambda[p].z = next.second;
      }
    }
    for (int p = 0; p < contact.points; ++p) {
      const Vec3<V> rA = contact.getVector(LaneContact<V>::base(p) + kPointRA);
      work.add(rA, rA + contact.toB, lambda[p].x * n + lambda[p].y * t1 + lambda[p].z * t2);
    }
    const V share = work.limit(a, b);
    // A lane that nothing bounces in keeps its bodies to the last bit, beside others as by itself.
    const auto bounces = most > zero;
    a.v = select(bounces, a.v, work.vA);
    a.w = select(bounces, a.w, work.wA);
    b.v = select(bounces, b.v, work.vB);
    b.w = select(bounces, b.w, work.wB);
    return share;
  }
};

// The same for those who ask how hard it was: the normal impulses are added to `sums`.
template <class T> struct SummedImpactBlock {
  ImpactBlock<T> impact;
  PointArray<T> sums;

  template <class V> CAIRN_HD void apply(const LaneContact<V>& contact, LaneBody<V>& a, LaneBody<V>& b) const {
    Vec3<V> lambda[kMaxManifoldPoints];
    const V share = impact.solve(contact, a, b, lambda);
    for (int p = 0; p < contact.points; ++p) contact.put(sums, p, 0, contact.get(sums, p, 0) + share * lambda[p].x);
  }
};

// --- reaching the bodies ---------------------------------------------------------------------------------------

// Lanes of a colour read and write their bodies directly.
template <class T, class Operation> struct ColouredLane {
  RowView<T> rows;
  T* velocities;      // BodyVelocity records
  const T* inertias;  // BodyInertia records
  Operation operation;

  template <class V> using Contact = typename ContactOf<V, Operation>::Type;
  template <class V, class Of = Operation> using Spread = SpreadContact<V, Of::kHeldFields>;

  template <class V> CAIRN_FLATTEN CAIRN_HD void at(int slot) const {
    Contact<V> contact(rows, slot);
    prepareLane<V>(operation, contact);
    run<V>(contact);
  }
  // What a colour has to wait for: everything before this reads rows, and how bodies have moved.
  template <class V, class AnyContact> CAIRN_HD void run(AnyContact& contact) const {
    LaneBody<V> a = gatherBody<V>(velocities, inertias, contact.slotsA);
    LaneBody<V> b = gatherBody<V>(velocities, inertias, contact.slotsB);
    operation.apply(contact, a, b);
    contact.putBodies(velocities, a, b);
  }
};

// The same for overflow constraints, on parts of the bodies.
template <class T, class Operation> struct OverflowLane {
  RowView<T> rows;
  const T* velocities;
  const T* inertias;
  OverflowView<T> overflow;
  Operation operation;

  template <class V> CAIRN_HD void at(int slot) const {
    typename ContactOf<V, Operation>::Type contact(rows, slot);
    prepareLane<V>(operation, contact);
    const LaneBody<V> a = gatherBody<V>(velocities, inertias, contact.slotsA);
    const LaneBody<V> b = gatherBody<V>(velocities, inertias, contact.slotsB);
    V kA, kB;
    LaneTraits<V>::gatherOne(overflow.partCounts, contact.slotsA, kA);
    LaneTraits<V>::gatherOne(overflow.partCounts, contact.slotsB, kB);
    LaneBody<V> partA = partOf(a, kA), partB = partOf(b, kB);
    operation.apply(contact, partA, partB);
    const int place = slot - rows.counts->firstOverflowTile * kTileLanes;
    overflow.write(place, 0, a, partA, kA);
    overflow.write(place, 1, b, partB, kB);
  }
};

// --- rows only: needs no colours -------------------------------------------------------------------------------

// The biases alone, for what looks at them before the first sweep.
template <class T> struct UpdateBias {
  RowView<T> rows;
  const T* motions;
  NormalBias<T> bias;

  template <class V> CAIRN_HD void at(int slot) const {
    const LaneContact<V> contact(rows, slot);
    cairn::updateBias<V>(contact, motions, bias);
  }
};

}  // namespace cairn::v0
