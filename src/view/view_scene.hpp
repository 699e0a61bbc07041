// What a page is told of a scene before any frame: bodies, shapes, joints, surfaces, units. page/scene.js reads it.
#pragma once

#include "src/view/frame_encoder.hpp"

#include <string>

namespace cairn::v0 {

struct ViewDescription {
  std::string title;
  double frameTime = 1.0 / 60;  // from frame to frame [s]
  ViewUnits units;
  ViewChannels channels;
  int mostContacts = 0;
  bool live = false;
};

// JSON. Bodies without a name have that of messages, "body-7".
std::string describeScene(const Scene& scene, const ViewDescription& description);

}  // namespace cairn::v0
