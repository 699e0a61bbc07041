// Rows of bodies that turn fast.
//
// In: bodies with fast shapes, the step's rows. Out: the same rows at the poses of this substep.
//
// Rows have the arms and the inertia of the step's beginning. A thin rod that turns by a radian within the step has another inertia then, along other
// axes, and impulses that are right for the old one give it energy. So the bodies that turn get their inertia anew in each substep, and every contact
// of theirs is found anew as the narrow phase does (swept_contact.hpp), within the substep: in the same lane, with as many points as it holds. One
// that is gone keeps its lane, as a gap that nothing can close.
//
// A substep moves bodies with the speed of stabilization, which sweeps take out of the velocities again, but not out of the orientations. The angular
// velocity keeps its energy only in the body's frame, and is taken along in it (TurnVelocity). So is the gyroscopic term, which is due when the body
// has turned: with it beforehand, as other bodies have it, a rod that spins about its own axis as well as across has that axis a substep too late,
// its ends the speed of the spin about it, and rows see things part that meet.
//
// A sphere about its body's centre needs none of it, one of a compound does. Bodies that joints hold have their inertia made anew after each move
// (followBodies in joint_solve.cpp), and velocities that the joints have made fit: those stay. Their contacts are found anew as well, but keep the
// impulses of points that are still there, which a heavy body needs to press through a light one that is held; and they follow the inertia with
// their effective masses at once (TurningRows::follow): what sweeps with masses of another inertia is no projection, and can grow without end.
//
// Deterministic: one item a lane.
//
// Memory: 4 bytes a body; with environments 4 a manifold.
#include "kernels/rows/turning_rows.hpp"

#include "kernels/collide/mesh_shapes.hpp"
#include "kernels/collide/swept_contact.hpp"
#include "kernels/rows/lane_launch.hpp"
#include "kernels/state/integrate_body.hpp"

