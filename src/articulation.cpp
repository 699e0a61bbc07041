#include "articulation.hpp"

#include <algorithm>

namespace cairn {
namespace {

struct Neighbour {
  int edge, body;
};

// Edges by body, in CSR.
struct Incidence {
  std::vector<int> offsets;
  std::vector<Neighbour> neighbours;

  Incidence(const std::vector<ForestEdge>& edges, int bodySlots) : offsets(static_cast<size_t>(bodySlots) + 1, 0) {
    const auto each = [&](auto visit) {
      for (size_t e = 0; e < edges.size(); ++e) {
        if (!edges[e].usable) continue;
        const int i = static_cast<int>(e);
        if (edges[e].bodyA >= 0) visit(edges[e].bodyA, Neighbour{i, edges[e].bodyB});
        if (edges[e].bodyB >= 0) visit(edges[e].bodyB, Neighbour{i, edges[e].bodyA});
      }
    };
    each([&](int body, Neighbour) { ++offsets[static_cast<size_t>(body) + 1]; });
    for (size_t b = 1; b < offsets.size(); ++b) offsets[b] += offsets[b - 1];
    neighbours.resize(static_cast<size_t>(offsets.back()));
    std::vector<int> next(offsets.begin(), offsets.end() - 1);
    each([&](int body, Neighbour n) { neighbours[static_cast<size_t>(next[static_cast<size_t>(body)]++)] = n; });
  }
  int degree(int body) const { return offsets[static_cast<size_t>(body) + 1] - offsets[static_cast<size_t>(body)]; }
};

class ForestMaker {
 public:
  ForestMaker(const std::vector<ForestEdge>& edges, int bodySlots, const std::vector<int>& fixedBodyOfJoint, const std::vector<int>& locks)
      : edges_(edges), incidence_(edges, bodySlots), fixed_(fixedBodyOfJoint), locks_(locks), taken_(static_cast<size_t>(bodySlots), 0) {}

  Forest make() {
    std::vector<ArticulationNode> level;
    std::vector<char> reached(taken_.size(), 0);
    // All trees grow together, so that a level holds the nodes of every one.
    const auto start = [&](int body, int edge) {
      if (reached[at(body)] != 0) return;
      const Component component = flood(body, reached);
      if (component.joints == component.bodies - (edge < 0 ? 1 : 0) && component.sameLocks) {
        level.push_back(rootNode(body, edge, static_cast<int>(level.size())));
      } else {
        forest_.looped.insert(forest_.looped.end(), component.edges.begin(), component.edges.end());
      }
    };
    for (const int e : rootEdges()) start(std::max(edges_[at(e)].bodyA, edges_[at(e)].bodyB), e);
    for (const int body : floatingBodies()) start(body, -1);
    for (int& e : forest_.looped) e = edges_[at(e)].joint;
    std::sort(forest_.looped.begin(), forest_.looped.end());
    grow(level);
    return std::move(forest_);
  }

 private:
  static size_t at(int i) { return static_cast<size_t>(i); }

  // Edges to bodies that take no impulses, those of the bodies with the most joints first.
  std::vector<int> rootEdges() const {
    std::vector<int> found;
    for (size_t e = 0; e < edges_.size(); ++e) {
      if (edges_[e].usable && (edges_[e].bodyA < 0) != (edges_[e].bodyB < 0)) found.push_back(static_cast<int>(e));
    }
    std::stable_sort(found.begin(), found.end(), [&](int a, int b) { return degreeOf(a) > degreeOf(b); });
    return found;
  }
  int degreeOf(int edge) const { return incidence_.degree(std::max(edges_[at(edge)].bodyA, edges_[at(edge)].bodyB)); }
  std::vector<int> floatingBodies() const {
    std::vector<int> found;
    for (size_t b = 0; b < taken_.size(); ++b) {
      if (incidence_.degree(static_cast<int>(b)) > 0) found.push_back(static_cast<int>(b));
    }
    std::stable_sort(found.begin(), found.end(), [&](int a, int b) { return incidence_.degree(a) > incidence_.degree(b); });
    return found;
  }
  struct Component {
    int bodies = 0, joints = 0;
    bool sameLocks = true;
    std::vector<int> edges;
  };
  Component flood(int body, std::vector<char>& reached) const {
    Component found;
    std::vector<int> front{body};
    reached[at(body)] = 1;
    while (!front.empty()) {
      const int from = front.back();
      front.pop_back();
      ++found.bodies;
      if (!locks_.empty() && locks_[at(from)] != locks_[at(body)]) found.sameLocks = false;
      for (int k = incidence_.offsets[at(from)]; k < incidence_.offsets[at(from) + 1]; ++k) {
        const Neighbour n = incidence_.neighbours[at(k)];
        // An edge between two bodies that take impulses is met from both.
        if (n.body < 0 || edges_[at(n.edge)].bodyA == from) {
          ++found.joints;
          found.edges.push_back(n.edge);
        }
        if (n.body < 0 || reached[at(n.body)] != 0) continue;
        reached[at(n.body)] = 1;
        front.push_back(n.body);
      }
    }
    return found;
  }

