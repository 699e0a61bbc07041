// Joints with motors and limits; nets, bridges and rings with many closed loops (Weinstein, Teran and Fedkiw 2006, section VII), with the paper's
// numbers of bodies. The paper's non-convex bodies are compounds of convex shapes here, those of its rings solid meshes where that is asked for.
#include "scenes/mesh_library.hpp"

#include <fmt/format.h>

#include <array>

namespace cairn::v0::scenes {
namespace {

constexpr Quatd kNoRotation{0, 0, 0, 1};

// --- motor -----------------------------------------------------------------------------------------------------
// A balanced wheel of three crossing bars on a post. It gains torque / inertia in speed a second until it has the motor's.
void motor(const Arguments& arguments, Scene& scene) {
  constexpr double kHeight = 1, kRadius = 0.6, kHalfBar = 0.06;  // [m]
  addGround(scene);
  const int post = addStaticBox(scene, "post", {0, 0.5 * kHeight, -0.2}, {0.1, 0.5 * kHeight, 0.1});
  BodyDef wheel;
  wheel.name = "wheel";
  wheel.pose.p = {0, kHeight, 0};
  for (int k = 0; k < 3; ++k) {
    wheel.shapes.push_back(ShapeDef::box({kRadius, kHalfBar, kHalfBar}));
    wheel.shapes.back().localPose.q = aboutZ(k * kPi / 3);
  }
  const int body = scene.add(std::move(wheel));
  JointDef& axle = addJoint(scene, JointType::Hinge, post, body, hingeFrame({0, kHeight, 0}, {0, 0, 1}));
  axle.name = "axle";
  axle.axes[3].motor = JointMotor::Velocity;
  axle.axes[3].target = arguments.real("speed");
  axle.axes[3].maxForce = arguments.real("torque");
  scene.defaultSteps = 300;
}

// --- limits ----------------------------------------------------------------------------------------------------
// A horizontal arm on a hinge with a weight fixed to its end: it falls to the hinge's lower limit and is held there.
void limits(const Arguments& arguments, Scene& scene) {
  constexpr double kHeight = 2, kLength = 1, kHalfWeight = 0.15;  // [m]
  addGround(scene);
  const int post = addStaticBox(scene, "post", {-0.12, 0.5 * kHeight + 0.1, 0}, {0.1, 0.5 * kHeight + 0.1, 0.1});
  const int arm = addBox(scene, {0.5 * kLength, kHeight, 0}, {0.5 * kLength, 0.05, 0.05});
  scene.bodies[size_t(arm)].name = "arm";
  const int weight = addBox(scene, {kLength + kHalfWeight, kHeight, 0}, {kHalfWeight, kHalfWeight, kHalfWeight});
  scene.bodies[size_t(weight)].name = "weight";
  scene.bodies[size_t(weight)].mass = arguments.real("load");
  JointDef& hinge = addJoint(scene, JointType::Hinge, post, arm, hingeFrame({0, kHeight, 0}, {0, 0, 1}));
  hinge.name = "hinge";
  hinge.axes[3].limits = {{arguments.real("low") * (kPi / 180), arguments.real("high") * (kPi / 180)}};
  addJoint(scene, JointType::Rigid, arm, weight, {{kLength, kHeight, 0}, kNoRotation}).name = "bolt";
  scene.defaultSteps = 300;
}

// A ball joint with dry friction [N m] and damping [N m s] about every axis.
void addFrictionBall(Scene& scene, int a, int b, Vec3d at, double friction, double damping = 0) {
  JointDef& joint = addJoint(scene, JointType::Point, a, b, {at, kNoRotation});
  for (size_t axis = 3; axis < 6; ++axis) {
    joint.axes[axis].friction = friction;
    joint.axes[axis].damping = damping;
  }
}

// --- net -------------------------------------------------------------------------------------------------------
// A lattice of knots (spheres) and strings (capsules), each string on point joints in the middle of its two knots: 15 x 15 meshes are 256 + 480 = 736
// bodies and 960 joints, and those that hang it up: 4 at the corners or 60 all around. It is knitted as a bowl, since straight rows of stiff strings
// between fixed points could not sag under any load. Its parts do not collide with each other. Joints of rope have friction, or the net would swing
// for minutes.
class Net {
 public:
  Net(Scene& scene, int64_t meshes, double friction, double damping) : scene_(scene), n_(meshes), friction_(friction), damping_(damping) {}

