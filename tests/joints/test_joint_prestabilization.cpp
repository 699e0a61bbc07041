// One joint's pre-stabilization: derivatives against automatic differentiation and finite differences, small angles, both signs of the quaternion,
// and whether one solve puts the joint on its target.
#include "kernels/joints/joint_prestabilization.hpp"

#include <gtest/gtest.h>
#include <Eigen/Dense>  // before AutoDiff, which does not include what it needs

#include <unsupported/Eigen/AutoDiff>

#include <cmath>
#include <random>

namespace cairn::joint {
namespace {

using Vec = Vec3<double>;
using Dual = Eigen::AutoDiffScalar<Eigen::Vector3d>;
using DualVector = Eigen::Matrix<Dual, 3, 1>;

std::mt19937& generator() {
  static std::mt19937 random(2024);
  return random;
}
double uniform(double a, double b) { return std::uniform_real_distribution<double>(a, b)(generator()); }
Vec vectorWithin(double r) { return {uniform(-r, r), uniform(-r, r), uniform(-r, r)}; }
Quat<double> turn(double most) { return quatFromRotationVector(vectorWithin(most)); }

template <class T> Side<T> sideOf(const Side<double>& s) {
  const Sym3<double>& i = s.invInertia;
  return {convert<T>(s.x), convert<T>(s.v),       convert<T>(s.w),
          convert<T>(s.q), convert<T>(s.invMass), {T(i.xx), T(i.yy), T(i.zz), T(i.xy), T(i.xz), T(i.yz)}};
}

// A box with half edges of `size`, 1.5 and 0.8 times that, anywhere, moving; turns by up to `most` in h.
Side<double> randomSide(double h, double most, double size) {
  const double mass = uniform(0.5, 5);
  Side<double> side;
  side.x = vectorWithin(1);
  side.v = vectorWithin(2);
  side.w = (most / h / 1.7320508) * vectorWithin(1);
  side.q = turn(2);
  side.invMass = {1 / mass, 1 / mass, 1 / mass};
  const double a = 1.5 * size, b = 0.8 * size, i = mass / 3;
  side.invInertia = rotated(rotationMatrix(side.q),
                            Sym3<double>{1 / (i * (a * a + b * b)), 1 / (i * (size * size + b * b)), 1 / (i * (size * size + a * a)), 0, 0, 0});
  return side;
}

LinearEquation<double> randomLinear(double h, double most) {
  LinearEquation<double> e;
  const double sizeP = uniform(0.2, 0.4), sizeC = uniform(0.2, 0.4);
  e.parent = randomSide(h, most, sizeP);
  e.child = randomSide(h, most, sizeC);
  e.armP = vectorWithin(sizeP);  // on the body
  e.armC = vectorWithin(sizeC);
  // Bodies of a joint are near each other: the child is put where its point is within a few centimetres.
  e.child.x = e.parent.x + e.armP - e.armC + vectorWithin(0.03);
  const Vec middle = 0.5 * (e.parent.x + e.armP + e.child.x + e.armC);
  e.applyP = middle - e.parent.x;
  e.applyC = middle - e.child.x;
  e.h = h;
  return e;
}

AngularEquation<double> randomAngular(double h, double most) {
  AngularEquation<double> e;
  e.parent = randomSide(h, most, 0.3);
  e.child = randomSide(h, most, 0.2);
  e.target = turn(3);
  e.frame = turn(0.1) * e.target;
  e.h = h;
  return e;
}

// Rodrigues' formula in dual numbers: written apart from the kernel.
DualVector rotatedBy(const DualVector& s, const Eigen::Vector3d& y) {
  const DualVector dualY = y.cast<Dual>();
  const Dual angle2 = s.squaredNorm();
  if (angle2.value() < 1e-16) return dualY + s.cross(dualY) + Dual(0.5) * s.cross(s.cross(dualY));
  const Dual angle = sqrt(angle2);
  return dualY + (sin(angle) / angle) * s.cross(dualY) + ((Dual(1) - cos(angle)) / angle2) * s.cross(s.cross(dualY));
}
DualVector dualOf(Vec s, Vec along) {
  DualVector out;
  const double value[3] = {s.x, s.y, s.z}, derivative[3] = {along.x, along.y, along.z};
  for (int k = 0; k < 3; ++k) out[k] = Dual(value[k], Eigen::Vector3d(derivative[k], 0, 0));
  return out;
}

TEST(JointDerivatives, OfRotatedVectorsAreThoseOfAutomaticDifferentiation) {
  for (const double angle : {1e-9, 1e-5, 1e-3, 0.1, 0.2499, 0.2501, 1.0, 3.0, 6.0}) {
    for (int i = 0; i < 50; ++i) {
      const Vec s = angle * normalizedOr(vectorWithin(1), Vec{1, 0, 0}), y = vectorWithin(1), ds = vectorWithin(1);
      const DualVector expected = rotatedBy(dualOf(s, ds), {y.x, y.y, y.z});
      const Vec d = rotationDerivative(s, y, ds);
      EXPECT_NEAR(d.x, expected[0].derivatives()[0], 1e-9) << angle;
      EXPECT_NEAR(d.y, expected[1].derivatives()[0], 1e-9) << angle;
      EXPECT_NEAR(d.z, expected[2].derivatives()[0], 1e-9) << angle;
    }
  }
}

TEST(JointDerivatives, AtNoTurnAreFinite) {
  const Vec zero{0, 0, 0}, y{0.3, -0.2, 0.5}, ds{0.1, 0.7, -0.4};
  EXPECT_LT(length(rotationDerivative(zero, y, ds) - cross(ds, y)), 1e-15);
  const Quat<double> q = quatDerivative(zero, ds);
  EXPECT_DOUBLE_EQ(q.x, 0.05);
  EXPECT_DOUBLE_EQ(q.w, 0);
  const Vec3<float> small = rotationDerivative(Vec3<float>{1e-20f, 0, 0}, convert<float>(y), convert<float>(ds));
  EXPECT_LT(length(convert<double>(small) - cross(ds, y)), 1e-6);
}

TEST(JointDerivatives, OfTheEquationsAreThoseOfFiniteDifferences) {
  for (int i = 0; i < 200; ++i) {
    const double h = 0.02, step = 1e-5;
    const LinearEquation<double> linear = randomLinear(h, 2);
    const AngularEquation<double> angular = randomAngular(h, 2);
    const Vec j = vectorWithin(0.5), e = vectorWithin(1);
    const Vec difference = (0.5 / step) * (linear.value(j + step * e) - linear.value(j - step * e));
    EXPECT_LT(length(difference - linear.derivative(j, e)), 1e-7);
    for (const double sign : {1.0, -1.0}) {
      const Quat<double> high = angular.value(j + step * e, sign), low = angular.value(j - step * e, sign), d = angular.derivative(j, e, sign);
      EXPECT_NEAR((high.x - low.x) / (2 * step), d.x, 1e-6);
      EXPECT_NEAR((high.y - low.y) / (2 * step), d.y, 1e-6);
      EXPECT_NEAR((high.z - low.z) / (2 * step), d.z, 1e-6);
      EXPECT_NEAR((high.w - low.w) / (2 * step), d.w, 1e-6);
    }
  }
}

TEST(JointSolve, PutsTheCentresTogetherInOneSolve) {
  for (const double most : {0.1, 1.0, 1.5708}) {
    for (int i = 0; i < 2000; ++i) {
      const LinearEquation<double> equation = randomLinear(0.02, most);
      const Solution<double> solution = solveLinear(equation, 0.5, 1.0);
      EXPECT_LT(solution.after, 1e-6 * 0.5) << "turns of up to " << most << ", configuration " << i << ", " << solution.before << " before";
      EXPECT_NEAR(length(equation.value(solution.impulse)), solution.after, 1e-12);
    }
  }
}

TEST(JointSolve, PutsTheFramesTogetherInOneSolve) {
  for (const double most : {0.1, 1.0, 1.5708}) {
    for (int i = 0; i < 2000; ++i) {
      const AngularEquation<double> equation = randomAngular(0.02, most);
      const Solution<double> solution = solveAngular(equation, 1.0);
      EXPECT_LT(solution.after, 1e-6) << "turns of up to " << most << ", configuration " << i << ", " << solution.before << " before";
    }
  }
}

TEST(JointSolve, EitherSignOfAQuaternionGivesTheSameImpulse) {
  for (int i = 0; i < 50; ++i) {
    AngularEquation<double> equation = randomAngular(0.02, 1);
    const Vec impulse = solveAngular(equation, 1.0).impulse;
    equation.frame = {-equation.frame.x, -equation.frame.y, -equation.frame.z, -equation.frame.w};
    EXPECT_LT(length(solveAngular(equation, 1.0).impulse - impulse), 1e-9);
  }
}

TEST(JointSolve, APartOfTheErrorIsWhatWasAskedFor) {
  for (const double fraction : {0.1, 0.5, 0.9}) {
    const LinearEquation<double> equation = randomLinear(0.02, 0.5);
    const Solution<double> solution = solveLinear(equation, 0.5, fraction);
    EXPECT_LE(solution.after, (1 - fraction) * solution.before * (1 + 1e-9));
    EXPECT_GT(solution.after, 0);
  }
}

TEST(JointSolve, ABodyThatCannotMoveLeavesItToTheOther) {
  LinearEquation<double> equation = randomLinear(0.02, 0.5);
  equation.parent.invMass = {0, 0, 0};
  equation.parent.invInertia = {0, 0, 0, 0, 0, 0};
  EXPECT_LT(solveLinear(equation, 0.5, 1.0).after, 1e-6);
  equation.child.invMass = {0, 0, 0};
  equation.child.invInertia = {0, 0, 0, 0, 0, 0};
  const Solution<double> none = solveLinear(equation, 0.5, 1.0);
  EXPECT_EQ(length(none.impulse), 0);
  EXPECT_EQ(none.after, none.before);
}

TEST(JointSolve, FloatReachesItsRounding) {
  for (int i = 0; i < 100; ++i) {
    const LinearEquation<double> d = randomLinear(0.02, 1);
    const LinearEquation<float> equation{sideOf<float>(d.parent),
                                         sideOf<float>(d.child),
                                         convert<float>(d.armP),
                                         convert<float>(d.armC),
                                         convert<float>(d.applyP),
                                         convert<float>(d.applyC),
                                         float(d.h)};
    EXPECT_LT(solveLinear(equation, 0.5f, 1.0f).after, 3e-6f);
  }
}

}  // namespace
}  // namespace cairn::joint
