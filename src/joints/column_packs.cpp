#include "src/joints/column_packs.hpp"

#include "kernels/joints/column_packs.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace cairn::v0 {
namespace {

constexpr int kFewestColumns = 3;  // side by side: fewer are quicker one by one
// Levels of more nodes than these go through more memory again and again than a second-level cache holds. A larger system is taken apart into trees
// of the elimination, each of which has all that its root needs, and what lies above them.
constexpr int kMostNodes = 4096, kMostOfPart = 1024;
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

// The next column that needs this one; -1: none does.
int parentOf(const SymbolicFactor& factor, const SystemNode& node) { return node.blockCount > 1 ? factor.blocks[at(node.firstBlock + 1)].row : -1; }

// By node: which part it belongs to. Parts are gone through in ascending order. A node lies behind the tree that its column needs, and right behind.
std::vector<int> partsOf(const SymbolicFactor& factor) {
  const int count = static_cast<int>(factor.nodes.size());
  std::vector<int> part(factor.nodes.size(), 0);
  if (count <= kMostNodes) return part;
  std::vector<int> size(factor.nodes.size(), 1);
  for (int n = 0; n < count; ++n) {
    const int parent = parentOf(factor, factor.nodes[at(n)]);
    if (parent >= 0) size[at(parent)] += size[at(n)];
  }
  int parts = 0, inPart = 0;
  for (int n = 0; n < count; ++n) {
    if (size[at(n)] > kMostOfPart) {
      part[at(n)] = count;
      continue;
    }
    const int parent = parentOf(factor, factor.nodes[at(n)]);
    if (parent >= 0 && size[at(parent)] <= kMostOfPart) continue;
    if (inPart + size[at(n)] > kMostOfPart) {
      ++parts;
      inPart = 0;
    }
    inPart += size[at(n)];
    std::fill_n(part.begin() + (n + 1 - size[at(n)]), size[at(n)], parts);
  }
  return part;
}

// visit(first, count): columns that are to go side by side, as packOrder has them, or one by itself with a count of 0.
template <class Visit> void forPacks(const SymbolicFactor& factor, const Visit& visit) {
  for (size_t l = 0; l + 1 < factor.packLevels.size(); ++l) {
    const int levelEnd = factor.packLevels[l + 1];
    for (int first = factor.packLevels[l]; first < levelEnd;) {
      const int shape = shapeOf(factor, factor.packOrder[at(first)]), most = std::min(first + kPackColumns, levelEnd);
      int end = first + 1;
      while (shape != kByItself && end < most && shapeOf(factor, factor.packOrder[at(end)]) == shape) ++end;
      if (end - first < kFewestColumns) end = first;
      visit(first, end - first);
      first = std::max(end, first + 1);
    }
  }
}

}  // namespace

void sortForPacks(SymbolicFactor& factor) {
  const std::vector<int> part = partsOf(factor);
  std::vector<int> level(factor.nodes.size()), shape(factor.nodes.size());
  for (size_t l = 0; l + 1 < factor.nodeLevels.size(); ++l) {
    for (int k = factor.nodeLevels[l]; k < factor.nodeLevels[l + 1]; ++k) level[at(factor.nodesByLevel[at(k)])] = static_cast<int>(l);
  }
  for (size_t n = 0; n < shape.size(); ++n) shape[n] = shapeOf(factor, static_cast<int>(n));
  factor.packOrder.resize(factor.nodes.size());
  std::iota(factor.packOrder.begin(), factor.packOrder.end(), 0);
  const auto keyOf = [&](int n) { return std::make_tuple(part[at(n)], level[at(n)], shape[at(n)]); };
  std::stable_sort(factor.packOrder.begin(), factor.packOrder.end(), [&keyOf](int a, int b) { return keyOf(a) < keyOf(b); });
  const auto runOf = [&](size_t k) { return std::make_pair(part[at(factor.packOrder[k])], level[at(factor.packOrder[k])]); };
  for (size_t k = 0; k < factor.packOrder.size(); ++k) {
    if (k == 0 || runOf(k) != runOf(k - 1)) factor.packLevels.push_back(static_cast<int>(k));
  }
  factor.packLevels.push_back(static_cast<int>(factor.packOrder.size()));
  int inPacks = 0;
  forPacks(factor, [&inPacks](int, int count) { inPacks += count; });
  if (inPacks > 0 && at(2 * inPacks) >= factor.nodes.size()) return;
  factor.packOrder.clear();
  factor.packLevels.clear();
}

ColumnPacks makeColumnPacks(const SymbolicFactor& factor) {
  ColumnPacks out;
  forPacks(factor, [&](int first, int count) {
    const int* const nodes = factor.packOrder.data() + first;
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
