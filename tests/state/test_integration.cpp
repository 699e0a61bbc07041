// Integration: free fall, forces, spins, locked axes, limits of speed and motions since the collision pass, on each target.
#include "kernels/state/integration.hpp"

#include "kernels/state/body_drive.hpp"
#include "tests/runtime/on_each_target.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace cairn {
namespace {

using Vec = Vec3<double>;

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

// A brick, 1 kg, whose moments are all different.
const Sym3<double> kBrick{0.1, 0.2, 0.35, 0, 0, 0};

class IntegrationTest : public test::OnEachTarget {
 protected:
  int add(int flags, double mass = 1, Sym3<double> inertia = kBrick) {
    const bool moves = (flags & kBodyDynamic) != 0;
    const double inverseMass = moves ? 1 / mass : 0;
    const auto along = [&](int lock) { return (flags & lock) != 0 ? 0 : inverseMass; };
    BodyConstants<double> constant{};
    constant.inertia = inertia;
    constant.invInertia = inverse(inertia);
    constant.mass = mass;
    constant.gravityScale = 1;
    constant.flags = kBodyAlive | flags;
    constants.push_back(constant);
    poses.push_back({{0, 0, 0}, 0, identityQuat<double>()});
    velocities.push_back({{0, 0, 0}, along(kLockTranslationX), {0, 0, 0}, along(kLockTranslationY)});
    BodyInertia<double> worldInertia{};
    worldInertia.invMassZ = along(kLockTranslationZ);
    inertias.push_back(worldInertia);
    motions.push_back({});
    forces.push_back({{0, 0, 0}, {0, 0, 0}});
    return static_cast<int>(poses.size()) - 1;
  }

  void clearBodies() {
    constants.clear();
    poses.clear();
    velocities.clear();
    inertias.clear();
    motions.clear();
    forces.clear();
  }

  void step(double h, int steps, Vec gravity = {0, 0, 0}, SpeedLimits<double> limits = {kUnlimited, kUnlimited}) {
    const int n = static_cast<int>(poses.size());
    Buffer<BodyConstants<double>> c;
    Buffer<BodyPose<double>> p;
    Buffer<BodyVelocity<double>> v;
    Buffer<BodyInertia<double>> i;
    Buffer<BodyMotion<double>> m;
    Buffer<BodyForce<double>> f;
    c.upload(queue, constants);
    p.upload(queue, poses);
    v.upload(queue, velocities);
    i.upload(queue, inertias);
    m.upload(queue, motions);
    f.upload(queue, forces);
    Buffer<int> turning;
    turning.upload(queue, std::vector<int>(constants.size(), kFrameTurns));
    beginStep(queue, n, p.data(), c.data(), i.data(), m.data());
    for (int k = 0; k < steps; ++k) {
      integrateVelocities(queue, n, VelocityIntegration<double>{p.data(), c.data(), m.data(), i.data(), anyForces ? f.data() : nullptr, v.data()}, h,
                          GravityField<double>(gravity));
      integratePositions(queue, n, PositionIntegration<double>{v.data(), p.data(), m.data()}, h, limits);
      refreshTurningInertias(queue, n, turning.data(), p.data(), c.data(), i.data());
    }
    poses = p.download(queue);
    velocities = v.download(queue);
    inertias = i.download(queue);
    motions = m.download(queue);
  }

