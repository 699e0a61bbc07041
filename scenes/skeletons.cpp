// Skeletons dropped in a pile (Weinstein, Teran and Fedkiw 2006, section VII and figure 8).
//
// The paper has 21 bones and 19 joints, one joint less than a tree of 21 bones has. Of a human's bones just one is joined to no other, the hyoid at
// the throat: 20 bones hang together here, and the hyoid lies loose where it belongs and falls where it may. Hands, feet, the rib cage, shoulder
// girdles and vertebrae are one bone each. Bones are compounds of capsules, boxes and spheres, or closed meshes where that is asked for; of the same
// skeleton, too, they collide unless a joint joins them.
#include "scenes/blended_surface.hpp"
#include "scenes/jointed_figure.hpp"

#include <cairn/mesh.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <string>

namespace cairn::v0::scenes {
namespace {

constexpr int kBones = 21, kJoints = 19;
constexpr double kHeight = 1.87, kReach = 0.96;  // standing; from the middle of that [m]

ShapeDef rotatedBox(Vec3d centre, Vec3d halfExtents, Quatd rotation) {
  ShapeDef box = boxAt(centre, halfExtents);
  box.localPose.q = rotation;
  return box;
}

// Three pairs of ribs, oval, between a piece of the spine and the breastbone.
std::vector<ShapeDef> ribCage() {
  std::vector<ShapeDef> shapes{boxAt({0, 1.42, -0.075}, {0.025, 0.125, 0.025}), boxAt({0, 1.43, 0.092}, {0.02, 0.09, 0.01})};
  for (int pair = 0; pair < 3; ++pair) {
    const double height = 1.34 + 0.08 * pair, width = pair == 1 ? 0.135 : 0.115, depth = pair == 1 ? 0.1 : 0.085;
    const auto at = [&](int k, double side) {
      const SinCos<double> a = sinCos(kPi * (k / 3.0 - 0.5));
      return Vec3d{side * width * a.cosine, height, depth * a.sine};
    };
    for (const double side : {-1.0, 1.0})
      for (int k = 0; k < 3; ++k) shapes.push_back(capsuleAlong(at(k, side), at(k + 1, side), 0.012));
  }
  return shapes;
}

// Sacrum, hip bones turned outwards, and the bridge between them in front.
std::vector<ShapeDef> pelvis() {
  std::vector<ShapeDef> shapes{boxAt({0, 1.01, -0.05}, {0.04, 0.06, 0.025}), capsuleAlong({-0.06, 0.94, 0.05}, {0.06, 0.94, 0.05}, 0.018)};
  const SinCos<double> half = sinCos(0.25);
  for (const double side : {-1.0, 1.0})
    shapes.push_back(rotatedBox({side * 0.09, 0.99, 0}, {0.022, 0.075, 0.07}, {0, side * half.sine, 0, half.cosine}));
  return shapes;
}

// --- bones as meshes -------------------------------------------------------------------------------------------

double thinnest(const std::vector<ShapeDef>& shapes) {
  double half = 1e300;
  for (const ShapeDef& shape : shapes) {
    const Vec3d h = shape.halfExtents;
    half = minOf(half, shape.type == ShapeType::Box ? minOf(h.x, minOf(h.y, h.z)) : shape.radius);
  }
  return half;
}

// Made once for all skeletons: limbs are bones with knobs, one for each capsule, all others the surface of their shapes, which run into each other.
class BoneMeshes {
 public:
  // The mass stays, though shapes that overlap counted each for itself.
  void replace(BodyDef& bone, const std::string& kind) {
    bone.mass = massProperties(bone).mass;
    const auto isLong = [](const ShapeDef& shape) { return shape.type == ShapeType::Capsule && shape.halfHeight > 4 * shape.radius; };
    if (!std::all_of(bone.shapes.begin(), bone.shapes.end(), isLong)) {
      bone.shapes = {blended(bone.shapes, kind)};
      return;
    }
    for (ShapeDef& shape : bone.shapes) {
      const Posed place = shape.localPose;
      shape = limb(shape.radius, shape.halfHeight);
      shape.localPose = place;
    }
  }

 private:
  static constexpr double kTriangle = 1, kCell = 0.3;  // of the thinnest half
  static constexpr double kLargest = 0.014;            // of a triangle [m]

