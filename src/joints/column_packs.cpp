#include "src/joints/column_packs.hpp"

#include "kernels/joints/column_packs.hpp"

#include <algorithm>

namespace cairn::v0 {
namespace {

// Side by side: fewer are quicker one by one. And so many that the order of columns is worth changing for them.
constexpr int kFewestColumns = 2, kFewestToSortFor = 3;
// A column may lack so many of the blocks of those beside it: those at the ends of a chain are alone with their shape in each level.
constexpr int kMostLacking = 1;
// Levels of more nodes than these go through more memory again and again than a second-level cache holds; trees of the elimination do not.
constexpr size_t kMostNodes = 4096;
constexpr int kByItself = -1;

size_t at(int i) { return static_cast<size_t>(i); }

// How many blocks a column has below its diagonal, if it can go beside others.
int shapeOf(const SymbolicFactor& factor, int index) {
  const SystemNode& node = factor.nodes[at(index)];
  const int below = node.blockCount - 1;
  if (!hasThreeRows(node) || below > kMostBelow) return kByItself;
  for (int b = node.firstBlock + 1; b < node.firstBlock + node.blockCount; ++b) {
    if (!hasThreeRows(factor.nodes[at(factor.blocks[at(b)].row)])) return kByItself;
  }
  return below;
}

// A column's block; of one that lacks it the diagonal, where that says nothing.
const SystemBlock& blockOrDiagonal(const SymbolicFactor& factor, const SystemNode& node, int b) {
  return factor.blocks[at(node.firstBlock + (b < node.blockCount ? b : 0))];
}

// visit(first, count): columns that are to go side by side, as nodesByLevel has them, or one by itself with a count of 0. The first one has the
// fewest blocks, and the others up to `more` beyond it.
template <class Visit> void forPacks(const SymbolicFactor& factor, int more, const Visit& visit) {
  for (size_t l = 0; l + 1 < factor.nodeLevels.size(); ++l) {
    const int levelEnd = factor.nodeLevels[l + 1];
    for (int first = factor.nodeLevels[l]; first < levelEnd;) {
      const int shape = shapeOf(factor, factor.nodesByLevel[at(first)]), most = std::min(first + kPackColumns, levelEnd);
      int end = first + 1;
      while (shape != kByItself && end < most && shapeOf(factor, factor.nodesByLevel[at(end)]) <= shape + more) ++end;
      if (end - first < kFewestColumns) end = first;
      visit(first, end - first);
      first = std::max(end, first + 1);
    }
  }
}

// What the columns of a pack are made of, as kernels/joints/column_packs.hpp lists it.
class PackSources {
 public:
  PackSources(const SymbolicFactor& factor, const int* nodes, int count) : factor_(factor) {
    for (int c = 0; c < kPackColumns; ++c) nodes_.push_back(&factor.nodes[at(nodes[c < count ? c : 0])]);
  }

  // The place of the first; kNoSource, and nothing appended: another than a joint with three rows comes before.
  int append(std::vector<int>& to) {
    if (!std::all_of(nodes_.begin(), nodes_.end(), [this](const SystemNode* node) { return comesAfterThrees(*node); })) return kNoSource;
    const int first = static_cast<int>(to.size());
    // As there are no more than kMostNodes, an int holds these places.
    addPlaces(to, 0);
    const auto hasLoop = [this](const SystemNode& node) { return factor_.loops[at(node.component)] != 0 ? 1 : 0; };
    to.push_back(mostOf(hasLoop));
    if (to.back() > 0) addRow(to, hasLoop);
    for (const int side : {0, 1}) {
      addRow(to, [this, side](const SystemNode& node) { return bodyOf(node, side); });
      addRow(to, [this, side](const SystemNode& node) { return armPlace(block(node, 0).row, side); });
    }
    addUpdates(to, 0);
    const int blocks = mostOf([](const SystemNode& node) { return node.blockCount; });
    for (int b = 1; b < blocks; ++b) {
      addPlaces(to, b);
      addContributions(to, b);
      addUpdates(to, b);
    }
    return first;
  }

 private:
  const SystemBlock& block(const SystemNode& node, int b) const { return factor_.blocks[at(node.firstBlock + b)]; }

