// Graph: colours of manifolds and joints. The algorithms are described in kernels/graph/contact_graph.cu.
#pragma once

#include "kernels/graph/contact_graph_speculation.hpp"
#include "src/graph/contact_graph_host.hpp"
#include "src/state/step_counts.hpp"

namespace cairn::v0 {

// On the target unless a field says otherwise.
struct GraphView {
  const int* colours = nullptr;  // [constraintCount] 0..colourCount-1, or kOverflowColour
  const GraphScalars* scalars = nullptr;
  int colourCount = 0;  // on the host; of a planned step a bound
  int revision = 0;     // the same as an earlier one's: so are the constraints and their colours. 0: nobody looked
};

enum class GraphBuilder { ForTarget, Host, Device };  // ForTarget: Host on the CPU, Device on CUDA. The colouring is the same

class ContactGraph {
 public:
  // Constraints: manifolds first, joints after them. At most coloursFor(maxDegree, maxColours) colours are used. Constraints that find no colour are
  // the overflow: it is empty unless maxColours is smaller than maxDegree + 1 or two bodies share several constraints. Waits for the numbers unless
  // they are planned. The view is valid until the next update.
  GraphView update(Queue& queue, PrimitiveScratch& scratch, const ConstraintGraph& graph, int maxColours, StepCounts* counts = nullptr,
                   GraphBuilder builder = GraphBuilder::ForTarget);

 private:
  void colourOnTarget(Queue& queue, PrimitiveScratch& scratch, const ConstraintGraph& graph, int maxColours, StepCounts& counts);
  bool isAsBefore(const ConstraintGraph& graph, int maxColours) const;
  void colourOnHostUnlessKnown(Queue& queue, PrimitiveScratch& scratch, const ConstraintGraph& graph, int maxColours);

  Buffer<int> colours_, degrees_, maxDegrees_;
  Buffer<uint64_t> best_, used_;
  Buffer<int> list_, sorted_, begins_, ends_, incident_;  // of repairs
  Buffer<RepairScalars> repairScalars_;
  Buffer<uint64_t> keys_;  // of many of them
  Buffer<RepairLog> logs_;
  Buffer<int> claims_;
  Buffer<WindowState> window_;
  Buffer<GraphScalars> scalars_;
  HostColouring host_;

  // What colours_ were found from on the host: things that rest touch what they touched, and need no other colours.
  struct Known {
    Buffer<ConstraintBodies> constraints;
    Buffer<uint32_t> priorities;
    int count = -1, bodySlots = 0, maxColours = 0;  // -1: nothing is known
    bool cold = false;
    int revision = 0;
  };
  Known known_;
};

}  // namespace cairn::v0
