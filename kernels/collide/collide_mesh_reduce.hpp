// The points of a convex shape's contacts with the triangles of a mesh, one after another, as a few manifolds of four points.
//
// Points whose normals are the same to a thousandth are one group. Of a group the deepest is kept, and of those that are about as deep, and of all,
// the ones that lie furthest in eight directions; at the end four of these, by place as those of two polyhedra (SpreadFour in collide_hull_clip.hpp),
// and what carries before what is only near. One and the same contact that several triangles find lies in one place, and counts once. Where there are
// more normals than groups, the group whose deepest point is the shallowest is given up: its points join those of the group with the nearest normal,
// if that is near, and are let go otherwise.
//
// Where more normals touch than there are groups, as in a thread, the deepest say little: they are the deepest by chance, other ones in the next
// step, and what they leave out lies all around. A reduction can be begun anew for that (keepSpread): then the normals that touch and differ most are
// kept, and nothing joins a group whose normal is not its own. Of nine normals the two that are nearest to each other give up one.
//
// Which points stay depends on the points and their order alone, which is that of the tree.
#pragma once

#include "kernels/collide/collide_hull_clip.hpp"
#include "kernels/collide/collide_mesh_facet.hpp"

namespace cairn::v0 {

constexpr int kMaxMeshManifolds = 8;

// By their deepest points, the deepest first; normals lead from the convex shape to the mesh.
struct MeshContacts {
  int count;
  LocalManifold<double> manifolds[kMaxMeshManifolds];
};

namespace mesh {

constexpr int kDirections = 8;
// Cosine of the angle between normals up to which points join another group.
constexpr double kNearNormal = 0.9;
// Part of the slop by which the deepest point takes the place of one of the four.
constexpr double kClearlyDeeper = 0.1;

// The points furthest in each direction.
struct Outermost {
  hull::ClipPoint points[kDirections];
  double reach[kDirections];

  CAIRN_HD void begin(const hull::ClipPoint& point) {
    for (int k = 0; k < kDirections; ++k) points[k] = point, reach[k] = -1e300;
  }
  // Only where it lies clearly further out.
  CAIRN_HD void take(const hull::ClipPoint& point, const double (&to)[kDirections], double clearly) {
    for (int k = 0; k < kDirections; ++k) {
      if (to[k] > reach[k] + clearly) points[k] = point, reach[k] = to[k];
    }
  }
};

struct Group {
  Vec normal;  // out of the mesh
  Vec u, v;    // directions on the plane across it
  hull::ClipPoint deepest;
  Outermost carrying, all;  // about as deep as the deepest; of all
};

class Reduction {
 public:
  // `axes` are those of the convex shape, which the directions turn with; `size` is what distances are small or large against. Normals are the same
  // up to 1 minus the cosine `alike` of the angle between them.
  CAIRN_HD Reduction(const Mat3<double>& axes, Vec centre, double size, double slop, double alike = kSameNormal)
      : count_(0), axes_(axes), centre_(centre), size_(size), slop_(slop), alike_(alike), refused_{{0, 0, 0}, 1e300, 0}, refusedNormal_{0, 0, 0} {}

  // Deeper contacts are none [m]: a wide flat shape overlaps the plane of a small triangle by more than they are through each other.
  CAIRN_HD void limitDepth(double depth) { lowest_ = -depth; }

  // A contact that the mesh does not allow. If there is no other where the shape overlaps the mesh, the deepest of these is better than none.
  CAIRN_HD void refuse(Vec normal, Vec place, double separation, uint32_t feature) {
    if (separation < refused_.separation && separation >= lowest_) refused_ = {place, separation, feature}, refusedNormal_ = normal;
  }

  // Whatever is at least half as deep as the deepest of its group carries, not only what is about as deep.
  CAIRN_HD void carryWhatIsHalfAsDeep() { share_ = 0.5; }
  // Whatever touches carries.
  CAIRN_HD void carryWhatTouches() { share_ = 0; }

