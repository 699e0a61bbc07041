// Looks into a signed distance field (field_view.hpp): the value at a place and how it changes there.
//
// Trilinear between the eight samples around, in double, + - * and one sqrt only. Outside of the grid, where the way to the nearest place on its
// border is across that border, what is known of the surface is that it is no nearer than by both of these as the sides of a right angle.
#pragma once

#include "kernels/state/field_view.hpp"

namespace cairn::v0 {

struct FieldValue {
  double distance;        // [m], negative inside
  Vec3<double> gradient;  // of the interpolation: outward, of length about 1
};

namespace field {

using Vec = Vec3<double>;

// The cell of a block that a coordinate is in, from its position in cells, and how far along.
struct Along {
  int cell;
  double part;
};
CAIRN_HD inline Along alongCells(double cells) {
  int cell = int(cells);
  cell = cell < 0 ? 0 : (cell > kFieldCells - 1 ? kFieldCells - 1 : cell);
  return {cell, clampTo(cells - double(cell), 0.0, 1.0)};
}

struct Block {
  int number;
  double side;  // [m]
  Vec within;   // from its corner [m]
};

// Which large block along an axis; `within` becomes the way from its border.
CAIRN_HD inline int largeBlock(const FieldShape& field, int axis, double along, double& within) {
  const int block = int(along / field.block), last = field.grid[axis] - 1, k = block < 0 ? 0 : (block > last ? last : block);
  within = along - double(k) * field.block;
  return k;
}

// Which half of a divided block along an axis, without a branch, since nothing foretells it; `within` becomes the way from that half's border.
CAIRN_HD inline int halfOf(double side, double& within) {
  const bool upper = within >= side;
  within -= upper ? side : 0.0;
  return int(upper);
}

// The block at a place of the grid.
CAIRN_HD inline Block blockAt(const FieldShape& field, Vec fromLow) {
  Vec within;
  const int x = largeBlock(field, 0, fromLow.x, within.x), y = largeBlock(field, 1, fromLow.y, within.y);
  const int z = largeBlock(field, 2, fromLow.z, within.z);
  double side = field.block;
  int code = field.places[x + field.grid[0] * (y + field.grid[1] * z)];
  while (code < 0) {
    side *= 0.5;
    const int partX = halfOf(side, within.x), partY = halfOf(side, within.y), partZ = halfOf(side, within.z);
    code = field.places[~code + (partX | partY << 1 | partZ << 2)];
  }
  return {code, side, within};
}

}  // namespace field

CAIRN_HD inline FieldValue lookAt(const FieldShape& field, Vec3<double> p) {
  const Vec3<double> fromLow = p - field.low, size = field.block * Vec3<double>{double(field.grid[0]), double(field.grid[1]), double(field.grid[2])};
  const Vec3<double> inside{clampTo(fromLow.x, 0.0, size.x), clampTo(fromLow.y, 0.0, size.y), clampTo(fromLow.z, 0.0, size.z)};
  const field::Block block = field::blockAt(field, inside);
  const double perCell = double(kFieldCells) / block.side;
  const field::Along x = field::alongCells(perCell * block.within.x), y = field::alongCells(perCell * block.within.y);
  const field::Along z = field::alongCells(perCell * block.within.z);
  constexpr int kRow = kFieldCells + 1, kLayer = kRow * kRow;
  const int16_t* const corner = field.samples + int64_t(block.number) * kFieldSamples + z.cell * kLayer + y.cell * kRow + x.cell;
  // Along x first, then y, then z.
  double value[2], slopeX[2], slopeY[2];
  for (int k = 0; k < 2; ++k) {
    const int16_t* const low = corner + k * kLayer;
    const int16_t* const high = low + kRow;
    const double lowStep = double(low[1] - low[0]), highStep = double(high[1] - high[0]);
    const double lowValue = double(low[0]) + x.part * lowStep, highValue = double(high[0]) + x.part * highStep;
    slopeX[k] = lowStep + y.part * (highStep - lowStep);
    slopeY[k] = highValue - lowValue;
    value[k] = lowValue + y.part * slopeY[k];
  }
  const double unit = double(field.units[block.number]), perMetre = unit * perCell;
  FieldValue out{
      unit * (value[0] + z.part * (value[1] - value[0])),
      perMetre * Vec3<double>{slopeX[0] + z.part * (slopeX[1] - slopeX[0]), slopeY[0] + z.part * (slopeY[1] - slopeY[0]), value[1] - value[0]}};
  const Vec3<double> beyond = fromLow - inside;
  const double outside = length(beyond);
  if (outside > 0) {
    const double there = maxOf(out.distance, 0.0), all = squareRoot(there * there + outside * outside);
    out.gradient = (1 / all) * (beyond + there * out.gradient);
    out.distance = all;
  }
  return out;
}

}  // namespace cairn::v0
