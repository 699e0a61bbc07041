#include "src/collide/contact_tracking.hpp"
#include "tests/runtime/on_each_target.hpp"

#include <cmath>

namespace cairn {
namespace {

using test::OnEachTarget;

class ContactTrackingTest : public OnEachTarget {
 protected:
  static Manifold<double> manifold(int shapeA, int shapeB, Vec3<double> normal, std::vector<uint32_t> features) {
    Manifold<double> m{};
    m.shapeA = m.bodyA = shapeA;
    m.shapeB = m.bodyB = shapeB;
    m.normal = normal;
    m.pointCount = static_cast<int>(features.size());
    for (size_t p = 0; p < features.size(); ++p) {
      m.points[p].feature = features[p];
      m.points[p].rA = {0.5 + static_cast<double>(p), 1, 0};
    }
    return m;
  }
  // One shape A per manifold, shapes in order.
  ManifoldView<double> load(const std::vector<Manifold<double>>& manifolds) {
    std::vector<int> offsets;
    for (int s = 0; s <= kShapes; ++s) {
      int before = 0;
      for (const auto& m : manifolds) before += m.shapeA < s ? 1 : 0;
      offsets.push_back(before);
    }
    manifolds_.upload(queue, manifolds);
    offsets_.upload(queue, offsets);
    return {manifolds_.data(), offsets_.data(), static_cast<int>(manifolds.size())};
  }
  void SetUp() override {
    OnEachTarget::SetUp();
    if (!IsSkipped()) bodies({});
  }
  std::vector<ManifoldImpulse<double>> match(const ManifoldView<double>& view, int step) {
    const ManifoldImpulse<double>* warm = tracking_.match(queue, view, shapes_.data(), step);
    std::vector<ManifoldImpulse<double>> out(static_cast<size_t>(view.count));
    downloadBytes(queue, out.data(), warm, out.size() * sizeof(out[0]));
    return out;
  }
  void remember(const ManifoldView<double>& view, const std::vector<ManifoldImpulse<double>>& impulses) {
    impulses_.upload(queue, impulses);
    tracking_.remember(queue, view, constants_.data(), kShapes, impulses_.data());
  }
  // The others are there from the start.
  void shapesBornAt(std::vector<int> births) {
    std::vector<ShapeRecord<double>> shapes(kShapes, ShapeRecord<double>{});
    for (size_t s = 0; s < births.size(); ++s) shapes[s].birthStep = births[s];
    shapes_.upload(queue, shapes);
  }

  // Shapes' bodies; all but the listed ones are dynamic.
  void bodies(const std::vector<int>& fixed) {
    std::vector<BodyConstants<double>> constants(kShapes, BodyConstants<double>{});
    for (BodyConstants<double>& body : constants) body.flags = kBodyAlive | kBodyDynamic;
    for (const int body : fixed) constants[static_cast<size_t>(body)].flags = kBodyAlive;
    constants_.upload(queue, constants);
  }