  std::vector<BodyConstants<double>> constants;
  std::vector<BodyPose<double>> poses;
  std::vector<BodyVelocity<double>> velocities;
  std::vector<BodyInertia<double>> inertias;
  std::vector<BodyMotion<double>> motions;
  std::vector<BodyForce<double>> forces;
  bool anyForces = true;
};

// One number says what kind of body it is and what it weighs; a weight beyond the precision is none of a kind that gravity leaves alone.
TEST(BodyDrive, TellsKindAndWeight) {
  BodyConstants<float> body{};
  body.mass = 3;
  body.gravityScale = -2;
  EXPECT_FALSE(isMoved(driveOf(body)) || isWeighted(driveOf(body)));
  body.flags = kBodyAlive | kBodyKinematic;
  EXPECT_TRUE(isMoved(driveOf(body)) && !isWeighted(driveOf(body)));
  body.flags = kBodyAlive | kBodyDynamic;
  EXPECT_TRUE(isMoved(driveOf(body)) && isWeighted(driveOf(body)));
  EXPECT_EQ(driveOf(body), -6);
  body.gravityScale = 0;
  EXPECT_TRUE(isMoved(driveOf(body)) && isWeighted(driveOf(body)));
  for (const float mass : {std::numeric_limits<float>::max(), 1e30f}) {
    for (const float scale : {1.0f, -1.0f, 1e10f}) {
      body.mass = mass;
      body.gravityScale = scale;
      EXPECT_TRUE(isMoved(driveOf(body)) && isWeighted(driveOf(body))) << mass << " " << scale;
    }
  }
}

// Semi-implicit Euler: after n steps v = v0 + n h a and x = x0 + n h v0 + h^2 a n (n + 1) / 2, to rounding.
TEST_P(IntegrationTest, FreeFallIsThatOfTheSchemeExactly) {
  const double h = 0.01;
  const int n = 100;
  add(kBodyDynamic);
  add(kBodyDynamic, 4);
  constants[1].gravityScale = -0.5;
  forces[1].force = {8, 0, 0};
  velocities[1].v = {0, 3, 1};
  step(h, n, {0, -10, 0});
  EXPECT_LT(length(velocities[0].v - Vec{0, -10, 0}), 1e-13);
  EXPECT_LT(length(poses[0].x - Vec{0, -0.5 * 10 * h * h * n * (n + 1), 0}), 1e-13);
  const Vec a{2, 5, 0};
  EXPECT_LT(length(velocities[1].v - (Vec{0, 3, 1} + n * h * a)), 1e-13);
  EXPECT_LT(length(poses[1].x - (n * h * Vec{0, 3, 1} + 0.5 * h * h * n * (n + 1) * a)), 1e-13);
  EXPECT_EQ(length(velocities[1].w), 0);
  EXPECT_EQ(poses[1].q.w, 1);
}

TEST_P(IntegrationTest, ATorqueAboutAPrincipalAxisTurnsTheBodyAboutIt) {
  const double h = 0.01;
  add(kBodyDynamic);
  forces[0].torque = {0, 0.4, 0};
  step(h, 50);
  EXPECT_NEAR(velocities[0].w.y, 0.4 / kBrick.yy * 50 * h, 1e-12);
  const double angle = 0.5 * h * h * 50 * 51 * 0.4 / kBrick.yy;
  EXPECT_NEAR(poses[0].q.y, std::sin(angle / 2), 1e-12);
  EXPECT_NEAR(poses[0].q.w, std::cos(angle / 2), 1e-12);
}

// Euler's equations I w' = -w x I w in the body's frame, by Runge and Kutta's method: w in world axes after `time`.
Vec spunFor(Vec w, double time) {
  const auto rate = [](Vec u) {
    const Vec momentum = kBrick * u;
    return inverse(kBrick) * cross(momentum, u);
  };
  Quat<double> q = identityQuat<double>();
  const int steps = 20000;
  const double h = time / steps;
  for (int k = 0; k < steps; ++k) {
    const Vec k1 = rate(w), k2 = rate(w + 0.5 * h * k1), k3 = rate(w + 0.5 * h * k2), k4 = rate(w + h * k3);
    const Vec next = w + (h / 6) * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    q = normalized(q * quatFromRotationVector(0.5 * h * (w + next)));
    w = next;
  }
  return rotate(q, w);
}

// A brick that tumbles, nothing acting on it: the implicit midpoint rule keeps energy and the length of the angular momentum, but for what one step
// of Newton's method leaves over where the body hardly turns within a step. The momentum's
// direction and the velocity itself are first-order accurate: half the step, half the error.
TEST_P(IntegrationTest, AnAsymmetricTopKeepsEnergyAndMomentumWithinTheSchemesOrder) {
  const Vec spin{0.3, 5, 0.4};
  const double time = 1;
  const Vec expected = spunFor(spin, time), momentum = kBrick * spin;
  const double energy = 0.5 * dot(spin, momentum);
  double directionError[3], velocityError[3];
  for (int k = 0; k < 3; ++k) {
    clearBodies();
    add(kBodyDynamic);
    velocities[0].w = spin;
    const int steps = 250 << k;
    step(time / steps, steps);
    const Vec local = inverseRotate(poses[0].q, velocities[0].w);
    const Vec now = rotate(poses[0].q, kBrick * local);
    EXPECT_NEAR(0.5 * dot(local, kBrick * local) / energy, 1, 3e-8) << steps;
    EXPECT_LE(0.5 * dot(local, kBrick * local), energy * (1 + 1e-12)) << steps;
    EXPECT_NEAR(length(now) / length(momentum), 1, 3e-8) << steps;
    directionError[k] = length(now - momentum) / length(momentum);
    velocityError[k] = length(velocities[0].w - expected) / length(expected);
  }
  EXPECT_LT(velocityError[0], 0.1);
  for (int k = 0; k < 2; ++k) {
    EXPECT_NEAR(directionError[k + 1] / directionError[k], 0.5, 0.05);
    EXPECT_NEAR(velocityError[k + 1] / velocityError[k], 0.5, 0.1);
  }
}

// A CPU takes several at once: those that turn slowly, fast, or not, beside those for which there is no gyroscopic term.
TEST_P(IntegrationTest, BodiesTogetherHaveTheBitsOfEachAlone) {
  const int kinds[] = {kBodyDynamic, kBodyDynamic, kBodyDynamic | kBodyIsotropic, kBodyDynamic | kLockRotationX, kBodyKinematic, 0};
  const double spins[] = {0, 1e-9, 0.3, 2, 60};
  const Sym3<double> needle{1e-9, 1, 1, 0, 0, 0}, skew{0.2, 0.3, 0.4, 0.05, -0.03, 0.02};
  constexpr int kCount = 41;
  const auto addNth = [&](int n) {
    const int i = add(kinds[n % 6], 1 + 0.1 * n, n % 7 == 0 ? needle : n % 3 == 0 ? skew : kBrick);
    const double spin = spins[n % 5];
    velocities.back().v = {0.1 * n, -1, 2};
    velocities.back().w = {spin, 0.5 * spin, -0.2 * spin};
    poses.back().q = quatFromRotationVector(Vec{0.1 * n, 0.2, -0.05 * n});
    return i;
  };
  anyForces = false;
  for (int n = 0; n < kCount; ++n) addNth(n);
  step(1.0 / 480, 20, {0, -10, 0});
  const auto together = poses;
  const auto turned = velocities;
  for (int n = 0; n < kCount; ++n) {
    clearBodies();
    addNth(n);
    step(1.0 / 480, 20, {0, -10, 0});
    EXPECT_EQ(std::memcmp(&poses[0], &together[static_cast<size_t>(n)], sizeof poses[0]), 0) << "body " << n;
    EXPECT_EQ(std::memcmp(&velocities[0], &turned[static_cast<size_t>(n)], sizeof velocities[0]), 0) << "body " << n;
  }
}

// A ball has no gyroscopic term: its velocity stays to the bit.
TEST_P(IntegrationTest, ABallsSpinStaysToTheBit) {
  add(kBodyDynamic | kBodyIsotropic, 1, {0.1, 0.1, 0.1, 0, 0, 0});
  velocities[0].w = {1, -2, 0.5};
  step(0.01, 100);
  EXPECT_EQ(length(velocities[0].w - Vec{1, -2, 0.5}), 0);
  EXPECT_EQ(inertias[0].invInertia.xx, 1 / 0.1);
  EXPECT_EQ(inertias[0].invInertia.xy, 0);
}

TEST_P(IntegrationTest, LockedAxesTakeNothingUpAndFreeOnesTheirShare) {
  add(kBodyDynamic | kLockTranslationY | kLockRotationX | kLockRotationZ, 2);
  poses[0].q = quatFromRotationVector(Vec{0.3, -0.5, 0.7});
  forces[0] = {{1, 5, 2}, {3, 4, 5}};
  const Sym3<double> inWorld = rotated(rotationMatrix(poses[0].q), kBrick);
  step(0.01, 1, {0, -10, 0});
  EXPECT_NEAR(velocities[0].v.x, 0.01 * 0.5, 1e-15);
  EXPECT_EQ(velocities[0].v.y, 0);
  EXPECT_NEAR(velocities[0].v.z, 0.01 * 1, 1e-15);
  EXPECT_EQ(velocities[0].w.x, 0);
  EXPECT_NEAR(velocities[0].w.y, 0.01 * 4 / inWorld.yy, 1e-12);  // the moment about the one free axis, not an entry of the inverse
  EXPECT_EQ(velocities[0].w.z, 0);
  const Sym3<double>& free = inertias[0].invInertia;
  for (const double none : {free.xx, free.zz, free.xy, free.xz, free.yz}) EXPECT_EQ(none, 0);
  // Two free axes: the inverse of what is left of the inertia.
  constants[0].flags = kBodyAlive | kBodyDynamic | kLockRotationZ;
  step(0.01, 0);
  const Sym3<double> now = rotated(rotationMatrix(poses[0].q), kBrick), two = inertias[0].invInertia;
  EXPECT_NEAR(two.xx * now.xx + two.xy * now.xy, 1, 1e-12);
  EXPECT_NEAR(two.xx * now.xy + two.xy * now.yy, 0, 1e-12);
  EXPECT_NEAR(two.xy * now.xy + two.yy * now.yy, 1, 1e-12);
  for (const double none : {two.zz, two.xz, two.yz}) EXPECT_EQ(none, 0);
}

TEST_P(IntegrationTest, StaticBodiesStayAndKinematicOnesMoveAsTheyAreTold) {
  add(0);
  add(kBodyKinematic);
  for (size_t i = 0; i < 2; ++i) {
    velocities[i].v = {1, 0, 0};
    velocities[i].w = {0, 2, 0};
    forces[i].force = {0, 100, 0};
  }
  step(0.01, 100, {0, -10, 0}, {0.5, 0.5});
  EXPECT_EQ(length(poses[0].x), 0);
  EXPECT_EQ(poses[0].q.w, 1);
  EXPECT_NEAR(length(poses[1].x - Vec{1, 0, 0}), 0, 1e-14);  // limits of speed are for bodies that something moves
  EXPECT_NEAR(poses[1].q.y, std::sin(1.0), 1e-13);
  EXPECT_EQ(length(velocities[1].v - Vec{1, 0, 0}), 0);
  EXPECT_EQ(inertias[1].invInertia.xx, 0);
}

TEST_P(IntegrationTest, SpeedsAboveTheLimitsAreCutAndKeepTheirDirection) {
  add(kBodyDynamic);
  add(kBodyDynamic);
  velocities[0].v = {3, 4, 0};
  velocities[0].w = {0, 0, -8};
  velocities[1].v = {0.5, 0, 0};
  velocities[1].w = {0, 0, 1.5};
  step(0.01, 1, {0, 0, 0}, {1, 2});
  EXPECT_NEAR(length(velocities[0].v - Vec{0.6, 0.8, 0}), 0, 1e-15);
  EXPECT_NEAR(length(velocities[0].w - Vec{0, 0, -2}), 0, 1e-14);
  EXPECT_NEAR(poses[0].x.y, 0.008, 1e-16);
  EXPECT_EQ(velocities[1].v.x, 0.5);
  EXPECT_NEAR(velocities[1].w.z, 1.5, 1e-14);
}

// From the start of the step, whatever the pose was then: what gaps are updated with.
TEST_P(IntegrationTest, MotionsAddUpFromTheBeginningOfTheStep) {
  add(kBodyDynamic);
  poses[0].x = {1, 2, 3};
  poses[0].q = quatFromRotationVector(Vec{0.4, 0.1, -0.6});
  velocities[0].v = {1, -1, 0.5};
  velocities[0].w = {2, 1, 3};
  motions[0] = {{9, 9, 9}, 0, {1, 0, 0, 0}};  // of another step
  const BodyPose<double> before = poses[0];
  step(0.01, 20, {0, -10, 0});
  EXPECT_LT(length(motions[0].dp - (poses[0].x - before.x)), 1e-14);
  const Quat<double> turned = motions[0].dq * before.q;
  EXPECT_NEAR(turned.x * poses[0].q.x + turned.y * poses[0].q.y + turned.z * poses[0].q.z + turned.w * poses[0].q.w, 1, 1e-13);
  EXPECT_GT(std::abs(motions[0].dq.z), 0.1);
}

TEST_P(IntegrationTest, TheFirstBodyThatLeftTheNumbersIsFound) {
  for (int i = 0; i < 2000; ++i) add(kBodyDynamic);
  const auto firstBad = [&] {
    const int none = 1 << 30;
    Buffer<BodyConstants<double>> c;
    Buffer<BodyPose<double>> p;
    Buffer<BodyVelocity<double>> v;
    Buffer<int> first;
    c.upload(queue, constants);
    p.upload(queue, poses);
    v.upload(queue, velocities);
    first.upload(queue, std::vector<int>{none});
    findNonFinite(queue, static_cast<int>(poses.size()), c.data(), p.data(), v.data(), first.data());
    const int found = first.read(queue, 0);
    return found == none ? -1 : found;
  };
  poses[0].x.x = 1e300;
  EXPECT_EQ(firstBad(), -1);
  velocities[1999].w.z = std::nan("");
  EXPECT_EQ(firstBad(), 1999);
  poses[700].q.w = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(firstBad(), 700);
  velocities[3].v.y = std::nan("");
  EXPECT_EQ(firstBad(), 3);
  constants[3].flags = 0;  // nobody is in that slot
  EXPECT_EQ(firstBad(), 700);
}

TEST_P(IntegrationTest, AStepThatMadeItWorseIsUndone) {
  for (const bool worse : {false, true}) {
    clearBodies();
    for (int i = 0; i < 3; ++i) add(kBodyDynamic);
    const std::vector<BodyPose<double>> posesBefore = poses;
    const std::vector<BodyMotion<double>> motionsBefore(3, BodyMotion<double>{{0, 0, 0}, 0, identityQuat<double>()});
    for (size_t i = 0; i < 3; ++i) {
      poses[i].x.y = 1;
      motions[i].dp.y = 1;
    }
    Buffer<BodyPose<double>> p, pBefore;
    Buffer<BodyMotion<double>> m, mBefore;
    Buffer<MaxAt<double>> worst;
    p.upload(queue, poses);
    m.upload(queue, motions);
    pBefore.upload(queue, posesBefore);
    mBefore.upload(queue, motionsBefore);
    worst.upload(queue, std::vector<MaxAt<double>>{{0.5, 0}, {worse ? 0.6 : 0.5, 1}});
    undoIfWorse(queue, 3, worst.data(), pBefore.data(), mBefore.data(), p.data(), m.data());
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(p.download(queue)[i].x.y, worse ? 0 : 1);
      EXPECT_EQ(m.download(queue)[i].dp.y, worse ? 0 : 1);
    }
  }
}

CAIRN_INSTANTIATE_TARGETS(IntegrationTest);

}  // namespace
}  // namespace cairn
