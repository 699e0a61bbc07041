#include "src/joints/system_components.hpp"

#include <algorithm>

namespace cairn::v0 {
namespace {

size_t at(int i) { return static_cast<size_t>(i); }

// Where those of each component begin once they are sorted by component.
std::vector<int> offsetsOf(size_t components, const std::vector<int>& componentOf) {
  std::vector<int> first(components + 1, 0);
  for (const int component : componentOf) ++first[at(component) + 1];
  for (size_t c = 0; c < components; ++c) first[c + 1] += first[c];
  return first;
}

// A component keeps the order of the levels; those in which it has nothing are none of its own.
template <class ComponentOf>
ComponentLevels splitLevels(size_t components, const std::vector<int>& list, const std::vector<int>& starts, const ComponentOf& componentOf) {
  std::vector<std::vector<int>> own(components), begins(components);
  std::vector<int> lastLevel(components, -1);
  for (size_t level = 0; level + 1 < starts.size(); ++level) {
    for (int k = starts[level]; k < starts[level + 1]; ++k) {
      const size_t c = at(componentOf(list[at(k)]));
      if (lastLevel[c] != static_cast<int>(level)) begins[c].push_back(static_cast<int>(own[c].size()));
      lastLevel[c] = static_cast<int>(level);
      own[c].push_back(list[at(k)]);
    }
  }
  ComponentLevels out;
  for (size_t c = 0; c < components; ++c) {
    const int before = static_cast<int>(out.list.size());
    out.firstStart.push_back(static_cast<int>(out.starts.size()));
    begins[c].push_back(static_cast<int>(own[c].size()));
    for (const int begin : begins[c]) out.starts.push_back(before + begin);
    out.list.insert(out.list.end(), own[c].begin(), own[c].end());
  }
  out.firstStart.push_back(static_cast<int>(out.starts.size()));
  return out;
}

int widestLevelOf(const ComponentLevels& of, size_t components) {
  int widest = 0;
  for (size_t c = 0; c < components; ++c) {
    for (int l = of.firstStart[c]; l + 1 < of.firstStart[c + 1]; ++l) widest = std::max(widest, of.starts[at(l + 1)] - of.starts[at(l)]);
  }
  return widest;
}

}  // namespace

SystemComponents makeSystemComponents(const SymbolicFactor& of) {
  const size_t components = of.loops.size();
  const auto ofNode = [&](int node) { return of.nodes[at(node)].component; };
  const auto ofItem = [&](int item) { return ofNode(of.blocks[at(item < 0 ? ~item : item)].row); };
  SystemComponents out;

  out.nodes = splitLevels(components, of.nodesByLevel, of.nodeLevels, ofNode);
  out.items = splitLevels(components, of.items, of.itemLevels, ofItem);
  std::vector<int> componentOfEach;
  for (const int body : of.bodies) componentOfEach.push_back(of.componentOfBody[at(body)]);
  out.firstBody = offsetsOf(components, componentOfEach);
  out.bodies.resize(of.bodies.size());
  std::vector<int> next = out.firstBody;
  for (size_t b = 0; b < of.bodies.size(); ++b) out.bodies[at(next[at(componentOfEach[b])]++)] = static_cast<int>(b);
  out.widestLevel = widestLevelOf(out.items, components);
  out.most = out.widestLevel;
  for (size_t c = 0; c < components; ++c) {
    const int nodes = out.nodes.starts[at(out.nodes.firstStart[c + 1] - 1)] - out.nodes.starts[at(out.nodes.firstStart[c])];
    out.most = std::max({out.most, nodes, out.firstBody[c + 1] - out.firstBody[c]});
  }
  return out;
}

}  // namespace cairn::v0