  static constexpr int kShapes = 100;
  ContactTracking<double> tracking_;
  Buffer<ShapeRecord<double>> shapes_;
  Buffer<BodyConstants<double>> constants_;
  Buffer<Manifold<double>> manifolds_;
  Buffer<int> offsets_;
  Buffer<ManifoldImpulse<double>> impulses_;
};

TEST_P(ContactTrackingTest, PointsAreRecognisedByPairAndFeature) {
  shapesBornAt({0, 0, 0});
  const auto first = load({manifold(0, 1, {0, 1, 0}, {7, 8, 9}), manifold(0, 2, {0, 1, 0}, {7})});
  EXPECT_EQ(match(first, 0)[0].points[0].x, 0);  // nothing is remembered at the start
  remember(first, {{{{1, 0.1, 0}, {2, 0, 0.2}, {3, 0, 0}, {0, 0, 0}}}, {{{5, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}}});
  const auto ordered = load({manifold(0, 1, {0, 1, 0}, {9, 7}), manifold(0, 2, {0, 1, 0}, {7}), manifold(1, 2, {0, 1, 0}, {7})});
  const auto warm = match(ordered, 1);
  EXPECT_EQ(warm[0].points[0].x, 3);
  EXPECT_EQ(warm[0].points[1].x, 1);
  EXPECT_NEAR(warm[0].points[1].y, 0.1, 1e-15);
  EXPECT_EQ(warm[1].points[0].x, 5);
  EXPECT_EQ(warm[2].points[0].x, 0);  // a pair that did not touch before
}

TEST_P(ContactTrackingTest, FrictionIsCarriedAsAVectorToATurnedNormal) {
  shapesBornAt({0, 0, 0});
  const Vec3<double> up{0, 0, 1}, down{0, 0, -1};  // tangent frames that differ
  const auto first = load({manifold(0, 1, up, {1})});
  remember(first, {{{{4, 3, 2}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}}});
  Vec3<double> old1, old2, new1, new2;
  tangentFrame(up, old1, old2);
  tangentFrame(down, new1, new2);
  const Vec3<double> friction = 3.0 * old1 + 2.0 * old2;
  const auto warm = match(load({manifold(0, 1, down, {1})}), 1);
  EXPECT_NEAR(length(warm[0].points[0].y * new1 + warm[0].points[0].z * new2 - friction), 0, 1e-15);
}

TEST_P(ContactTrackingTest, ANewFeatureAtTheSamePlaceTakesOver) {
  shapesBornAt({0, 0, 0});
  remember(load({manifold(0, 1, {0, 1, 0}, {7, 8})}), {{{{1, 0, 0}, {2, 0, 0}, {0, 0, 0}, {0, 0, 0}}}});
  auto moved = manifold(0, 1, {0, 1, 0}, {70, 80});
  moved.points[0].rA.x += 0.01;
  moved.points[1].rA.x += 3;  // somewhere else
  const auto warm = match(load({moved}), 1);
  EXPECT_EQ(warm[0].points[0].x, 1);
  EXPECT_EQ(warm[0].points[1].x, 0);
}

TEST_P(ContactTrackingTest, AShapeThatIsNewInItsSlotHasNoHistory) {
  shapesBornAt({0, 0, 0});
  const auto view = load({manifold(0, 1, {0, 1, 0}, {7})});
  remember(view, {{{{1, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}}});
  EXPECT_EQ(match(view, 1)[0].points[0].x, 1);
  shapesBornAt({0, 1, 0});
  EXPECT_EQ(match(view, 1)[0].points[0].x, 0);
}

// Partners of a long row: moving ones first, then fixed ones, each by slot. In the next step some are gone, some are new, and one is another shape.
TEST_P(ContactTrackingTest, EachPartnerOfMany) {
  const auto isFixed = [](int shape) { return shape % 3 == 1; };
  std::vector<int> fixed;
  for (int shape = 0; shape < kShapes; ++shape) {
    if (isFixed(shape)) fixed.push_back(shape);
  }
  bodies(fixed);
  shapesBornAt({});
  const auto row = [&](const auto& holds) {
    std::vector<Manifold<double>> manifolds;
    for (const bool part : {false, true}) {
      for (int shape = 0; shape < kShapes; ++shape) {
        if (shape != 2 && isFixed(shape) == part && (part || shape > 2) && holds(shape)) manifolds.push_back(manifold(2, shape, {0, 1, 0}, {7}));
      }
    }
    return manifolds;
  };
  const auto before = row([](int shape) { return shape % 5 != 0; });
  std::vector<ManifoldImpulse<double>> impulses(before.size(), ManifoldImpulse<double>{});
  for (size_t i = 0; i < before.size(); ++i) impulses[i].points[0].x = 1 + before[i].shapeB;
  match(load(before), 0);
  remember(load(before), impulses);
  std::vector<int> births(kShapes, 0);
  births[31] = 1;
  shapesBornAt(births);
  const auto now = row([](int shape) { return shape % 7 != 0; });
  const auto warm = match(load(now), 1);
  for (size_t i = 0; i < now.size(); ++i) {
    const int shape = now[i].shapeB;
    EXPECT_EQ(warm[i].points[0].x, shape % 5 == 0 || shape == 31 ? 0 : 1 + shape) << "shape " << shape;
  }
}

CAIRN_INSTANTIATE_TARGETS(ContactTrackingTest);

}  // namespace
}  // namespace cairn
