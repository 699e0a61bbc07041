// Frames of a World that runs.
#pragma once

#include "src/render/constraint_colours.hpp"
#include "src/view/view_frame.hpp"

namespace cairn::v0 {

// The World must have the scene's bodies and joints, in their order, and no others.
class FrameCollector {
 public:
  // `mostContacts`: of each frame; 0: none.
  FrameCollector(const Scene& scene, const WorldSettings& settings, int mostContacts);

  const ViewChannels& channels() const { return channels_; }
  // As the last step has left it.
  ViewFrame collect(const World& world, double time);

 private:
  ViewChannels channels_;
  size_t mostContacts_;
  const Scene& scene_;
  ConstraintColours colours_;
};

}  // namespace cairn::v0
