#include "src/joints/symbolic_factor.hpp"

#include "src/joints/column_packs.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>

namespace cairn::v0 {
namespace {

size_t at(int i) { return static_cast<size_t>(i); }

// A node of the graph before the ordering gives it a place: joints first, then bodies.
struct Unknown {
  int joint, body, rows, component;
  // The pivots of a joint are what its bodies can do. If some of that only a body can do which is an unknown itself, the joint's pivots are zero
  // until that body has been eliminated: the joint has to wait for it.
  bool deferred;
  bool holdsPoint;
};
struct Incident {
  int node, side;
};

// The graph of the system: joints that share a body are neighbours, or each of them is a neighbour of the body where that is an unknown.
struct SystemGraph {
  std::vector<Unknown> unknowns;
  std::vector<std::vector<Incident>> ofBody;  // joints, by the slot of the body
  std::vector<int> nodeOfBody;                // by slot; -1: the body is no unknown
  std::vector<std::vector<int>> neighbours;   // ascending
  std::vector<int> loops;                     // by component

  SystemGraph(const std::vector<JointEdge>& edges, int bodySlots, const std::vector<int>& locks)
      : ofBody(at(bodySlots)), nodeOfBody(at(bodySlots), -1) {
    std::vector<int> nodeOfEdge(edges.size(), -1);
    for (size_t k = 0; k < edges.size(); ++k) {
      const JointEdge& e = edges[k];
      if (e.rows == 0 || (e.bodyA < 0 && e.bodyB < 0)) continue;
      const int node = static_cast<int>(unknowns.size());
      nodeOfEdge[k] = node;
      unknowns.push_back({e.joint, -1, e.rows, -1, false, e.holdsPoint});
      if (e.bodyA >= 0) ofBody[at(e.bodyA)].push_back({node, 0});
      if (e.bodyB >= 0) ofBody[at(e.bodyB)].push_back({node, 1});
    }
    findComponents();
    for (int body = 0; body < bodySlots; ++body) {
      const std::vector<Incident>& joints = ofBody[at(body)];
      if (static_cast<int>(joints.size()) <= kMaxNeighbours) continue;
      nodeOfBody[at(body)] = static_cast<int>(unknowns.size());
      unknowns.push_back({-1, body, kSystemRows, unknowns[at(joints.front().node)].component, false, false});
    }
    for (size_t k = 0; k < edges.size(); ++k) {
      if (nodeOfEdge[k] >= 0) unknowns[at(nodeOfEdge[k])].deferred = isDeferred(edges[k], locks);
    }
    neighbours.resize(unknowns.size());
    for (int body = 0; body < bodySlots; ++body) connect(body);
    for (std::vector<int>& each : neighbours) {
      std::sort(each.begin(), each.end());
      each.erase(std::unique(each.begin(), each.end()), each.end());
    }
  }

 private:
  // A joint is deferred if its bodies can do less without those that are unknowns themselves. A body cannot move along the axes that it has locked;
  // one that takes no impulses cannot move at all.
  bool isDeferred(const JointEdge& e, const std::vector<int>& locks) const {
    const auto cannot = [&](int body, bool counts) { return body < 0 || !counts ? ~0 : (locks.empty() ? 0 : locks[at(body)]); };
    const auto known = [&](int body) { return body >= 0 && nodeOfBody[at(body)] < 0; };
    const int without = cannot(e.bodyA, known(e.bodyA)) & cannot(e.bodyB, known(e.bodyB));
    return without != (cannot(e.bodyA, true) & cannot(e.bodyB, true));
  }

  void connect(int body) {
    const std::vector<Incident>& joints = ofBody[at(body)];
    const int own = nodeOfBody[at(body)];
    for (size_t i = 0; i < joints.size(); ++i) {
      const auto join = [&](int other) {
        if (other == joints[i].node) return;
        neighbours[at(joints[i].node)].push_back(other);
        neighbours[at(other)].push_back(joints[i].node);
      };
      if (own >= 0) {
        join(own);
      } else {
        for (size_t k = 0; k < i; ++k) join(joints[k].node);
      }
    }
  }

