// Contacts with random triangle meshes in random poses, against FCL's distances to bounding volume hierarchies of triangles.
#include "tests/collide/fcl_shapes.hpp"
#include "tests/support/collision_meshes.hpp"
#include "tests/support/revolved.hpp"

#include <gtest/gtest.h>

namespace cairn::test {
namespace {

using Model = fcl::BVHModel<fcl::OBBRSSd>;

std::shared_ptr<Model> fclMesh(const TriangleMesh& mesh) {
  std::vector<fcl::Vector3d> vertices;
  for (const Vec3d& v : mesh.vertices) vertices.push_back({v.x, v.y, v.z});
  std::vector<fcl::Triangle> triangles;
  for (const auto& t : mesh.triangles) triangles.emplace_back(size_t(t[0]), size_t(t[1]), size_t(t[2]));
  auto model = std::make_shared<Model>();
  model->beginModel();
  model->addSubModel(vertices, triangles);
  model->endModel();
  return model;
}

// FCL's, each triangle by itself: its own walk stops short of the nearest now and then, and its shapes with axes lie along z.
class Truth {
 public:
  explicit Truth(const TriangleMesh& mesh) : model_(fclMesh(mesh), fcl::Transform3d::Identity()) {}

  bool overlaps(const Shape& shape) const {
    const fcl::CollisionObjectd object = fclObject(shape);
    fcl::CollisionRequestd request;
    fcl::CollisionResultd result;
    return fcl::collide(&object, &model_, request, result) > 0;
  }
  double distance(const Shape& shape) const {
    const fcl::CollisionObjectd object = fclObject(shape);
    fcl::DistanceRequestd request(true);
    request.gjk_solver_type = fcl::GST_LIBCCD;
    request.distance_tolerance = 1e-9;
    fcl::DistanceResultd result;
    return fcl::distance(&object, &model_, request, result);
  }

 private:
  fcl::CollisionObjectd model_;
};

TriangleMesh hills(unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> height(-0.15, 0.15);
  return patch(6, 1, seed, [&](double, double) { return height(random); });
}
TriangleMesh soup(unsigned seed) {
  ShapeSource source(seed);
  TriangleMesh mesh;
  for (int32_t t = 0; t < 6; ++t) {
    for (int k = 0; k < 3; ++k) mesh.vertices.push_back(source.uniform(0.2, 1) * source.direction());
    mesh.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
  }
  return mesh;
}

constexpr int kTypes[] = {kSphere, kCapsule, kBox, kEllipsoid, kCylinder, kCone};
constexpr double kReach = 0.06;

// Down a line until it is as near as wanted; false: it misses.
bool approach(const Truth& truth, double wanted, Vec along, Shape& shape) {
  for (int look = 0; look < 80; ++look) {
    const double gap = truth.distance(shape);
    if (gap <= std::max(wanted, 0.0) + 1e-4) {
      shape.pose.p += -std::min(wanted, 0.0) * along;
      return true;
    }
    shape.pose.p += 0.9 * (gap - std::max(wanted, 0.0)) * along;
    if (length(shape.pose.p) > 4) return false;
  }
  return false;
}

// Two-sided, so that every triangle counts wherever the middle of the shape is.
TEST(CollideMeshRandom, GapsAreFclsDistances) {
  long apart = 0, overlapping = 0;
  for (unsigned seed = 0; seed < 24; ++seed) {
    const TriangleMesh given = seed % 2 == 0 ? hills(seed) : soup(seed);
    const OneMesh mesh(given, true);
    const Truth truth(given);
    ShapeSource source(seed + 100);
    for (const int type : kTypes) {
      for (int i = 0; i < 8; ++i) {
        Shape shape = withInnerBall(source.shape(type));
        const double wanted = source.uniform(-0.02, 0.05);
        shape.pose.p = seed % 2 == 0 ? Vec{source.uniform(-0.8, 0.8), 2.5, source.uniform(-0.8, 0.8)} : 2.5 * source.direction();
        const Vec along = seed % 2 == 0 ? Vec{0, -1, 0} : normalizedOr(0.5 * source.direction() - shape.pose.p, Vec{0, 1, 0});
        if (!approach(truth, wanted, along, shape)) continue;
        const double gap = truth.overlaps(shape) ? -1 : truth.distance(shape);
        const MeshContacts found = mesh.contacts(shape, kReach);
        const double ours = smallestGap(found);
        for (int m = 0; m < found.count; ++m) {
          EXPECT_NEAR(length(found.manifolds[m].normal), 1, 1e-9);
          EXPECT_GE(found.manifolds[m].pointCount, 1);
          EXPECT_LE(deepest(found.manifolds[m]), kReach);
          EXPECT_GE(deepest(found.manifolds[m]), ours) << "the deepest comes first";
        }
        if (gap > 1e-5) {
          ++apart;
          // Never said to be further than it is by more than the slops by which faces are preferred, nor nearer by more than that of a clip.
          EXPECT_LE(ours, gap + 2.5e-3) << seed << " " << type << " " << i;
          EXPECT_GE(ours, gap - 1e-3) << seed << " " << type << " " << i;
        } else if (gap < 0) {
          ++overlapping;
          EXPECT_LE(ours, 1e-3) << seed << " " << type << " " << i;
        }
      }
    }
  }
  EXPECT_GT(apart, 500);
  EXPECT_GT(overlapping, 100);
}

// Moved out along the normals of its contacts a shape comes free, on the side that it came from and not by a longer way than it went in.
TEST(CollideMeshRandom, NormalsLeadOut) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const TriangleMesh given = hills(seed);
    const OneMesh mesh(given);
    const Truth truth(given);
    ShapeSource source(seed + 200);
    for (const int type : kTypes) {
      for (int i = 0; i < 8; ++i) {
        Shape shape = withInnerBall(source.shape(type));
        shape.pose.p = {source.uniform(-0.5, 0.5), 2.5, source.uniform(-0.5, 0.5)};
        const double depth = source.uniform(0.001, 0.02);
        if (!approach(truth, -depth, Vec{0, -1, 0}, shape)) continue;
        const Vec start = shape.pose.p;
        int pushes = 0;
        for (; pushes < 60; ++pushes) {
          const MeshContacts found = mesh.contacts(shape, 0);
          if (found.count == 0 || smallestGap(found) >= 0) break;
          shape.pose.p += (smallestGap(found) - 1e-4) * found.manifolds[0].normal;
        }
        EXPECT_LT(pushes, 60) << seed << " " << type << " " << i;
        EXPECT_LT(length(shape.pose.p - start), 3 * depth + 5e-3) << seed << " " << type << " " << i;
        EXPECT_GT(shape.pose.p.y, start.y) << seed << " " << type << " " << i;
      }
    }
  }
}

