// Solid meshes over the inside of a face of a box or a hull: the contacts of a half-space there, and those alone.
#include "tests/support/hulls.hpp"
#include "tests/support/solid_meshes.hpp"

#include "kernels/collide/mesh_shapes.hpp"

#include <gtest/gtest.h>

namespace cairn {
namespace {

using test::Shape;
using test::ShapeSource;

class WideFaces : public testing::Test {
 protected:
  WideFaces() : jack_(solids_.add("jack:reach=0.4,core=0.1,cells=12", 0.02)), ball_(solid::ballAround(treeOf(jack_).nodes[0])) {}

  SampleTree treeOf(const Shape& shape) const { return solid::solidOf(shape.type, solids_.geometry().meshes).own.all; }
  // The plane of a box's or a hull's face that stands for it.
  bool isOver(const Shape& convex, const Shape& mesh) const {
    const GeometryView geometry = solids_.geometry();
    solid::FlatSide side;
    return solid::WideFace{mesh::inFrameOf(mesh.pose, convex), ball_}.find(&geometry.hulls, side);
  }

  test::Solids solids_;
  const Shape jack_;
  const solid::Ball ball_;
};

TEST_F(WideFaces, CarryAsAHalfSpaceDoes) {
  ShapeSource source(91);
  const Vec3<double> half{3, 2.5, 4};
  const Shape hull = solids_.addHull(test::cornersOfBox({half.x, half.y, half.z}));
  int touching = 0;
  for (int n = 0; n < 120; ++n) {
    const Pose<double> floor{{source.uniform(-1, 1), source.uniform(-1, 1), source.uniform(-1, 1)}, source.orientation()};
    const int axis = n % 3;
    const double sign = n % 2 == 0 ? 1 : -1, up = component(half, axis);
    // Over the face's inside, from a little in it to a little above it.
    const Vec3<double> on = fromFace(Vec3<double>{source.uniform(-0.4, 0.4), source.uniform(-0.4, 0.4), up + source.uniform(0.2, 0.5)}, axis, sign);
    Shape mesh = jack_;
    mesh.pose = {transform(floor, on), source.orientation()};
    const Vec3<double> normal = rotate(floor.q, fromFace(Vec3<double>{0, 0, 1}, axis, sign));
    const double root = std::sqrt(0.5);
    const Quat<double> fromUp[3] = {
        {0, 0, -sign * root, root}, sign > 0 ? identityQuat<double>() : Quat<double>{1, 0, 0, 0}, {sign * root, 0, 0, root}};
    const Shape plane{kHalfSpace, {0, 0, 0}, {floor.p + up * normal, normalized(floor.q * fromUp[axis])}};
    const MeshContacts wanted = solids_.contacts(plane, mesh, 0.05);
    for (const Shape& convex : {Shape{kBox, half, floor}, Shape{hull.type, hull.size, floor}}) {
      ASSERT_TRUE(isOver(convex, mesh)) << n;
      for (const bool swapped : {false, true}) {
        const MeshContacts found = swapped ? solids_.contacts(mesh, convex, 0.05) : solids_.contacts(convex, mesh, 0.05);
        ASSERT_EQ(found.count, wanted.count) << n;
        for (int m = 0; m < found.count; ++m) {
          ASSERT_EQ(found.manifolds[m].pointCount, wanted.manifolds[m].pointCount) << n;
          EXPECT_NEAR(dot(found.manifolds[m].normal, wanted.manifolds[m].normal), swapped ? -1 : 1, 1e-9);
          EXPECT_NEAR(test::deepest(found.manifolds[m]), test::deepest(wanted.manifolds[m]), 1e-9) << n;
        }
      }
      touching += wanted.count > 0;
      // And as far away as the half-space is.
      const GeometryView geometry = solids_.geometry();
      const ConvexGap gap = gapToMesh(convexShape(convex, &geometry.hulls), mesh, geometry.meshes, 2);
      double lowest = 1e300;
      const MeshShape& shape = geometry.meshes.of(mesh.type);
      for (int t = 0; t < shape.triangleCount; ++t) {
        for (int k = 0; k < 3; ++k) lowest = std::min(lowest, dot(normal, transform(mesh.pose, shape.corner(t, k)) - plane.pose.p));
      }
      EXPECT_TRUE(gap.known);
      EXPECT_NEAR(gap.gap, lowest, 1e-9) << n;
      EXPECT_NEAR(dot(gap.normal, normal), 1, 1e-9) << n;
    }
  }
  EXPECT_GT(touching, 60);
}

TEST_F(WideFaces, AreNoneNearEdgesAndBelowTheMiddle) {
  const Shape box{kBox, {3, 1, 3}, identityPose<double>()};
  const auto over = [&](Vec3<double> place) {
    Shape mesh = jack_;
    mesh.pose.p = place - ball_.middle;
    return isOver(box, mesh);
  };
  const double r = ball_.radius;
  EXPECT_TRUE(over({0, 1, 0}));
  EXPECT_TRUE(over({0, -1, 0}));
  EXPECT_TRUE(over({0, r + 1e-6, 0})) << "the middle is not reached";
  EXPECT_FALSE(over({0, r - 1e-6, 0})) << "the other side is as near for some of it";
  EXPECT_TRUE(over({3 - r - 1e-6, 1 + r, 0}));
  EXPECT_FALSE(over({3 - r + 1e-6, 1 + r, 0})) << "over the edge";
  EXPECT_FALSE(over({3.2, 1.2, 0}));
  EXPECT_FALSE(over({3 - 1.5 * r, 1 - 0.4 * r, 0})) << "inside, where the side is nearer for some of it";
  EXPECT_FALSE(isOver({kBox, {0.3, 0.3, 0.3}, {{0, -0.7, 0}, identityQuat<double>()}}, jack_)) << "not wide";
  EXPECT_FALSE(isOver({kSphere, {3, 0, 0}, {{0, -3, 0}, identityQuat<double>()}}, jack_)) << "no face";
}

}  // namespace
}  // namespace cairn
