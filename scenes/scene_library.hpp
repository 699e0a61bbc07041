// The scene generators of this folder, and the pieces that they share.
//
// A generator is a table entry: name, summary, parameters with ranges, the number of bodies and joints that it will make
// (asked for first, so that a count beyond the machine's memory is refused before anything is allocated), and the
// function that fills the scene. Sines and cosines come from sinCos of math.hpp, not from the C library, so that a scene has the
// same bits on every machine.
#pragma once

#include <cairn/scene.hpp>

#include <string>
#include <vector>

namespace cairn::v0::scenes {

struct Parameter {
  enum class Kind { Whole, Real, Choice };
  std::string name;
  Kind kind = Kind::Real;
  std::string meaning;  // with its unit
  std::string defaultValue;
  double low = 0, high = 0;          // Whole, Real: allowed, both ends included
  std::vector<std::string> choices;  // Choice
};

Parameter whole(std::string name, std::string meaning, long defaultValue, double low, double high);
Parameter real(std::string name, std::string meaning, std::string defaultValue, double low, double high);
Parameter choice(std::string name, std::string meaning, std::vector<std::string> choices);  // the first is the default

// The values that one call of a generator got, defaults filled in.
class Arguments {
 public:
  struct Value {
    std::string name, text;
    double number;  // Whole and Real
  };
  Arguments(std::string generator, std::vector<Value> values) : generator_(std::move(generator)), values_(std::move(values)) {}

  int64_t whole(const std::string& name) const { return int64_t(value(name).number); }
  double real(const std::string& name) const { return value(name).number; }
  const std::string& choice(const std::string& name) const { return value(name).text; }
  bool has(const std::string& name) const;
  const Value& value(const std::string& name) const;  // must be there
  // Throws InvalidInput: for values that are each in range but do not go together.
  [[noreturn]] void reject(const std::string& name, const std::string& reason) const;

 private:
  std::string generator_;
  std::vector<Value> values_;
};

// "1 to 1000", "box|sphere".
std::string rangeText(const Parameter& parameter);

// "base=40,shape=box" to values, with defaults for the others; null: defaults alone. Throws InvalidInput for what the generator does not know, or
// values out of their range.
Arguments readArguments(const std::string& generator, const std::vector<Parameter>& parameters, const std::string* text);

class Generator {
 public:
  // Counts are doubles: a million by a million does not fit into less.
  using Count = double (*)(const Arguments&);
  using Fill = void (*)(const Arguments&, Scene&);

  Generator(std::string name, std::string summary, std::vector<Parameter> parameters)
      : name_(std::move(name)), summary_(std::move(summary)), parameters_(std::move(parameters)) {}
  Generator& bodies(Count count) { return bodyCount_ = count, *this; }
  Generator& joints(Count count) { return jointCount_ = count, *this; }
  Generator& filledBy(Fill function) { return fill_ = function, *this; }

  const std::string& name() const { return name_; }
  const std::string& summary() const { return summary_; }
  const std::vector<Parameter>& parameters() const { return parameters_; }
  double bodyCount(const Arguments& arguments) const { return bodyCount_(arguments); }
  double jointCount(const Arguments& arguments) const { return jointCount_ != nullptr ? jointCount_(arguments) : 0; }
  void fill(const Arguments& arguments, Scene& scene) const { fill_(arguments, scene); }