  // A component is a set of joints that are connected by bodies. It has a loop if it has more joints than a tree of its bodies has, and one more that
  // holds the tree to the world.
  void findComponents() {
    std::vector<std::vector<int>> bodiesOf(unknowns.size());
    for (size_t body = 0; body < ofBody.size(); ++body) {
      for (const Incident& i : ofBody[body]) bodiesOf[at(i.node)].push_back(static_cast<int>(body));
    }
    std::vector<char> reached(ofBody.size(), 0);
    for (size_t first = 0; first < unknowns.size(); ++first) {
      if (unknowns[first].component >= 0) continue;
      const int component = static_cast<int>(loops.size());
      int joints = 0, bodies = 0;
      bool held = false;
      std::vector<int> front{static_cast<int>(first)};
      unknowns[first].component = component;
      while (!front.empty()) {
        const int node = front.back();
        front.pop_back();
        ++joints;
        if (bodiesOf[at(node)].size() == 1) held = true;
        for (const int body : bodiesOf[at(node)]) {
          if (reached[at(body)] != 0) continue;
          reached[at(body)] = 1;
          ++bodies;
          for (const Incident& i : ofBody[at(body)]) {
            if (unknowns[at(i.node)].component >= 0) continue;
            unknowns[at(i.node)].component = component;
            front.push_back(i.node);
          }
        }
      }
      loops.push_back(joints > bodies - (held ? 0 : 1) ? 1 : 0);
    }
  }
};

// The order of the elimination. pattern[node], the column of the factor below its diagonal, are the neighbours that the node has when its turn comes.
struct Order {
  std::vector<int> nodes;  // first to last
  std::vector<int> level;  // by node
  std::vector<std::vector<int>> pattern;
  std::vector<char> dropped;  // by component

  Order(const SystemGraph& graph, int maxUpdates)
      : level(graph.unknowns.size(), 0),
        pattern(graph.unknowns.size()),
        dropped(graph.loops.size(), 0),
        graph_(graph),
        neighbours_(graph.neighbours),
        ready_(graph.unknowns.size(), 0),
        updates_(graph.loops.size(), 0),
        allowed_(graph.loops.size(), 0) {
    for (const Unknown& u : graph.unknowns) allowed_[at(u.component)] += maxUpdates;
    std::vector<int> left(graph.unknowns.size());
    std::iota(left.begin(), left.end(), 0);
    std::vector<int> minDegree(graph.loops.size());
    std::vector<int> blocked(graph.unknowns.size(), -1);
    for (int round = 0; !left.empty(); ++round) {
      std::fill(minDegree.begin(), minDegree.end(), static_cast<int>(graph.unknowns.size()));
      for (const int node : left) {
        if (!deferred(node)) minDegree[component(node)] = std::min(minDegree[component(node)], degree(node));
      }
      std::vector<int> chosen;
      for (const int more : {0, 1}) {
        for (const int node : left) {
          if (blocked[at(node)] == round || deferred(node) || degree(node) != minDegree[component(node)] + more) continue;
          chosen.push_back(node);
          blocked[at(node)] = round;
          for (const int other : neighbours_[at(node)]) blocked[at(other)] = round;
        }
      }
      std::vector<char> gone(graph.unknowns.size(), 0);
      for (const int node : chosen) {
        eliminate(node);
        gone[at(node)] = 1;
      }
      left.erase(std::remove_if(left.begin(), left.end(), [&](int node) { return gone[at(node)] != 0 || dropped[component(node)] != 0; }),
                 left.end());
    }
    nodes.erase(std::remove_if(nodes.begin(), nodes.end(), [&](int node) { return dropped[component(node)] != 0; }), nodes.end());
    sortByTrees();
  }

