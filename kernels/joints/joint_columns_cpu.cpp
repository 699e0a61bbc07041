// The direct solve's loops on the CPU. Where the machine has vectors of four doubles, a block of two point joints is three of them, rows or columns:
// a fourth number that goes along means nothing. Blocks of other sizes, and machines without, take the code of one item.
//
// The same bits: a number is the sum of the same products in the same order, whichever numbers are found beside it.
#include "kernels/joints/joint_columns.hpp"

#include "kernels/joints/body_packs.hpp"
#include "kernels/joints/column_packs.hpp"
#include "kernels/rows/pack.hpp"

#include <algorithm>

namespace cairn::v0 {
namespace {

#define CAIRN_INLINE __attribute__((always_inline)) inline

// What a column's unknowns, found at last, take off those below it.
inline void subtractBelow(const SystemView& view, const SystemBlock& block, const double* y) {
  double* const x = view.vector + view.nodes[block.row].firstRow;
  block::withRows(view.rowsInUse[block.column], block::SubtractRows{view.values + block.value, y, x, view.rowsInUse[block.row]});
}
inline void forwardColumn(const SystemView& view, const SystemNode& node, int index) {
  double* const x = view.vector + node.firstRow;
  block::withRows(view.rowsInUse[index], block::Forward{view.values + view.blocks[node.firstBlock].value, x});
  for (int b = node.firstBlock + 1; b < node.firstBlock + node.blockCount; ++b) subtractBelow(view, view.blocks[b], x);
}

// One item as joint_factor.hpp and joint_substitution.hpp have it.
struct OneByOne {
  template <class T> static void factorColumn(const FactorBlock<T>& factor, int node) { factor.makeColumn(node); }
  static void forward(const SystemView& view, const SystemNode& node, int index) { forwardColumn(view, node, index); }
  static void back(const BackSubstitute& pass, int node) { pass(node); }
};

// The same by threes. A template, so that machines without such vectors never compile it.
template <int numbers> struct ByThrees {
  using V = Pack<double, numbers>;
  using Vector = typename V::Vector;

  // --- three numbers ---

  CAIRN_INLINE static V load(const double* from) {
    V out;
    std::memcpy(&out.v, from, sizeof out.v);
    return out;
  }
  CAIRN_INLINE static void store(double* to, V value) {
    typedef double Pair __attribute__((vector_size(16)));
    const Pair first{value.v[0], value.v[1]};
    std::memcpy(to, &first, sizeof first);
    to[2] = value.v[2];
  }
  // The fourth number as well, which what is stored next lies upon.
  CAIRN_INLINE static void storeFour(double* to, V value) { std::memcpy(to, &value.v, sizeof value.v); }
  CAIRN_INLINE static V each(double value) { return {Vector{value, value, value, value}}; }
  CAIRN_INLINE static V yzx(V a) { return {shuffled<1, 2, 0, 3>(a.v, a.v)}; }
  CAIRN_INLINE static V zxy(V a) { return {shuffled<2, 0, 1, 3>(a.v, a.v)}; }
  // a's numbers, of which number k is b's.
  template <int k> CAIRN_INLINE static V with(V a, V b) { return {shuffled < k == 0 ? 4 : 0, k == 1 ? 5 : 1, k == 2 ? 6 : 2, 3 > (a.v, b.v)}; }

  // --- nine numbers: three rows or three columns ---

  struct Block {
    V of[3];
  };
  CAIRN_INLINE static void transpose(Block& m) {
    const Vector even = shuffled<0, 4, 2, 6>(m.of[0].v, m.of[1].v), odd = shuffled<1, 5, 3, 7>(m.of[0].v, m.of[1].v), last = m.of[2].v;
    m.of[0].v = shuffled<0, 1, 4, 5>(even, last);
    m.of[1].v = shuffled<0, 1, 4, 5>(odd, shuffled<1, 1, 3, 3>(last, last));
    m.of[2].v = shuffled<2, 3, 6, 7>(even, last);
  }
  CAIRN_INLINE static Block loadRows(const double* from) { return {{load(from), load(from + 3), load(from + 6)}}; }
  CAIRN_INLINE static Block loadColumns(const double* from) {
    Block m = loadRows(from);
    transpose(m);
    return m;
  }
  CAIRN_INLINE static void storeColumns(double* to, Block m) {
    transpose(m);
    storeFour(to, m.of[0]);
    storeFour(to + 3, m.of[1]);
    store(to + 6, m.of[2]);
  }
  // columns * y
  CAIRN_INLINE static V product(const Block& columns, const double* y) {
    V sum = each(0);
    for (int k = 0; k < 3; ++k) sum += columns.of[k] * each(y[k]);
    return sum;
  }

  // --- the inverse masses of a body, as inverseMasses has them ---

  struct Mobility {
    Block turns;  // columns
    V moves;
  };
  template <class T> CAIRN_INLINE static Vector fourOf(const T* from) {
    typedef T Four __attribute__((vector_size(4 * sizeof(T))));
    Four four;
    std::memcpy(&four, from, sizeof four);
    return __builtin_convertvector(four, Vector);
  }
  template <class T> CAIRN_INLINE static Mobility mobilityOf(const SystemBodies<T>& bodies, int slot) {
    const BodyVelocity<T>& velocity = bodies.velocities[slot];
    const T* const inertia = reinterpret_cast<const T*>(bodies.inertias + slot);
    const Vector a = fourOf(inertia), b = fourOf(inertia + 4);  // xx, yy, zz, xy; xz, yz, the mass along z
    Mobility of;
    of.turns = {{{shuffled<0, 3, 4, 4>(a, b)}, {shuffled<3, 1, 5, 5>(a, b)}, {shuffled<4, 5, 2, 2>(a, b)}}};
    of.moves = {Vector{double(velocity.invMassX), double(velocity.invMassY), b[2], 0}};
    return of;
  }

  // --- the factor ---

  // As FactorBlock::makePointBlock has it, in columns.
  template <class T> CAIRN_INLINE static Block contributions(const FactorBlock<T>& factor, const SystemBlock& block) {
    const SystemView& view = factor.view;
    const SystemArms &ofRow = view.arms[block.row], &ofColumn = view.arms[block.column];
    Block m{{each(0), each(0), each(0)}};
    for (int c = block.firstContribution; c < block.firstContribution + block.contributionCount; ++c) {
      const SystemContribution& by = view.contributions[c];
      const Mobility body = mobilityOf(factor.bodies, by.body);
      const double sign = by.sideOfRow == by.sideOfColumn ? 1 : -1;
      const V armR = load(by.sideOfRow != 0 ? &ofRow.onB.x : &ofRow.onA.x);
      const Vec3<double>& arm = by.sideOfColumn != 0 ? ofColumn.onB : ofColumn.onA;
      const V x = each(sign * arm.x), y = each(sign * arm.y), z = each(sign * arm.z), masses = each(sign) * body.moves;
      const V *const i = body.turns.of, once = yzx(armR), twice = zxy(armR);
      const V turned[3] = {i[1] * z - i[2] * y, i[2] * x - i[0] * z, i[0] * y - i[1] * x};
      // Nothing is added to the others: not even 0, which would be another number than -0.
      const V none = each(-0.0), own[3] = {with<0>(none, masses), with<1>(none, masses), with<2>(none, masses)};
      for (int k = 0; k < 3; ++k) m.of[k] += own[k] + (yzx(turned[k]) * twice - zxy(turned[k]) * once);
    }
    return m;
  }
  template <class T> CAIRN_INLINE static void subtractUpdates(const FactorBlock<T>& factor, const SystemBlock& block, Block& m) {
    const SystemView& view = factor.view;
    for (int64_t u = block.firstUpdate; u < block.firstUpdate + block.updateCount; ++u) {
      const SystemBlock& left = view.blocks[view.updates[u].left];
      const double *const leftRows = view.values + left.value, *const rightRows = view.values + view.blocks[view.updates[u].right].value;
      if (view.rowsInUse[left.column] != 3) {
        // By way of memory: a block whose address is known would not stay in registers.
        double rows[9];
        storeColumns(rows, m);
        subtractOther(view, left.column, leftRows, rightRows, rows);
        for (int k = 0; k < 3; ++k) m.of[k] = {Vector{rows[k], rows[3 + k], rows[6 + k], 0}};
        continue;
      }
      const Block columns = loadColumns(leftRows);
      for (int c = 0; c < 3; ++c) m.of[c] -= product(columns, rightRows + 3 * c);
    }
  }
  // By a column of other than three rows.
  __attribute__((noinline)) static void subtractOther(const SystemView& view, int column, const double* left, const double* right, double* rows) {
    const double sign = view.nodes[column].joint < 0 ? -1.0 : 1.0;
    block::withRows(view.rowsInUse[column], block::SubtractProduct{rows, left, right, 3, 3, false, sign});
  }

  template <class T> static void factorColumn(const FactorBlock<T>& factor, int index) {
    const SystemView& view = factor.view;
    const SystemNode& node = view.nodes[index];
    if (!isToFactorize(view, index)) return;
    if (view.isPoint[index] == 0) return factor.makeColumn(index);
    double l[6];
    reduceDiagonal(factor, view.blocks[node.firstBlock], node, l);
    block::factorizeOf<3>(l, view.pivots + node.firstRow);
    putDiagonal(view, view.blocks[node.firstBlock], l);
    for (int b = node.firstBlock + 1; b < node.firstBlock + node.blockCount; ++b) {
      const SystemBlock& block = view.blocks[b];
      if (view.isPoint[block.row] == 0) {
        factor.make(b);
        factor.make(~b);
        continue;
      }
      makeBelow(factor, block, l);
    }
  }
  CAIRN_INLINE static void putDiagonal(const SystemView& view, const SystemBlock& block, const double* l) {
    for (int k = 0; k < 6; ++k) view.values[block.value + k] = l[k];
  }
  // A block below the diagonal, divided by its column's pivots.
  template <class T> CAIRN_INLINE static void makeBelow(const FactorBlock<T>& factor, const SystemBlock& block, const double* l) {
    Block m = contributions(factor, block);
    subtractUpdates(factor, block, m);
    m.of[0] = m.of[0] * each(l[0]);
    m.of[1] = (m.of[1] - each(l[1]) * m.of[0]) * each(l[2]);
    m.of[2] = (m.of[2] - each(l[3]) * m.of[0] - each(l[4]) * m.of[1]) * each(l[5]);
    storeColumns(factor.view.values + block.value, m);
  }
  // What is left of a diagonal once all columns before it are done.
  template <class T>
  CAIRN_INLINE static void reduceDiagonal(const FactorBlock<T>& factor, const SystemBlock& block, const SystemNode& node, double* lower) {
    const SystemView& view = factor.view;
    Block m = contributions(factor, block);
    // FactorBlock::addCompliance: no row of a point joint is a limit's.
    const V diagonal = with<2>(with<1>(m.of[0], m.of[1]), m.of[2]), zero = each(0);
    store(view.pivots + node.firstRow, select(diagonal < zero, -diagonal, diagonal));
    const V grown = diagonal + each(view.loops[node.component] != 0 ? kLoopCompliance : 0) * diagonal;
    m = {{with<0>(m.of[0], grown), with<1>(m.of[1], grown), with<2>(m.of[2], grown)}};
    subtractUpdates(factor, block, m);
    const double kept[6] = {m.of[0].v[0], m.of[0].v[1], m.of[1].v[1], m.of[0].v[2], m.of[1].v[2], m.of[2].v[2]};
    for (int k = 0; k < 6; ++k) lower[k] = kept[k];
  }

  // --- substitution ---

  // What was stored a moment ago as a pair and a single number: read as one it would have to be in the cache first.
  CAIRN_INLINE static V loadStored(const double* from) {
    typedef double Pair __attribute__((vector_size(16)));
    Pair first;
    std::memcpy(&first, from, sizeof first);
    return {Vector{first[0], first[1], from[2], 0}};
  }
  static void forward(const SystemView& view, const SystemNode& node, int index) {
    if (view.rowsInUse[index] != 3) return forwardColumn(view, node, index);
    double* const x = view.vector + node.firstRow;
    double y[3] = {x[0], x[1], x[2]};
    block::forwardOf<3>(view.values + view.blocks[node.firstBlock].value, y);
    for (int k = 0; k < 3; ++k) x[k] = y[k];
    for (int b = node.firstBlock + 1; b < node.firstBlock + node.blockCount; ++b) {
      const SystemBlock& block = view.blocks[b];
      if (view.rowsInUse[block.row] != 3) {
        subtractBelow(view, block, x);
        continue;
      }
      double* const below = view.vector + view.nodes[block.row].firstRow;
      store(below, loadStored(below) - product(loadColumns(view.values + block.value), y));
    }
  }
  static void back(const BackSubstitute& pass, int index) {
    const SystemView& view = pass.view;
    const SystemNode& node = view.nodes[index];
    if (view.active[node.component] == 0) return;
    if (view.rowsInUse[index] != 3 || node.joint < 0) return pass(index);
    double* const x = view.vector + node.firstRow;
    V sum = load(x);
    for (int k = node.firstBlock + 1; k < node.firstBlock + node.blockCount; ++k) {
      const SystemBlock& block = view.blocks[k];
      const double *const b = view.values + block.value, *const y = view.vector + view.nodes[block.row].firstRow;
      for (int r = 0; r < view.rowsInUse[block.row]; ++r) sum -= load(b + 3 * r) * each(y[r]);
    }
    double rows[3] = {sum.v[0], sum.v[1], sum.v[2]};
    block::backwardOf<3>(view.values + view.blocks[node.firstBlock].value, rows);
    for (int k = 0; k < 3; ++k) x[k] = rows[k];
  }
};

using Columns = std::conditional_t<(kPackBytes<double> >= 32), ByThrees<4>, OneByOne>;

// Bodies of a pack, one of which may belong to a component that the solve passes by.
template <class T> bool allActive(const ApplyImpulses<T>& pass, const int* slots) {
  const SystemView& view = pass.view;
  if (pass.everywhere) return true;
  return std::all_of(slots, slots + kPackBodies, [&view](int slot) {
    const int component = view.componentOfBody[slot];
    return view.active[component] != 0 && view.limitsChanged[component] == 0;
  });
}

}  // namespace

namespace {

// Levels as nodesByLevel has them: each column comes after those that it needs.
template <class T> void factorInPacks(const FactorBlock<T>& factor) {
  const SystemView& view = factor.view;
  for (int p = 0; p < view.packs.count; ++p) {
    const ColumnPack& pack = view.packs.packs[p];
    if (pack.columns == 0) {
      Columns::factorColumn(factor, pack.firstNode);
      continue;
    }
    const int* const nodes = view.packs.nodes + pack.firstNode;
    if (pack.firstSource >= 0 && std::all_of(nodes, nodes + pack.columns, [&view](int node) { return isToFactorize(view, node); })) {
      factorPack(factor, pack);
      continue;
    }
    // Some may belong to a component that has its factor.
    for (int c = 0; c < pack.columns; ++c) {
      if (!isToFactorize(view, nodes[c])) continue;
      Columns::factorColumn(factor, nodes[c]);
      storeInPack(view, pack, c);
    }
  }
}

}  // namespace

template <class T> void FactorColumns<T>::onCpu(const TeamLoop&) const {
  if (factor->view.packs.count > 0) return factorInPacks(*factor);
  for (int node = 0; node < factor->view.nodeCount; ++node) Columns::factorColumn(*factor, node);
}

namespace {

void forwardIfActive(const SystemView& view, int index) {
  const SystemNode& node = view.nodes[index];
  if (view.active[node.component] != 0) Columns::forward(view, node, index);
}
bool anyActive(const SystemView& view, const ColumnPack& pack) {
  const int* const nodes = view.packs.nodes + pack.firstNode;
  return std::any_of(nodes, nodes + pack.columns, [&view](int node) { return view.active[view.nodes[node].component] != 0; });
}

// Levels as nodesByLevel has them.
void substituteInPacks(const SystemView& view) {
  const ColumnPack *const begin = view.packs.packs, *const end = begin + view.packs.count;
  for (const ColumnPack* pack = begin; pack != end; ++pack) {
    if (pack->columns == 0) {
      forwardIfActive(view, pack->firstNode);
    } else if (anyActive(view, *pack)) {
      forwardPack(view, *pack);
    }
  }
  const BackSubstitute back{view};
  for (const ColumnPack* pack = end; pack != begin;) {
    --pack;
    if (pack->columns == 0) {
      Columns::back(back, pack->firstNode);
    } else if (anyActive(view, *pack)) {
      backPack(view, *pack);
    }
  }
}

}  // namespace

template <class T> void SubstituteColumns<T>::onCpu(const TeamLoop&) const {
  for (int k = 0; k < view->nodeCount; ++k) {
    const SystemNode& node = view->nodes[k];
    if (node.joint >= 0 || view->active[node.component] == 0) continue;
    for (int r = 0; r < 6; ++r) view->vector[node.firstRow + r] = 0;
  }
  // A row is taken off the same products as by ForwardSubstitute, in the same order: by columns as they lie in memory, or by levels.
  if (view->packs.count > 0) return substituteInPacks(*view);
  for (int node = 0; node < view->nodeCount; ++node) forwardIfActive(*view, node);
  const BackSubstitute back{*view};
  for (int node = view->nodeCount - 1; node >= 0; --node) Columns::back(back, node);
}

template <class T> void ApplyToBodies<T>::onCpu(const TeamLoop& team) const {
  const SystemView& view = body->view;
  const auto run = [this, &view](int64_t begin, int64_t end) {
    for (int eight = static_cast<int>(begin); eight < end; ++eight) {
      const int first = eight * kPackBodies, last = std::min(first + kPackBodies, view.bodyCount);
      const int start = last - first == kPackBodies ? view.bodyPacks.starts[eight] : kNoSource;
      if (start >= 0 && allActive(*body, view.bodyPacks.sources + start)) {
        applyInPack(*body, view.bodyPacks.sources + start);
        continue;
      }
      for (int i = first; i < last; ++i) (*body)(i);
    }
  };
  const int eights = (view.bodyCount + kPackBodies - 1) / kPackBodies;
  if (view.bodyCount < kNodeGrain) return run(0, eights);
  team.run(eights, run);
}

CpuPass systemPass(int place) { return SystemPasses::at(place); }

}  // namespace cairn::v0
