#include "src/io/suggestion.hpp"

#include <fmt/ranges.h>

#include <algorithm>

namespace cairn {
namespace {

// Levenshtein's distance.
size_t editDistance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::vector<std::string> namesNear(const std::string& name, const std::vector<std::string>& known) {
  std::vector<std::string> near;
  for (const std::string& candidate : known) {
    const bool begins = name.size() >= 2 && candidate.compare(0, name.size(), name) == 0;
    if (begins || editDistance(name, candidate) <= std::max<size_t>(2, candidate.size() / 3)) near.push_back(candidate);
  }
  return near;
}

std::string suggestion(const std::string& name, const std::vector<std::string>& known) {
  const std::vector<std::string> near = namesNear(name, known);
  return near.empty() ? fmt::format("there are {}", fmt::join(known, ", ")) : fmt::format("did you mean {}?", fmt::join(near, ", "));
}

}  // namespace cairn