  bool comesAfterThrees(const SystemNode& node) const {
    for (int b = 0; b < node.blockCount; ++b) {
      const auto first = factor_.updates.begin() + block(node, b).firstUpdate;
      const auto isByThree = [this](const SystemUpdate& update) { return hasThreeRows(factor_.nodes[at(factor_.blocks[at(update.left)].column)]); };
      if (!std::all_of(first, first + block(node, b).updateCount, isByThree)) return false;
    }
    return true;
  }
  int bodyOf(const SystemNode& node, int side) const {
    const SystemBlock& diagonal = block(node, 0);
    for (int c = 0; c < diagonal.contributionCount; ++c) {
      const SystemContribution& by = factor_.contributions[at(diagonal.firstContribution + c)];
      if (by.sideOfColumn == side) return by.body;
    }
    return kNoSource;
  }
  template <class Number> void addRow(std::vector<int>& to, const Number& number) const {
    for (const SystemNode* node : nodes_) to.push_back(number(*node));
  }
  template <class Number> int mostOf(const Number& number) const {
    int most = 0;
    for (const SystemNode* node : nodes_) most = std::max(most, number(*node));
    return most;
  }
  void addPlaces(std::vector<int>& to, int b) const {
    const int64_t nowhere = factor_.values + kBlockNumbers;
    addRow(to, [&](const SystemNode& node) { return static_cast<int>(b < node.blockCount ? block(node, b).value : nowhere); });
  }
  int contributionsOf(const SystemNode& node, int b) const { return b < node.blockCount ? block(node, b).contributionCount : 0; }
  int updatesOf(const SystemNode& node, int b) const { return b < node.blockCount ? block(node, b).updateCount : 0; }
  void addContributions(std::vector<int>& to, int b) const {
    const int most = mostOf([this, b](const SystemNode& node) { return contributionsOf(node, b); });
    to.push_back(most);
    for (int c = 0; c < most; ++c) {
      const auto by = [this, b, c](const SystemNode& node) {
        return c < contributionsOf(node, b) ? &factor_.contributions[at(block(node, b).firstContribution + c)] : nullptr;
      };
      addRow(to, [&by](const SystemNode& node) { return by(node) != nullptr ? by(node)->sideOfColumn : 0; });
      addRow(to, [&by](const SystemNode& node) {
        if (by(node) == nullptr) return 0;
        return by(node)->sideOfRow == by(node)->sideOfColumn ? 1 : -1;
      });
      addRow(to,
             [&](const SystemNode& node) { return armPlace(blockOrDiagonal(factor_, node, b).row, by(node) != nullptr ? by(node)->sideOfRow : 0); });
    }
  }
  void addUpdates(std::vector<int>& to, int b) const {
    const int most = mostOf([this, b](const SystemNode& node) { return updatesOf(node, b); });
    to.push_back(most);
    for (int u = 0; u < most; ++u) {
      const auto place = [this, b, u](const SystemNode& node, int SystemUpdate::*side) {
        if (u >= updatesOf(node, b)) return static_cast<int>(factor_.values);  // zeros
        return static_cast<int>(factor_.blocks[at(factor_.updates[static_cast<size_t>(block(node, b).firstUpdate + u)].*side)].value);
      };
      addRow(to, [&place](const SystemNode& node) { return place(node, &SystemUpdate::left); });
      if (b > 0) addRow(to, [&place](const SystemNode& node) { return place(node, &SystemUpdate::right); });
    }
  }

  const SymbolicFactor& factor_;
  std::vector<const SystemNode*> nodes_;
};

}  // namespace

bool sortForPacks(SymbolicFactor& factor) {
  if (factor.nodes.size() > kMostNodes) return false;
  const std::vector<int> before = factor.nodesByLevel;
  for (size_t l = 0; l + 1 < factor.nodeLevels.size(); ++l) {
    const auto begin = factor.nodesByLevel.begin();
    std::stable_sort(begin + factor.nodeLevels[l], begin + factor.nodeLevels[l + 1],
                     [&factor](int a, int b) { return shapeOf(factor, a) < shapeOf(factor, b); });
  }
  int inPacks = 0;
  forPacks(factor, 0, [&inPacks](int, int count) { inPacks += count >= kFewestToSortFor ? count : 0; });
  if (inPacks > 0 && at(2 * inPacks) >= factor.nodes.size()) return true;
  factor.nodesByLevel = before;
  return false;
}

ColumnPacks makeColumnPacks(const SymbolicFactor& factor) {
  ColumnPacks out;
  if (!factor.packed) return out;
  forPacks(factor, kMostLacking, [&](int first, int count) {
    const int* const nodes = factor.nodesByLevel.data() + first;
    ColumnPack pack{};
    pack.columns = count;
    pack.firstNode = count > 0 ? static_cast<int>(out.nodes.size()) : nodes[0];
    if (count > 0) {
      pack.below = factor.nodes[at(nodes[count - 1])].blockCount - 1;
      pack.firstRow = static_cast<int>(out.rows.size());
      pack.value = out.values;
      out.values += kPackColumns * numbersOfColumn(pack.below);
      out.nodes.insert(out.nodes.end(), nodes, nodes + count);
      for (int b = 0; b <= pack.below; ++b) {
        for (int c = 0; c < kPackColumns; ++c) {
          const SystemNode& column = factor.nodes[at(nodes[c < count ? c : 0])];
          out.rows.push_back(factor.nodes[at(blockOrDiagonal(factor, column, b).row)].firstRow);
        }
      }
    }
    pack.firstSource = count > 0 ? PackSources(factor, nodes, count).append(out.sources) : kNoSource;
    out.packs.push_back(pack);
  });
  return out;
}

}  // namespace cairn::v0
