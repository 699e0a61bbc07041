// The plain builder of the colouring: sequential greedy. Serves callers with few contacts and the CPU, and is the oracle of the device's.
#pragma once

#include "kernels/graph/contact_graph.hpp"

namespace cairn {

// Reused from call to call.
struct HostColouring {
  Buffer<uint32_t> keys;
  Buffer<int> order, degrees, offsets, incident;
  Buffer<uint64_t> used;
};

// colours[count] of the constraints; all arrays on the host. At most min(maxColours, largest degree + 1) colours; see contact_graph.cu for the order.
GraphScalars colourOnHost(Queue& queue, PrimitiveScratch& primitives, HostColouring& scratch, const ConstraintBodies* constraints,
                          const uint32_t* priorities, int count, int bodySlots, int maxColours, int* colours);

}  // namespace cairn