// Slivers, triangles that are there twice, thin ones across the grid, of sizes from a micrometre on: nothing that is no number, and no crash.
TEST(CollideMeshRandom, BadMeshesGiveNumbers) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    ShapeSource source(seed);
    TriangleMesh mesh;
    for (int k = 0; k < 12; ++k) {
      const double grid = source.uniform(0, 1) < 0.5 ? 4 : 1e6;
      const Vec p = std::pow(10.0, source.uniform(-6, 0.5)) * source.direction();
      mesh.vertices.push_back({std::round(p.x * grid) / grid, std::round(p.y * grid) / grid, source.uniform(0, 1) < 0.5 ? 0.0 : p.z});
    }
    for (int t = 0; t < 20; ++t) {
      const auto corner = [&] { return int32_t(source.uniform(0, 11.99)); };
      mesh.triangles.push_back({corner(), corner(), corner()});
    }
    mesh.triangles.push_back(mesh.triangles.front());
    mesh.triangles.push_back({0, 1, 2});
    mesh.vertices[0] = {0, 0, 0};
    mesh.vertices[1] = {1, 0, 0};
    mesh.vertices[2] = {1, 1, 0};
    const OneMesh made(mesh, seed % 2 == 0);
    for (const int type : kTypes) {
      for (int i = 0; i < 20; ++i) {
        Shape shape = withInnerBall(source.shape(type));
        shape.pose.p = source.uniform(0, 1) < 0.2 ? mesh.vertices[size_t(source.uniform(0, 11.99))] : source.uniform(0, 1.5) * source.direction();
        const MeshContacts found = made.contacts(shape, 0.1);
        ASSERT_LE(found.count, kMaxMeshManifolds);
        for (int m = 0; m < found.count; ++m) {
          const LocalManifold<double>& manifold = found.manifolds[m];
          ASSERT_TRUE(manifold.pointCount >= 1 && manifold.pointCount <= 4);
          ASSERT_NEAR(length(manifold.normal), 1, 1e-9) << seed << " " << type << " " << i;
          for (int p = 0; p < manifold.pointCount; ++p) {
            ASSERT_TRUE(std::isfinite(manifold.points[p].separation) && manifold.points[p].separation <= 0.1);
            ASSERT_LT(length(manifold.points[p].position - shape.pose.p), 5);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace cairn::test