  ArticulationNode rootNode(int body, int edge, int tree) {
    taken_[at(body)] = 1;
    if (edge < 0) return {body, -1, -1, -1, 0, 0, 0, tree};
    const ForestEdge& e = edges_[at(edge)];
    return {body, -1, fixed_[at(edge)], e.joint, e.bodyB == body ? 1 : 0, 0, 0, tree};
  }

  void grow(std::vector<ArticulationNode> level) {
    forest_.levels.push_back(0);
    while (!level.empty()) {
      const int first = static_cast<int>(forest_.nodes.size());
      const int nextFirst = first + static_cast<int>(level.size());
      std::vector<ArticulationNode> next;
      for (size_t i = 0; i < level.size(); ++i) {
        ArticulationNode& node = level[i];
        node.firstChild = nextFirst + static_cast<int>(next.size());
        for (int k = incidence_.offsets[at(node.body)]; k < incidence_.offsets[at(node.body) + 1]; ++k) {
          const Neighbour n = incidence_.neighbours[at(k)];
          if (n.body < 0 || taken_[at(n.body)] != 0) continue;
          taken_[at(n.body)] = 1;
          const ForestEdge& e = edges_[at(n.edge)];
          next.push_back({n.body, first + static_cast<int>(i), node.body, e.joint, e.bodyB == n.body ? 1 : 0, 0, 0, node.tree});
        }
        node.childCount = nextFirst + static_cast<int>(next.size()) - node.firstChild;
      }
      forest_.nodes.insert(forest_.nodes.end(), level.begin(), level.end());
      forest_.levels.push_back(nextFirst);
      level = std::move(next);
    }
  }

  const std::vector<ForestEdge>& edges_;
  Incidence incidence_;
  const std::vector<int>& fixed_;
  const std::vector<int>& locks_;
  std::vector<char> taken_;
  Forest forest_;
};

}  // namespace

Forest makeForest(const std::vector<ForestEdge>& edges, int bodySlots, const std::vector<int>& fixedBodyOfJoint, const std::vector<int>& locks) {
  return ForestMaker(edges, bodySlots, fixedBodyOfJoint, locks).make();
}

void Articulations::build(Queue& queue, const Forest& forest) {
  nodeCount_ = static_cast<int>(forest.nodes.size());
  nodes_.upload(queue, forest.nodes);
  factors_.resize(queue, forest.nodes.size());
  hostLevels_ = forest.levels;
  levels_.upload(queue, hostLevels_);
  widest_ = 0;
  treeCount_ = hostLevels_.size() > 1 ? hostLevels_[1] : 0;
  turned_.resize(queue, static_cast<size_t>(treeCount_));
  for (size_t l = 0; l + 1 < hostLevels_.size(); ++l) widest_ = std::max(widest_, hostLevels_[l + 1] - hostLevels_[l]);
}

ArticulationView Articulations::view() {
  return {nodes_.data(), factors_.data(), levels_.data(), hostLevels_.data(), nodeCount_ == 0 ? 0 : static_cast<int>(hostLevels_.size()) - 1,
          nodeCount_,    widest_,         turned_.data(), treeCount_};
}

}  // namespace cairn
