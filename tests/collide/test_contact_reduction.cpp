// What stays of the contacts of two bodies of many shapes.
#include "src/collide/contact_reduction.hpp"
#include "tests/runtime/on_each_target.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace cairn {
namespace {

using test::OnEachTarget;

// Bodies 0 and 1 of twelve shapes each, body 2 of one; their contacts are given. Shape slots: 0 to 11, 12 to 23, 24.
class ContactReductionTest : public OnEachTarget {
 protected:
  static constexpr int kShapes = 12, kSlots = 25;

  void SetUp() override {
    OnEachTarget::SetUp();
    if (IsSkipped()) return;
    for (int slot = 0; slot < kSlots; ++slot) {
      ShapeRecord<float> shape{};
      shape.localPose = identityPose<float>();
      shape.body = slot / kShapes;
      shape.indexInBody = slot % kShapes;
      shape.boundingRadius = 1;
      shapes_.push_back(shape);
    }
    for (int body = 0; body < 3; ++body) {
      BodyPose<float> pose{};
      pose.q = identityQuat<float>();
      poses_.push_back(pose);
    }
  }

  // A contact at places along x and z, with one point for each.
  void add(int shapeA, int shapeB, Vec3<float> normal, const std::vector<Vec3<float>>& places, float separation) {
    Manifold<float> m{};
    m.shapeA = shapeA;
    m.shapeB = shapeB;
    m.bodyA = shapes_[size_t(shapeA)].body;
    m.bodyB = shapes_[size_t(shapeB)].body;
    m.normal = normal;
    m.friction = 0.5F;
    for (const Vec3<float>& place : places) {
      m.points[m.pointCount] = {place, separation, place, uint32_t(100 * shapeA + m.pointCount)};
      m.pointCount = m.pointCount + 1;
    }
    manifolds_.push_back(m);
  }

  // Twelve by twelve shapes on a square of 1.1 m, each pair's contact a square of 1 cm.
  void addField(float separation) {
    for (int a = 0; a < kShapes; ++a) {
      for (int b = 0; b < kShapes; ++b) {
        const float x = 0.1F * float(a) - 0.55F, z = 0.1F * float(b) - 0.55F, r = 0.005F;
        add(a, kShapes + b, {0, 1, 0}, {{x - r, 0, z - r}, {x + r, 0, z - r}, {x + r, 0, z + r}, {x - r, 0, z + r}}, separation);
      }
    }
  }

  std::vector<Manifold<float>> reduced(const std::vector<TrackedManifold<float>>& before = {}, const std::vector<int>& offsetsBefore = {}) {
    std::vector<int> offsets;
    for (int slot = 0, next = 0; slot <= kSlots; ++slot) {
      while (next < int(manifolds_.size()) && manifolds_[size_t(next)].shapeA < slot) ++next;
      offsets.push_back(next);
    }
    Buffer<ShapeRecord<float>> shapes;
    Buffer<BodyPose<float>> poses;
    Buffer<Manifold<float>> manifolds;
    Buffer<int> offsetsOnTarget, trackedOffsets;
    Buffer<TrackedManifold<float>> tracked;
    shapes.upload(queue, shapes_);
    poses.upload(queue, poses_);
    manifolds.upload(queue, manifolds_);
    offsetsOnTarget.upload(queue, offsets);
    tracked.upload(queue, before);
    trackedOffsets.upload(queue, offsetsBefore);
    PlacedShapes<float> placed{shapes.data(), kSlots, poses.data(), nullptr};
    placed.bodySlots = 3;
    placed.reducible = true;
    placed.tracked = {tracked.data(), trackedOffsets.data(), before.empty() ? 0 : kSlots};
    placed.stepsDone = 1;
    StepCounts counts;
    counts.beginRead();
    const ManifoldView<float> all{manifolds.data(), offsetsOnTarget.data(), int(manifolds_.size())};
    const ManifoldView<float> view = reduction_.update(queue, scratch_, all, placed, counts);
    EXPECT_EQ(counts.known(StepCount::Manifolds), view.count);
    std::vector<Manifold<float>> kept(static_cast<size_t>(view.count));
    downloadBytes(queue, kept.data(), view.manifolds, kept.size() * sizeof(Manifold<float>));
    std::vector<int> keptOffsets(kSlots + 1);
    downloadBytes(queue, keptOffsets.data(), view.offsets, keptOffsets.size() * sizeof(int));
    for (int i = 0; i < view.count; ++i) {
      const int a = kept[size_t(i)].shapeA;
      EXPECT_TRUE(keptOffsets[size_t(a)] <= i && i < keptOffsets[size_t(a) + 1]) << "manifold " << i;
    }
    return kept;
  }

  static int pointsOf(const std::vector<Manifold<float>>& manifolds) {
    int points = 0;
    for (const Manifold<float>& m : manifolds) points += m.pointCount;
    return points;
  }
  static bool holds(const std::vector<Manifold<float>>& manifolds, int shapeA, int shapeB) {
    for (const Manifold<float>& m : manifolds) {
      if (m.shapeA == shapeA && m.shapeB == shapeB) return true;
    }
    return false;
  }