  CAIRN_HD bool isFull() const { return count_ == kMaxMeshManifolds; }
  // Whether more normals touch than there are groups.
  CAIRN_HD bool isCrowded() const { return crowded_; }

  // For other points of the same two shapes.
  CAIRN_HD void beginAnew() {
    count_ = 0;
    crowded_ = closestKnown_ = false;
    refused_.separation = 1e300;
  }
  // Begins anew: of points that touch, and no others may come, those whose normals differ most.
  CAIRN_HD void keepSpread(double alike) {
    count_ = 0;
    alike_ = alike;
    keepsSpread_ = true;
    refused_.separation = 1e300;
  }

  // The normal leads out of the mesh; the place is midway between the surfaces.
  [[gnu::noinline]] CAIRN_HD void add(Vec normal, Vec place, double separation, uint32_t feature) {
    if (separation < lowest_) return;
    const hull::ClipPoint point{place, separation, feature};
    int nearest = -1, shallowest = 0;
    double most = -2;
    for (int g = 0; g < count_; ++g) {
      const double along = dot(groups_[g].normal, normal);
      if (along > most) most = along, nearest = g;
      if (groups_[g].deepest.separation > groups_[shallowest].deepest.separation) shallowest = g;
    }
    if (nearest >= 0 && most > 1 - alike_) {
      // The normal of a group is that of its deepest point.
      if (separation < groups_[nearest].deepest.separation) groups_[nearest].normal = normal, closestKnown_ = false;
      return take(groups_[nearest], point);
    }
    if (count_ < kMaxMeshManifolds) return begin(groups_[count_++], normal, point);
    if (keepsSpread_) return spread(normal, point, most);
    crowded_ = crowded_ || (separation < 0 && groups_[shallowest].deepest.separation < 0);
    if (!(separation < groups_[shallowest].deepest.separation)) return join(groups_[nearest], normal, point);
    const Group given = groups_[shallowest];
    begin(groups_[shallowest], normal, point);
    nearest = -1;
    for (int g = 0; g < count_; ++g) {
      const double along = dot(groups_[g].normal, given.normal);
      if (nearest < 0 || along > most) most = along, nearest = g;
    }
    for (int k = 0; k < kDirections; ++k) {
      join(groups_[nearest], given.normal, given.carrying.points[k]);
      join(groups_[nearest], given.normal, given.all.points[k]);
    }
    join(groups_[nearest], given.normal, given.deepest);
  }

  [[gnu::noinline]] CAIRN_HD void write(double margin, MeshContacts& out) {
    double deepest = 1e300;
    for (int g = 0; g < count_; ++g) deepest = minOf(deepest, groups_[g].deepest.separation);
    if (refused_.separation < -slop_ && deepest > 0) add(refusedNormal_, refused_.p, refused_.separation, refused_.feature);
    out.count = 0;
    bool written[kMaxMeshManifolds] = {};
    while (out.count < count_) {
      int next = -1;
      for (int g = 0; g < count_; ++g) {
        if (!written[g] && (next < 0 || groups_[g].deepest.separation < groups_[next].deepest.separation)) next = g;
      }
      written[next] = true;
      writeGroup(groups_[next], margin, out.manifolds[out.count++]);
    }
  }

 private:
  // Of nine normals, `most` the cosine between the new one and the nearest of the others.
  CAIRN_HD void spread(Vec normal, const hull::ClipPoint& point, double most) {
    if (!closestKnown_) findClosest();
    if (most >= closestCosine_) return;
    const bool first = groups_[closest_[0]].deepest.separation > groups_[closest_[1]].deepest.separation;
    begin(groups_[closest_[first ? 0 : 1]], normal, point);
    closestKnown_ = false;
  }
  CAIRN_HD void findClosest() {
    closestCosine_ = -2;
    for (int g = 0; g < count_; ++g) {
      for (int other = 0; other < g; ++other) {
        const double along = dot(groups_[g].normal, groups_[other].normal);
        if (along > closestCosine_) closestCosine_ = along, closest_[0] = g, closest_[1] = other;
      }
    }
    closestKnown_ = true;
  }