namespace cairn::v0 {
namespace {

// Bodies whose inertia does not turn with them may turn this far within a step before their arms matter [rad].
constexpr double kSmallTurn = 0.1;
// And solid meshes, which thin as they are count as fast early: as far as a cube may that does not yet. Beside what is no mesh, which they have few
// contacts with, only while no end of theirs comes further than the narrow phase sees ahead: of two that are caught in each other each contact that
// is found again may be another of theirs.
constexpr double kSolidTurn = 0.3;
// What comes nearer to a solid mesh by less than this part of how thick both are is not swept: looks at fields on the way are dear.
constexpr double kShortWay = 0.25;

template <class T> struct FindTurning {
  const Manifold<T>* manifolds;
  const ShapeRecord<T>* shapes;
  SweptBodies<T> bodies;
  int* turning;

  CAIRN_HD void operator()(int i) const {
    const int a = manifolds[i].shapeA, b = manifolds[i].shapeB;
    if ((bodies.bounds[a].fast | bodies.bounds[b].fast) == 0) return;
    mark(shapes[a], shapes[b]);
    mark(shapes[b], shapes[a]);
  }
  CAIRN_HD void mark(const ShapeRecord<T>& shape, const ShapeRecord<T>& other) const {
    const int flags = bodies.constants[shape.body].flags;
    if ((flags & kBodyIsotropic) != 0 && shape.type == kSphere && !(armOf(shape) > T(0))) return;
    if ((flags & kBodyDynamic) == 0) return;
    const T turn = bodies.dt * length(bodies.velocities[shape.body].w);
    const bool comesFar = !isMesh(other.type) && armOf(shape) * turn > bodies.envelope;
    if (isSolid(shape) && !(turn > T(kSolidTurn)) && !comesFar) return;
    if ((flags & kBodyIsotropic) != 0 && !(turn > T(kSmallTurn))) return;
    const bool joined = bodies.jointOffsets != nullptr && bodies.jointOffsets[shape.body + 1] > bodies.jointOffsets[shape.body];
    atomicOrInt(turning + shape.body, joined ? kContactsTurn | kMassesTurn : kContactsTurn | kFrameTurns);
  }
};

template <class T> struct NotePointCount {
  const Manifold<T>* manifolds;
  int* mostPoints;
  CAIRN_HD void operator()(int i) const { mostPoints[i] = manifolds[i].pointCount; }
};

template <class T> struct TurnVelocity {
  TurningBodies<T> bodies;
  bool first;
  Quat<T>* kept;
  BodyVelocity<T>* velocities;

  CAIRN_HD void operator()(int i) const {
    if ((bodies.turning[i] & kFrameTurns) == 0) return;
    const Quat<T> now = bodies.poses[i].q;
    if (!first) {
      // Turning about itself leaves an angular velocity what it is in the body's frame.
      const Vec3<T> w = velocities[i].w;
      Vec3<T> local = withLength(inverseRotate(kept[i], w), w);
      const BodyConstants<T>& body = bodies.constants[i];
      if (hasGyroscopicTerm(body, w, bodies.h)) local = gyroscopicStep(body.inertia, local, bodies.h);
      velocities[i].w = withLength(rotate(now, local), local);
    }
    kept[i] = now;
  }
};

template <class T, class Shapes> struct CollideTurning {
  RowView<T> rows;
  const ShapeRecord<T>* shapes;
  TurningBodies<T> bodies;
  bool first;
  Manifold<T>* manifolds;
  PointArray<T> lastImpulses;
  Shapes kinds;

  CAIRN_HD BodyPath<T> pathOf(int body, Vec3<T> origin) const {
    return expectedPath(bodies.poses[body], bodies.velocities[body], bodies.constants[body], origin,
                        TimeAhead<T>{bodies.h, T(1), bodies.gravity.of(body)});
  }

  CAIRN_HD void operator()(int slot) const {
    if ((flagsOfBodies(rows, slot, bodies.turning) & kContactsTurn) == 0) return;
    const int index = rows.manifold[slot];
    Manifold<T>& m = manifolds[index];
    const PairOfShapes<T> pair{m.shapeA, m.shapeB, shapes[m.shapeA], shapes[m.shapeB]};
    if (!first) collideAnew(slot, index, pair, m);
    rollToMiddle(pair.recordA, m.bodyA, m.normal, m.points[0].separation, m.points[0].rA);
    rollToMiddle(pair.recordB, m.bodyB, -m.normal, m.points[0].separation, m.points[0].rB);
  }

  // An ellipsoid that rolls touches elsewhere by the end of a substep. With the arm of the substep's beginning it rises or sinks too little, by the
  // square of its turn, and what stabilization then gives back is energy out of nothing; with the arm of its middle, by the cube.
  CAIRN_HD void rollToMiddle(const ShapeRecord<T>& shape, int body, Vec3<T> outward, T separation, Vec3<T>& arm) const {
    if (shape.type != kEllipsoid || (bodies.turning[body] & kFrameTurns) == 0) return;
    if (!(separation <= T(kMetFraction) * innerSize(shape))) return;
    const Quat<T> q = bodies.poses[body].q;
    const auto touchedAt = [&](Quat<T> turned) {
      const Quat<T> axes = turned * shape.localPose.q;
      return rotate(turned, shape.localPose.p) + rotate(axes, ellipsoid::support(shape.size, inverseRotate(axes, outward)));
    };
    arm += touchedAt(quatFromRotationVector((T(0.5) * bodies.h) * bodies.velocities[body].w) * q) - touchedAt(q);
  }

  // No contact for now.
  CAIRN_HD void leave(int slot, Manifold<T>& m) const {
    if (((bodies.turning[m.bodyA] | bodies.turning[m.bodyB]) & kMassesTurn) != 0 && !isGone(m)) moveImpulses(slot, m, nullptr);
    for (int p = 0; p < m.pointCount; ++p) m.points[p].separation = T(kGoneGap);
  }

  CAIRN_HD void collideAnew(int slot, int index, const PairOfShapes<T>& pair, Manifold<T>& m) const {
    const bool keeps = ((bodies.turning[m.bodyA] | bodies.turning[m.bodyB]) & kMassesTurn) != 0;
    const Vec3<T> origin = bodies.poses[m.bodyA].x;
    const SweptPair<T, Shapes> swept{pair, pathOf(m.bodyA, origin), pathOf(m.bodyB, origin), kinds};
    const T way = wayTogether(pair.recordA, swept.a, pair.recordB, swept.b);
    const PlacedShape<T> a = placed(pair.recordA, bodies.poses[m.bodyA], origin), b = placed(pair.recordB, bodies.poses[m.bodyB], origin);
    // One of several manifolds of a pair with a mesh stays the one that it is, unless the two meet on their way.
    LocalManifold<T> local;
    const bool unswept =
        (isSolid(pair.recordA) || isSolid(pair.recordB)) && way <= T(kShortWay) * minOf(innerSize(pair.recordA), innerSize(pair.recordB));
    T nearest = bodies.envelope;
    if (isMesh(pair.recordA.type) || isMesh(pair.recordB.type)) {
      nearest = minOf(nearest, meetAlong(kinds, a, b, {m.normal, unswept ? bodies.envelope + way : bodies.envelope}, local));
    } else {
      kinds.meet(a, b, bodies.envelope, local);
      if (local.pointCount > 0) nearest = deepestOf(local);
    }
    Manifold<T> now = m;
    const bool near = local.pointCount > 0;
    if (near) pair.write(local, swept.b.start, now);
    if (unswept ? near : swept.contactNearby(near, nearest, way, now)) {
      keepDeepest(now, swept, bodies.mostPoints != nullptr ? bodies.mostPoints[index] : rows.tilePoints[slot / kTileLanes]);
      if (keeps) moveImpulses(slot, m, &now);
      m = now;
    } else {
      leave(slot, m);
    }
  }

  struct Along {
    Vec3<T> normal;
    T margin;
  };
  CAIRN_HD T meetAlong(const MeshShapes& meshes, const PlacedShape<T>& a, const PlacedShape<T>& b, const Along& along, LocalManifold<T>& out) const {
    LocalManifold<double> found{};
    const double deepest = meetMeshAlong(inDouble(a), inDouble(b), meshes.geometry, double(along.margin), convert<double>(along.normal), found);
    fromDouble(found, out);
    return T(deepest);
  }
  // Where there are no meshes nobody asks.
  template <class Others> CAIRN_HD T meetAlong(const Others& /*shapes*/, const PlacedShape<T>& /*a*/, const PlacedShape<T>& /*b*/,
                                               const Along& /*along*/, LocalManifold<T>& out) const {
    out.pointCount = 0;
    return bodies.envelope;
  }

  // Impulses to the points of the same features; null: to none. What has changed place has no momentum.
  CAIRN_HD void moveImpulses(int slot, const Manifold<T>& from, const Manifold<T>* to) const {
    const SlotFields<T> fields(rows, slot);
    putImpulses(fields, from, to);
    if (lastImpulses.values == nullptr) return;
    for (int p = 0; p < rows.tilePoints[slot / kTileLanes]; ++p) {
      const Vec3<T> impulse = fields.impulse(p);
      *lastImpulses.at(slot, p, 0) = impulse.x;
      *lastImpulses.at(slot, p, 1) = impulse.y;
      *lastImpulses.at(slot, p, 2) = impulse.z;
    }
  }
  CAIRN_HD static void putImpulses(const SlotFields<T>& fields, const Manifold<T>& from, const Manifold<T>* to) {
    const Vec3<T> none{T(0), T(0), T(0)};
    Vec3<T> old[kMaxManifoldPoints], t1, t2;
    tangentFrame(from.normal, t1, t2);
    for (int p = 0; p < from.pointCount; ++p) {
      const Vec3<T> impulse = fields.impulse(p);
      old[p] = impulse.x * from.normal + impulse.y * t1 + impulse.z * t2;
      fields.putImpulse(p, none);
    }
    if (to == nullptr) return;
    tangentFrame(to->normal, t1, t2);
    for (int p = 0; p < to->pointCount; ++p) {
      Vec3<T> impulse = none;
      for (int k = 0; k < from.pointCount; ++k) {
        if (from.points[k].feature == to->points[p].feature) impulse = old[k];
      }
      fields.putImpulse(p, {maxOf(dot(to->normal, impulse), T(0)), dot(t1, impulse), dot(t2, impulse)});
    }
  }

  // Those that will be deepest at the substep's end: of a rod that lies in something with one end, the other may be on its way in.
  CAIRN_HD static void keepDeepest(Manifold<T>& m, const SweptPair<T, Shapes>& swept, int room) {
    const auto separationAtEnd = [&](int p) { return m.points[p].separation + swept.partedAlong(m.normal, T(1), m.points[p]); };
    while (m.pointCount > room) {
      int shallowest = 0;
      for (int p = 1; p < m.pointCount; ++p) {
        if (separationAtEnd(p) > separationAtEnd(shallowest)) shallowest = p;
      }
      const int last = int(m.pointCount) - 1;
      m.points[shallowest] = m.points[last];
      m.points[last] = ManifoldPoint<T>{};
      m.pointCount = last;
    }
  }
};

}  // namespace

template <class T>
void findTurning(Queue& queue, const ManifoldView<T>& manifolds, const ShapeRecord<T>* shapes, const SweptBodies<T>& bodies, int* turning) {
  forEach(queue, "rows/find_turning", manifolds.found, manifolds.count, FindTurning<T>{manifolds.manifolds, shapes, bodies, turning});
}

template <class T> void notePointCounts(Queue& queue, const ManifoldView<T>& manifolds, int* mostPoints) {
  forEach(queue, "rows/point_counts", manifolds.found, manifolds.count, NotePointCount<T>{manifolds.manifolds, mostPoints});
}

template <class T>
void turnVelocities(Queue& queue, int bodySlots, const TurningBodies<T>& bodies, bool first, Quat<T>* kept, BodyVelocity<T>* velocities) {
  forEach(queue, "rows/turn_velocities", bodySlots, TurnVelocity<T>{bodies, first, kept, velocities});
}

template <class T> void collideTurning(Queue& queue, const RowView<T>& rows, const ShapeRecord<T>* shapes, const TurningBodies<T>& bodies, bool first,
                                       Manifold<T>* manifolds, const PointArray<T>& lastImpulses) {
  withShapes(bodies.geometry, [&](const auto& kinds) {
    using Shapes = std::decay_t<decltype(kinds)>;
    const int64_t lanes = static_cast<int64_t>(rows.tileCount) * kTileLanes;
    const CollideTurning<T, Shapes> item{rows, shapes, bodies, first, manifolds, lastImpulses, kinds};
    forEachHeavy(queue, "rows/collide_turning", laneCountOf(rows), lanes, item);
  });
}

#define CAIRN_INSTANTIATE(T)                                                                                     \
  template void findTurning(Queue&, const ManifoldView<T>&, const ShapeRecord<T>*, const SweptBodies<T>&, int*); \
  template void notePointCounts(Queue&, const ManifoldView<T>&, int*);                                           \
  template void turnVelocities(Queue&, int, const TurningBodies<T>&, bool, Quat<T>*, BodyVelocity<T>*);          \
  template void collideTurning(Queue&, const RowView<T>&, const ShapeRecord<T>*, const TurningBodies<T>&, bool, Manifold<T>*, const PointArray<T>&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
