#include "src/problems/contact_colours.hpp"

#include <algorithm>
#include <cassert>

namespace cairn::v0 {
namespace {

ContactColours orderByColour(const std::vector<int>& colours) {
  const int count = colours.empty() ? 0 : 1 + *std::max_element(colours.begin(), colours.end());
  ContactColours out;
  out.starts = {0};
  for (int c = 0; c < count; ++c) {
    for (size_t i = 0; i < colours.size(); ++i) {
      if (colours[i] == c) out.order.push_back(static_cast<int>(i));
    }
    out.starts.push_back(static_cast<int>(out.order.size()));
  }
  return out;
}

}  // namespace

ContactColours coloursByBlocks(const BlockMatrix& W) {
  std::vector<int> colours(static_cast<size_t>(W.blockRows), -1), takenBy;
  for (int i = 0; i < W.blockRows; ++i) {
    for (int k = W.rowStart[static_cast<size_t>(i)]; k < W.rowStart[static_cast<size_t>(i) + 1]; ++k) {
      const int colour = colours[static_cast<size_t>(W.column[static_cast<size_t>(k)])];
      if (colour >= 0) takenBy[static_cast<size_t>(colour)] = i;
    }
    size_t free = 0;
    while (free < takenBy.size() && takenBy[free] == i) ++free;
    if (free == takenBy.size()) takenBy.push_back(-1);
    colours[static_cast<size_t>(i)] = static_cast<int>(free);
  }
  return orderByColour(colours);
}

ContactColours coloursByBodies(const std::vector<std::vector<int>>& bodiesOfContacts, int bodyCount) {
  std::vector<std::vector<int>> usedAt(static_cast<size_t>(bodyCount));  // colours at a body
  std::vector<int> colours(bodiesOfContacts.size(), 0), takenBy;
  for (size_t i = 0; i < bodiesOfContacts.size(); ++i) {
    for (const int body : bodiesOfContacts[i]) {
      assert(body >= 0 && body < bodyCount);
      for (const int colour : usedAt[static_cast<size_t>(body)]) takenBy[static_cast<size_t>(colour)] = static_cast<int>(i);
    }
    size_t free = 0;
    while (free < takenBy.size() && takenBy[free] == static_cast<int>(i)) ++free;
    if (free == takenBy.size()) takenBy.push_back(-1);
    colours[i] = static_cast<int>(free);
    for (const int body : bodiesOfContacts[i]) usedAt[static_cast<size_t>(body)].push_back(colours[i]);
  }
  return orderByColour(colours);
}

}  // namespace cairn::v0
