// Records in device arrays have no byte that a kernel which stores their fields leaves unwritten.
#include "kernels/collide/broad_phase_tree.hpp"
#include "kernels/collide/contact_tracking.hpp"
#include "kernels/collide/ray_cast.hpp"
#include "kernels/graph/contact_graph.hpp"
#include "kernels/joints/joint_errors.hpp"
#include "kernels/joints/joint_system.hpp"
#include "kernels/runtime/primitives.hpp"
#include "kernels/solve/conjugate_sweep.hpp"
#include "kernels/state/integration.hpp"

#include <gtest/gtest.h>

#include <cstring>

#if defined(__has_builtin)
#if __has_builtin(__builtin_clear_padding)
#define CAIRN_CLEARS_PADDING 1
#endif
#endif

namespace cairn {
namespace {

#ifdef CAIRN_CLEARS_PADDING

template <class Record> size_t paddingOf() {
  Record record;
  std::memset(static_cast<void*>(&record), 0xff, sizeof record);
  __builtin_clear_padding(&record);
  unsigned char bytes[sizeof record];
  std::memcpy(bytes, &record, sizeof record);
  size_t cleared = 0;
  for (const unsigned char byte : bytes) cleared += byte == 0;
  return cleared;
}

struct Padded {
  double number;
  int integer;
};

TEST(Records, ThePaddingOfOneThatHasItIsFound) { EXPECT_EQ(paddingOf<Padded>(), sizeof(double) - sizeof(int)); }

template <class T> class RecordsOf : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(RecordsOf, Scalars);

TYPED_TEST(RecordsOf, HaveNoPadding) {
  using T = TypeParam;
  EXPECT_EQ(paddingOf<JointGauge>(), 0u);
  EXPECT_EQ(paddingOf<ManifoldBias<T>>(), 0u);
  EXPECT_EQ(paddingOf<ManifoldNumbers<T>>(), 0u);
  EXPECT_EQ(paddingOf<BodyPose<T>>(), 0u);
  EXPECT_EQ(paddingOf<BodyVelocity<T>>(), 0u);
  EXPECT_EQ(paddingOf<BodyInertia<T>>(), 0u);
  EXPECT_EQ(paddingOf<BodyMotion<T>>(), 0u);
  EXPECT_EQ(paddingOf<BodyConstants<T>>(), 0u);
  EXPECT_EQ(paddingOf<BodyForce<T>>(), 0u);
  EXPECT_EQ(paddingOf<ShapeRecord<T>>(), 0u);
  EXPECT_EQ(paddingOf<ShapeBounds<T>>(), 0u);
  EXPECT_EQ(paddingOf<TreeNode<T>>(), 0u);
  EXPECT_EQ(paddingOf<RayRecord<T>>(), 0u);
  EXPECT_EQ(paddingOf<RayHitRecord<T>>(), 0u);
  EXPECT_EQ(paddingOf<Manifold<T>>(), 0u);
  EXPECT_EQ(paddingOf<ManifoldImpulse<T>>(), 0u);
  EXPECT_EQ(paddingOf<TrackedManifold<T>>(), 0u);
  EXPECT_EQ(paddingOf<ContactAnchors<T>>(), 0u);
  EXPECT_EQ(paddingOf<JointRecord<T>>(), 0u);
  EXPECT_EQ(paddingOf<JointTarget<T>>(), 0u);
  EXPECT_EQ(paddingOf<JointReaction<T>>(), 0u);
  EXPECT_EQ(paddingOf<JointImpulse<T>>(), 0u);
  EXPECT_EQ(paddingOf<AxisRow<T>>(), 0u);
  EXPECT_EQ(paddingOf<ConjugateState<T>>(), 0u);
  EXPECT_EQ(paddingOf<MaxAt<T>>(), 0u);
}

TEST(Records, OfIntegersHaveNoPadding) {
  EXPECT_EQ(paddingOf<ShapeTag>(), 0u);
  EXPECT_EQ(paddingOf<TreeHeader>(), 0u);
  EXPECT_EQ(paddingOf<ConstraintBodies>(), 0u);
  EXPECT_EQ(paddingOf<GraphScalars>(), 0u);
  EXPECT_EQ(paddingOf<SystemNode>(), 0u);
  EXPECT_EQ(paddingOf<SystemBlock>(), 0u);
  EXPECT_EQ(paddingOf<SystemContribution>(), 0u);
  EXPECT_EQ(paddingOf<SystemUpdate>(), 0u);
  EXPECT_EQ(paddingOf<SystemRow>(), 0u);
}

#endif

}  // namespace
}  // namespace cairn
