// Models of MuJoCo (.xml, .mjb) and URDF (.urdf) as scenes: the Python package reads them (docs/models.md).
#pragma once

#include <cairn/scene.hpp>

#include <string>

namespace cairn::cli {

// loadScene, or the scene of a model by its ending. What of a model is left out or approximated goes to standard error, a line each, once a file.
// Throws InvalidInput as loadScene does, and where no Python has the packages that it takes.
Scene loadSceneOrModel(const std::string& name);

}  // namespace cairn::cli
