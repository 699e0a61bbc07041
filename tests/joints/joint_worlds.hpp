// Small worlds for the tests of joints, and the pose of one joint frame in the other by Eigen, apart from kernels/joint_*.hpp.
#pragma once

#include "tests/support/expect.hpp"
#include "tests/support/scenes.hpp"

#include <cairn/cairn.hpp>

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <tuple>
#include <vector>

namespace cairn::test {

inline WorldSettings onOneThread(Precision precision = Precision::Double, JointSolver solver = JointSolver::Direct) {
  WorldSettings settings = onCpu(precision);
  settings.jointSolver = solver;
  return settings;
}

inline BodyDef boxOf(double mass, Vec3d position, Vec3d halfExtents = {0.1, 0.15, 0.2}) {
  BodyDef body = bodyAt(position, ShapeDef::box(halfExtents));
  body.mass = mass;
  return body;
}
inline BodyDef ballOf(double mass, Vec3d position, double radius = 0.1) {
  BodyDef body = bodyAt(position, ShapeDef::sphere(radius));
  body.mass = mass;
  return body;
}

// A test that runs in both precisions with both solvers of joints. CAIRN_INSTANTIATE_JOINT_SOLVERS(Fixture) once a fixture and file.
class EachJointSolver : public ::testing::TestWithParam<std::tuple<Precision, JointSolver>> {
 protected:
  WorldSettings settings() const { return onOneThread(std::get<0>(GetParam()), std::get<1>(GetParam())); }
  bool inFloat() const { return std::get<0>(GetParam()) == Precision::Float; }
  bool direct() const { return std::get<1>(GetParam()) == JointSolver::Direct; }
};
inline std::string nameOf(const std::tuple<Precision, JointSolver>& each) {
  return std::string(std::get<0>(each) == Precision::Float ? "Float" : "Double") + (std::get<1>(each) == JointSolver::Direct ? "Direct" : "Sweeps");
}

// A place to hang things on.
inline BodyDef anchorAt(Vec3d position = {0, 0, 0}, BodyType type = BodyType::Static) {
  BodyDef body;
  body.type = type;
  body.pose.p = position;
  return body;
}

// The worst of all joints over so many steps, and the fastest body.
struct JointCourse {
  double offset = 0, turn = 0, fastest = 0;  // [m], [rad], [m/s]
};
inline JointCourse follow(World& world, int steps) {
  JointCourse worst;
  for (int k = 0; k < steps; ++k) {
    world.step();
    const StepReport report = world.report();
    worst.offset = std::max(worst.offset, report.jointErrorMax);
    worst.turn = std::max(worst.turn, report.jointAngularErrorMax);
    worst.fastest = std::max(worst.fastest, report.maxSpeed);
  }
  return worst;
}

struct Source {
  std::mt19937 engine;
  explicit Source(unsigned seed) : engine(seed) {}
  double operator()(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine); }
  Vec3d vector(double most) { return {(*this)(-most, most), (*this)(-most, most), (*this)(-most, most)}; }
  Quatd turn() {
    Eigen::Quaterniond q((*this)(-1, 1), (*this)(-1, 1), (*this)(-1, 1), (*this)(-1, 1));
    q.normalize();
    return {q.x(), q.y(), q.z(), q.w()};
  }
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(engine); }
};

inline Eigen::Vector3d eigen(Vec3d a) { return {a.x, a.y, a.z}; }
inline Vec3d vec(const Eigen::Vector3d& a) { return {a.x(), a.y(), a.z()}; }
inline Eigen::Quaterniond eigen(Quatd q) { return Eigen::Quaterniond(q.w, q.x, q.y, q.z).normalized(); }
inline Quatd quat(const Eigen::Quaterniond& q) { return {q.x(), q.y(), q.z(), q.w()}; }
inline Eigen::Isometry3d eigen(const Posed& pose) {
  Eigen::Isometry3d m = Eigen::Isometry3d::Identity();
  m.translation() = eigen(pose.p);
  m.linear() = eigen(pose.q).toRotationMatrix();
  return m;
}
inline Posed pose(const Eigen::Isometry3d& m) { return {vec(m.translation()), quat(Eigen::Quaterniond(m.linear()))}; }

// Frame B in frame A.
inline Eigen::Isometry3d relative(const World& world, const JointDef& def, BodyId a, BodyId b) {
  return (eigen(world.state(a).pose) * eigen(def.frameA)).inverse() * (eigen(world.state(b).pose) * eigen(def.frameB));
}
// a, b, c of Rx(a) Ry(b) Rz(c).
inline Eigen::Vector3d angles(const Eigen::Matrix3d& r) {
  return {std::atan2(-r(1, 2), r(2, 2)), std::asin(std::clamp(r(0, 2), -1.0, 1.0)), std::atan2(-r(0, 1), r(0, 0))};
}
// The angle of a rotation that is about one axis whatever the order.
inline double angleAbout(const Eigen::Matrix3d& r, int axis) {
  const int u = (axis + 1) % 3, v = (axis + 2) % 3;
  return std::atan2(r(v, u) - r(u, v), r(u, u) + r(v, v));
}

// The free degrees of freedom: x, y, z, about x, about y, about z.
struct Kind {
  std::string name;
  JointType type;
  int slides = 1;
  std::array<bool, 6> free{};
  double low = 0, high = 0;  // of the distance
};
inline std::vector<Kind> lockingKinds() {
  std::vector<Kind> kinds{
      {"point", JointType::Point, 1, {false, false, false, true, true, true}},
      {"hinge", JointType::Hinge, 1, {false, false, false, true, false, false}},
      {"twist", JointType::Twist, 1, {false, false, false, false, true, false}},
      {"rigid", JointType::Rigid, 1, {}},
      {"prismatic_1", JointType::Prismatic, 1, {true, false, false, false, false, false}},
      {"prismatic_2", JointType::Prismatic, 2, {true, true, false, false, false, false}},
      {"prismatic_3", JointType::Prismatic, 3, {true, true, true, false, false, false}},
      {"planar", JointType::Planar, 1, {true, true, false, false, false, true}},
      {"universal", JointType::Universal, 1, {false, false, false, true, true, false}},
  };
  for (size_t axis = 0; axis < 6; ++axis) {
    Kind kind{"six_dof_" + std::to_string(axis), JointType::SixDof, 1, {}};
    kind.free[axis] = true;
    kinds.push_back(kind);
  }
  return kinds;
}
inline JointDef jointOf(const Kind& kind, const Scene& scene, int a, int b, const Posed& frame) {
  JointDef def = scene.joint(kind.type, a, b, frame);
  def.slides = kind.slides;
  def.minDistance = kind.low;
  def.maxDistance = kind.high;
  if (kind.type == JointType::SixDof) {
    for (size_t axis = 0; axis < 6; ++axis) def.axes[axis].free = kind.free[axis];
  }
  return def;
}

}  // namespace cairn::test

#define CAIRN_INSTANTIATE_JOINT_SOLVERS(Fixture)                                                                              \
  INSTANTIATE_TEST_SUITE_P(Targets, Fixture,                                                                                  \
                           ::testing::Combine(::testing::Values(::cairn::Precision::Float, ::cairn::Precision::Double),       \
                                              ::testing::Values(::cairn::JointSolver::Direct, ::cairn::JointSolver::Sweeps)), \
                           [](const auto& each) { return ::cairn::test::nameOf(each.param); })