  CAIRN_HD void begin(Group& group, Vec normal, const hull::ClipPoint& point) const {
    group.normal = normal;
    const Vec first = absOf(dot(axes_.c0, normal)) < 0.9 ? axes_.c0 : axes_.c2;
    group.u = normalizedOr(first - dot(first, normal) * normal, Vec{1, 0, 0});
    group.v = cross(normal, group.u);
    group.deepest = point;
    group.carrying.begin(point);
    group.all.begin(point);
    take(group, point);
  }

  [[gnu::noinline]] CAIRN_HD void take(Group& group, const hull::ClipPoint& point) const {
    double to[kDirections];
    reachOf(group, point, to);
    const double clearly = 1e-6 * size_;
    group.all.take(point, to, clearly);
    if (point.separation < group.deepest.separation) {
      group.deepest = point;
      const Outermost before = group.carrying;
      group.carrying.begin(point);
      for (int k = 0; k < kDirections; ++k) {
        if (before.points[k].separation > maxOf(point.separation + slop_, share_ * point.separation)) continue;
        double others[kDirections];
        reachOf(group, before.points[k], others);
        group.carrying.take(before.points[k], others, clearly);
      }
    }
    if (point.separation <= maxOf(group.deepest.separation + slop_, share_ * group.deepest.separation)) group.carrying.take(point, to, clearly);
  }

  // Turned a little, so that two corners of a rectangle along the axes do not tie.
  CAIRN_HD void reachOf(const Group& group, const hull::ClipPoint& point, double (&to)[kDirections]) const {
    const Vec d = point.p - centre_;
    const double along = dot(group.u, d), beside = dot(group.v, d), a = along + 0.3 * beside, b = beside - 0.3 * along;
    to[0] = a, to[1] = a + b, to[2] = b, to[3] = b - a;
    for (int k = 0; k < 4; ++k) to[k + 4] = -to[k];
  }

  CAIRN_HD void join(Group& group, Vec normal, hull::ClipPoint point) const {
    const double along = dot(group.normal, normal);
    if (!(along > kNearNormal)) return;
    point.separation *= along;
    take(group, point);
  }

  CAIRN_HD void writeGroup(const Group& group, double margin, LocalManifold<double>& out) const {
    hull::SpreadFour four{};
    four.margin = margin;
    four.n = group.normal;
    four.along = group.u + 0.3 * group.v;
    for (four.pass = 0; four.pass < 4 && four.count == four.pass; ++four.pass) {
      four.best = four.pass == 0 ? 0 : 1e-6 * size_ * size_;
      four(group.deepest);
      for (int k = 0; k < kDirections; ++k) four(group.carrying.points[k]);
      if (four.count > four.pass) continue;
      for (int k = 0; k < kDirections; ++k) four(group.all.points[k]);
    }
    hull::takeDeepest(four, kClearlyDeeper * slop_);
    out.pointCount = 0;
    out.normal = -group.normal;
    for (int k = 0; k < four.count; ++k) addPoint(out, four.chosen[k].p, four.chosen[k].separation, four.chosen[k].feature);
  }

  int count_;
  Mat3<double> axes_;
  Vec centre_;
  double size_, slop_, alike_, lowest_ = -1e300, share_ = 1;
  hull::ClipPoint refused_;
  Vec refusedNormal_;
  bool crowded_ = false, keepsSpread_ = false;
  // The two groups whose normals are nearest to each other.
  bool closestKnown_ = false;
  int closest_[2] = {0, 0};
  double closestCosine_ = 0;
  Group groups_[kMaxMeshManifolds];
};

}  // namespace mesh

}  // namespace cairn::v0
