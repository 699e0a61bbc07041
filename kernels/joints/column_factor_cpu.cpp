// The factor's columns side by side: parts of a pack, of as many columns as a vector holds.
//
// The same bits as joint_factor.hpp, whatever the width: a number is the sum of the same products in the same order. Columns may have fewer
// contributions and updates than those beside them: zeros take their place, which change no bit, as no sum that began with zero is -0.
#include "kernels/joints/joint_factor.hpp"
#include "kernels/joints/pack_numbers.hpp"

#include <algorithm>

namespace cairn::v0 {
namespace {

using namespace beside;

// One by one: as a whole it would be taken for a copy of long arrays.
template <int count> CAIRN_INLINE void keep(const V* numbers, V* in) {
#pragma GCC unroll 9
  for (int k = 0; k < count; ++k) in[k] = numbers[k];
}

// In the place of a body that takes no impulses.
template <class T> constexpr BodyVelocity<T> kNoVelocity{};
template <class T> constexpr BodyInertia<T> kNoInertia{};

// Columns first .. first + kWidth - 1 of a pack. Lanes behind the last one repeat another, and store once more what that has come to.
template <class T> class FactorPart {
 public:
  CAIRN_INLINE void begin(const FactorBlock<T>& factor, const ColumnPack& pack, int first) {
    view_ = &factor.view;
    bodies_ = &factor.bodies;
    rows_ = view_->packs.rows + pack.firstRow + first;
    values_ = view_->packs.values + pack.value + first;
    sources_ = {view_->packs.sources + pack.firstSource, first};
    below_ = pack.below;
  }
  // The blocks of A less what the columns before take off them.
  CAIRN_INLINE void reduce() {
    to_ = sources_.row();
    const int* const loops = sources_.count() > 0 ? sources_.row() : nullptr;
    const Side sides[2] = {nextSide(), nextSide()};
    reduceDiagonal(sides, loops);
    for (int b = 0; b < below_; ++b) {
      belowsTo_[b] = sources_.row();
      reduceBelow(sides, belows_[b]);
    }
  }
  // block::factorizeOf. Each pivot waits long for the one before: parts that have nothing to do with each other wait together.
  template <int parts> CAIRN_INLINE static void factorizeDiagonals(FactorPart* part) {
    const V zero = V(0.0), one = V(1.0), inBlock = V(block::kMinPivotInBlock), least = V(block::kMinPivot);
    V m[parts][kDiagonalNumbers];
    for (int p = 0; p < parts; ++p) keep<kDiagonalNumbers>(part[p].diagonal_, m[p]);
    for (int i = 0; i < kPackRows; ++i) {
      for (int p = 0; p < parts; ++p) {
        for (int j = 0; j < i; ++j) {
          V sum = m[p][block::at(i, j)];
          for (int k = 0; k < j; ++k) sum -= m[p][block::at(i, k)] * m[p][block::at(j, k)];
          m[p][block::at(i, j)] = sum * m[p][block::at(j, j)];
        }
        const V before = m[p][block::at(i, i)];
        V sum = before;
        for (int k = 0; k < i; ++k) sum -= m[p][block::at(i, k)] * m[p][block::at(i, k)];
        const auto pivots = (sum > inBlock * before) & (sum > least * part[p].whole_[i]);
        m[p][block::at(i, i)] = select(pivots, one / squareRoot(select(pivots, sum, one)), zero);
      }
    }
    for (int p = 0; p < parts; ++p) keep<kDiagonalNumbers>(m[p], part[p].diagonal_);
  }
  // What is below, divided by the pivots; and all of it to where it belongs.
  CAIRN_INLINE void finish() {
    put<kDiagonalNumbers>(0, to_, diagonal_);
    for (int b = 0; b < below_; ++b) {
      for (int r = 0; r < kPackRows; ++r) block::forwardOf<kPackRows>(diagonal_, belows_[b] + r * kPackRows);
      put<kBlockNumbers>(numbersOfColumn(b), belowsTo_[b], belows_[b]);
    }
  }

 private:
  // What the bodies of one side of the columns' joints do, by an impulse at the joint along each axis.
  struct Side {
    Vec3<V> arm, turned[3], masses;
  };

  // --- the blocks of A ---

  CAIRN_INLINE Side nextSide() {
    const int* const bodies = sources_.row();
    Pack<T, kWidth> numbers[8];
    RecordLanes<T, kWidth>::load(
        [this, bodies](int lane) { return reinterpret_cast<const T*>(bodies[lane] >= 0 ? bodies_->inertias + bodies[lane] : &kNoInertia<T>); },
        numbers);
    const auto massOf = [this, bodies](T BodyVelocity<T>::*mass) {
      return LaneTraits<Pack<T, kWidth>>::fromLanes(
          [this, bodies, mass](int lane) { return (bodies[lane] >= 0 ? bodies_->velocities + bodies[lane] : &kNoVelocity<T>) ->*mass; });
    };
    Side side;
    side.arm = nextArm();
    side.masses = {widened<T>(massOf(&BodyVelocity<T>::invMassX)), widened<T>(massOf(&BodyVelocity<T>::invMassY)), widened<T>(numbers[6])};
    turnedByAxes(inertiaOf<T>(numbers), side.arm, side.turned);
    return side;
  }
  CAIRN_INLINE Vec3<V> nextArm() {
    const int* const places = sources_.row();
    return gatherVector([this, places](int lane) { return &view_->arms->onA.x + places[lane]; });
  }

  CAIRN_INLINE void addContributions(const Side (&sides)[2], V (&m)[kBlockNumbers]) {
    for (int count = sources_.count(); count > 0; --count) {
      const V onB = numbersOf(sources_.row()), sign = numbersOf(sources_.row());
      const auto isB = onB > V(0.0);
      Vec3<V> turned[3];
      for (int k = 0; k < 3; ++k) turned[k] = select(isB, sides[1].turned[k], sides[0].turned[k]);
      addPoints(turned, sign * select(isB, sides[1].masses, sides[0].masses), sign * nextArm(), m);
    }
  }

  // --- what the columns before take off ---

  CAIRN_INLINE void nextBlocks(V (&numbers)[kBlockNumbers]) {
    const int* const places = sources_.row();
    gather<kBlockNumbers>([this, places](int lane) { return view_->values + places[lane]; }, numbers);
  }
  // From zero, as block::SubtractProduct has it.
  CAIRN_INLINE static V product(const V* a, const V* b) {
    V sum = V(0.0);
    for (int k = 0; k < kPackRows; ++k) sum += a[k] * b[k];
    return sum;
  }

  CAIRN_INLINE void reduceDiagonal(const Side (&sides)[2], const int* loops) {
    V m[kBlockNumbers], l[kDiagonalNumbers];
    for (V& number : m) number = V(0.0);
    for (const Side& side : sides) addPoints(side.turned, side.masses, side.arm, m);
    for (int k = 0; k < kPackRows; ++k) whole_[k] = absOf(m[k * kPackRows + k]);
    if (loops != nullptr) addCompliance(numbersOf(loops) * V(kLoopCompliance), m);
    for (int r = 0; r < kPackRows; ++r) {
      for (int c = 0; c <= r; ++c) l[block::at(r, c)] = m[r * kPackRows + c];
    }
    for (int count = sources_.count(); count > 0; --count) {
      V left[kBlockNumbers];
      nextBlocks(left);
      for (int r = 0; r < kPackRows; ++r) {
        for (int c = 0; c <= r; ++c) l[block::at(r, c)] -= product(left + r * kPackRows, left + c * kPackRows);
      }
    }
    keep<kDiagonalNumbers>(l, diagonal_);
  }
  // FactorBlock::addCompliance: no row is a limit's. Where nothing complies nobody asks for the pivots.
  CAIRN_INLINE void addCompliance(V compliance, V (&m)[kBlockNumbers]) const {
    for (int k = 0; k < kPackRows; ++k) {
      V& on = m[k * kPackRows + k];
      on += compliance * on;
      for (int lane = 0; lane < kWidth; ++lane) view_->pivots[rows_[lane] + k] = whole_[k].v[lane];
    }
  }
  CAIRN_INLINE void reduceBelow(const Side (&sides)[2], V (&out)[kBlockNumbers]) {
    V m[kBlockNumbers];
    for (V& number : m) number = V(0.0);
    addContributions(sides, m);
    for (int count = sources_.count(); count > 0; --count) {
      V left[kBlockNumbers], right[kBlockNumbers];
      nextBlocks(left);
      nextBlocks(right);
      for (int r = 0; r < kPackRows; ++r) {
        for (int c = 0; c < kPackRows; ++c) m[r * kPackRows + c] -= product(left + r * kPackRows, right + c * kPackRows);
      }
    }
    keep<kBlockNumbers>(m, out);
  }

  // A block's numbers, which are a column's from number `first` on: side by side to the pack's, and to where each column has its own.
  template <int count> CAIRN_INLINE void put(int first, const int* to, const V* numbers) const {
    for (int k = 0; k < count; ++k) storeAt(values_ + (first + k) * kPackColumns, numbers[k]);
    double* const values = view_->values;
    scatter<count>([values, to](int lane) { return values + to[lane]; }, numbers);
  }

  const SystemView* view_;
  const SystemBodies<T>* bodies_;
  const int* rows_;
  double* values_;
  const int *to_, *belowsTo_[kMostBelow];
  SourceReader sources_;
  int below_;
  V diagonal_[kDiagonalNumbers], whole_[kPackRows], belows_[kMostBelow][kBlockNumbers];
};

template <class T, int parts> CAIRN_FLATTEN void factorParts(const FactorBlock<T>& factor, const ColumnPack& pack, int first) {
  FactorPart<T> part[parts];
  for (int p = 0; p < parts; ++p) {
    part[p].begin(factor, pack, first + p * kWidth);
    part[p].reduce();
  }
  FactorPart<T>::template factorizeDiagonals<parts>(part);
  for (int p = 0; p < parts; ++p) part[p].finish();
}

}  // namespace

template <class T> void factorPack(const FactorBlock<T>& factor, const ColumnPack& pack) {
  constexpr int together = kPackColumns / kWidth < 2 ? 1 : 2;
  int first = 0;
  for (; pack.columns - first > kWidth; first += together * kWidth) factorParts<T, together>(factor, pack, first);
  if (first < pack.columns) factorParts<T, 1>(factor, pack, first);
}
template void factorPack(const FactorBlock<float>&, const ColumnPack&);
template void factorPack(const FactorBlock<double>&, const ColumnPack&);

}  // namespace cairn::v0
