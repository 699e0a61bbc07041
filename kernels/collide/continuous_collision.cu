// Continuous collision, the safeguard at a step's end: whatever rows have made of a step, no fast body ends it beyond something that it went through.
//
// In: poses before and after the substeps, the broad phase's bounds. Out: poses, of bodies that met something at the time when they did.
//
// A shape that moved further than a part of its inner size is looked at: it is swept along the straight path from its first to its last pose
// (time_of_impact.hpp) against all that its path may reach. What the substeps did in between does not count: a body that bounced is on the side that
// it came from, and the straight path shows that. Rows keep contacts closed to within a small depth, so a meeting is a deeper one; shapes that are
// deeper from the start are only kept from passing each other.
//
// A body that met something goes back to its pose at that time and keeps its velocity, but for what gravity did afterwards: it loses the rest of the
// step, and the next one begins with a contact. Bodies that joints connect go back together, and lose half of their speeds where that is where they
// were: what has hooked into each other would hang there for good. A body that a kinematic one ran into is taken along by it from the meeting on.
// Bodies that move little stay: what they overlap by then they had moved by themselves.
//
// Who was put back stands in the way of others that would have passed behind it. Further rounds look at the ways of these from that time on, against
// what stands there, until nothing more has to go back or the rounds are over. Before that time both were looked at already.
//
// Solids that are deep in each other, as hooks that fell into each other, may meet in the first moment of every step: each would keep its velocity
// and its place for ever. They lose half of their velocity whenever they do, until they are so slow that they are left to their contacts, and come
// out.
//
// Deterministic: the earliest meeting wins by an integer maximum, whatever the order of the items. On the CPU several ways go through the tree at
// once: meeting_packs_cpu.cpp.
//
// Memory: 4 bytes a fast shape, 24 bytes a body.
#include "kernels/collide/continuous_collision.hpp"

#include "kernels/collide/broad_phase_walk.hpp"
#include "kernels/collide/meeting_packs.hpp"
#include "kernels/collide/mesh_shapes.hpp"
#include "kernels/collide/swept_contact.hpp"
#include "kernels/runtime/launch.hpp"

#include <new>

CAIRN_CPU_PASSES(meetingPass)

