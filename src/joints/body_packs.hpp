// Which bodies lie side by side when a CPU applies the impulses of their joints (kernels/joints/body_packs.hpp).
#pragma once

#include "src/joints/symbolic_factor.hpp"

#include <vector>

namespace cairn::v0 {

struct BodyPacks {
  std::vector<int> starts;  // of each eight bodies that follow each other: where their pack begins in sources; kNoSource: there is none
  std::vector<int> sources;
};
BodyPacks makeBodyPacks(const SymbolicFactor& factor);

}  // namespace cairn::v0
