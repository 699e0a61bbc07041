#include "src/render/stage.hpp"

#include "src/render/framing.hpp"
#include "src/render/open_mesh.hpp"

#include <cairn/height_field.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace cairn::v0 {
namespace {

constexpr double kAbove = 0.04, kBelow = 0.015;  // of the bodies' height: what is shown of walls behind, and before, besides
constexpr double kWide = 0.4, kHigh = 0.15;      // of the bodies' extent: the least of a wall
constexpr double kThin = 0.5;                    // of its width: a wall's thickness at most
constexpr double kUpright = 1e-3;
constexpr size_t kLeastOfAnEnd = 4;  // shapes
constexpr double kThinEnd = 0.25;    // of half the body's length

// A static body of shapes that rays meet alike: none of them has to be made into a solid again.
BodyDef forRays(const BodyDef& body) {
  BodyDef shown = body;
  shown.type = BodyType::Static;
  shown.linearVelocity = shown.angularVelocity = {0, 0, 0};
  shown.mass.reset();
  shown.inertia.reset();
  shown.centreOfMass.reset();
  for (ShapeDef& shape : shown.shapes) shape.solid = false;
  return shown;
}

// Half extents of a box about the shape's origin that holds it; none of what has no bounds, or is ground.
bool halfExtents(const ShapeDef& shape, Vec3d& half) {
  switch (shape.type) {
    case ShapeType::Box:
      half = shape.halfExtents;
      return true;
    case ShapeType::Cylinder:
      half = {shape.radius, shape.halfHeight, shape.radius};
      return true;
    case ShapeType::Hull:
      half = {0, 0, 0};
      for (const Vec3d& p : shape.points) {
        half = {std::max(half.x, std::abs(p.x)), std::max(half.y, std::abs(p.y)), std::max(half.z, std::abs(p.z))};
      }
      return true;
    default:
      return false;
  }
}

Vec3d axisOf(const Quatd& turn, int axis) { return rotate(turn, Vec3d{axis == 0 ? 1.0 : 0.0, axis == 1 ? 1.0 : 0.0, axis == 2 ? 1.0 : 0.0}); }

double& at(Vec3d& v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

bool sameShapes(const BodyDef& a, const BodyDef& b) {
  if (a.shapes.size() != b.shapes.size()) return false;
  for (size_t i = 0; i < a.shapes.size(); ++i) {
    const ShapeDef &s = a.shapes[i], &t = b.shapes[i];
    if (s.type != t.type || s.triangles != t.triangles || length(s.halfExtents - t.halfExtents) != 0 || length(s.localPose.p - t.localPose.p) != 0)
      return false;
  }
  return true;
}

}  // namespace

Stage::Stage(const Scene& scene) : scene_(scene), vertical_(verticalOf(scene)) {
  for (size_t i = 0; i < scene.bodies.size(); ++i) {
    whole_.push_back(forRays(scene.bodies[i]));
    if (scene.bodies[i].type == BodyType::Dynamic) continue;
    fixed_.push_back(i);
    findEnds(i);
    if (scene.bodies[i].type == BodyType::Static) giveSides(whole_[i]);
  }
  bodies_ = whole_;
}

// Walls before the bodies are cut off down to the ground, and one would look under it.
void Stage::giveSides(BodyDef& body) {
  for (ShapeDef& shape : body.shapes) {
    if (shape.sensor || (shape.type != ShapeType::Mesh && shape.type != ShapeType::HeightField)) continue;
    const void* const own = surfaceOf(shape);
    const TriangleMesh mesh = shape.type == ShapeType::Mesh ? *shape.triangles : triangulated(*shape.heights);
    TriangleMesh solid = withSides(mesh, inverseRotate(body.pose.q, inverseRotate(shape.localPose.q, vertical_)));
    if (solid.triangles.size() == mesh.triangles.size()) continue;
    ShapeDef shown = ShapeDef::mesh(std::move(solid), shape.twoSided);
    shown.localPose = shape.localPose;
    shown.filter = shape.filter;
    wholeOf_[shown.triangles.get()] = own;
    shape = std::move(shown);
  }
}

void Stage::findEnds(size_t index) {
  const std::vector<ShapeDef>& shapes = scene_.bodies[index].shapes;
  const auto isBox = [](const ShapeDef& shape) { return shape.type == ShapeType::Box; };
  if (shapes.size() < kLeastOfAnEnd || !std::all_of(shapes.begin(), shapes.end(), isBox)) return;
  for (int axis = 0; axis < 3; ++axis) {
    double length = 0;
    for (const ShapeDef& shape : shapes) length = std::max(length, std::abs(component(shape.localPose.p, axis)));
    for (const double side : {1.0, -1.0}) {
      End end{index, side * axisOf({0, 0, 0, 1}, axis), {0, 0, 0}, {}};
      for (size_t k = 0; k < shapes.size(); ++k) {
        const Posed& pose = shapes[k].localPose;
        double thickness = 0;
        for (int own = 0; own < 3; ++own)
          thickness += std::abs(dot(axisOf(normalized(pose.q), own), end.outward)) * component(shapes[k].halfExtents, own);
        if (dot(pose.p, end.outward) > (1 - 1e-6) * length && thickness < kThinEnd * length) end.shapes.push_back(k);
      }
      end.middle = length * end.outward;
      if (end.shapes.size() >= kLeastOfAnEnd) ends_.push_back(end);
    }
  }
}

// Whether it is between the camera and the bodies.
bool Stage::closedBy(const End& end, const Camera& camera) const {
  const Posed& body = states_[end.body].pose;
  const Vec3d middle = transform(body, end.middle), outward = rotate(body.q, end.outward);
  return dot(camera.eye - middle, outward) > 0 && dot(centre_ - middle, outward) < 0;
}

void Stage::measure(const Camera& camera) {
  const std::vector<BodyBall> balls = ballsOfDynamicBodies(scene_, states_);
  const double nearest = -reachAlong(balls, -camera.forward), furthest = reachAlong(balls, camera.forward);
  middle_ = std::max(0.5 * (nearest + furthest) - dot(camera.eye, camera.forward), 1e-3 * (furthest - nearest));
  const double top = reachAlong(balls, vertical_), bottom = -reachAlong(balls, -vertical_);
  top_ = top + kAbove * (top - bottom);
  low_ = bottom + kBelow * (top - bottom);
  for (int axis = 0; axis < 3; ++axis) {
    const Vec3d along = axisOf({0, 0, 0, 1}, axis);
    const double high = reachAlong(balls, along), low = -reachAlong(balls, -along);
    at(centre_, axis) = 0.5 * (high + low);
    at(extent_, axis) = 0.5 * (high - low);
  }
}

// A wall is upright, thin for its width, and neither narrow nor low beside the bodies. It hides them if it has the eye on one side and their middle
// on the other.
Stage::Part Stage::partOf(const BodyDef& body, const ShapeDef& shape, const Posed& pose, const Camera& camera) const {
  Vec3d half;
  if (!halfExtents(shape, half)) return Part::Whole;
  int upright = 0, thin = -1;
  for (int axis = 1; axis < 3; ++axis) {
    if (std::abs(dot(axisOf(pose.q, axis), vertical_)) > std::abs(dot(axisOf(pose.q, upright), vertical_))) upright = axis;
  }
  for (int axis = 0; axis < 3; ++axis) {
    if (axis != upright && (thin < 0 || component(half, axis) < component(half, thin))) thin = axis;
  }
  int wide = 3 - upright - thin;
  if (shape.type != ShapeType::Box && component(half, upright) < component(half, thin)) return Part::Whole;
  const Vec3d along = axisOf(pose.q, wide), normal = axisOf(pose.q, thin);
  const auto reach = [&](Vec3d direction) {
    return std::abs(direction.x) * extent_.x + std::abs(direction.y) * extent_.y + std::abs(direction.z) * extent_.z;
  };
  if (component(half, thin) > kThin * component(half, wide)) return Part::Whole;
  if (component(half, wide) < kWide * reach(along) || component(half, upright) < kHigh * reach(vertical_)) return Part::Whole;
  const double eye = dot(camera.eye - pose.p, normal), bodies = dot(centre_ - pose.p, normal), thickness = component(half, thin);
  if (std::abs(bodies) < thickness) return Part::Whole;
  const bool before = eye * bodies < 0 && std::abs(eye) > thickness;
  const bool cuts = shape.type == ShapeType::Box && body.type == BodyType::Static && std::abs(dot(axisOf(pose.q, upright), vertical_)) > 1 - kUpright;
  if (before) return cuts ? Part::BelowLow : Part::Nothing;
  return cuts ? Part::BelowTop : Part::Whole;
}

// Whether the camera is in it: nothing else could be seen then.
bool Stage::surrounds(const ShapeDef& shape, const Posed& pose, Vec3d eye) {
  const Vec3d at = inverseTransform(pose, eye);
  if (shape.type == ShapeType::HalfSpace) return at.y < 0;
  if (shape.type == ShapeType::Sphere) return length(at) < shape.radius;
  const Vec3d half = shape.halfExtents;
  return shape.type == ShapeType::Box && std::abs(at.x) < half.x && std::abs(at.y) < half.y && std::abs(at.z) < half.z;
}

// What is cut off a mesh is cut off once, as long as it is the same: a film turns its camera a little at a time.
std::shared_ptr<const TriangleMesh> Stage::opened(const ShapeDef& shape, const Posed& pose, const Camera& camera) {
  MeshView view;
  view.eye = inverseTransform(pose, camera.eye);
  view.centre = inverseTransform(pose, centre_);
  for (int axis = 0; axis < 3; ++axis) view.extent[axis] = component(extent_, axis) * inverseRotate(pose.q, axisOf({0, 0, 0, 1}, axis));
  view.vertical = inverseRotate(pose.q, vertical_);
  view.low = low_ - dot(pose.p, vertical_);
  const std::vector<bool> hides = hidingTriangles(*shape.triangles, view);
  if (std::find(hides.begin(), hides.end(), true) == hides.end()) return shape.triangles;
  if (std::find(hides.begin(), hides.end(), false) == hides.end()) return nullptr;
  std::pair<std::vector<bool>, std::shared_ptr<const TriangleMesh>>& last = opened_[shape.triangles.get()];
  if (last.second == nullptr || last.first != hides) {
    wholeOf_.erase(last.second.get());
    last = {hides, std::make_shared<TriangleMesh>(withoutTriangles(*shape.triangles, hides))};
    wholeOf_[last.second.get()] = shape.triangles.get();
  }
  return last.second;
}

const void* Stage::surfaceOf(const ShapeDef& shape) const {
  if (shape.type == ShapeType::HeightField) return shape.heights.get();
  const auto found = wholeOf_.find(shape.triangles.get());
  return found == wholeOf_.end() ? shape.triangles.get() : found->second;
}

BodyDef Stage::cut(size_t index, const Camera& camera) {
  BodyDef shown = whole_[index];
  const Posed& body = states_[index].pose;
  shown.pose = body;
  std::vector<bool> open(shown.shapes.size(), false);
  for (const End& end : ends_) {
    if (end.body != index || !closedBy(end, camera)) continue;
    for (const size_t k : end.shapes) open[k] = true;
  }
  std::vector<ShapeDef> shapes;
  for (size_t k = 0; k < shown.shapes.size(); ++k) {
    if (open[k]) continue;
    ShapeDef shape = shown.shapes[k];
    const Posed pose{transform(body, shape.localPose.p), normalized(body.q * shape.localPose.q)};
    const bool ground = wholeOf_.count(shape.triangles.get()) != 0;
    if (shape.type == ShapeType::Mesh && shape.triangles != nullptr && !ground && scene_.bodies[index].type == BodyType::Static) {
      shape.triangles = opened(shape, pose, camera);
      if (shape.triangles == nullptr) continue;
    }
    const Part part = partOf(scene_.bodies[index], shape, pose, camera);
    if (part == Part::Nothing) continue;
    if (part != Part::Whole) {
      int upright = 0;
      for (int axis = 1; axis < 3; ++axis) {
        if (std::abs(dot(axisOf(pose.q, axis), vertical_)) > std::abs(dot(axisOf(pose.q, upright), vertical_))) upright = axis;
      }
      const double half = component(shape.halfExtents, upright), middle = dot(pose.p, vertical_);
      const double height = std::min((part == Part::BelowLow ? low_ : top_) - (middle - half), 2 * half);
      if (height <= 0) continue;
      if (height < 2 * half) {
        at(shape.halfExtents, upright) = 0.5 * height;
        shape.localPose.p = inverseTransform(body, pose.p - (half - 0.5 * height) * vertical_);
      }
    }
    if (surrounds(shape, {transform(body, shape.localPose.p), pose.q}, camera.eye)) continue;
    shapes.push_back(shape);
  }
  shown.shapes = std::move(shapes);
  return shown;
}

void Stage::set(const World& world, const Camera& camera) {
  states_ = world.states();
  measure(camera);
  WorldSettings settings = world.settings();
  settings.stream = {};
  const bool again = world_ != nullptr && settings.backend == settings_.backend && settings.threads == settings_.threads &&
                     settings.device == settings_.device && settings.precision == settings_.precision;
  std::vector<size_t> changed;
  for (const size_t i : fixed_) {
    BodyDef shown = cut(i, camera);
    if (!sameShapes(shown, bodies_[i])) changed.push_back(i);
    bodies_[i] = std::move(shown);
  }
  if (!again) {
    Scene scene;
    scene.name = scene_.name;
    scene.gravity = scene_.gravity;
    scene.bodies = bodies_;
    world_ = std::make_unique<World>(scene, settings);
    settings_ = settings;
    ids_ = world_->bodies();
  } else {
    for (const size_t i : changed) {
      world_->removeBody(ids_[i]);
      ids_[i] = world_->addBody(bodies_[i]);
    }
  }
  numbers_.assign(ids_.size(), -1);
  std::vector<Posed> poses;
  poses.reserve(ids_.size());
  for (size_t i = 0; i < ids_.size(); ++i) {
    const auto index = static_cast<size_t>(ids_[i].index);
    if (index >= numbers_.size()) numbers_.resize(index + 1, -1);
    numbers_[index] = static_cast<int>(i);
    poses.push_back(states_[i].pose);
  }
  world_->setPoses(ids_, poses);
}

}  // namespace cairn::v0