  std::vector<ShapeRecord<float>> shapes_;
  std::vector<BodyPose<float>> poses_;
  std::vector<Manifold<float>> manifolds_;
  ContactReduction<float> reduction_;
  PrimitiveScratch scratch_;
};

TEST_P(ContactReductionTest, AFieldOfContactsBecomesItsRim) {
  addField(-0.001F);
  const std::vector<Manifold<float>> kept = reduced();
  EXPECT_LE(pointsOf(kept), 17);
  EXPECT_GE(pointsOf(kept), 4);
  for (const int a : {0, 11}) {
    for (const int b : {12, 23}) EXPECT_TRUE(holds(kept, a, b)) << "corner " << a << ", " << b;
  }
  // Each as it was found, but for the points that went.
  for (const Manifold<float>& m : kept) {
    EXPECT_EQ(m.friction, 0.5F);
    for (int p = 0; p < m.pointCount; ++p) {
      const Manifold<float>& whole = manifolds_[size_t(12 * m.shapeA + m.shapeB - 12)];
      bool found = false;
      for (int q = 0; q < 4; ++q) found = found || std::memcmp(&whole.points[q], &m.points[p], sizeof m.points[p]) == 0;
      EXPECT_TRUE(found);
    }
    for (int p = m.pointCount; p < kMaxManifoldPoints; ++p) EXPECT_EQ(m.points[p].feature, 0u);
  }
}

TEST_P(ContactReductionTest, TheDeepestAndOtherDirectionsAndMaterialsStay) {
  addField(-0.001F);
  manifolds_[size_t(12 * 6 + 5)].points[2].separation = -0.0011F;
  manifolds_[size_t(12 * 4 + 5)].normal = {0.6F, 0.8F, 0};
  manifolds_[size_t(12 * 5 + 5)].friction = 0.25F;
  const std::vector<Manifold<float>> kept = reduced();
  EXPECT_TRUE(holds(kept, 6, 17));
  EXPECT_TRUE(holds(kept, 4, 17));
  EXPECT_TRUE(holds(kept, 5, 17));
  EXPECT_LE(pointsOf(kept), 17 + 1 + 4 + 4);
}

TEST_P(ContactReductionTest, WhatStayedAndOverlapsOrCarriedStays) {
  addField(0.001F);
  manifolds_[size_t(12 * 5 + 5)].points[1].separation = 0;
  std::vector<TrackedManifold<float>> before;
  std::vector<int> offsets{0, 0, 0, 0, 0};
  const auto remember = [&](int shapeA, int shapeB, int point, float impulse) {
    TrackedManifold<float> old{};
    old.partner = shapeB;
    old.pointCount = 1;
    old.features[0] = uint32_t(100 * shapeA + point);
    old.impulses.points[0].x = impulse;
    before.push_back(old);
  };
  remember(4, 16, 3, 1);
  offsets.push_back(1);
  remember(5, 17, 1, 0);
  remember(5, 18, 1, 0);
  offsets.resize(kSlots + 1, 3);
  const std::vector<Manifold<float>> kept = reduced(before, offsets);
  EXPECT_TRUE(holds(kept, 4, 16));
  EXPECT_TRUE(holds(kept, 5, 17));
  EXPECT_FALSE(holds(kept, 5, 18)) << "it gaps, and carried nothing";
}

TEST_P(ContactReductionTest, FewContactsAndThoseOfFewShapesAreLeftAlone) {
  for (int a = 0; a < kShapes; ++a) add(a, kShapes + a, {0, 1, 0}, {{0.1F * float(a), 0, 0}}, -0.001F);
  EXPECT_EQ(reduced().size(), manifolds_.size());
  manifolds_.clear();
  shapes_.resize(kSlots);
  for (int slot = 0; slot < kSlots; ++slot) shapes_[size_t(slot)].indexInBody = 0;
  addField(-0.001F);
  EXPECT_EQ(reduced().size(), manifolds_.size());
}

TEST_P(ContactReductionTest, OtherPairsKeepTheirPlacesBetweenThem) {
  addField(-0.001F);
  for (int a = 0; a < kShapes; ++a) {
    add(a, 24, {0, 0, 1}, {{0.1F * float(a), 0, 1}}, -0.001F);
  }
  std::stable_sort(manifolds_.begin(), manifolds_.end(), [](const auto& one, const auto& other) { return one.shapeA < other.shapeA; });
  const std::vector<Manifold<float>> kept = reduced();
  for (int a = 0; a < kShapes; ++a) EXPECT_TRUE(holds(kept, a, 24));
  for (size_t i = 1; i < kept.size(); ++i) {
    EXPECT_TRUE(kept[i - 1].shapeA < kept[i].shapeA || (kept[i - 1].shapeA == kept[i].shapeA && kept[i - 1].shapeB < kept[i].shapeB));
  }
}

CAIRN_INSTANTIATE_TARGETS(ContactReductionTest);

}  // namespace
}  // namespace cairn
