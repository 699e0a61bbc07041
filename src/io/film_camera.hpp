// The camera of a film that is made while a World runs, whose end nobody knows yet: it follows what moves, without haste.
#pragma once

#include "src/render/framing.hpp"

#include <optional>

namespace cairn::v0 {

class FollowingCamera {
 public:
  // The scene outlives it.
  FollowingCamera(const Scene& scene, const CameraChoice& choice, double aspect) : scene_(scene), choice_(choice), aspect_(aspect) {}
  // At a time of the film [s], which grows from call to call. What the choice says of the camera stays as it is.
  Camera at(double time, const std::vector<BodyState>& states);

 private:
  // Towards a value that the bodies ask for; there at once the first time.
  void approach(std::optional<Vec3d>& value, Vec3d goal, double part) const;

  const Scene& scene_;
  CameraChoice choice_;
  double aspect_;
  double last_ = 0;  // time of the last call [s]
  std::optional<Vec3d> eye_, target_;
  std::optional<double> distance_;
};

}  // namespace cairn::v0
