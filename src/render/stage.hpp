// The scene as pictures show it: a World of its own, whose bodies are where those of the World are, without what would hide them.
//
// Walls of containers are cut: those between the camera and the bodies off above the floor, the others off above the bodies; of a container that is
// one mesh those between are left out. Ground that is a sheet has sides. So nothing is veiled, light falls in where one looks in, and a ray is one
// cast. The World that is shown is not touched.
#pragma once

#include "src/render/camera.hpp"

#include <cairn/world.hpp>

#include <map>
#include <memory>
#include <vector>

namespace cairn::v0 {

class Stage {
 public:
  // The scene outlives it.
  explicit Stage(const Scene& scene);

  // As the World's bodies are now, for a camera.
  void set(const World& world, const Camera& camera);

  // Whose bodies are those of `shown`.
  const World& world() const { return *world_; }
  int bodyOf(const RayHit& hit) const { return hit.body.index < 0 ? -1 : numbers_[static_cast<size_t>(hit.body.index)]; }
  // The scene's mesh or height field that a shape of these shows, maybe in part.
  const void* surfaceOf(const ShapeDef& shape) const;
  const BodyDef& shown(int body) const { return bodies_[static_cast<size_t>(body)]; }
  const std::vector<BodyState>& states() const { return states_; }
  double middle() const { return middle_; }  // depth of the bodies' middle [m]
  // Where walls before and behind the bodies are cut off: along the vertical [m].
  double low() const { return low_; }
  double top() const { return top_; }

 private:
  // Shapes that close a compound body at one end, as the bars of a grating do.
  struct End {
    size_t body;
    Vec3d outward;  // in the body's frame, as the middle
    Vec3d middle;
    std::vector<size_t> shapes;
  };
  void findEnds(size_t body);
  void giveSides(BodyDef& body);
  bool closedBy(const End& end, const Camera& camera) const;
  enum class Part : char { Whole, BelowLow, BelowTop, Nothing };
  Part partOf(const BodyDef& body, const ShapeDef& shape, const Posed& pose, const Camera& camera) const;
  static bool surrounds(const ShapeDef& shape, const Posed& pose, Vec3d eye);
  BodyDef cut(size_t body, const Camera& camera);
  std::shared_ptr<const TriangleMesh> opened(const ShapeDef& shape, const Posed& pose, const Camera& camera);
  void measure(const Camera& camera);

  const Scene& scene_;
  Vec3d vertical_;
  std::vector<BodyDef> bodies_;  // as they are shown
  std::vector<BodyDef> whole_;
  std::vector<End> ends_;
  std::vector<size_t> fixed_;  // that may be walls
  // By the scene's mesh: which triangles are left out, and the others. And which mesh these are of.
  std::map<const TriangleMesh*, std::pair<std::vector<bool>, std::shared_ptr<const TriangleMesh>>> opened_;
  std::map<const TriangleMesh*, const void*> wholeOf_;
  std::unique_ptr<World> world_;
  WorldSettings settings_;  // that it was made with
  std::vector<BodyId> ids_;
  std::vector<int> numbers_;  // of bodies by the index of their id
  std::vector<BodyState> states_;
  double middle_ = 1, low_ = 0, top_ = 0;
  Vec3d centre_, extent_;  // of the dynamic bodies: extent_ is half of it
};

}  // namespace cairn::v0