 private:
  std::string name_, summary_;
  std::vector<Parameter> parameters_;
  Count bodyCount_ = nullptr, jointCount_ = nullptr;
  Fill fill_ = nullptr;
};

std::vector<Generator> stackGenerators();        // stacks.cpp: tower, pyramid, wall, mass-ratio
std::vector<Generator> pileGenerators();         // piles.cpp: pile, rubble
std::vector<Generator> masonryGenerators();      // masonry.cpp: arch, card-house
std::vector<Generator> motionGenerators();       // motion.cpp: dominoes, incline, newton-cradle, billiard-break
std::vector<Generator> drumGenerators();         // drum.cpp: drum
std::vector<Generator> experimentGenerators();   // experiments.cpp: ellipse, cannonball, rectangles
std::vector<Generator> chainGenerators();        // chains.cpp: chain, chain-100, chain-100h, pendulum, double-pendulum, cline-pai-chain
std::vector<Generator> articulatedGenerators();  // articulated.cpp: motor, limits, net, bridge, rings
std::vector<Generator> magnetGenerators();       // magnets.cpp: magnets
std::vector<Generator> tankGenerators();         // tank.cpp: tank
std::vector<Generator> skeletonGenerators();     // skeletons.cpp: skeletons
std::vector<Generator> box3dGenerators();        // box3d.cpp: large_pyramid, many_pyramids, joint_grid, washer, convex_pile
std::vector<Generator> kaplaGenerators();        // kapla.cpp: kapla
std::vector<Generator> timberGenerators();       // timber.cpp: logs
std::vector<Generator> landscapeGenerators();    // landscape.cpp: terrain
std::vector<Generator> rainGenerators();         // rain.cpp: rain
std::vector<Generator> solidGenerators();        // solids.cpp: links, hooks, bolts
std::vector<Generator> compoundGenerators();     // compounds.cpp: compounds

// A parameter may ask for so many bodies at most; the machine's memory sets a lower limit.
constexpr double kMaxBodies = 1e12;

// --- pieces ----------------------------------------------------------------------------------------------------

// Rotation by an angle [rad] about world z.
Quatd aboutZ(double angle);

// The shortest rotation that takes the unit vector `from` to the unit vector `to`.
Quatd rotationBetween(Vec3d from, Vec3d to);

// Capsule around the segment from a to b, in the body's frame: its round ends reach beyond them.
ShapeDef capsuleAlong(Vec3d a, Vec3d b, double radius);

// Box along the axes of the body's frame.
ShapeDef boxAt(Vec3d centre, Vec3d halfExtents);

// Regular prism about the body's z axis, as sides / 2 boxes that cross each other; `sides` even, corners at angles 0, 360 / sides degrees and so on.
// Gives the body the prism's mass, since the boxes overlap.
void addPrism(BodyDef& body, int sides, double apothem, double halfWidth, double density);

// Keeps the body's shapes from colliding with anything.
void collideWithNothing(BodyDef& body);

// Adds a joint that has no error with the bodies as they lie. The reference is good until the next joint is added.
JointDef& addJoint(Scene& scene, JointType type, int bodyA, int bodyB, Posed frame);

// A frame at `position` whose x axis (a hinge's) or y axis (a twist's) points along the unit vector `axis`.
Posed hingeFrame(Vec3d position, Vec3d axis);
Posed twistFrame(Vec3d position, Vec3d axis);

// Add a dynamic box without a name, or a static one, and return its index.
int addBox(Scene& scene, Vec3d position, Vec3d halfExtents, double density = 1000);
// The same as a box or, where `shape` is "hull", as the hull of its eight corners.
int addCuboid(Scene& scene, const std::string& shape, Vec3d position, Vec3d halfExtents, double density = 1000);
int addStaticBox(Scene& scene, const char* name, Vec3d position, Vec3d halfExtents);

// Static box with its top at y = 0, at least 200 m x 200 m, and 10 m wider than `halfWidth` on every side.
void addGround(Scene& scene, double halfWidth = 0);

// Uniform numbers from Knuth's 64-bit MMIX generator, the top 24 bits of the state. The same sequence on every machine.
class Random {
 public:
  explicit Random(uint64_t seed = 12345) : state_(seed) {}
  // In [0, 1).
  double next() {
    state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
    return double(state_ >> 40) / double(1 << 24);
  }
  // In [-a, a).
  double symmetric(double a) { return a * (2 * next() - 1); }

 private:
  uint64_t state_;
};

}  // namespace cairn::v0::scenes
