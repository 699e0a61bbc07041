#include "src/joints/column_packs.hpp"

#include "kernels/joints/column_packs.hpp"

#include <algorithm>

namespace cairn::v0 {
namespace {

constexpr int kFewestColumns = 3;  // side by side: fewer are quicker one by one
// Levels of more nodes than these go through more memory again and again than a second-level cache holds; trees of the elimination do not.
constexpr size_t kMostNodes = 4096;
constexpr int kByItself = -1;

size_t at(int i) { return static_cast<size_t>(i); }

// Such a joint has its three rows at all times.
bool hasThreeRows(const SystemNode& node) { return node.holdsPoint != 0 && node.rows == kPackRows; }

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

// visit(first, count): columns that are to go side by side, as nodesByLevel has them, or one by itself with a count of 0.
template <class Visit> void forPacks(const SymbolicFactor& factor, const Visit& visit) {
  for (size_t l = 0; l + 1 < factor.nodeLevels.size(); ++l) {
    const int levelEnd = factor.nodeLevels[l + 1];
    for (int first = factor.nodeLevels[l]; first < levelEnd;) {
      const int shape = shapeOf(factor, factor.nodesByLevel[at(first)]), most = std::min(first + kPackColumns, levelEnd);
      int end = first + 1;
      while (shape != kByItself && end < most && shapeOf(factor, factor.nodesByLevel[at(end)]) == shape) ++end;
      if (end - first < kFewestColumns) end = first;
      visit(first, end - first);
      first = std::max(end, first + 1);
    }
  }
}

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
  forPacks(factor, [&inPacks](int, int count) { inPacks += count; });
  if (inPacks > 0 && at(2 * inPacks) >= factor.nodes.size()) return true;
  factor.nodesByLevel = before;
  return false;
}

ColumnPacks makeColumnPacks(const SymbolicFactor& factor) {
  ColumnPacks out;
  if (!factor.packed) return out;
  forPacks(factor, [&](int first, int count) {
    const int* const nodes = factor.nodesByLevel.data() + first;
    ColumnPack pack{};
    pack.columns = count;
    pack.firstNode = count > 0 ? static_cast<int>(out.nodes.size()) : nodes[0];
    if (count > 0) {
      pack.below = factor.nodes[at(nodes[0])].blockCount - 1;
      pack.firstRow = static_cast<int>(out.rows.size());
      pack.value = out.values;
      out.values += kPackColumns * numbersOfColumn(pack.below);
      out.nodes.insert(out.nodes.end(), nodes, nodes + count);
      for (int b = 0; b <= pack.below; ++b) {
        for (int c = 0; c < kPackColumns; ++c) {
          const SystemNode& column = factor.nodes[at(nodes[c < count ? c : 0])];
          out.rows.push_back(factor.nodes[at(factor.blocks[at(column.firstBlock + b)].row)].firstRow);
        }
      }
    }
    out.packs.push_back(pack);
  });
  return out;
}

}  // namespace cairn::v0
