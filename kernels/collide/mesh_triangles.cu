// Narrow phase on a device, convex shapes on triangle meshes: a thread a triangle.
//
// In: the list of pairs with a mesh, shapes, poses, margins. Out: what each triangle in reach of a convex shape has to say of a contact.
//
// A thread a pair walks through the mesh's tree and lists the triangles in reach, in runs that are taken from a store as they fill. Then a thread a
// triangle meets it, and puts what it has found into another store. The reduction of a pair (mesh_pairs.cu) goes through both in the order of the
// walk. A pair that one of them has no room for is marked, and met as a whole by the thread that would reduce it, as pairs of solids are.
//
// Deterministic: where in a store something lies depends on who comes first, what is read there and in which order does not.
//
// Memory: for each pair with a mesh 3.3 KB, nearly all of it touches and runs (src/collide/triangle_store.cpp says how many).
#include "kernels/collide/mesh_triangles.hpp"

#include "kernels/collide/collide_pair.hpp"
#include "kernels/collide/collide_solids.hpp"
#include "kernels/runtime/launch.hpp"

namespace cairn::v0 {
namespace {

// Of one triangle; more make its pair one that is met as a whole. Two faces clipped to each other have twice their edges and three corners at most.
constexpr int kMaxTouches = 16;

// Runs of a pair, filled triangle by triangle.
class RunWriter {
 public:
  CAIRN_HD RunWriter(const MeshTriangles& out, int item) : out_(out), item_(item) { out.firstRun[item] = kNoRun; }

  CAIRN_HD void put(int triangle) {
    if (full_) return;
    if ((run_ == kNoRun || count_ == kTrianglesOfRun) && !begin()) return;
    out_.triangles[run_ * kTrianglesOfRun + count_++] = triangle;
  }
  // False: there was no room.
  CAIRN_HD bool end() {
    if (run_ != kNoRun) out_.runs[run_] = {item_, count_, kNoRun};
    return !full_;
  }

 private:
  CAIRN_HD bool begin() {
    const int run = atomicAddInt(out_.counts, kTrianglesOfRun) / kTrianglesOfRun;
    full_ = run >= out_.runRoom;
    if (full_) return false;
    if (run_ == kNoRun) {
      out_.firstRun[item_] = run;
    } else {
      out_.runs[run_] = {item_, count_, run};
    }
    run_ = run;
    count_ = 0;
    return true;
  }

  const MeshTriangles& out_;
  int item_, run_ = kNoRun, count_ = 0;
  bool full_ = false;
};

template <class T> struct ListTriangles {
  CollidePair<T> all;
  GeometryView geometry;
  FastList meshPairs;
  MeshTriangles out;

  CAIRN_HD void operator()(int item) const {
    out.spilled[item] = 0;
    if (!list(item)) out.firstRun[item] = kMetAsAWhole;
  }

 private:
  CAIRN_HD bool list(int item) const {
    const int i = meshPairs.items[item];
    if (!all.mayTouch(i)) return false;
    const int a = all.pairs.shapeA[i], b = all.pairs.shapeB[i];
    const ShapeRecord<T>& recordA = all.shapes[a];
    const ShapeRecord<T>& recordB = all.shapes[b];
    const bool swapped = isMesh(recordA.type);
    const int other = swapped ? recordB.type : recordA.type;
    if (isMesh(other) || other == kHalfSpace) return false;
    const BodyPose<T>& poseA = all.poses[recordA.body];
    const PlacedShape<double> placedA = inDouble(placed(recordA, poseA, poseA.x));
    const PlacedShape<double> placedB = inDouble(placed(recordB, all.poses[recordB.body], poseA.x));
    const PlacedShape<double>& mesh = swapped ? placedA : placedB;
    const PlacedShape<double> convex = mesh::inFrameOf(mesh.pose, swapped ? placedB : placedA);
    solid::FlatSide side;
    if (solid::isOnWideFace(convex, mesh.type, geometry, side)) return false;
    const double margin = double(all.shapeMargins[a] + all.shapeMargins[b]);
    out.pairs[item] = {convex.size, convex.pose, margin, convex.type, mesh.type};
    RunWriter runs(out, item);
    const MeshShape shape = geometry.meshes.of(mesh.type);
    const mesh::MeshReach reach(convex, shape, geometry.hulls, margin);
    reach.forFacets([&](int triangle, const mesh::Facet& /*facet*/) { runs.put(triangle); });
    return runs.end();
  }
};

struct MeetTriangle {
  GeometryView geometry;
  MeshTriangles out;

  CAIRN_HD void operator()(int place) const {
    const TriangleRun& run = out.runs[place / kTrianglesOfRun];
    if (place % kTrianglesOfRun >= run.count || out.firstRun[run.item] == kMetAsAWhole) return;
    mesh::Touch found[kMaxTouches];
    mesh::Touches touches(found, kMaxTouches);
    meet(out.pairs[run.item], out.triangles[place], touches);
    int first = 0;
    if (touches.count() > 0) first = atomicAddInt(out.counts + 1, touches.count());
    if (touches.count() > kMaxTouches || first + touches.count() > out.touchRoom) return atomicOrInt(out.spilled + run.item, 1);
    for (int k = 0; k < touches.count(); ++k) out.touches[first + k] = found[k];
    out.spans[place] = {first, touches.count()};
  }

 private:
  CAIRN_HD void meet(const ConvexOnMesh& pair, int triangle, mesh::Touches& touches) const {
    const MeshShape shape = geometry.meshes.of(pair.mesh);
    const PlacedShape<double> convex = pair.convex();
    const mesh::MeshReach reach(convex, shape, geometry.hulls, pair.margin);
    mesh::Facet facet;
    if (reach.facetAt(triangle, facet)) reach.withMeeting(touches, [&](const auto& meetFacet) { meetFacet(facet); });
  }
};

}  // namespace

template <class T> void meetTriangles(Queue& queue, const PairView& pairs, const ConvexPairs<T>& shapes, const JoinedPairs& joined,
                                      const FastList& meshPairs, const MeshTriangles& out) {
  const CollidePair<T> all{pairs, shapes.shapes, shapes.poses, shapes.shapeMargins, joined, nullptr, nullptr};
  forEachHeavy(queue, "narrow_phase/list_triangles", meshPairs.count, meshPairs.capacity, ListTriangles<T>{all, shapes.geometry, meshPairs, out});
  forEachHeavy(queue, "narrow_phase/triangles", out.counts, int64_t(out.runRoom) * kTrianglesOfRun, MeetTriangle{shapes.geometry, out});
}

#define CAIRN_INSTANTIATE(T) \
  template void meetTriangles(Queue&, const PairView&, const ConvexPairs<T>&, const JoinedPairs&, const FastList&, const MeshTriangles&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
