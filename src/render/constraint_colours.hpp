// Colours of the contact graph, as the step has them: made anew from what the World tells, by the function that the step calls on the CPU and that
// is the oracle of the device's.
#pragma once

#include "src/graph/contact_graph_host.hpp"

#include <cairn/world.hpp>

namespace cairn::v0 {

class ConstraintColours {
 public:
  ConstraintColours(const Scene& scene, const WorldSettings& settings);

  // A colour for each contact, -1 where none was left for it; and for each body the last one of its contacts and joints, -1 where it has none.
  // `broken` is by joint; `asleep` may be empty.
  std::vector<int> colour(const std::vector<Contact>& contacts, const std::vector<bool>& broken, const std::vector<unsigned char>& asleep,
                          std::vector<int>& ofBodies);

 private:
  const Scene& scene_;
  int maxColours_;
  std::vector<int> firstShapes_;  // by body: the slot of its first shape
  Queue queue_;
  PrimitiveScratch primitives_;
  HostColouring scratch_;
};

}  // namespace cairn::v0
