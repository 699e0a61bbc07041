// What OneByOne (collide_hull_axes.hpp) asks of all faces or corners of a polyhedron, asked of a pack of them at once, with the same operations on
// each, hence the same results. For *_cpu.cpp files.
#pragma once

#include "kernels/collide/collide_hull.hpp"
#include "kernels/rows/pack_instructions.hpp"

namespace cairn::v0 {

namespace hull {

static_assert(kHullBlock % kSeveral == 0, "columns are whole packs");

inline Several severalAt(const double* numbers) { return LaneTraits<Several>::load(numbers); }
inline Several severalAt(const HullWord* column, int k) { return severalAt(&column[k].number); }
inline Vec3<Several> severalAt(const HullWord* const (&columns)[3], int k) {
  return {severalAt(columns[0], k), severalAt(columns[1], k), severalAt(columns[2], k)};
}

// The first place from `from` on, of `count`, for which a pack's question has its bit set; the count if there is none.
template <class Bits> inline int firstOf(int from, int count, const Bits& bits) {
  for (int begin = from - from % kSeveral; begin < count; begin += kSeveral) {
    unsigned left = bits(begin);
    if (begin < from) left &= ~0u << (from - begin);
    if (left != 0) return minOf(begin + __builtin_ctz(left), count);
  }
  return count;
}

// One bit a place, of at most 64.
template <class Bits> inline uint64_t allOf(int begin, int count, const Bits& bits) {
  uint64_t all = 0;
  for (int k = 0; begin + k < count && k < 64; k += kSeveral) all |= uint64_t(bits(begin + k)) << k;
  const int wanted = minOf(count - begin, 64);
  return wanted < 64 ? all & ((uint64_t(1) << wanted) - 1) : all;
}

// The first bit from `from` on, of `count`; the count if there is none.
inline int nextBit(const uint64_t (&bits)[3], int from, int count) {
  for (int word = from >> 6; 64 * word < count; ++word) {
    const uint64_t left = word == from >> 6 ? bits[word] & (~uint64_t(0) << (from & 63)) : bits[word];
    if (left != 0) return 64 * word + __builtin_ctzll(left);
  }
  return count;
}

struct InPacks {
  class FaceHeights {
   public:
    FaceHeights(const Polyhedron& own, Vec point) : count_(own.shape.faceCount) {
      const HullWord* const normals[3] = {own.shape.faceColumn(0), own.shape.faceColumn(1), own.shape.faceColumn(2)};
      const HullWord* const offset = own.shape.faceColumn(3);
      const Vec3<Several> at = inAllLanes<Several>(point), stretch = inAllLanes<Several>(own.stretch);
      int k = 0;
      do {  // there is one face at least
        const Vec3<Several> normal = severalAt(normals, k);
        LaneTraits<Several>::store(heights_ + k, dot(normal, at) - (own.box ? dot(stretch, absOf(normal)) : severalAt(offset, k)));
        k += kSeveral;
      } while (k < count_);
    }
    double operator[](int f) const { return heights_[f]; }
    int count() const { return count_; }
    Several at(int f) const { return severalAt(heights_ + f); }
    int highest(double slop) const {
      Several most = at(0);
      for (int k = kSeveral; k < count_; k += kSeveral) most = maxOf(most, at(k));  // the last pack is filled up with what is there
      double top = most.v[0];
      for (int k = 1; k < kSeveral; ++k) top = maxOf(top, most.v[k]);
      // What is found is lower than the highest by the slop at most, and mostly the only one that is.
      const Several bar(top - slop - 1e-12 * (absOf(top) + slop));
      const auto nearTop = [&](int k) { return bitsOf(at(k) >= bar); };
      const int first = firstOf(0, count_, nearTop);
      if (first == count_ || firstOf(first + 1, count_, nearTop) < count_) return highestInTurn(slop);
      return first;
    }
    bool allAtMost(double bar, int exceptOf) const {
      int f = -1;
      do {
        f = firstOf(f + 1, count_, [&](int k) { return bitsOf(!(at(k) <= Several(bar))); });
      } while (f == exceptOf);
      return f == count_;
    }
    void above(double bar, uint64_t (&faces)[2]) const {
      for (int k = 0; k < 2; ++k) {
        if (64 * k < count_) faces[k] |= allOf(64 * k, count_, [&](int f) { return bitsOf(at(f) > Several(bar)); });
      }
    }
    void lowerTo(const FaceHeights& other) {
      for (int k = 0; k < count_; k += kSeveral) LaneTraits<Several>::store(heights_ + k, minOf(at(k), other.at(k)));
    }

   private:
    int highestInTurn(double slop) const {
      int highest = 0;
      for (int f = 1; f < count_; ++f) {
        if (heights_[f] > heights_[highest] + slop) highest = f;
      }
      return highest;
    }

    int count_;
    double heights_[2 * kMaxHullVertices];
  };

  struct FacesLeft {
    const Polyhedron& own;
    const FaceHeights& centre;
    double inner;
    FaceHeights low;  // of all corners that were met