  const ShapeDef& limb(double radius, double halfHeight) {
    const std::string name =
        fmt::format("bone:length={},shaft={},knob={},around=32,along=48", 2 * (halfHeight + radius), 0.6 * radius, 0.85 * radius);
    const auto [entry, isNew] = made_.emplace(name, ShapeDef{});
    if (isNew) entry->second = ShapeDef::solidMesh(std::make_shared<const TriangleMesh>(loadMesh(name)), kCell * radius);
    return entry->second;
  }
  const ShapeDef& blended(const std::vector<ShapeDef>& shapes, const std::string& kind) {
    const auto [entry, isNew] = made_.emplace(kind, ShapeDef{});
    if (isNew) {
      const double thin = thinnest(shapes);
      entry->second =
          ShapeDef::solidMesh(std::make_shared<const TriangleMesh>(blendedSurface(shapes, minOf(kTriangle * thin, kLargest), thin)), kCell * thin);
    }
    return entry->second;
  }

  std::map<std::string, ShapeDef> made_;
};

void addSkeleton(Scene& scene, const std::string& name, const Posed& pose) {
  Figure s(scene, name, pose);
  const int hips = s.bone("pelvis", {0, 0.98, 0}, pelvis());
  const int lumbar = s.bone("lumbar", {0, 1.19, -0.05}, {capsuleAlong({0, 1.125, -0.05}, {0, 1.245, -0.05}, 0.022)});
  const int ribs = s.bone("ribs", {0, 1.42, 0}, ribCage());
  const int neck = s.bone("neck", {0, 1.62, -0.04}, {capsuleAlong({0, 1.595, -0.045}, {0, 1.645, -0.035}, 0.022)});
  const int skull = s.bone("skull", {0, 1.78, 0}, {boxAt({0, 1.735, 0.065}, {0.045, 0.03, 0.04}), ShapeDef::sphere(0.095)});
  scene.bodies[size_t(skull)].shapes[1].localPose.p = {0, 0, 0};
  const int jaw = s.bone("jaw", {0, 1.68, 0.06},
                         {boxAt({0, 1.668, 0.095}, {0.042, 0.014, 0.01}), boxAt({-0.046, 1.68, 0.05}, {0.007, 0.02, 0.05}),
                          boxAt({0.046, 1.68, 0.05}, {0.007, 0.02, 0.05})});
  s.bone("hyoid", {0, 1.62, 0.04},
         {capsuleAlong({-0.02, 1.62, 0.05}, {0.02, 1.62, 0.05}, 0.007), capsuleAlong({-0.02, 1.62, 0.05}, {-0.028, 1.625, 0.015}, 0.007),
          capsuleAlong({0.02, 1.62, 0.05}, {0.028, 1.625, 0.015}, 0.007)});
  s.joint(JointType::Universal, hips, lumbar, {0, 1.09, -0.05}, {-20, 30}, {-20, 20});
  s.joint(JointType::Point, lumbar, ribs, {0, 1.28, -0.06}, {-20, 30}, {-20, 20}, {-20, 20});
  s.joint(JointType::Point, ribs, neck, {0, 1.56, -0.055}, {-20, 30}, {-30, 30}, {-25, 25});
  s.joint(JointType::Point, neck, skull, {0, 1.675, -0.03}, {-15, 25}, {-40, 40}, {-15, 15});
  s.joint(JointType::Hinge, skull, jaw, {0, 1.70, 0.005}, {0, 30});

  for (const double side : {1.0, -1.0}) {
    const auto at = [side](double x, double y, double z) { return Vec3d{side * x, y, z}; };
    const bool left = side > 0;
    // Collar bone and shoulder blade, and what joins them over the shoulder.
    const int girdle =
        s.bone(left ? "shoulder-left" : "shoulder-right", at(0.14, 1.53, -0.03),
               {capsuleAlong(at(0.04, 1.55, 0.07), at(0.165, 1.555, 0), 0.012), capsuleAlong(at(0.165, 1.555, 0), at(0.13, 1.53, -0.135), 0.012),
                boxAt(at(0.11, 1.46, -0.135), {0.045, 0.065, 0.008})});
    const int upperArm =
        s.bone(left ? "upper-arm-left" : "upper-arm-right", at(0.215, 1.36, 0), {capsuleAlong(at(0.215, 1.5, 0), at(0.215, 1.25, 0), 0.028)});
    const int forearm =
        s.bone(left ? "forearm-left" : "forearm-right", at(0.215, 1.06, 0),
               {capsuleAlong(at(0.205, 1.16, 0), at(0.205, 0.975, 0), 0.014), capsuleAlong(at(0.235, 1.16, 0), at(0.235, 0.975, 0), 0.014)});
    const int hand = s.bone(left ? "hand-left" : "hand-right", at(0.215, 0.85, 0), {boxAt(at(0.22, 0.86, 0), {0.014, 0.075, 0.04})});
    s.joint(JointType::Universal, ribs, girdle, at(0.03, 1.55, 0.075), {-15, 15}, {-15, 15});
    s.joint(JointType::Point, girdle, upperArm, at(0.2, 1.535, 0), {-150, 50}, {-60, 60}, left ? Figure::Range{-15, 120} : Figure::Range{-120, 15});
    s.joint(JointType::Hinge, upperArm, forearm, at(0.215, 1.2, 0), {-140, 0});
    s.joint(JointType::Universal, forearm, hand, at(0.22, 0.948, 0), {-70, 70}, {-80, 80});

    const int thigh = s.bone(left ? "thigh-left" : "thigh-right", at(0.1, 0.69, 0), {capsuleAlong(at(0.1, 0.86, 0), at(0.1, 0.54, 0), 0.035)});
    const int shin =
        s.bone(left ? "shin-left" : "shin-right", at(0.1, 0.28, 0),
               {capsuleAlong(at(0.093, 0.43, 0), at(0.093, 0.14, 0), 0.025), capsuleAlong(at(0.128, 0.41, -0.01), at(0.128, 0.14, -0.01), 0.012)});
    const int foot = s.bone(left ? "foot-left" : "foot-right", at(0.1, 0.04, 0.06),
                            {boxAt(at(0.1, 0.025, 0.09), {0.042, 0.02, 0.11}), boxAt(at(0.1, 0.05, -0.01), {0.03, 0.035, 0.04})});
    s.joint(JointType::Point, hips, thigh, at(0.1, 0.91, 0), {-110, 20}, {-35, 35}, left ? Figure::Range{-20, 45} : Figure::Range{-45, 20});
    s.joint(JointType::Hinge, thigh, shin, at(0.1, 0.48, 0), {0, 135});
    s.joint(JointType::Universal, shin, foot, at(0.1, 0.1, 0), {-30, 45}, {-15, 15});
  }
}

// Four a layer, lying on face or back, turned any way about the vertical and tilted a little.
void skeletons(const Arguments& arguments, Scene& scene) {
  constexpr double kPitch = 2 * kReach + 0.03, kLayer = 1, kLowest = 0.9;  // [m]
  const int64_t count = arguments.whole("count");
  const bool ofMeshes = arguments.choice("shape") == "mesh";
  BoneMeshes meshes;
  addGround(scene);
  Random random;
  for (int64_t i = 0; i < count; ++i) {
    const Vec3d middle{(double(i % 2) - 0.5) * kPitch, kLowest + kLayer * double(i / 4), (double(i / 2 % 2) - 0.5) * kPitch};
    const SinCos<double> yaw = sinCos(0.5 * random.symmetric(kPi)), lay = sinCos((random.next() < 0.5 ? -0.25 : 0.25) * kPi);
    const double tiltX = random.symmetric(0.08), tiltZ = random.symmetric(0.08);
    const Quatd rotation = normalized(Quatd{tiltX, 0, tiltZ, 1} * Quatd{0, yaw.sine, 0, yaw.cosine} * Quatd{lay.sine, 0, 0, lay.cosine});
    const std::string name = fmt::format("skeleton-{}", i + 1);
    const size_t first = scene.bodies.size();
    addSkeleton(scene, name, {middle - rotate(rotation, {0, 0.5 * kHeight, 0}), rotation});
    for (size_t k = first; ofMeshes && k < scene.bodies.size(); ++k) meshes.replace(scene.bodies[k], scene.bodies[k].name.substr(name.size()));
  }
}

}  // namespace

std::vector<Generator> skeletonGenerators() {
  return {
      Generator("skeletons", "skeletons of 21 bones and 19 joints with limits dropped in a pile (Weinstein et al.)",
                {whole("count", "skeletons", 20, 1, 1e8), choice("shape", "of bones: compounds, or solid meshes", {"compound", "mesh"})})
          .bodies([](const Arguments& a) { return 1 + kBones * a.real("count"); })
          .joints([](const Arguments& a) { return kJoints * a.real("count"); })
          .filledBy(skeletons),
  };
}

}  // namespace cairn::v0::scenes
