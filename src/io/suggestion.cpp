#include "src/io/suggestion.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

namespace cairn::v0 {
namespace {

constexpr size_t kFar = std::numeric_limits<size_t>::max();

// Letters replaced, left out, put in, or exchanged with their neighbour (Damerau 1964, without edits of what was exchanged).
size_t editDistance(const std::string& a, const std::string& b) {
  std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] = std::min({d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1), d[i - 1][j] + 1, d[i][j - 1] + 1});
      const bool exchanged = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (exchanged) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

// Of a word that is still taken for the name.
size_t mostEdits(const std::string& name) { return name.size() <= 4 ? 1 : std::max<size_t>(2, name.size() / 3); }

}  // namespace

std::vector<std::string> namesNear(const std::string& name, const std::vector<std::string>& known) {
  std::vector<size_t> distances;
  for (const std::string& candidate : known) {
    const bool begins = name.size() >= 2 && candidate.compare(0, name.size(), name) == 0;
    const size_t distance = editDistance(name, candidate);
    distances.push_back(begins ? 0 : distance <= mostEdits(candidate) ? distance : kFar);
  }
  const size_t least = known.empty() ? kFar : *std::min_element(distances.begin(), distances.end());
  std::vector<std::string> near;
  for (size_t k = 0; k < known.size(); ++k) {
    if (distances[k] == least && least != kFar) near.push_back(known[k]);
  }
  return near;
}

std::string suggestion(const std::string& name, const std::vector<std::string>& known) {
  const std::vector<std::string> near = namesNear(name, known);
  return near.empty() ? fmt::format("there are {}", fmt::join(known, ", ")) : fmt::format("did you mean {}?", fmt::join(near, ", "));
}

}  // namespace cairn::v0
