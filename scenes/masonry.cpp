// Structures that only friction holds up: a masonry arch and a house of cards.
#include "scenes/scene_library.hpp"

namespace cairn::v0::scenes {
namespace {

// --- arch ------------------------------------------------------------------------------------------------------
// A semicircle of equal voussoirs between two abutments. A voussoir is a wedge, made of two boxes: each has one face
// flush with one of the wedge's two joint planes and covers nearly the whole width of the wedge at the intrados, so
// that together they fill it. Neighbours therefore meet face to face on the full joint, as dressed stones do, and
// nothing but thrust and friction holds them.
//
// Statics: a semicircular arch stands under its own weight if thickness / mean radius is at least 0.107 (Heyman, "The
// Safety of Masonry Arches", Int. J. Mech. Sci. 1969; the bound is Milankovitch's 0.1075); the default of 0.2 leaves
// room for compliance. The thrust leaves the joints' normals by less than 23 degrees there; 0.6 is 31 degrees.
void arch(const Arguments& arguments, Scene& scene) {
  const int64_t stones = arguments.whole("stones");
  const double radius = arguments.real("radius"), thickness = arguments.real("thickness"), width = arguments.real("width");
  if (thickness > 0.5 * radius) arguments.reject("thickness", "must be at most half the radius, or the stones are no wedges any more");
  constexpr double kSpringing = 1;  // height of the joints between arch and abutments [m]
  addGround(scene, radius + thickness);
  for (const double side : {-1.0, 1.0})
    addStaticBox(scene, side < 0 ? "abutment-left" : "abutment-right", {side * radius, 0.5 * kSpringing, 0},
                 {thickness, 0.5 * kSpringing, 0.5 * width + 0.25});

  const double inner = radius - 0.5 * thickness, outer = radius + 0.5 * thickness;
  const double half = 0.5 * kPi / double(stones);  // half the angle of a wedge
  const SinCos<double> joint = sinCos(half), whole = sinCos(2 * half);
  // At the intrados a box is 10 % thinner than the wedge, so that its blind face stays clear of the next stone.
  const double boxThickness = 0.9 * inner * whole.sine / whole.cosine;
  // The boxes overlap: the mass is the wedge's own.
  const double mass = 1000 * width * 0.5 * whole.sine * (outer * outer - inner * inner);
  for (int64_t i = 0; i < stones; ++i) {
    const double angle = kPi * (double(i) + 0.5) / double(stones);  // of the stone's middle, from +x
    const SinCos<double> middle = sinCos(angle);
    BodyDef stone;
    stone.pose = {{radius * middle.cosine, kSpringing + radius * middle.sine, 0}, aboutZ(angle - 0.5 * kPi)};
    stone.mass = mass;
    for (const double side : {1.0, -1.0}) {  // +1: the joint on the side of the stone's +x
      ShapeDef box = ShapeDef::box({0.5 * boxThickness, 0.5 * thickness, 0.5 * width});
      const Vec3d along{side * joint.sine, joint.cosine, 0}, inwards{-side * joint.cosine, joint.sine, 0};
      box.localPose = {Vec3d{0, -radius, 0} + radius * along + 0.5 * boxThickness * inwards, aboutZ(-side * half)};
      stone.shapes.push_back(box);
    }
    scene.add(std::move(stone));
  }
}

// --- card house ------------------------------------------------------------------------------------------------
// Levels of pairs of cards that lean against each other, with flat cards from top to top that carry the next level.
//
// Statics: a card of weight W that leans by a from the vertical and carries P needs a friction coefficient of
// tan(a) (W/2 + P) / (W + P) < tan(a) at its foot, and as much at its top where the flat cards tie neighbouring pairs
// together; tan(15 degrees) is 0.27. The upper level's feet stand a little inwards of the edges that carry the flat
// card, so that it cannot tip.
constexpr double kCardHalfLength = 0.5, kCardHalfThickness = 0.015, kCardHalfWidth = 0.35;  // [m]

void cardHouse(const Arguments& arguments, Scene& scene) {
  const int64_t levels = arguments.whole("levels");
  const double lean = arguments.real("angle") * (kPi / 180);
  const SinCos<double> a = sinCos(lean);
  // A leaning card's lowest edge is the one towards the middle of the pair, its highest the outer one.
  const double footDistance = 2 * kCardHalfLength * a.sine;          // lowest edge from the middle of the pair
  const double supportDistance = 2 * kCardHalfThickness * a.cosine;  // highest edge from the middle of the pair
  const double rise = 2 * kCardHalfLength * a.cosine + 2 * kCardHalfThickness * a.sine;
  constexpr double kFootInset = 0.03;  // of the next level's feet from the edges that carry their flat card [m]
  const double pitch = 2 * (footDistance + supportDistance + kFootInset);
  const double flatHalfLength = 0.5 * pitch - 0.2 * kCardHalfThickness;
  const Vec3d middleToCentre{kCardHalfThickness * a.cosine + kCardHalfLength * a.sine, 0.5 * rise, 0};

  addGround(scene, 0.5 * pitch * double(levels));
  for (int64_t level = 0; level < levels; ++level) {
    const int64_t pairs = levels - level;
    const double floor = double(level) * (rise + 2 * kCardHalfThickness);
    const auto middle = [&](int64_t i) { return (double(i) - 0.5 * double(pairs - 1)) * pitch; };
    for (int64_t i = 0; i < pairs; ++i)
      for (const double side : {-1.0, 1.0}) {
        const int card =
            addBox(scene, {middle(i) + side * middleToCentre.x, floor + middleToCentre.y, 0}, {kCardHalfThickness, kCardHalfLength, kCardHalfWidth});
        scene.bodies[size_t(card)].pose.q = aboutZ(side * lean);
      }
    for (int64_t i = 0; i + 1 < pairs; ++i)
      addBox(scene, {0.5 * (middle(i) + middle(i + 1)), floor + rise + kCardHalfThickness, 0}, {flatHalfLength, kCardHalfThickness, kCardHalfWidth});
  }
}

}  // namespace

std::vector<Generator> masonryGenerators() {
  return {
      Generator("arch", "a semicircular masonry arch of wedge-shaped stones that only friction holds",
                {whole("stones", "voussoirs", 21, 5, 1001), real("radius", "mean radius [m]", "3", 0.1, 1000),
                 real("thickness", "in the radial direction [m]; below 0.107 of the radius even rigid stones fall", "0.6", 0.01, 500),
                 real("width", "along the barrel [m]", "1", 0.01, 1000)})
          .bodies([](const Arguments& a) { return 3 + a.real("stones"); })
          .filledBy(arch),
      Generator("card-house", "leaning pairs of cards of 1.0 x 0.7 x 0.03 m with flat cards between the levels",
                {whole("levels", "levels; the lowest has as many pairs", 3, 1, 1e6),
                 real("angle", "of the leaning cards from the vertical [degrees]", "15", 5, 30)})
          .bodies([](const Arguments& a) { return 1 + a.real("levels") * (a.real("levels") + 1) + 0.5 * a.real("levels") * (a.real("levels") - 1); })
          .filledBy(cardHouse),
  };
}

}  // namespace cairn::v0::scenes
