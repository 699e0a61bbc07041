// Graphs: recorded operations that are run again and again, with conditions that kernels set.
#pragma once

#include "tests/device/streams.hpp"

#include <memory>
#include <vector>

namespace emulated {

struct GraphData;

// A node is an operation, or a condition with the graphs that it decides about. Nodes stand in an order in which they can be run.
struct GraphNode {
  Operation operation;
  cudaGraphConditionalHandle condition = 0;  // 0: an operation
  cudaGraphConditionalNodeType type = cudaGraphCondTypeIf;
  std::vector<std::shared_ptr<GraphData>> bodies;
};

struct GraphData {
  std::vector<std::shared_ptr<GraphNode>> nodes;
  std::vector<cudaGraphConditionalHandle> conditions;  // created for this graph
};

cudaGraph_t newHandle(const std::shared_ptr<GraphData>& graph);
cudaGraph_t handleOf(const std::shared_ptr<GraphData>& graph);

}  // namespace emulated

struct CUgraph_st {
  std::shared_ptr<emulated::GraphData> data;
};