namespace cairn::v0 {
namespace {

// Motion within a step that is fast, and the depth of a meeting, as fractions of inner sizes.
constexpr double kFastFraction = 0.5, kMeetingDepth = 0.2;
// Of solids: beyond half of their thickness fields lead to the wrong side, and contacts of a heap in motion are deeper than those of a box.
constexpr double kFastFractionOfSolids = 0.25;
// Up to this depth a pair is kept from sinking on: what is not fast, and so not looked at, does not come out on the other side from there.
constexpr double kPassingDepth = 1 - kFastFraction;
// Contacts of joined bodies, whose joints have the last word in a substep, are deeper before the next one mends them; and what goes back along
// straight ways leaves joints some error.
constexpr double kJoinedDepth = 0.9;

// Contacts of a body that turns this far within a step [rad] may miss it, and let it sink in over several steps, in each of which it moves little.
constexpr double kWildTurn = 3.14;

// What bodies that are held where they were keep of their speeds; joined ones are held that went no further than this part of a step.
constexpr double kHeldSpeed = 0.5, kHeldTime = 1e-3;

constexpr int kWholeStep = 1 << 30;  // time 1 as an integer
// The time of solids that meet in the first moment: they are deep in each other, and what is put back there comes to no other place.
constexpr int kStuck = -1;
constexpr double kFirstMoment = 0.01;  // part of a step
// So deep in each other they are left to their contacts once they move by no more than this part of both thicknesses in a step: as fast as contacts
// bring them apart.
constexpr double kPartingFraction = 1;
CAIRN_HD inline MeetingKey meetingKey(int time, int pusher) { return uint64_t(kWholeStep - time) << 32 | uint32_t(pusher + 1); }
CAIRN_HD inline int timeOf(MeetingKey key) { return kWholeStep - int(key >> 32); }
CAIRN_HD inline int pusherOf(MeetingKey key) { return int(key & 0xffffffffu) - 1; }
// Up to when a body went on its way.
CAIRN_HD inline int reachedBy(MeetingKey key) { return maxOf(timeOf(key), 0); }
template <class T> CAIRN_HD inline T partOfStep(int time) { return T(time) / T(kWholeStep); }

// What is left of a path from a time on.
template <class T> CAIRN_HD inline BodyPath<T> lastOf(const BodyPath<T>& path, T from) {
  const Pose<T> start = path.at(from);
  return {start.p, (T(1) - from) * path.motion, start.q, (T(1) - from) * path.turn};
}

// From first to last pose, relative to the origin. The shorter turn.
template <class T> CAIRN_HD inline BodyPath<T> pathBetween(const BodyPose<T>& before, const BodyPose<T>& after, Vec3<T> origin) {
  const Quat<T> dq = after.q * conjugate(before.q);
  const T sign = select(dq.w < T(0), T(-1), T(1));
  const Vec3<T> half{sign * dq.x, sign * dq.y, sign * dq.z};
  const T sine = length(half);
  const T perSine = sine > T(1e-6) ? T(2) * arcTangent(sine, sign * dq.w) / sine : T(2);
  return {before.x - origin, after.x - before.x, before.q, perSine * half};
}
// The shorter turn between two orientations is bounded, without an arc tangent, by the chord between their quaternions, of which -q is q as well.
template <class T> CAIRN_HD inline T squareOfChord(Quat<T> p, Quat<T> q) {
  const T x = q.x - p.x, y = q.y - p.y, z = q.z - p.z, w = q.w - p.w;
  return x * x + y * y + z * z + w * w;
}
constexpr double kTurnOfChord = 2.23;  // |q - p| is twice the sine of a quarter of the turn
constexpr double kRoundedTurn = 1e-6;  // that rounding may make of none [rad]
template <class T> CAIRN_HD inline T turnAtMost(Quat<T> p, Quat<T> q) {
  return T(kTurnOfChord) * squareRoot(minOf(squareOfChord(p, q), squareOfChord({-p.x, -p.y, -p.z, -p.w}, q)));
}
template <class T> CAIRN_HD inline BodyPath<T> pathTaken(const PathsTaken<T>& paths, int body, Vec3<T> origin) {
  return pathBetween(paths.before[body], paths.after[body], origin);
}

// Where a body was at that part of the step, by its poses in between.
template <class T> CAIRN_HD inline Pose<T> poseOnTheWay(const PathsTaken<T>& paths, int body, Vec3<T> origin, T time) {
  const T place = time * T(paths.substeps);
  const int last = paths.substeps - 1, substep = place < T(last) ? int(place) : last;
  const auto between = [&](int k) -> const BodyPose<T>& { return paths.between[int64_t(k) * paths.bodySlots + body]; };
  const BodyPose<T>& begin = substep == 0 ? paths.before[body] : between(substep - 1);
  return pathBetween(begin, between(substep), origin).at(place - T(substep));
}

template <class T> CAIRN_HD inline T fastMotionOf(const ShapeRecord<T>& shape) {
  return T(isSolid(shape) ? kFastFractionOfSolids : kFastFraction) * innerSize(shape);
}

template <class T> CAIRN_HD inline T travelOf(const ShapeRecord<T>& shape, const BodyPath<T>& path) {
  return length(path.motion) + armOf(shape) * length(path.turn);
}

// How much of the way through a pair is through one of the two. Of a solid's surface each triangle lets go of a convex shape whose middle is behind
// it.
template <class T> CAIRN_HD inline T depthThrough(const ShapeRecord<T>& shape, const ShapeRecord<T>& other) {
  return isSurface(shape) || (isSolid(shape) && !isMesh(other.type)) ? T(0) : innerSize(shape);
}

template <class T> struct FindFastMotion {
  const ShapeRecord<T>* shapes;
  PathsTaken<T> paths;
  FastList fast;
  TreeView<T> tree;
  bool byLeaves;  // items are leaves of the tree; otherwise slots

  CAIRN_HD void operator()(int item) const {
    if (!byLeaves) return look(item);
    const int first = tree.order[item];
    for (int slot = first; slot < tree.endOf(first); ++slot) look(slot);
  }
  CAIRN_HD void look(int slot) const {
    const ShapeRecord<T>& shape = shapes[slot];
    if (shape.body < 0 || shape.type == kHalfSpace || isSensor(shape)) return;
    const BodyPose<T>& before = paths.before[shape.body];
    const BodyPose<T>& after = paths.after[shape.body];
    const T chord = squareOfChord(before.q, after.q);
    // Nearly all shapes are so slow that each part is below half the limit, those that stand among them; roots, and what kind of body it is, are for
    // the others.
    // A mesh without an inside may be fast for what is small, however large it is.
    const T limit = isSurface(shape) ? T(0) : fastMotionOf(shape), arm = armOf(shape), quarter = T(0.25) * limit * limit;
    const Vec3<T> way = after.x - before.x;
    if (dot(way, way) <= quarter && T(kTurnOfChord * kTurnOfChord) * arm * arm * chord <= quarter) return;
    const T travel = length(way) + arm * turnAtMost(before.q, after.q);
    if (!(travel > limit) || !(travel < T(1e15))) return;
    if ((paths.constants[shape.body].flags & (kBodyDynamic | kBodyKinematic)) == 0) return;
    const int at = atomicAddInt(fast.count, 1);
    if (at < fast.capacity) fast.items[at] = slot;
  }
};

template <class T, class Shapes> struct FindMeetings {
  const ShapeRecord<T>* shapes;
  BoundedShapes<T> bounded;
  PathsTaken<T> paths;
  JoinedPairs joined;
  FastList fast;
  RoundsBefore<T> before;
  MeetingKey* meetings;
  Shapes kinds;

  CAIRN_HD bool isLater() const { return before.all != nullptr; }
  CAIRN_HD int flagsOf(int body) const { return paths.constants[body].flags; }
  CAIRN_HD bool turnsWildly(int body) const { return paths.dt * length(paths.velocities[body].w) > T(kWildTurn); }

  struct Visit {
    const FindMeetings& in;
    const ShapeRecord<T>& shape;
    BodyPath<T> path;  // relative to its start, up to when it was put back
    T travel;
    T turned;           // what its turn adds to that
    int slot, reached;  // when that was
    CAIRN_HD void operator()(int code) { in.meet(*this, code & ~kFixedBit); }
    // Of what moves along with it, as a cloud that falls, it is known soon that the two do not come near each other.
    CAIRN_HD T approachAtMost(const BodyPose<T>& otherBefore, const BodyPose<T>& otherAfter, T otherArm) const {
      return length(path.motion - (otherAfter.x - otherBefore.x)) + turned + otherArm * (turnAtMost(otherBefore.q, otherAfter.q) + T(kRoundedTurn));
    }
  };

  // Two solids are gone through by all threads of a warp; that each of them notes what they have found leaves the same maximum.
  using ByWarp = std::is_same<Shapes, MeshShapes>;
  CAIRN_HD bool wantsWarps() const { return hasSolids(kinds); }
  CAIRN_HD void inWarp(int k) const {
    FindMeetings own = *this;
    own.kinds = byWarp(kinds);
    own(k);
  }
  CAIRN_HD void operator()(int k) const {
    const int slot = fast.items[k];
    int reached;
    if (!goesOn(slot, reached)) return;
    Visit visit = visitOf(slot, reached);
    visitAll(bounded, slot, wayOf(slot), visit);
  }
  // Whether the way of a fast shape is looked at in this round, and up to when it went.
  CAIRN_HD bool goesOn(int slot, int& reached) const {
    reached = kWholeStep;
    if (!isLater()) return true;
    if (*before.lastCount == 0) return false;
    const int body = shapes[slot].body;
    const MeetingKey own = before.all[paths.assemblyOf(body)];
    reached = reachedBy(own);
    // What a kinematic body takes along goes nowhere else.
    return pusherOf(own) < 0 && (flagsOf(body) & kBodyDynamic) != 0;
  }
  CAIRN_HD Visit visitOf(int slot, int reached) const {
    const ShapeRecord<T>& shape = shapes[slot];
    const BodyPath<T> path = pathTaken(paths, shape.body, paths.before[shape.body].x);
    return {*this, shape, path, travelOf(shape, path), armOf(shape) * length(path.turn), slot, reached};
  }
  CAIRN_HD ShapeBounds<T> wayOf(int slot) const {
    const ShapeRecord<T>& shape = shapes[slot];
    const Vec3<T> first = paths.before[shape.body].x, last = paths.after[shape.body].x;
    const T radius = shape.boundingRadius;
    ShapeBounds<T> way{};
    way.kind = kMoving;
    way.low = minOf(first, last) - Vec3<T>{radius, radius, radius};
    way.high = maxOf(first, last) + Vec3<T>{radius, radius, radius};
    return way;
  }

  // Whether the balls about both centres of mass that hold the shapes, however they turn, pass each other.
  CAIRN_HD bool staysApart(const Visit& own, const ShapeRecord<T>& otherShape) const {
    if (otherShape.type == kHalfSpace || isSurface(own.shape) || isSurface(otherShape)) return false;
    const BodyPose<T>&first = paths.before[otherShape.body], &last = paths.after[otherShape.body];
    const Vec3<T> start = first.x - paths.before[own.shape.body].x, otherMotion = last.x - first.x, motion = otherMotion - own.path.motion;
    const T square = dot(motion, motion), towards = -dot(start, motion);
    const T time = towards <= T(0) ? T(0) : (towards < square ? towards / square : T(1));
    const Vec3<T> nearest = start + time * motion;
    const T held = own.shape.boundingRadius + otherShape.boundingRadius;
    const Vec3<T> ways = absOf(otherMotion) + absOf(start);  // no roots: all this is for speed
    const T reach = held + T(kMetFraction) * held + T(kWayRounding) * (own.travel + ways.x + ways.y + ways.z);
    return dot(nearest, nearest) > reach * reach;
  }

  // One body a kernel: the walk calls it in several places.
  [[gnu::noinline]] CAIRN_HD void meet(const Visit& own, int partner) const {
    if (partner == own.slot || !mayCollide(bounded.tags[own.slot], bounded.tags[partner])) return;
    const int body = own.shape.body, other = bounded.tags[partner].body;
    int from = 0;
    if (isLater()) {
      // Few stand where they did not before.
      const int assembly = paths.assemblyOf(other);
      if (before.last[assembly] == 0) return;
      const MeetingKey stopped = before.all[assembly];
      from = reachedBy(stopped);
      if (pusherOf(stopped) >= 0 || from >= own.reached) return;
    }
    const ShapeRecord<T>& otherShape = shapes[partner];
    const bool plane = otherShape.type == kHalfSpace;
    const T smaller = minOf(innerSize(own.shape), innerSize(otherShape));
    const T depths = depthThrough(own.shape, otherShape) + depthThrough(otherShape, own.shape);
    const bool solids = isSolid(own.shape) && isSolid(otherShape);
    // Rows knew nothing of what stands there by now.
    const T shortest = isLater() ? T(kMeetingDepth) * smaller : T(solids ? kFastFractionOfSolids : kFastFraction) * depths;
    const T least = turnsWildly(body) ? minOf(shortest, T(kFastFraction) * smaller) : shortest;
    // In a cloud that falls this is all there is to most of them.
    if (!isLater()) {
      if (own.approachAtMost(paths.before[other], paths.after[other], plane ? T(0) : armOf(otherShape)) <= least) return;
      if (staysApart(own, otherShape)) return;
    }
    const int flags = flagsOf(body), otherFlags = flagsOf(other);
    if (((flags | otherFlags) & kBodyDynamic) == 0) return;
    // There is no other side of a half-space to come out on.
    if (plane && paths.hasJoints(body)) return;
    if (joined.count > 0 && isJoined(joined, body, other)) return;
    const Vec3<T> origin = paths.before[body].x;
    BodyPath<T> ownPath = own.path, otherPath;
    if (isLater()) {
      ownPath = lastOf(own.path, T(from) / T(own.reached));
      otherPath = {paths.after[other].x - origin, {}, paths.after[other].q, {}};
    } else {
      otherPath = pathTaken(paths, other, origin);
    }
    const T otherTurn = plane ? T(0) : armOf(otherShape) * length(otherPath.turn);
    const T approach = length(ownPath.motion - otherPath.motion) + armOf(own.shape) * length(ownPath.turn) + otherTurn;
    if (!(approach > least)) return;
    ImpactRule<T> rule;
    rule.depth = T(paths.hasJoints(body) || paths.hasJoints(other) ? kJoinedDepth : kMeetingDepth) * smaller;
    rule.limit = T(kPassingDepth) * depths;
    rule.tolerance = T(kMetFraction) * smaller + T(kWayRounding) * (own.travel + length(otherPath.motion) + length(otherPath.start));
    rule.timeAlone = true;
    // A surface comes second.
    const bool swapped = isSurface(own.shape);
    const MovingShape<T> moving = movingShape(own.shape, ownPath), partnerMoving = movingShape(otherShape, otherPath);
    const Impact<T> impact = timeOfImpact(swapped ? partnerMoving : moving, swapped ? moving : partnerMoving, rule, kinds);
    if (!impact.met) return;
    const int met = from + int(T(own.reached - from) * impact.time);
    if (met >= own.reached) return;
    const bool stuck = solids && T(met) < T(kWholeStep) * T(kFirstMoment);
    const bool bothMove = (flags & otherFlags & kBodyDynamic) != 0;
    if (stuck && impact.atStart && approach <= T(bothMove ? kPartingFraction : kFastFraction) * depths) return;
    const int time = stuck ? kStuck : met;
    const auto note = [&](int which, int pusher) { atomicMaxUint64(meetings + paths.assemblyOf(which), meetingKey(time, pusher)); };
    if (isLater()) return note(body, -1);
    if ((flags & kBodyDynamic) != 0) note(body, (otherFlags & kBodyKinematic) != 0 ? other : -1);
    const bool otherGoesBack = (flags & kBodyKinematic) != 0 || travelOf(otherShape, otherPath) > fastMotionOf(otherShape);
    if ((otherFlags & kBodyDynamic) != 0 && otherGoesBack) note(other, (flags & kBodyKinematic) != 0 ? body : -1);
  }
};

// The same in packs of CPU lanes (meeting_packs_cpu.cpp).
template <class T, class Shapes> bool prepareVisit(const void* find, int item, void* visit, void* way) {
  using Find = FindMeetings<T, Shapes>;
  using Visit = typename Find::Visit;
  static_assert(sizeof(Visit) <= kVisitBytes && std::is_trivially_destructible<Visit>::value, "MeetingsInPacks has room for it, and forgets it");
  const Find& in = *static_cast<const Find*>(find);
  const int slot = in.fast.items[item];
  int reached;
  if (!in.goesOn(slot, reached)) return false;
  new (visit) Visit(in.visitOf(slot, reached));
  *static_cast<ShapeBounds<T>*>(way) = in.wayOf(slot);
  return true;
}
template <class T, class Shapes> void meetOnVisit(void* visit, int code) { (*static_cast<typename FindMeetings<T, Shapes>::Visit*>(visit))(code); }

template <class T> struct PutBack {
  const MeetingKey* meetings;
  PutBackBodies<T> bodies;
  RoundsBefore<T> before;
  int* count;

  CAIRN_HD void operator()(int body) const {
    const BodyConstants<T>& constants = bodies.paths.constants[body];
    if ((constants.flags & kBodyDynamic) == 0) return;
    const MeetingKey key = meetings[bodies.paths.assemblyOf(body)];
    if (key == 0) return;
    atomicAddInt(count, 1);
    const bool stuck = timeOf(key) == kStuck;
    const PathsTaken<T>& paths = bodies.paths;
    const T time = partOfStep<T>(reachedBy(key));
    // Who was put back before has come no further.
    const int reached = before.all == nullptr ? kWholeStep : reachedBy(before.all[paths.assemblyOf(body)]);
    const Vec3<T> origin = paths.before[body].x;
    const bool stepwise = paths.between != nullptr && paths.hasJoints(body);
    Pose<T> pose = stepwise ? poseOnTheWay(paths, body, origin, time) : pathTaken(paths, body, origin).at(T(reachedBy(key)) / T(reached));
    const int pusher = pusherOf(key);
    if (pusher >= 0) {
      const BodyPath<T> push = pathTaken(bodies.paths, pusher, origin);
      const Pose<T> met = push.at(time), end = push.at(T(1));
      pose = {transform(end, inverseTransform(met, pose.p)), end.q * conjugate(met.q) * pose.q};
    }
    const Quat<T> q = normalized(pose.q);
    // The angular velocity stays what it is in the body's frame, and with it the energy.
    bodies.velocities[body].w = rotate(q, inverseRotate(bodies.poses[body].q, bodies.velocities[body].w));
    bodies.poses[body].x = origin + pose.p;
    bodies.poses[body].q = q;
    // What gravity gave it on the way that it did not go.
    const Vec3<T> v = bodies.velocities[body].v;
    const Vec3<T> without = v - ((partOfStep<T>(reached) - time) * bodies.paths.dt * constants.gravityScale) * bodies.gravity.of(body);
    if (dot(without, without) < dot(v, v)) bodies.velocities[body].v = without;
    // Those that did not get anywhere would be held in each step to come, with the speeds that they cannot have.
    if (stuck || (bodies.paths.hasJoints(body) && time < T(kHeldTime) && partOfStep<T>(reached) >= T(kHeldTime))) {
      bodies.velocities[body].v = T(kHeldSpeed) * bodies.velocities[body].v;
      bodies.velocities[body].w = T(kHeldSpeed) * bodies.velocities[body].w;
    }
  }
};

struct AddRound {
  const MeetingKey* meetings;
  MeetingKey *all, *next;
  CAIRN_HD void operator()(int assembly) const {
    if (meetings[assembly] != 0) all[assembly] = meetings[assembly];
    next[assembly] = 0;
  }
};

}  // namespace

template <class T>
void findFastMotions(Queue& queue, const ShapeRecord<T>* shapes, const BoundedShapes<T>& bounded, const PathsTaken<T>& paths, const FastList& fast) {
  const bool sorted = bounded.tree.nodes != nullptr;
  FindFastMotion<T> find{shapes, paths, fast, bounded.tree, false};
  int items = bounded.shapeSlots;
  // In packs those go together that lie beside each other in the list.
  if (queue.target == Target::Cpu && sorted) {
    find.byLeaves = true;
    items = bounded.tree.header->leafCount;
  }
  forEach(queue, "continuous_collision/fast_motions", items, find);
}

template <class T> void findMeetings(Queue& queue, const ShapeRecord<T>* shapes, const BoundedShapes<T>& bounded, const PathsTaken<T>& paths,
                                     const JoinedPairs& joined, const FastList& fast, const RoundsBefore<T>& before, MeetingKey* meetings) {
  withShapes(paths.geometry, [&](const auto& kinds) {
    using Shapes = std::decay_t<decltype(kinds)>;
    const FindMeetings<T, Shapes> item{shapes, bounded, paths, joined, fast, before, meetings, kinds};
    if (queue.target == Target::Cpu && bounded.tree.nodes != nullptr && *fast.count >= kFewWays) {
      queue.label = "continuous_collision/meetings";
      const MeetingsInPacks<T> ways{bounded, fast.items, *fast.count, &item, prepareVisit<T, Shapes>, meetOnVisit<T, Shapes>};
      return runOnCpu<MeetingPasses>(meetingPassHere, *queue.team, ways);
    }
    forEachHeavy(queue, "continuous_collision/meetings", fast.count, fast.capacity, item, kHeavyGrain / 8);
  });
}

template <class T>
void putBack(Queue& queue, int bodySlots, const MeetingKey* meetings, const PutBackBodies<T>& bodies, const RoundsBefore<T>& before, int* count) {
  forEach(queue, "continuous_collision/put_back", bodySlots, PutBack<T>{meetings, bodies, before, count});
}

void addRound(Queue& queue, int bodySlots, const MeetingKey* meetings, MeetingKey* all, MeetingKey* next) {
  forEach(queue, "continuous_collision/add_round", bodySlots, AddRound{meetings, all, next});
}

#define CAIRN_INSTANTIATE(T)                                                                                                                    \
  template void findFastMotions(Queue&, const ShapeRecord<T>*, const BoundedShapes<T>&, const PathsTaken<T>&, const FastList&);                 \
  template void findMeetings(Queue&, const ShapeRecord<T>*, const BoundedShapes<T>&, const PathsTaken<T>&, const JoinedPairs&, const FastList&, \
                             const RoundsBefore<T>&, MeetingKey*);                                                                              \
  template void putBack(Queue&, int, const MeetingKey*, const PutBackBodies<T>&, const RoundsBefore<T>&, int*);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
