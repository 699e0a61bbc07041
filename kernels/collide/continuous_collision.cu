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
// Solids that are deep in each other, as hooks that fell into each other, may meet in the first moment of every step: each would keep its velocity
// and its place for ever. They lose half of their velocity whenever they do, until they are slow, are left to their contacts, and come out.
//
// Deterministic: the earliest meeting wins by an integer maximum, whatever the order of the items.
//
// Memory: 4 bytes a fast shape, 8 bytes a body.
#include "kernels/collide/continuous_collision.hpp"

#include "kernels/collide/broad_phase_walk.hpp"
#include "kernels/collide/mesh_shapes.hpp"
#include "kernels/collide/swept_contact.hpp"
#include "kernels/runtime/launch.hpp"

namespace cairn::v0 {
namespace {

// Motion within a step that is fast, and the depth of a meeting, as fractions of inner sizes.
constexpr double kFastFraction = 0.5, kMeetingDepth = 0.2;
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
CAIRN_HD inline MeetingKey meetingKey(int time, int pusher) { return uint64_t(kWholeStep - time) << 32 | uint32_t(pusher + 1); }
CAIRN_HD inline int timeOf(MeetingKey key) { return kWholeStep - int(key >> 32); }
CAIRN_HD inline int pusherOf(MeetingKey key) { return int(key & 0xffffffffu) - 1; }

// From first to last pose, relative to the origin. The shorter turn.
template <class T> CAIRN_HD inline BodyPath<T> pathBetween(const BodyPose<T>& before, const BodyPose<T>& after, Vec3<T> origin) {
  const Quat<T> dq = after.q * conjugate(before.q);
  const T sign = select(dq.w < T(0), T(-1), T(1));
  const Vec3<T> half{sign * dq.x, sign * dq.y, sign * dq.z};
  const T sine = length(half);
  const T perSine = sine > T(1e-6) ? T(2) * arcTangent(sine, sign * dq.w) / sine : T(2);
  return {before.x - origin, after.x - before.x, before.q, perSine * half};
}
template <class T> CAIRN_HD inline BodyPath<T> pathTaken(const PathsTaken<T>& paths, int body, Vec3<T> origin) {
  return pathBetween(paths.before[body], paths.after[body], origin);
}

// Where a body was at that part of the step.
template <class T> CAIRN_HD inline Pose<T> poseOnTheWay(const PathsTaken<T>& paths, int body, Vec3<T> origin, T time) {
  if (paths.between == nullptr || !paths.hasJoints(body)) return pathTaken(paths, body, origin).at(time);
  const T place = time * T(paths.substeps);
  const int last = paths.substeps - 1, substep = place < T(last) ? int(place) : last;
  const auto between = [&](int k) -> const BodyPose<T>& { return paths.between[int64_t(k) * paths.bodySlots + body]; };
  const BodyPose<T>& begin = substep == 0 ? paths.before[body] : between(substep - 1);
  const BodyPose<T>& end = substep == last ? paths.after[body] : between(substep);
  return pathBetween(begin, end, origin).at(place - T(substep));
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

  CAIRN_HD void operator()(int slot) const {
    const ShapeRecord<T>& shape = shapes[slot];
    if (shape.body < 0 || shape.type == kHalfSpace || isSensor(shape)) return;
    if ((paths.constants[shape.body].flags & (kBodyDynamic | kBodyKinematic)) == 0) return;
    const BodyPose<T>& before = paths.before[shape.body];
    const BodyPose<T>& after = paths.after[shape.body];
    // |q - p| is twice the sine of a quarter of the turn between them, or of its supplement.
    const Quat<T> p = before.q, q = after.q;
    const T minus = squareOf(q.x - p.x) + squareOf(q.y - p.y) + squareOf(q.z - p.z) + squareOf(q.w - p.w);
    // Nearly all shapes are so slow that each part is below half the limit; roots are for the others.
    // A mesh without an inside may be fast for what is small, however large it is.
    const T limit = isSurface(shape) ? T(0) : T(kFastFraction) * innerSize(shape), arm = armOf(shape), quarter = T(0.25) * limit * limit;
    const Vec3<T> way = after.x - before.x;
    if (dot(way, way) <= quarter && T(2.23 * 2.23) * arm * arm * minus <= quarter) return;
    const T plus = squareOf(q.x + p.x) + squareOf(q.y + p.y) + squareOf(q.z + p.z) + squareOf(q.w + p.w);
    const T turn = T(2.23) * squareRoot(minOf(minus, plus));
    const T travel = length(way) + arm * turn;
    if (!(travel > limit) || !(travel < T(1e15))) return;
    const int at = atomicAddInt(fast.count, 1);
    if (at < fast.capacity) fast.items[at] = slot;
  }
  CAIRN_HD static T squareOf(T a) { return a * a; }
};

template <class T, class Shapes> struct FindMeetings {
  const ShapeRecord<T>* shapes;
  BoundedShapes<T> bounded;
  PathsTaken<T> paths;
  JoinedPairs joined;
  FastList fast;
  MeetingKey* meetings;
  Shapes kinds;

  CAIRN_HD int flagsOf(int body) const { return paths.constants[body].flags; }
  CAIRN_HD bool turnsWildly(int body) const { return paths.dt * length(paths.velocities[body].w) > T(kWildTurn); }

  struct Visit {
    const FindMeetings& in;
    const ShapeRecord<T>& shape;
    BodyPath<T> path;  // relative to its start
    T travel;
    int slot;
    CAIRN_HD void operator()(int code) { in.meet(*this, code & ~kFixedBit); }
  };

  CAIRN_HD void operator()(int k) const {
    const int slot = fast.items[k];
    const ShapeRecord<T>& shape = shapes[slot];
    const Vec3<T> first = paths.before[shape.body].x, last = paths.after[shape.body].x;
    const BodyPath<T> path = pathTaken(paths, shape.body, first);
    Visit visit{*this, shape, path, travelOf(shape, path), slot};
    const T radius = shape.boundingRadius;
    ShapeBounds<T> own{};
    own.kind = kMoving;
    own.low = minOf(first, last) - Vec3<T>{radius, radius, radius};
    own.high = maxOf(first, last) + Vec3<T>{radius, radius, radius};
    visitAll(bounded, slot, own, visit);
  }

  // One body a kernel: the walk calls it in several places.
  [[gnu::noinline]] CAIRN_HD void meet(const Visit& own, int partner) const {
    if (partner == own.slot || !mayCollide(bounded.tags[own.slot], bounded.tags[partner])) return;
    const int body = own.shape.body, other = shapes[partner].body;
    const int flags = flagsOf(body), otherFlags = flagsOf(other);
    if (((flags | otherFlags) & kBodyDynamic) == 0) return;
    if (joined.count > 0 && isJoined(joined, body, other)) return;
    const Vec3<T> origin = paths.before[body].x;
    const BodyPath<T> otherPath = pathTaken(paths, other, origin);
    const ShapeRecord<T>& otherShape = shapes[partner];
    // There is no other side of a half-space to come out on.
    if (otherShape.type == kHalfSpace && paths.hasJoints(body)) return;
    const T inner = innerSize(own.shape), otherInner = innerSize(otherShape), smaller = minOf(inner, otherInner);
    const T otherTurn = otherShape.type == kHalfSpace ? T(0) : armOf(otherShape) * length(otherPath.turn);
    const T depths = depthThrough(own.shape, otherShape) + depthThrough(otherShape, own.shape);
    const T approach = length(own.path.motion - otherPath.motion) + armOf(own.shape) * length(own.path.turn) + otherTurn;
    if (!(approach > T(kFastFraction) * depths) && !(approach > T(kFastFraction) * smaller && turnsWildly(body))) return;
    ImpactRule<T> rule;
    rule.depth = T(paths.hasJoints(body) || paths.hasJoints(other) ? kJoinedDepth : kMeetingDepth) * smaller;
    rule.limit = T(kPassingDepth) * depths;
    rule.tolerance = T(kMetFraction) * smaller + T(kWayRounding) * (own.travel + length(otherPath.motion) + length(otherPath.start));
    rule.timeAlone = true;
    // A surface comes second.
    const bool swapped = isSurface(own.shape);
    const MovingShape<T> moving = movingShape(own.shape, own.path), partnerMoving = movingShape(otherShape, otherPath);
    const Impact<T> impact = timeOfImpact(swapped ? partnerMoving : moving, swapped ? moving : partnerMoving, rule, kinds);
    if (!impact.met) return;
    const bool stuck = isSolid(own.shape) && isSolid(otherShape) && impact.time < T(kFirstMoment);
    const int time = stuck ? kStuck : int(T(kWholeStep) * impact.time);
    if (time >= kWholeStep) return;
    const auto note = [&](int which, int pusher) { atomicMaxUint64(meetings + paths.assemblyOf(which), meetingKey(time, pusher)); };
    if ((flags & kBodyDynamic) != 0) note(body, (otherFlags & kBodyKinematic) != 0 ? other : -1);
    const bool otherGoesBack = (flags & kBodyKinematic) != 0 || travelOf(otherShape, otherPath) > T(kFastFraction) * otherInner;
    if ((otherFlags & kBodyDynamic) != 0 && otherGoesBack) note(other, (flags & kBodyKinematic) != 0 ? body : -1);
  }
};

template <class T> struct PutBack {
  const MeetingKey* meetings;
  PutBackBodies<T> bodies;
  int* count;

  CAIRN_HD void operator()(int body) const {
    const BodyConstants<T>& constants = bodies.paths.constants[body];
    if ((constants.flags & kBodyDynamic) == 0) return;
    const MeetingKey key = meetings[bodies.paths.assemblyOf(body)];
    if (key == 0) return;
    atomicAddInt(count, 1);
    const bool stuck = timeOf(key) == kStuck;
    const T time = stuck ? T(0) : T(timeOf(key)) / T(kWholeStep);
    const Vec3<T> origin = bodies.paths.before[body].x;
    Pose<T> pose = poseOnTheWay(bodies.paths, body, origin, time);
    const int pusher = pusherOf(key);
    if (pusher >= 0) {
      const BodyPath<T> push = pathTaken(bodies.paths, pusher, origin);
      const Pose<T> met = push.at(time), end = push.at(T(1));
      pose = {transform(end, inverseTransform(met, pose.p)), end.q * conjugate(met.q) * pose.q};
    }
    const Quat<T> q = normalized(pose.q);
    // The angular velocity stays what it is in the body's frame, and with it the energy.
    bodies.velocities[body].w = rotate(q, inverseRotate(bodies.paths.after[body].q, bodies.velocities[body].w));
    bodies.poses[body].x = origin + pose.p;
    bodies.poses[body].q = q;
    // What gravity gave it on the way that it did not go.
    const Vec3<T> v = bodies.velocities[body].v;
    const Vec3<T> without = v - ((T(1) - time) * bodies.paths.dt * constants.gravityScale) * bodies.gravity.of(body);
    if (dot(without, without) < dot(v, v)) bodies.velocities[body].v = without;
    // Those that did not get anywhere would be held in each step to come, with the speeds that they cannot have.
    if (stuck || (bodies.paths.hasJoints(body) && time < T(kHeldTime))) {
      bodies.velocities[body].v = T(kHeldSpeed) * bodies.velocities[body].v;
      bodies.velocities[body].w = T(kHeldSpeed) * bodies.velocities[body].w;
    }
  }
};

}  // namespace

template <class T>
void findFastMotions(Queue& queue, const ShapeRecord<T>* shapes, int shapeSlots, const PathsTaken<T>& paths, const FastList& fast) {
  forEach(queue, "continuous_collision/fast_motions", shapeSlots, FindFastMotion<T>{shapes, paths, fast});
}

template <class T> void findMeetings(Queue& queue, const ShapeRecord<T>* shapes, const BoundedShapes<T>& bounded, const PathsTaken<T>& paths,
                                     const JoinedPairs& joined, const FastList& fast, MeetingKey* meetings) {
  withShapes(paths.geometry, [&](const auto& kinds) {
    using Shapes = std::decay_t<decltype(kinds)>;
    const FindMeetings<T, Shapes> item{shapes, bounded, paths, joined, fast, meetings, kinds};
    forEachLarge(queue, "continuous_collision/meetings", fast.count, fast.capacity, item, kHeavyGrain / 8);
  });
}

template <class T> void putBack(Queue& queue, int bodySlots, const MeetingKey* meetings, const PutBackBodies<T>& bodies, int* count) {
  forEach(queue, "continuous_collision/put_back", bodySlots, PutBack<T>{meetings, bodies, count});
}

#define CAIRN_INSTANTIATE(T)                                                                                                                    \
  template void findFastMotions(Queue&, const ShapeRecord<T>*, int, const PathsTaken<T>&, const FastList&);                                     \
  template void findMeetings(Queue&, const ShapeRecord<T>*, const BoundedShapes<T>&, const PathsTaken<T>&, const JoinedPairs&, const FastList&, \
                             MeetingKey*);                                                                                                      \
  template void putBack(Queue&, int, const MeetingKey*, const PutBackBodies<T>&, int*);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