  double half() const { return half_; }
  double centreHeight() const { return kFloor; }
  double depth() const { return depth_; }

  // Posts outside the corners; for a net that hangs by its rim, bars that follow it from one post to the next.
  int addFrame(bool corners) {
    BodyDef frame;
    frame.name = "frame";
    frame.type = BodyType::Static;
    const double out = half_ + kKnot + kPost, halfHeight = 0.5 * (kFloor + 2 * depth_);
    for (const double x : {-out, out})
      for (const double z : {-out, out}) frame.shapes.push_back(boxAt({x, halfHeight + 0.1, z}, {kPost, halfHeight + 0.1, kPost}));
    if (!corners)
      for (int64_t i = 0; i < n_; ++i)
        for (const double side : {-1.0, 1.0})
          for (const bool alongX : {true, false}) {
            const auto rim = [&](int64_t at) {
              const Vec3d p = position(at, 0);
              return alongX ? Vec3d{p.x, p.y, side * (half_ + 0.25)} : Vec3d{side * (half_ + 0.25), p.y, p.x};
            };
            frame.shapes.push_back(capsuleAlong(rim(i), rim(i + 1), 0.05));
          }
    return scene_.add(std::move(frame));
  }

  void addKnots() {
    firstKnot_ = int(scene_.bodies.size());
    for (int64_t k = 0; k <= n_; ++k)
      for (int64_t i = 0; i <= n_; ++i) addPart(fmt::format("knot-{}-{}", i, k), position(i, k), ShapeDef::sphere(kKnot));
  }
  void addStrings() {
    for (int64_t k = 0; k <= n_; ++k)
      for (int64_t i = 0; i < n_; ++i) addString("string-x", {i, k}, {i + 1, k});
    for (int64_t k = 0; k < n_; ++k)
      for (int64_t i = 0; i <= n_; ++i) addString("string-z", {i, k}, {i, k + 1});
  }
  void hangUp(int frame, bool corners) {
    for (int64_t k = 0; k <= n_; ++k)
      for (int64_t i = 0; i <= n_; ++i) {
        const bool endX = i == 0 || i == n_, endZ = k == 0 || k == n_;
        if (corners ? endX && endZ : endX || endZ) addFrictionBall(scene_, frame, knot({i, k}), position(i, k), friction_, damping_);
      }
  }

 private:
  struct Knot {
    int64_t i, k;
  };
  static constexpr double kMesh = 0.5, kKnot = 0.07, kString = 0.035, kPost = 0.12, kFloor = 2;  // [m]; kFloor: height of the lowest knot

  Vec3d position(int64_t i, int64_t k) const {
    const double x = kMesh * double(i) - half_, z = kMesh * double(k) - half_;
    return {x, kFloor + depth_ * (x * x + z * z) / (half_ * half_), z};
  }
  int knot(Knot at) const { return firstKnot_ + int(at.k * (n_ + 1) + at.i); }

  int addPart(std::string name, Vec3d centre, ShapeDef shape) {
    BodyDef part;
    part.name = std::move(name);
    part.pose.p = centre;
    shape.filter.group = -1;
    part.shapes.push_back(shape);
    return scene_.add(std::move(part));
  }
  void addString(const char* name, Knot a, Knot b) {
    const Vec3d from = position(a.i, a.k), to = position(b.i, b.k), middle = 0.5 * (from + to);
    const Vec3d inset = kKnot * normalizedOr(to - from, Vec3d{1, 0, 0});
    const int body = addPart(fmt::format("{}-{}-{}", name, a.i, a.k), middle, capsuleAlong(from + inset - middle, to - inset - middle, kString));
    addFrictionBall(scene_, knot(a), body, from, friction_, damping_);
    addFrictionBall(scene_, body, knot(b), to, friction_, damping_);
  }