 private:
  // Any order in which each node comes after those that it needs is as good for the factor: its nodes may lie so that a tree lies together, with all
  // that its root needs (postorder of the elimination tree: Liu, "The Role of Elimination Trees in Sparse Factorization", SIAM J. Matrix Anal. Appl.
  // 11, 1990). Whoever goes through memory in this order finds what a node needs in the caches.
  void sortByTrees() {
    std::vector<int> turn(level.size(), -1), roots;
    for (size_t k = 0; k < nodes.size(); ++k) turn[at(nodes[k])] = static_cast<int>(k);
    std::vector<std::vector<int>> children(level.size());
    std::vector<int> ascending = nodes;
    std::sort(ascending.begin(), ascending.end());
    for (const int node : ascending) {
      const std::vector<int>& column = pattern[at(node)];
      const auto parent = std::min_element(column.begin(), column.end(), [&](int a, int b) { return turn[at(a)] < turn[at(b)]; });
      (parent == column.end() ? roots : children[at(*parent)]).push_back(node);
    }
    nodes.clear();
    // A node goes after its children: from the end, before them.
    std::vector<int> open = roots;
    while (!open.empty()) {
      const int node = open.back();
      open.pop_back();
      nodes.push_back(node);
      open.insert(open.end(), children[at(node)].begin(), children[at(node)].end());
    }
    std::reverse(nodes.begin(), nodes.end());
  }

  size_t component(int node) const { return at(graph_.unknowns[at(node)].component); }
  int degree(int node) const { return static_cast<int>(neighbours_[at(node)].size()); }

  bool deferred(int node) const { return graph_.unknowns[at(node)].deferred && ready_[at(node)] == 0; }

  // The node's neighbours become neighbours of each other (fill-in).
  void eliminate(int node) {
    if (dropped[component(node)] != 0) return;
    nodes.push_back(node);
    std::vector<int>& own = pattern[at(node)];
    own.swap(neighbours_[at(node)]);
    const auto count = static_cast<int64_t>(own.size());
    updates_[component(node)] += count * (count + 1) / 2;
    if (updates_[component(node)] > allowed_[component(node)]) dropped[component(node)] = 1;
    std::vector<int> merged;
    for (const int other : own) {
      level[at(other)] = std::max(level[at(other)], level[at(node)] + 1);
      if (graph_.unknowns[at(node)].body >= 0) ready_[at(other)] = 1;
      merged.clear();
      std::set_union(neighbours_[at(other)].begin(), neighbours_[at(other)].end(), own.begin(), own.end(), std::back_inserter(merged));
      merged.erase(std::remove_if(merged.begin(), merged.end(), [&](int n) { return n == node || n == other; }), merged.end());
      neighbours_[at(other)] = merged;
    }
  }

  const SystemGraph& graph_;
  std::vector<std::vector<int>> neighbours_;
  std::vector<char> ready_;                 // by node: a body next to the node has been eliminated
  std::vector<int64_t> updates_, allowed_;  // by component
};

class SymbolicFactorization {
 public:
  SymbolicFactorization(const SystemGraph& graph, const Order& order) : graph_(graph), order_(order), placeOf_(graph.unknowns.size(), -1) {
    for (size_t k = 0; k < order.nodes.size(); ++k) placeOf_[at(order.nodes[k])] = static_cast<int>(k);
  }

  SymbolicFactor make() {
    out_.loops = graph_.loops;
    placeNodes();
    listUpdates();
    listContributions();
    listRows();
    listItems();
    listBodies();
    for (const Unknown& u : graph_.unknowns) {
      if (u.joint >= 0 && order_.dropped[at(u.component)] != 0) out_.leftOut.push_back(u.joint);
    }
    std::sort(out_.leftOut.begin(), out_.leftOut.end());
    return std::move(out_);
  }

