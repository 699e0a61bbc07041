#include "src/joints/body_packs.hpp"

#include "kernels/joints/body_packs.hpp"

#include <algorithm>

namespace cairn::v0 {
namespace {

size_t at(int i) { return static_cast<size_t>(i); }

int sidesOf(const SymbolicFactor& factor, int body) { return factor.bodyOffsets[at(body + 1)] - factor.bodyOffsets[at(body)]; }

bool fits(const SymbolicFactor& factor, int body) {
  if (sidesOf(factor, body) > kMostSides) return false;
  const auto sides = factor.bodySides.begin();
  return std::all_of(sides + factor.bodyOffsets[at(body)], sides + factor.bodyOffsets[at(body + 1)],
                     [&factor](int side) { return hasThreeRows(factor.nodes[at(side / 2)]); });
}

void append(const SymbolicFactor& factor, int first, std::vector<int>& to) {
  const int end = first + kPackBodies;
  to.insert(to.end(), factor.bodies.begin() + first, factor.bodies.begin() + end);
  int most = 0;
  for (int body = first; body < end; ++body) most = std::max(most, sidesOf(factor, body));
  to.push_back(most);
  for (int k = 0; k < most; ++k) {
    const auto sideOf = [&factor, k](int body) { return factor.bodySides[at(factor.bodyOffsets[at(body)] + (k < sidesOf(factor, body) ? k : 0))]; };
    for (int body = first; body < end; ++body) to.push_back(factor.nodes[at(sideOf(body) / 2)].firstRow);
    for (int body = first; body < end; ++body) to.push_back(armPlace(sideOf(body) / 2, sideOf(body) % 2));
    for (int body = first; body < end; ++body) {
      const int sign = sideOf(body) % 2 != 0 ? 1 : -1;
      to.push_back(k < sidesOf(factor, body) ? sign : 0);
    }
  }
}

}  // namespace

BodyPacks makeBodyPacks(const SymbolicFactor& factor) {
  BodyPacks out;
  for (int first = 0; first + kPackBodies <= static_cast<int>(factor.bodies.size()); first += kPackBodies) {
    bool all = true;
    for (int body = first; body < first + kPackBodies; ++body) all = all && fits(factor, body);
    out.starts.push_back(all ? static_cast<int>(out.sources.size()) : kNoSource);
    if (all) append(factor, first, out.sources);
  }
  return out;
}

}  // namespace cairn::v0
