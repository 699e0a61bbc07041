// In the place of hull_points.cpp where Qhull is not: for machines that there is no package of it for.
#include "src/scene/hull_points.hpp"

#include <cairn/error.hpp>

namespace cairn::v0 {

std::vector<std::vector<int>> facesOfHull(const std::vector<Vec3d>&, double) {
  throw InvalidInput("type", "hull: this build has no Qhull, which finds hulls");
}

}  // namespace cairn::v0
