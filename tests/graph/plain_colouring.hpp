// The colouring that both builders must arrive at, put as plainly as possible: greedy by falling priority, then the repair of Misra and Gries for
// what is left over, with a table of who has which colour at a body. No constraint is given up before its turn. Where few bodies have two constraints
// at most greedy has two colours, and a path is swapped before anything else is tried.
#pragma once

#include "kernels/graph/contact_graph.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

namespace cairn::test {

class PlainColouring {
 public:
  std::vector<int> colours;

  PlainColouring(const std::vector<ConstraintBodies>& constraints, const std::vector<uint32_t>& priorities, int bodies, int maxColours)
      : colours(constraints.size(), kOverflowColour), constraints_(constraints), at_(static_cast<size_t>(bodies)) {
    std::vector<int> order(constraints.size()), degrees(static_cast<size_t>(bodies), 0);
    int maxDegree = 0;
    for (const ConstraintBodies& c : constraints) {
      for (const int body : {c.bodyA, c.bodyB}) {
        if (body >= 0) maxDegree = std::max(maxDegree, ++degrees[static_cast<size_t>(body)]);
      }
    }
    const int all = std::min(maxColours, maxDegree + 1 + (maxDegree < 8 ? 0 : maxDegree / 4));  // a quarter more in crowds
    const bool paths = bodies <= 64 && maxDegree == 2 && maxColours > 2;
    cap_ = paths ? 2 : all;
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return priorities[static_cast<size_t>(a)] > priorities[static_cast<size_t>(b)]; });
    std::vector<int> leftOver;
    for (const int i : order) {
      const int colour = lowestFree(ends(i).bodyA, ends(i).bodyB);
      if (colour < 0) {
        leftOver.push_back(i);
      } else {
        give(i, colour);
      }
    }
    for (const int i : leftOver) {
      if (ends(i).bodyA < 0 || ends(i).bodyB < 0) continue;
      if (paths && swapPath(i)) continue;
      cap_ = all;
      repair(i);
      if (paths) cap_ = 2;
    }
  }

 private:
  const ConstraintBodies& ends(int i) const { return constraints_[static_cast<size_t>(i)]; }
  int colourOf(int i) const { return colours[static_cast<size_t>(i)]; }
  int otherEnd(int i, int body) const { return ends(i).bodyA == body ? ends(i).bodyB : ends(i).bodyA; }
  // The constraint that has the colour at the body; -1: none.
  int holder(int body, int colour) const {
    if (body < 0) return -1;
    const auto& here = at_[static_cast<size_t>(body)];
    const auto found = here.find(colour);
    return found == here.end() ? -1 : found->second;
  }
  bool isFree(int body, int colour) const { return holder(body, colour) < 0; }
  int lowestFree(int bodyA, int bodyB) const {
    for (int colour = 0; colour < cap_; ++colour) {
      if (isFree(bodyA, colour) && isFree(bodyB, colour)) return colour;
    }
    return -1;
  }
  void take(int i) {
    for (const int body : {ends(i).bodyA, ends(i).bodyB}) {
      if (body >= 0) at_[static_cast<size_t>(body)].erase(colourOf(i));
    }
  }
  void give(int i, int colour) {
    colours[static_cast<size_t>(i)] = colour;
    for (const int body : {ends(i).bodyA, ends(i).bodyB}) {
      if (body >= 0) at_[static_cast<size_t>(body)][colour] = i;
    }
  }

  // Each edge of the fan up to this one takes the next one's colour, the last the given one.
  void rotate(const std::vector<int>& fan, size_t last, int colour) {
    std::vector<int> fresh;
    for (size_t k = 0; k <= last; ++k) fresh.push_back(k < last ? colourOf(fan[k + 1]) : colour);
    for (size_t k = 1; k <= last; ++k) take(fan[k]);
    for (size_t k = 0; k <= last; ++k) give(fan[k], fresh[k]);
  }

  // Whether the constraint could have one of two colours.
  bool swapPath(int constraint) {
    const int u = ends(constraint).bodyA, v = ends(constraint).bodyB;
    if (lowestFree(u, v) < 0) invertPath(u, lowestFree(u, -1), lowestFree(v, -1));
    const int colour = lowestFree(u, v);
    if (colour >= 0) give(constraint, colour);
    return colour >= 0;
  }
  void repair(int constraint) {
    const int u = ends(constraint).bodyA;
    std::vector<int> fan{constraint};
    const auto end = [&](size_t k) { return otherEnd(fan[k], u); };
    for (;;) {
      const int last = end(fan.size() - 1);
      const int common = lowestFree(u, last);
      if (common >= 0) return rotate(fan, fan.size() - 1, common);
      int next = -1;
      for (int colour = 0; colour < cap_ && next < 0; ++colour) {
        const int candidate = isFree(last, colour) ? holder(u, colour) : -1;
        bool inFan = candidate < 0;
        for (size_t k = 0; k < fan.size() && !inFan; ++k) inFan = end(k) == otherEnd(candidate, u);
        if (!inFan) next = candidate;
      }
      if (next < 0 || fan.size() > kMaxColours) break;
      fan.push_back(next);
    }
    const int c = lowestFree(u, -1), d = lowestFree(end(fan.size() - 1), -1);
    if (c < 0 || d < 0) return;
    invertPath(u, c, d);
    for (size_t k = 0; k < fan.size(); ++k) {
      if (k > 0 && !isFree(end(k - 1), colourOf(fan[k]))) return;
      if (isFree(u, d) && isFree(end(k), d)) return rotate(fan, k, d);
    }
  }

  // The path from the body whose constraints have the colours d, c, d, ... gets c, d, c, ...
  void invertPath(int body, int c, int d) {
    std::vector<int> path;
    for (int colour = d, at = body, i = holder(body, d); i >= 0; i = holder(at, colour)) {
      path.push_back(i);
      at = otherEnd(i, at);
      colour = colour == d ? c : d;
    }
    std::vector<int> fresh;
    for (const int i : path) fresh.push_back(colourOf(i) == d ? c : d);
    for (const int i : path) take(i);
    for (size_t k = 0; k < path.size(); ++k) give(path[k], fresh[k]);
  }

  std::vector<ConstraintBodies> constraints_;
  std::vector<std::map<int, int>> at_;  // by body: colour to constraint
  int cap_ = 0;
};

}  // namespace cairn::test