 private:
  void placeNodes() {
    for (const int from : order_.nodes) {
      const Unknown& u = graph_.unknowns[at(from)];
      const int place = placeOf_[at(from)];
      std::vector<int> below;
      for (const int other : order_.pattern[at(from)]) below.push_back(placeOf_[at(other)]);
      std::sort(below.begin(), below.end());
      SystemNode node{};
      node.joint = u.joint;
      node.body = u.body;
      node.holdsPoint = u.holdsPoint ? 1 : 0;
      node.rows = u.rows;
      node.component = u.component;
      node.firstRow = out_.rows;
      node.firstBlock = static_cast<int>(out_.blocks.size());
      node.blockCount = static_cast<int>(below.size()) + 1;
      out_.nodes.push_back(node);
      out_.rows += u.rows;
      addBlock(place, place, u.rows * (u.rows + 1) / 2);
      for (const int row : below) addBlock(row, place, graph_.unknowns[at(order_.nodes[at(row)])].rows * u.rows);
    }
    listLevels();
  }
  void listLevels() {
    const auto levelOf = [this](int place) { return order_.level[at(order_.nodes[at(place)])]; };
    out_.nodesByLevel.resize(out_.nodes.size());
    std::iota(out_.nodesByLevel.begin(), out_.nodesByLevel.end(), 0);
    std::stable_sort(out_.nodesByLevel.begin(), out_.nodesByLevel.end(), [&](int a, int b) { return levelOf(a) < levelOf(b); });
    for (size_t k = 0; k < out_.nodesByLevel.size(); ++k) {
      while (static_cast<int>(out_.nodeLevels.size()) <= levelOf(out_.nodesByLevel[k])) out_.nodeLevels.push_back(static_cast<int>(k));
    }
    out_.nodeLevels.push_back(static_cast<int>(out_.nodes.size()));
    out_.packed = sortForPacks(out_);
  }
  void addBlock(int row, int column, int size) {
    SystemBlock block{};
    block.row = row;
    block.column = column;
    block.value = out_.values;
    out_.blocks.push_back(block);
    out_.values += size;
  }
  int blockOf(int row, int column) const {
    const SystemNode& node = out_.nodes[at(column)];
    const auto first = out_.blocks.begin() + node.firstBlock;
    return static_cast<int>(std::lower_bound(first, first + node.blockCount, row, [](const SystemBlock& b, int r) { return b.row < r; }) -
                            out_.blocks.begin());
  }

  // Counts the updates of each block in a first pass and lists them in a second, by ascending columns.
  void listUpdates() {
    const auto each = [&](auto visit) {
      for (const SystemNode& node : out_.nodes) {
        const int end = node.firstBlock + node.blockCount;
        for (int right = node.firstBlock + 1; right < end; ++right) {
          for (int left = right; left < end; ++left) visit(blockOf(out_.blocks[at(left)].row, out_.blocks[at(right)].row), left, right);
        }
      }
    };
    each([&](int target, int, int) { ++out_.blocks[at(target)].updateCount; });
    int64_t count = 0;
    for (SystemBlock& block : out_.blocks) {
      block.firstUpdate = count;
      count += block.updateCount;
      block.updateCount = 0;
    }
    out_.updates.resize(static_cast<size_t>(count));
    each([&](int target, int left, int right) {
      SystemBlock& block = out_.blocks[at(target)];
      out_.updates[static_cast<size_t>(block.firstUpdate + block.updateCount++)] = {left, right};
    });
  }

  void listContributions() {
    std::vector<std::vector<SystemContribution>> of(out_.blocks.size());
    const auto add = [&](int nodeI, int sideI, int nodeJ, int sideJ, int body) {
      const int i = placeOf_[at(nodeI)], j = placeOf_[at(nodeJ)];
      if (i >= j) {
        of[at(blockOf(i, j))].push_back({body, sideI, sideJ});
      } else {
        of[at(blockOf(j, i))].push_back({body, sideJ, sideI});
      }
    };
    for (size_t b = 0; b < graph_.ofBody.size(); ++b) {
      const std::vector<Incident>& joints = graph_.ofBody[b];
      if (joints.empty() || placeOf_[at(joints.front().node)] < 0) continue;
      const int body = static_cast<int>(b), own = graph_.nodeOfBody[b];
      if (own >= 0) add(own, -1, own, -1, body);
      for (size_t i = 0; i < joints.size(); ++i) {
        if (own >= 0) {
          add(joints[i].node, joints[i].side, own, -1, body);
          continue;
        }
        for (size_t k = 0; k <= i; ++k) add(joints[i].node, joints[i].side, joints[k].node, joints[k].side, body);
      }
    }
    for (size_t b = 0; b < of.size(); ++b) {
      out_.blocks[b].firstContribution = static_cast<int>(out_.contributions.size());
      out_.blocks[b].contributionCount = static_cast<int>(of[b].size());
      out_.contributions.insert(out_.contributions.end(), of[b].begin(), of[b].end());
    }
  }

