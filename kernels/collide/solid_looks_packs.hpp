// Looks into a signed distance field (field_look.hpp) at several places at once, with the same operations on each, hence the same results. For
// *_cpu.cpp files.
#pragma once

#include "kernels/rows/pack_instructions.hpp"
#include "kernels/state/field_look.hpp"

namespace cairn::v0 {

namespace field {

struct SeveralValues {
  Several distance;
  Vec3<Several> gradient;
};

inline Wholes wholeOf(Several a) { return __builtin_convertvector(a.v, Wholes); }  // towards zero
inline Several numbersOf(Wholes a) { return {__builtin_convertvector(a, Several::Vector)}; }
inline Wholes clampWhole(Wholes a, int low, int high) {
  const Wholes lowest = Wholes{} + low, highest = Wholes{} + high;
  a = a < lowest ? lowest : a;
  return a > highest ? highest : a;
}

inline Several floatsAt(const float* from, Wholes numbers) {
  typedef float Floats __attribute__((vector_size(sizeof(float) * kSeveral)));
  const Wholes words = wordsAt<sizeof(float)>(from, numbers);
  Floats floats;
  std::memcpy(&floats, &words, sizeof floats);
  return {__builtin_convertvector(floats, Several::Vector)};
}
inline bool anyBelowZero(Wholes a) { return bitsOf(numbersOf(a) < Several(0.0)) != 0; }

struct SeveralAlong {
  Wholes cell;
  Several part;
};
inline SeveralAlong alongCells(Several cells) {
  const Wholes cell = clampWhole(wholeOf(cells), 0, kFieldCells - 1);
  return {cell, clampTo(cells - numbersOf(cell), Several(0.0), Several(1.0))};
}

struct SeveralBlocks {
  Wholes number;
  Several side, perCell;
  Vec3<Several> within;
};

inline Wholes largeBlocks(const FieldShape& field, int axis, Several along, Several& within) {
  const Wholes k = clampWhole(wholeOf(along / Several(field.block)), 0, field.grid[axis] - 1);
  within = along - numbersOf(k) * Several(field.block);
  return k;
}

// Of the lanes that are asked for: 1 for the upper half, 0 for the lower one. `within` becomes the way from that half's border.
inline Wholes halvesOf(Several side, Several::Mask asked, Several& within) {
  const Several::Mask upper = (within >= side) & asked;
  within -= select(upper, side, Several(0.0));
  return __builtin_convertvector(upper.m, Wholes) & 1;
}

inline SeveralBlocks blocksAt(const FieldShape& field, Vec3<Several> fromLow) {
  SeveralBlocks out;
  const Wholes x = largeBlocks(field, 0, fromLow.x, out.within.x), y = largeBlocks(field, 1, fromLow.y, out.within.y);
  const Wholes z = largeBlocks(field, 2, fromLow.z, out.within.z);
  out.number = wordsAt<sizeof(int)>(field.places, x + field.grid[0] * (y + field.grid[1] * z));
  out.side = Several(field.block);
  out.perCell = Several(double(kFieldCells) / field.block);
  while (anyBelowZero(out.number)) {
    const Wholes asked = out.number < 0;
    const Several::Mask wide{__builtin_convertvector(asked, decltype(Several::Mask::m))};
    out.side = select(wide, out.side * Several(0.5), out.side);
    out.perCell = select(wide, out.perCell * Several(2.0), out.perCell);  // exactly the cells by the side
    const Wholes parts =
        halvesOf(out.side, wide, out.within.x) | halvesOf(out.side, wide, out.within.y) << 1 | halvesOf(out.side, wide, out.within.z) << 2;
    // Lanes that have their block read the first place.
    const Wholes found = wordsAt<sizeof(int)>(field.places, asked & (~out.number + parts));
    out.number = (asked & found) | (~asked & out.number);
  }
  return out;
}

// The two samples next to each other along x from a place of each lane on, which are read at once.
struct SampleRows {
  Wholes rows;

  SampleRows(const int16_t* samples, Wholes corners, int offset) : rows(wordsAt<sizeof(int16_t)>(samples + offset, corners)) {}
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  Several low() const { return numbersOf((rows << 16) >> 16); }
  Several high() const { return numbersOf(rows >> 16); }
#else
  Several low() const { return numbersOf(rows >> 16); }
  Several high() const { return numbersOf((rows << 16) >> 16); }
#endif
};

}  // namespace field

inline field::SeveralValues lookAt(const FieldShape& field, Vec3<Several> p) {
  using namespace field;
  const Vec3<Several> fromLow = p - inAllLanes<Several>(field.low),
                      size = inAllLanes<Several>(field.block * Vec{double(field.grid[0]), double(field.grid[1]), double(field.grid[2])}),
                      zero = inAllLanes<Several>(Vec{0, 0, 0});
  const Vec3<Several> inside{clampTo(fromLow.x, zero.x, size.x), clampTo(fromLow.y, zero.y, size.y), clampTo(fromLow.z, zero.z, size.z)};
  const SeveralBlocks block = blocksAt(field, inside);
  const Several perCell = block.perCell;
  const SeveralAlong x = alongCells(perCell * block.within.x), y = alongCells(perCell * block.within.y), z = alongCells(perCell * block.within.z);
  constexpr int kRow = kFieldCells + 1, kLayer = kRow * kRow;
  const Wholes corners = block.number * kFieldSamples + z.cell * kLayer + y.cell * kRow + x.cell;
  const Several unit = floatsAt(field.units, block.number);
  Several value[2], slopeX[2], slopeY[2];
  for (int k = 0; k < 2; ++k) {
    const SampleRows low(field.samples, corners, k * kLayer), high(field.samples, corners, k * kLayer + kRow);
    const Several lowStep = low.high() - low.low(), highStep = high.high() - high.low();
    const Several lowValue = low.low() + x.part * lowStep, highValue = high.low() + x.part * highStep;
    slopeX[k] = lowStep + y.part * (highStep - lowStep);
    slopeY[k] = highValue - lowValue;
    value[k] = lowValue + y.part * slopeY[k];
  }
  const Several perMetre = unit * perCell;
  SeveralValues out{
      unit * (value[0] + z.part * (value[1] - value[0])),
      perMetre * Vec3<Several>{slopeX[0] + z.part * (slopeX[1] - slopeX[0]), slopeY[0] + z.part * (slopeY[1] - slopeY[0]), value[1] - value[0]}};
  const Vec3<Several> beyond = fromLow - inside;
  const Several square = dot(beyond, beyond);
  if (anyLane(square)) {
    const Several::Mask isOut = square > Several(0.0);
    const Several outside = squareRoot(square), there = maxOf(out.distance, Several(0.0)), all = squareRoot(there * there + outside * outside);
    const Several inverse = Several(1.0) / select(isOut, all, Several(1.0));
    out.gradient = select(isOut, inverse * (beyond + there * out.gradient), out.gradient);
    out.distance = select(isOut, all, out.distance);
  }
  return out;
}

}  // namespace cairn::v0
