// The plain builder of the colouring: sequential greedy. Serves callers with few contacts and the CPU, and is the oracle of the device's.
#pragma once

#include "kernels/graph/contact_graph.hpp"

namespace cairn::v0 {

// Reused from call to call.
struct HostColouring {
  Buffer<uint32_t> keys;
  Buffer<int> order, degrees, maxDegrees, offsets, incident;
  Buffer<uint64_t> used;
};

// colours[graph.count]; all arrays on the host. At most coloursFor(largest degree, maxColours) colours; see kernels/graph/contact_graph.cu for the
// order.
GraphScalars colourOnHost(Queue& queue, PrimitiveScratch& primitives, HostColouring& scratch, const ConstraintGraph& graph, int maxColours,
                          int* colours);

}  // namespace cairn::v0
