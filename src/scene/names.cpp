#include <cairn/names.hpp>

namespace cairn::v0 {

template <> const std::vector<NamedValue<Backend>>& namedValues() {
  static const std::vector<NamedValue<Backend>> values{{"auto", Backend::Auto}, {"cpu", Backend::Cpu}, {"cuda", Backend::Cuda}};
  return values;
}
template <> const std::vector<NamedValue<Precision>>& namedValues() {
  static const std::vector<NamedValue<Precision>> values{{"float", Precision::Float}, {"double", Precision::Double}};
  return values;
}
template <> const std::vector<NamedValue<Solver>>& namedValues() {
  static const std::vector<NamedValue<Solver>> values{
      {"pgs", Solver::Pgs}, {"jacobi", Solver::Jacobi}, {"nncg", Solver::Nncg}, {"lemke", Solver::Lemke}};
  return values;
}
template <> const std::vector<NamedValue<NormalStabilization>>& namedValues() {
  static const std::vector<NamedValue<NormalStabilization>> values{{"none", NormalStabilization::None},
                                                                   {"baumgarte", NormalStabilization::Baumgarte},
                                                                   {"anitescu-hart", NormalStabilization::AnitescuHart},
                                                                   {"silcowitz", NormalStabilization::Silcowitz},
                                                                   {"soft", NormalStabilization::Soft}};
  return values;
}
template <> const std::vector<NamedValue<JointStabilization>>& namedValues() {
  static const std::vector<NamedValue<JointStabilization>> values{{"none", JointStabilization::None},
                                                                  {"baumgarte", JointStabilization::Baumgarte},
                                                                  {"anitescu-hart", JointStabilization::AnitescuHart},
                                                                  {"post", JointStabilization::Post},
                                                                  {"pre", JointStabilization::Pre}};
  return values;
}
template <> const std::vector<NamedValue<JointSolver>>& namedValues() {
  static const std::vector<NamedValue<JointSolver>> values{{"direct", JointSolver::Direct}, {"sweeps", JointSolver::Sweeps}};
  return values;
}
template <> const std::vector<NamedValue<BodyType>>& namedValues() {
  static const std::vector<NamedValue<BodyType>> values{
      {"static", BodyType::Static}, {"kinematic", BodyType::Kinematic}, {"dynamic", BodyType::Dynamic}};
  return values;
}
template <> const std::vector<NamedValue<ShapeType>>& namedValues() {
  static const std::vector<NamedValue<ShapeType>> values{
      {"sphere", ShapeType::Sphere},           {"capsule", ShapeType::Capsule},     {"box", ShapeType::Box},
      {"half_space", ShapeType::HalfSpace},    {"ellipsoid", ShapeType::Ellipsoid}, {"hull", ShapeType::Hull},
      {"cylinder", ShapeType::Cylinder},       {"cone", ShapeType::Cone},           {"mesh", ShapeType::Mesh},
      {"height_field", ShapeType::HeightField}};
  return values;
}
template <> const std::vector<NamedValue<JointType>>& namedValues() {
  static const std::vector<NamedValue<JointType>> values{
      {"point", JointType::Point},         {"hinge", JointType::Hinge},   {"twist", JointType::Twist},       {"rigid", JointType::Rigid},
      {"prismatic", JointType::Prismatic}, {"planar", JointType::Planar}, {"distance", JointType::Distance}, {"universal", JointType::Universal},
      {"six_dof", JointType::SixDof},      {"gear", JointType::Gear},     {"black_box", JointType::BlackBox}};
  return values;
}
template <> const std::vector<NamedValue<JointMotor>>& namedValues() {
  static const std::vector<NamedValue<JointMotor>> values{
      {"off", JointMotor::Off}, {"velocity", JointMotor::Velocity}, {"position", JointMotor::Position}};
  return values;
}

}  // namespace cairn::v0