  Scene& scene_;
  int64_t n_;
  double friction_, damping_;
  double half_ = 0.5 * kMesh * double(n_), depth_ = 0.35 * half_;
  int firstKnot_ = 0;
};

void net(const Arguments& arguments, Scene& scene) {
  const bool corners = arguments.choice("hang") == "corners";
  Net net(scene, arguments.whole("meshes"), arguments.real("friction"), arguments.real("damping"));
  addGround(scene, net.half());
  const int frame = net.addFrame(corners);
  net.addKnots();
  net.addStrings();
  net.hangUp(frame, corners);
  // Boxes of 64 kg over the middle, nine a layer.
  for (int64_t i = 0; i < arguments.whole("boxes"); ++i) {
    const double x = double(i % 3) - 1, z = double(i / 3 % 3) - 1, layer = double(i / 9);
    addBox(scene, {1.1 * x, net.centreHeight() + net.depth() + 1 + layer, 1.1 * z}, {0.4, 0.4, 0.4}, 125);
  }
}

// --- rings -----------------------------------------------------------------------------------------------------

constexpr int kPieces = 6;

// A sixth of a ring about y, with a sixth of the paper's 1,300 triangles, from the x axis towards z; about its middle. The ends are round as those of
// capsules are: flat ones would be walls within the ring.
TriangleMesh bentPiece(double radius, double thickness) {
  constexpr int kAround = 12, kAlong = 4, kRound = 3;
  const auto onCircle = [](double angle) {
    const SinCos<double> at = sinCos(angle);
    return Vec3d{at.cosine, 0, at.sine};
  };
  const Vec3d middle = radius * onCircle(kPi / kPieces);
  RingMesh mesh(kAround);
  // `beyond` the end of the piece, as a part of the thickness.
  const auto place = [&](double part, double beyond) {
    const Vec3d outward = onCircle(2 * kPi / kPieces * part);
    return radius * outward + (thickness * beyond) * Vec3d{-outward.z, 0, outward.x} - middle;
  };
  int sections = 0;
  const auto section = [&](double part, double beyond, double size) {
    const Vec3d outward = onCircle(2 * kPi / kPieces * part), centre = place(part, beyond);
    mesh.ring([&](int i) {
      const SinCos<double> turn = sinCos(2 * kPi * i / kAround);
      return centre + (size * thickness) * (turn.cosine * outward + Vec3d{0, turn.sine, 0});
    });
    if (sections++ > 0) mesh.join((sections - 2) * kAround, (sections - 1) * kAround);
  };
  for (int k = 1; k < kRound; ++k) {
    const SinCos<double> turn = sinCos(0.5 * kPi * k / kRound);
    section(0, -turn.cosine, turn.sine);
  }
  for (int k = 0; k <= kAlong; ++k) section(double(k) / kAlong, 0, 1);
  for (int k = kRound - 1; k > 0; --k) {
    const SinCos<double> turn = sinCos(0.5 * kPi * k / kRound);
    section(1, turn.cosine, turn.sine);
  }
  mesh.closeBefore(0, place(0, -1));
  mesh.closeBehind((sections - 1) * kAround, place(1, 1));
  return mesh.take();
}

// Six bent pieces, each a compound of two capsules or the mesh that is given, on point joints in a closed loop around the `pose`'s y axis.
void addRing(Scene& scene, const Posed& pose, double radius, double thickness, double density, const ShapeDef* mesh = nullptr) {
  const auto corner = [&](int k) {  // the ring has twelve; joints are at the even ones
    const SinCos<double> a = sinCos(kPi * k / kPieces);
    return Vec3d{radius * a.cosine, 0, radius * a.sine};
  };
  const int first = int(scene.bodies.size());
  for (int piece = 0; piece < kPieces; ++piece) {
    const Vec3d a = corner(2 * piece), bend = corner(2 * piece + 1), b = corner(2 * piece + 2);
    BodyDef body;
    body.pose = {transform(pose, bend), pose.q};
    if (mesh != nullptr) {
      const SinCos<double> half = sinCos(kPi * piece / kPieces);
      body.shapes = {*mesh};
      body.shapes[0].localPose.q = {0, -half.sine, 0, half.cosine};
    } else {
      body.shapes = {capsuleAlong(a - bend, {0, 0, 0}, thickness), capsuleAlong({0, 0, 0}, b - bend, thickness)};
    }
    for (ShapeDef& shape : body.shapes) shape.density = density;
    scene.add(std::move(body));
  }
  for (int piece = 0; piece < kPieces; ++piece)
    addJoint(scene, JointType::Point, first + piece, first + (piece + 1) % kPieces, {transform(pose, corner(2 * piece + 2)), pose.q});
}

// 360 rings over 25 poles, as they come: the first pole gets the first, the twenty-sixth and so on, so that ten poles carry fifteen and the others
// fourteen.
void rings(const Arguments& arguments, Scene& scene) {
  const int64_t count = arguments.whole("rings"), side = arguments.whole("poles"), poles = side * side, layers = (count + poles - 1) / poles;
  constexpr double kPitch = 1.6, kRadius = 0.5, kThickness = 0.06, kPole = 0.12, kLayer = 0.35;  // [m]
  const bool ofMeshes = arguments.choice("shape") == "mesh";
  ShapeDef mesh;
  if (ofMeshes) mesh = ShapeDef::solidMesh(bentPiece(kRadius, kThickness), 0.1 * kThickness);
  // High enough for all of its rings, lying flat.
  const double height = 1 + 2 * kThickness * double(layers);
  addGround(scene, 0.5 * kPitch * double(side));
  const auto place = [&](int64_t pole) {
    return Vec3d{(double(pole % side) - 0.5 * double(side - 1)) * kPitch, 0, (double(pole / side) - 0.5 * double(side - 1)) * kPitch};
  };
  for (int64_t pole = 0; pole < poles; ++pole) {
    BodyDef body;
    body.name = fmt::format("pole-{}", pole + 1);
    body.type = BodyType::Static;
    body.pose.p = place(pole);
    body.shapes = {capsuleAlong({0, 0, 0}, {0, height - kPole, 0}, kPole)};
    scene.add(std::move(body));
  }
  Random random;
  for (int64_t i = 0; i < count; ++i) {
    Vec3d position = place(i % poles);
    position.y = height + 0.3 + kLayer * double(i / poles);
    position.x += random.symmetric(0.1);
    position.z += random.symmetric(0.1);
    const SinCos<double> spin = sinCos(0.5 * random.symmetric(kPi));
    const double tiltX = random.symmetric(0.05), tiltZ = random.symmetric(0.05);
    addRing(scene, {position, normalized(Quatd{tiltX, 0, tiltZ, 1} * Quatd{0, spin.sine, 0, spin.cosine})}, kRadius, kThickness, 1000,
            ofMeshes ? &mesh : nullptr);
  }
}

// --- bridge ----------------------------------------------------------------------------------------------------
// 20 rungs, on either side a rope of 21 pieces and 20 hangers between rungs and rope: 20 + 42 + 40 = 102 bodies. Rungs hold on to their neighbours
// and to the banks on both sides, so that there is a loop between any two of them; hangers close loops of rungs, rope and themselves. The bridge sags
// from the start, and its joints have friction, for the same reasons as the net's.
constexpr int kRungs = 20;
constexpr double kSpan = 10, kHalfWidth = 1, kSag = 0.8, kLowest = 3, kRail = 1;  // [m]; kRail: height of the ropes over the rungs

Vec3d onBridge(double x, double z) { return {x, kLowest + kSag * 4 * x * x / (kSpan * kSpan), z}; }

constexpr double kBridgePitch = kSpan / kRungs, kPostX = 0.5 * kSpan + 0.3, kRopeZ = 0.95, kRope = 0.03, kHanger = 0.02, kRungHalf = 0.04;  // [m]

// Edge k of the deck is between rungs k - 1 and k.
double edgeOfRung(int k) { return kBridgePitch * k - 0.5 * kSpan; }

// Both banks with their posts.
std::array<int, 2> addBanks(Scene& scene) {
  const double bankTop = onBridge(0.5 * kSpan, 0).y;
  std::array<int, 2> banks{};
  for (const size_t side : {0, 1}) {
    const double sign = side == 0 ? -1 : 1;
    BodyDef bank;
    bank.name = side == 0 ? "bank-x" : "bank+x";
    bank.type = BodyType::Static;
    bank.shapes.push_back(boxAt({sign * (0.5 * kSpan + 1.03), 0.5 * bankTop, 0}, {1, 0.5 * bankTop, 1.5}));
    for (const double z : {-kRopeZ, kRopeZ})
      bank.shapes.push_back(boxAt({sign * (kPostX + 0.05), bankTop + 0.5 * (kRail + 0.25), z}, {0.05, 0.5 * (kRail + 0.25), 0.05}));
    banks[side] = scene.add(std::move(bank));
  }
  return banks;
}

std::array<int, kRungs> addRungs(Scene& scene, const std::array<int, 2>& banks, double friction) {
  std::array<int, kRungs> rungs{};
  int previous = banks[0];
  for (int k = 0; k < kRungs; ++k) {
    const Vec3d a = onBridge(edgeOfRung(k), 0), b = onBridge(edgeOfRung(k + 1), 0);
    const int rung = addBox(scene, 0.5 * (a + b), {0.46 * length(b - a), kRungHalf, kHalfWidth}, 500);
    scene.bodies[size_t(rung)].pose.q = rotationBetween({1, 0, 0}, normalizedOr(b - a, Vec3d{1, 0, 0}));
    scene.bodies[size_t(rung)].name = fmt::format("rung-{}", k + 1);
    for (const double z : {-0.8, 0.8}) addFrictionBall(scene, previous, rung, onBridge(edgeOfRung(k), z), friction);
    previous = rungs[size_t(k)] = rung;
  }
  for (const double z : {-0.8, 0.8}) addFrictionBall(scene, previous, banks[1], onBridge(edgeOfRung(kRungs), z), friction);
  return rungs;
}

// The rope of one side and its hangers.
void addRope(Scene& scene, const std::array<int, 2>& banks, const std::array<int, kRungs>& rungs, double side, double friction) {
  const char* name = side < 0 ? "left" : "right";
  const auto join = [&](int a, int b, Vec3d at) { addFrictionBall(scene, a, b, at, friction); };
  const auto foot = [&](int k) {  // in the middle of rung k
    Vec3d p = 0.5 * (onBridge(edgeOfRung(k), 0) + onBridge(edgeOfRung(k + 1), 0));
    p.z = side * kRopeZ;
    return p;
  };
  const auto knot = [&](int k) {  // -1 and kRungs: at the posts
    return (k < 0 || k == kRungs ? onBridge(k < 0 ? -kPostX : kPostX, side * kRopeZ) : foot(k)) + Vec3d{0, kRail, 0};
  };
  const auto addPart = [&](std::string partName, Vec3d from, Vec3d to, double radius) {
    BodyDef part;
    part.name = std::move(partName);
    part.pose.p = 0.5 * (from + to);
    part.shapes = {capsuleAlong(from - part.pose.p, to - part.pose.p, radius)};
    return scene.add(std::move(part));
  };
  int rope = banks[0];
  for (int k = 0; k <= kRungs; ++k) {
    const int next = addPart(fmt::format("rope-{}-{}", name, k + 1), knot(k - 1), knot(k), kRope);
    join(rope, next, knot(k - 1));
    rope = next;
    if (k == kRungs) break;
    // Clear of the rope's next piece, to which it is not joined.
    const Vec3d low{0, kRungHalf + kHanger + 0.01, 0}, high{0, -(kRope + kHanger + 0.02), 0};
    const int hanger = addPart(fmt::format("hanger-{}-{}", name, k + 1), foot(k) + low, knot(k) + high, kHanger);
    join(rungs[size_t(k)], hanger, foot(k) + Vec3d{0, kRungHalf, 0});
    join(hanger, rope, knot(k));
  }
  join(rope, banks[1], knot(kRungs));
}

void addBridge(Scene& scene, double friction) {
  const std::array<int, 2> banks = addBanks(scene);
  const std::array<int, kRungs> rungs = addRungs(scene, banks, friction);
  for (const double side : {-1.0, 1.0}) addRope(scene, banks, rungs, side, friction);
}

// The loads that are dropped on the bridge: 81 pairs of blocks, one point joint each, or 60 rings of six.
void addPairs(Scene& scene) {
  constexpr double kHalf = 0.12, kGap = 0.01;  // [m]; half the gap between the two
  for (int i = 0; i < 81; ++i) {
    const double x = i % 9 - 4, z = 0.45 * (i / 9 % 3 - 1), y = kLowest + kSag + 1.5 + 0.45 * (i / 27);
    int pair[2];
    for (const int k : {0, 1}) pair[k] = addBox(scene, {x + (k == 0 ? -1 : 1) * (kHalf + kGap), y, z}, {kHalf, kHalf, kHalf}, 300);
    addJoint(scene, JointType::Point, pair[0], pair[1], {{x, y, z}, kNoRotation});
  }
}

void addLoops(Scene& scene) {
  for (int i = 0; i < 60; ++i)
    addRing(scene, {{0.9 * (i % 10 - 4.5), kLowest + kSag + 1.5 + 0.3 * (i / 20), i / 10 % 2 == 0 ? -0.4 : 0.4}, kNoRotation}, 0.28, 0.04, 300);
}

void bridge(const Arguments& arguments, Scene& scene) {
  const std::string& load = arguments.choice("load");
  addGround(scene);
  addBridge(scene, arguments.real("friction"));
  if (load == "blocks") addPairs(scene);
  if (load == "loops") addLoops(scene);
}

// Bodies and joints of the bridge's load.
double loadBodies(const Arguments& a) { return a.choice("load") == "blocks" ? 162 : a.choice("load") == "loops" ? 360 : 0; }
double loadJoints(const Arguments& a) { return a.choice("load") == "blocks" ? 81 : a.choice("load") == "loops" ? 360 : 0; }

}  // namespace

std::vector<Generator> articulatedGenerators() {
  return {
      Generator("motor", "a balanced wheel of 1.2 m on a hinge with a velocity motor",
                {real("speed", "of the motor [rad/s]", "10", -1000, 1000), real("torque", "largest of the motor [N m]", "20", 0, 1e9)})
          .bodies([](const Arguments&) { return 3.0; })
          .joints([](const Arguments&) { return 1.0; })
          .filledBy(motor),
      Generator("limits", "an arm of 1 m with a weight at its end falls to the lower limit of its hinge",
                {real("load", "mass of the weight [kg]", "100", 0.001, 1e9), real("low", "lower limit [degrees]", "-30", -90, 0),
                 real("high", "upper limit [degrees]", "30", 0, 90)})
          .bodies([](const Arguments&) { return 4.0; })
          .joints([](const Arguments&) { return 2.0; })
          .filledBy(limits),
      Generator("net", "a lattice of knots and strings, hung up and weighed down by boxes (Weinstein et al.)",
                {whole("meshes", "on each side", 15, 1, 1e4), choice("hang", "where it is held", {"corners", "rim"}),
                 whole("boxes", "boxes of 64 kg", 9, 0, 1e6), real("friction", "of each joint, against turns [N m]", "0.5", 0, 1e9),
                 real("damping", "likewise [N m s]", "4", 0, 1e9)})
          .bodies([](const Arguments& a) { return 2 + (3 * a.real("meshes") + 1) * (a.real("meshes") + 1) + a.real("boxes"); })
          .joints([](const Arguments& a) {
            const double n = a.real("meshes");
            return 4 * n * (n + 1) + (a.choice("hang") == "corners" ? 4 : 4 * n);
          })
          .filledBy(net),
      Generator("bridge", "a rope bridge of 102 bodies in closed loops; what is dropped on it besides (Weinstein et al.)",
                {choice("load", "nothing, 81 pairs of jointed blocks, or 60 loops of six bodies", {"none", "blocks", "loops"}),
                 real("friction", "of the bridge's joints, against turns [N m]", "2", 0, 1e9)})
          .bodies([](const Arguments& a) { return 105 + loadBodies(a); })
          .joints([](const Arguments& a) { return 166 + loadJoints(a); })
          .filledBy(bridge),
      Generator(
          "rings", "rings of six bent bodies in closed loops dropped on poles (Weinstein et al.)",
          {whole("rings", "rings", 360, 1, 1e9), whole("poles", "on each side", 5, 1, 1e4), choice("shape", "what a body is", {"compound", "mesh"})})
          .bodies([](const Arguments& a) { return 1 + 6 * a.real("rings") + a.real("poles") * a.real("poles"); })
          .joints([](const Arguments& a) { return 6 * a.real("rings"); })
          .filledBy(rings),
  };
}

}  // namespace cairn::v0::scenes