    FacesLeft(const Polyhedron& of, const FaceHeights& heights, double ball, Vec corner) : own(of), centre(heights), inner(ball), low(of, corner) {}
    int next(int from, double bar, double cornerBar) const {
      return firstOf(from, centre.count(), [&](int k) {
        const Several::Mask tooLow = (centre.at(k) - Several(inner) <= Several(bar)) | (low.at(k) <= Several(cornerBar));
        return bitsOf(!tooLow);
      });
    }
    void meet(Vec corner, bool) { low.lowerTo(FaceHeights(own, corner)); }
  };

  static int lowest(const Polyhedron& own, Vec up) {
    const Vec3<Several> direction = inAllLanes<Several>(-scale(own.stretch, up));
    const int count = own.shape.vertexCount;
    const HullWord* const corners[3] = {own.shape.cornerColumn(0), own.shape.cornerColumn(1), own.shape.cornerColumn(2)};
    const auto along = [&](int k) { return dot(severalAt(corners, k), direction); };
    Several places, most = along(0);
    for (int k = 0; k < kSeveral; ++k) places.v[k] = k;
    Several furthest = places;
    for (int k = kSeveral; k < count; k += kSeveral) {
      const Several here = along(k);
      const Several::Mask further = here > most;
      most = select(further, here, most);
      furthest = select(further, places + Several(double(k)), furthest);
    }
    int best = -1;
    for (int k = 0; k < kSeveral; ++k) {
      if (!(furthest.v[k] < count)) continue;
      if (best < 0 || most.v[k] > most.v[best] || (most.v[k] == most.v[best] && furthest.v[k] < furthest.v[best])) best = k;
    }
    return int(furthest.v[best]);
  }

  static uint64_t cornersBelow(const Polyhedron& own, Vec up, double limit) {
    const Vec3<Several> direction = inAllLanes<Several>(up), stretch = inAllLanes<Several>(own.stretch);
    const HullWord* const corners[3] = {own.shape.cornerColumn(0), own.shape.cornerColumn(1), own.shape.cornerColumn(2)};
    return allOf(0, own.shape.vertexCount, [&](int k) { return bitsOf(dot(direction, scale(stretch, severalAt(corners, k))) <= Several(limit)); });
  }

  // The edges that are asked, a bit each.
  class EdgesLeft {
   public:
    EdgesLeft(const Polyhedron& own, const EdgesAsked& asked) : count_(own.shape.edgeCount) {
      using Words = Several::Mask;
      const auto all = [](uint64_t word) { return Words{decltype(Words::m){} + int64_t(word)}; };
      const auto at = [](const HullWord* column, int k) {
        Words words;
        std::memcpy(&words.m, column + k, sizeof words.m);
        return words;
      };
      const HullWord* const corners = own.shape.edgeColumn(0);
      const HullWord* const first = own.shape.edgeColumn(1);
      const HullWord* const last = own.shape.edgeColumn(2);
      const Words near = all(asked.corners), high = all(asked.above.faces[0]),
                  higher = all(asked.above.faces[1] | (asked.above.apart ? kWideEdgeBit : 0));
      for (int word = 0; 64 * word < count_; ++word) {
        bits_[word] = allOf(64 * word, count_, [&](int k) {
          const Words faces = (at(first, k) & high) | (at(last, k) & higher);
          return bitsOf(Words{((at(corners, k) & near).m != 0) & (faces.m != 0)});
        });
      }
    }
    int next(int from) const { return nextBit(bits_, from, count_); }

   private:
    int count_;
    uint64_t bits_[3];
  };

  // Edges of A, field by field. What the lanes behind the last one hold is looked at and left out.
  class NearEdges {
   public:
    static constexpr int kRoom = 3 * kMaxHullVertices;
    uint8_t edges[kRoom];
    int count = 0;

    void put(const Polyhedron& own, int i) {
      const HullEdge& edge = own.shape.edges[i];
      along_.put(count, own.vertex(edge.to) - own.vertex(edge.from));
      left_.put(count, own.normal(edge.left));
      right_.put(count, own.normal(edge.right));
      edges[count++] = uint8_t(i);
    }
    // As ArcsOfB.
    void lookAt(const PlacedEdge& b) {
      const Vec3<Several> leftOfB = inAllLanes<Several>(b.left), rightOfB = inAllLanes<Several>(b.right), alongB = inAllLanes<Several>(b.along);
      const Several zero(0.0);
      for (int word = 0; 64 * word < count; ++word) {
        bits_[word] = allOf(64 * word, count, [&](int k) {
          const Vec3<Several> along = along_.at(k);
          const Several left = dot(leftOfB, along), right = dot(rightOfB, along);
          const Several leftA = dot(left_.at(k), alongB), rightA = dot(right_.at(k), alongB);
          return bitsOf((left * right < zero) & (leftA * rightA < zero) & (left * rightA < zero));
        });
      }
    }
    int next(int from) const { return nextBit(bits_, from, count); }

   private:
    struct Vectors {
      double x[kRoom], y[kRoom], z[kRoom];
      void put(int k, Vec v) { x[k] = v.x, y[k] = v.y, z[k] = v.z; }
      Vec3<Several> at(int k) const { return {severalAt(x + k), severalAt(y + k), severalAt(z + k)}; }
    };
    Vectors along_, left_, right_;
    uint64_t bits_[3];
  };
};

}  // namespace hull

}  // namespace cairn::v0
