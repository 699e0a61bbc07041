#include "tests/device/graphs.hpp"

#include "tests/device/capture.hpp"
#include "tests/device/errors.hpp"
#include "tests/device/reports.hpp"
#include "tests/device/settings.hpp"
#include "tests/device/threads.hpp"

#include <algorithm>
#include <map>

struct CUgraphNode_st {
  std::shared_ptr<emulated::GraphNode> node;
};

struct CUgraphExec_st {
  std::shared_ptr<emulated::GraphData> graph;
};

namespace emulated {
namespace {

struct Condition {
  unsigned value, atStart;
  bool assigned;  // to atStart by each launch
};
std::map<cudaGraphConditionalHandle, Condition>& conditions() {
  static std::map<cudaGraphConditionalHandle, Condition> all;
  return all;
}

// Handles of graphs, which live until they are destroyed; those of bodies belong to their node.
std::map<const GraphData*, std::unique_ptr<CUgraph_st>>& handles() {
  static std::map<const GraphData*, std::unique_ptr<CUgraph_st>> all;
  return all;
}
std::vector<std::unique_ptr<CUgraphNode_st>>& nodeHandles() {
  static std::vector<std::unique_ptr<CUgraphNode_st>> all;
  return all;
}

cudaError_t runGraph(const GraphData& graph);

cudaError_t runCondition(const GraphNode& node) {
  const unsigned& value = conditions()[node.condition].value;
  cudaError_t status = cudaSuccess;
  switch (node.type) {
    case cudaGraphCondTypeWhile:
      while (value != 0 && status == cudaSuccess) status = runGraph(*node.bodies[0]);
      return status;
    case cudaGraphCondTypeIf:
      if (value != 0) return runGraph(*node.bodies[0]);
      return node.bodies.size() > 1 ? runGraph(*node.bodies[1]) : cudaSuccess;
    default:
      return value < node.bodies.size() ? runGraph(*node.bodies[value]) : cudaSuccess;
  }
}

cudaError_t runGraph(const GraphData& graph) {
  for (const auto& node : graph.nodes) {
    currentPlace().label = node->operation.label;
    const cudaError_t status = node->condition == 0 ? node->operation.run() : runCondition(*node);
    if (status != cudaSuccess) return status;
  }
  return cudaSuccess;
}

void startConditions(const GraphData& graph) {
  for (const cudaGraphConditionalHandle handle : graph.conditions) {
    Condition& condition = conditions()[handle];
    if (condition.assigned) condition.value = condition.atStart;
  }
}

// An executable graph is a copy: what is added to the graph later is not in it.
std::shared_ptr<GraphData> copyOf(const GraphData& graph) {
  auto copy = std::make_shared<GraphData>(graph);
  for (auto& node : copy->nodes) {
    node = std::make_shared<GraphNode>(*node);
    for (auto& body : node->bodies) body = copyOf(*body);
  }
  return copy;
}

}  // namespace

cudaGraph_t newHandle(const std::shared_ptr<GraphData>& graph) {
  std::unique_ptr<CUgraph_st>& handle = handles()[graph.get()];
  if (handle == nullptr) handle.reset(new CUgraph_st{graph});
  return handle.get();
}
cudaGraph_t handleOf(const std::shared_ptr<GraphData>& graph) { return newHandle(graph); }

}  // namespace emulated

using namespace emulated;

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned) {
  const ApiCall call;
  if (call.error != cudaSuccess) return call.error;
  *graph = newHandle(std::make_shared<GraphData>());
  return cudaSuccess;
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph, unsigned defaultValue, unsigned flags) {
  const ApiCall call;
  if (call.error != cudaSuccess) return call.error;
  if (graph == nullptr) return fail(cudaErrorInvalidValue);
  *handle = conditions().size() + 1;
  conditions()[*handle] = {defaultValue, defaultValue, (flags & cudaGraphCondAssignDefault) != 0};
  graph->data->conditions.push_back(*handle);
  return cudaSuccess;
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t*, const cudaGraphEdgeData*, size_t,
                             cudaGraphNodeParams* parameters) {
  const ApiCall call;
  if (call.error != cudaSuccess) return call.error;
  if (graph == nullptr || parameters->type != cudaGraphNodeTypeConditional) return fail(cudaErrorInvalidValue);
  cudaConditionalNodeParams& conditional = parameters->conditional;
  const bool known = conditions().count(conditional.handle) != 0;
  const unsigned most = conditional.type == cudaGraphCondTypeWhile ? 1 : conditional.type == cudaGraphCondTypeIf ? 2 : conditional.size;
  if (!known || conditional.size == 0 || conditional.size > most) return fail(cudaErrorInvalidValue);
  auto made = std::make_shared<GraphNode>();
  made->operation.label = labelOf("condition");
  made->condition = conditional.handle;
  made->type = conditional.type;
  auto* const bodies = new cudaGraph_t[conditional.size];  // lives as long as the node, which is as long as the process
  for (unsigned k = 0; k < conditional.size; ++k) {
    made->bodies.push_back(std::make_shared<GraphData>());
    bodies[k] = newHandle(made->bodies.back());
  }
  conditional.phGraph_out = bodies;
  graph->data->nodes.push_back(made);
  nodeHandles().emplace_back(new CUgraphNode_st{made});
  *node = nodeHandles().back().get();
  return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  const ApiCall call;
  if (call.error != cudaSuccess) return call.error;
  if (graph == nullptr || nodes != nullptr) return fail(cudaErrorInvalidValue);  // the number alone
  *count = graph->data->nodes.size();
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
  const ApiCall call;
  if (call.error != cudaSuccess) return call.error;
  if (graph == nullptr) return fail(cudaErrorInvalidValue);
  if (isFailingRequest()) return fail(cudaErrorMemoryAllocation);
  *executable = new CUgraphExec_st{copyOf(*graph->data)};
  return cudaSuccess;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream) {
  const ApiCall call;
  if (call.error != cudaSuccess) return call.error;
  return executable == nullptr || !isStream(stream) ? fail(cudaErrorInvalidValue) : cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  const ApiCall call;
  if (call.error != cudaSuccess) return call.error;
  if (executable == nullptr) return fail(cudaErrorInvalidValue);
  return enqueue(stream, {labelOf("graph"), [graph = executable->graph] {
                            startConditions(*graph);
                            return runGraph(*graph);
                          }});
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  const ApiCall call;
  delete executable;
  return call.error;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  const ApiCall call;
  if (graph != nullptr) handles().erase(graph->data.get());
  return call.error;
}

void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned value) {
  const auto found = conditions().find(handle);
  if (found != conditions().end()) found->second.value = value;
}