  void listRows() {
    std::vector<std::vector<int>> of(out_.nodes.size());
    for (size_t b = 0; b < out_.blocks.size(); ++b) {
      if (out_.blocks[b].row != out_.blocks[b].column) of[at(out_.blocks[b].row)].push_back(static_cast<int>(b));
    }
    // A row is taken off the columns' products as a single thread comes to them.
    if (out_.packed) {
      std::vector<int> turn(out_.nodes.size());
      for (size_t k = 0; k < turn.size(); ++k) turn[at(out_.nodesByLevel[k])] = static_cast<int>(k);
      const auto turnOf = [&](int block) { return turn[at(out_.blocks[at(block)].column)]; };
      for (std::vector<int>& each : of) std::sort(each.begin(), each.end(), [&](int a, int b) { return turnOf(a) < turnOf(b); });
    }
    for (size_t n = 0; n < of.size(); ++n) {
      out_.nodes[n].firstOfRow = static_cast<int>(out_.rowBlocks.size());
      out_.nodes[n].countOfRow = static_cast<int>(of[n].size());
      out_.rowBlocks.insert(out_.rowBlocks.end(), of[n].begin(), of[n].end());
    }
  }

  // Items of one level after the other: all blocks of its columns, then those below the diagonal once more, for the division.
  void listItems() {
    for (size_t l = 0; l + 1 < out_.nodeLevels.size(); ++l) {
      for (const bool divides : {false, true}) {
        const int first = static_cast<int>(out_.items.size());
        for (int n = out_.nodeLevels[l]; n < out_.nodeLevels[l + 1]; ++n) {
          const SystemNode& node = out_.nodes[at(out_.nodesByLevel[at(n)])];
          for (int b = node.firstBlock + (divides ? 1 : 0); b < node.firstBlock + node.blockCount; ++b) out_.items.push_back(divides ? ~b : b);
        }
        if (static_cast<int>(out_.items.size()) > first) out_.itemLevels.push_back(first);
      }
    }
    out_.itemLevels.push_back(static_cast<int>(out_.items.size()));
  }

  void listBodies() {
    out_.componentOfBody.assign(graph_.ofBody.size(), -1);
    for (size_t b = 0; b < graph_.ofBody.size(); ++b) {
      const std::vector<Incident>& joints = graph_.ofBody[b];
      if (joints.empty() || placeOf_[at(joints.front().node)] < 0) continue;
      out_.bodies.push_back(static_cast<int>(b));
      out_.componentOfBody[b] = graph_.unknowns[at(joints.front().node)].component;
      out_.bodyOffsets.push_back(static_cast<int>(out_.bodySides.size()));
      for (const Incident& i : joints) out_.bodySides.push_back(2 * placeOf_[at(i.node)] + i.side);
      std::sort(out_.bodySides.begin() + out_.bodyOffsets.back(), out_.bodySides.end());
    }
    out_.bodyOffsets.push_back(static_cast<int>(out_.bodySides.size()));
  }

  const SystemGraph& graph_;
  const Order& order_;
  std::vector<int> placeOf_;  // by unknown; -1: dropped
  SymbolicFactor out_;
};

}  // namespace

SymbolicFactor makeSymbolicFactor(const std::vector<JointEdge>& edges, int bodySlots, const std::vector<int>& locks, int maxUpdates) {
  const SystemGraph graph(edges, bodySlots, locks);
  const Order order(graph, maxUpdates);
  return SymbolicFactorization(graph, order).make();
}

}  // namespace cairn::v0
