// The factor's columns side by side: parts of a pack, of as many columns as a vector holds.
//
// The same bits as joint_factor.hpp, whatever the width: a number is the sum of the same products in the same order. Columns may have fewer
// contributions and updates than those beside them: zeros take their place, which change no bit, as no sum that began with zero is -0.
#include "kernels/joints/column_packs.hpp"
#include "kernels/joints/joint_factor.hpp"
#include "kernels/rows/pack.hpp"

#include <algorithm>

namespace cairn::v0 {
namespace {

#define CAIRN_INLINE __attribute__((always_inline)) inline

using V = Pack<double, kPackLanes<double>>;
using Vector = V::Vector;
constexpr int kWidth = V::kWidth;
static_assert(kPackColumns % kWidth == 0);

CAIRN_INLINE V loadAt(const double* from) {
  V out;
  std::memcpy(&out.v, from, sizeof out.v);
  return out;
}
CAIRN_INLINE void storeAt(double* to, V value) { std::memcpy(to, &value.v, sizeof value.v); }

// `count` numbers of each lane, which lie one after the other from from(lane) on, as one vector a number.
template <int count, class From> CAIRN_INLINE void gather(const From& from, V* out) {
  constexpr int whole = count / kWidth * kWidth;
  for (int first = 0; first < whole; first += kWidth) {
    Vector rows[kWidth];
#pragma GCC unroll 8
    for (int lane = 0; lane < kWidth; ++lane) std::memcpy(&rows[lane], from(lane) + first, sizeof(Vector));
    transpose(rows);
    for (int k = 0; k < kWidth; ++k) out[first + k].v = rows[k];
  }
  for (int k = whole; k < count; ++k) out[k] = LaneTraits<V>::fromLanes([&from, k](int lane) { return from(lane)[k]; });
}
// And back.
template <int count, class To> CAIRN_INLINE void scatter(const To& to, const V* in) {
  constexpr int whole = count / kWidth * kWidth;
  for (int first = 0; first < whole; first += kWidth) {
    Vector rows[kWidth];
    for (int k = 0; k < kWidth; ++k) rows[k] = in[first + k].v;
    transpose(rows);
#pragma GCC unroll 8
    for (int lane = 0; lane < kWidth; ++lane) std::memcpy(to(lane) + first, &rows[lane], sizeof(Vector));
  }
  for (int k = whole; k < count; ++k) {
#pragma GCC unroll 8
    for (int lane = 0; lane < kWidth; ++lane) to(lane)[k] = in[k].v[lane];
  }
}

// One by one: as a whole it would be taken for a copy of long arrays.
template <int count> CAIRN_INLINE void keep(const V* numbers, V* in) {
#pragma GCC unroll 9
  for (int k = 0; k < count; ++k) in[k] = numbers[k];
}

CAIRN_INLINE V numbersOf(const int* from) {
  typedef int Whole __attribute__((vector_size(kWidth * sizeof(int))));
  Whole whole;
  std::memcpy(&whole, from, sizeof whole);
  return __builtin_convertvector(whole, Vector);
}

// Arms are read four numbers at a time where vectors have four: there is room behind the last one (kSystemSpare).
constexpr int kReadOfArm = kWidth == 4 ? 4 : 3;
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
    next_ = view_->packs.sources + pack.firstSource;
    first_ = first;
    below_ = pack.below;
  }
  // The blocks of A less what the columns before take off them.
  CAIRN_INLINE void reduce() {
    to_ = nextRow();
    const int* const loops = nextCount() > 0 ? nextRow() : nullptr;
    const Side sides[2] = {nextSide(), nextSide()};
    reduceDiagonal(sides, loops);
    for (int b = 0; b < below_; ++b) reduceBelow(sides, belows_[b]);
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
    put<kDiagonalNumbers>(0, diagonal_);
    for (int b = 0; b < below_; ++b) {
      for (int r = 0; r < kPackRows; ++r) block::forwardOf<kPackRows>(diagonal_, belows_[b] + r * kPackRows);
      put<kBlockNumbers>(numbersOfColumn(b), belows_[b]);
    }
  }

 private:
  // What the bodies of one side of the columns' joints do, by an impulse at the joint along each axis.
  struct Side {
    Vec3<V> arm, turned[3], masses;
  };

  CAIRN_INLINE const int* nextRow() {
    const int* const row = next_ + first_;
    next_ += kPackColumns;
    return row;
  }
  CAIRN_INLINE int nextCount() { return *next_++; }

  // --- the blocks of A ---

  CAIRN_INLINE Side nextSide() {
    const int* const bodies = nextRow();
    Pack<T, kWidth> numbers[8];  // xx, yy, zz, xy, xz, yz, the mass along z
    RecordLanes<T, kWidth>::load(
        [this, bodies](int lane) { return reinterpret_cast<const T*>(bodies[lane] >= 0 ? bodies_->inertias + bodies[lane] : &kNoInertia<T>); },
        numbers);
    const auto wide = [](Pack<T, kWidth> of) { return V(__builtin_convertvector(of.v, Vector)); };
    const auto massOf = [this, bodies](T BodyVelocity<T>::*mass) {
      return LaneTraits<Pack<T, kWidth>>::fromLanes(
          [this, bodies, mass](int lane) { return (bodies[lane] >= 0 ? bodies_->velocities + bodies[lane] : &kNoVelocity<T>) ->*mass; });
    };
    Side side;
    side.arm = nextArm();
    side.masses = {wide(massOf(&BodyVelocity<T>::invMassX)), wide(massOf(&BodyVelocity<T>::invMassY)), wide(numbers[6])};
    turnedByAxes(Sym3<V>{wide(numbers[0]), wide(numbers[1]), wide(numbers[2]), wide(numbers[3]), wide(numbers[4]), wide(numbers[5])}, side.arm,
                 side.turned);
    return side;
  }
  CAIRN_INLINE Vec3<V> nextArm() {
    const int* const places = nextRow();
    V arm[kReadOfArm];
    gather<kReadOfArm>([this, places](int lane) { return &view_->arms->onA.x + places[lane]; }, arm);
    return {arm[0], arm[1], arm[2]};
  }

  CAIRN_INLINE void addContributions(const Side (&sides)[2], V (&m)[kBlockNumbers]) {
    for (int count = nextCount(); count > 0; --count) {
      const V onB = numbersOf(nextRow()), sign = numbersOf(nextRow());
      const auto isB = onB > V(0.0);
      Vec3<V> turned[3];
      for (int k = 0; k < 3; ++k) turned[k] = select(isB, sides[1].turned[k], sides[0].turned[k]);
      addPoints(turned, sign * select(isB, sides[1].masses, sides[0].masses), sign * nextArm(), m);
    }
  }

  // --- what the columns before take off ---

  CAIRN_INLINE void nextBlocks(V (&numbers)[kBlockNumbers]) {
    const int* const places = nextRow();
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
    for (int count = nextCount(); count > 0; --count) {
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
    for (int count = nextCount(); count > 0; --count) {
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
  template <int count> CAIRN_INLINE void put(int first, const V* numbers) const {
    for (int k = 0; k < count; ++k) storeAt(values_ + (first + k) * kPackColumns, numbers[k]);
    double* const values = view_->values + first;
    const int* const to = to_;
    scatter<count>([values, to](int lane) { return values + to[lane]; }, numbers);
  }

  const SystemView* view_;
  const SystemBodies<T>* bodies_;
  const int* rows_;
  double* values_;
  const int *next_, *to_;
  int first_, below_;
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
