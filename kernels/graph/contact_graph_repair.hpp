// Colours for the constraints that greedy left over, by fans and alternating paths.
//
// Greedy edge colouring may need up to 2 D - 1 colours at largest degree D; Vizing's theorem promises D + 1 for graphs without parallel edges. Misra
// and Gries' proof of the theorem is an algorithm ("A constructive proof of Vizing's theorem", 1992), which runs here on the few constraints that
// greedy could not place below the cap. With parallel edges (compound bodies) it may fail: then the constraint overflows.
//
// A repair adds a coloured constraint and takes no colour away from one, so a body that has all colours keeps them, and no constraint there can be
// repaired. Such constraints are ruled out before, all at once: of a body with thousands of contacts nothing remains for the repair.
//
// Deterministic: both builders call the same function on the same list, and get what one thread gets that goes through it in order. The order of a
// body's constraints does not matter, since no two of them have the same colour whenever one is looked for.
#pragma once

#include "kernels/graph/contact_graph.hpp"
#include "kernels/runtime/platform.hpp"

namespace cairn::v0 {

CAIRN_HD inline uint64_t coloursBelow(int count) { return count >= 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1; }

struct ColouringView {
  const ConstraintBodies* constraints;
  const int *begins, *ends;  // by body: its constraints in `incident`, in any order
  const int* incident;
  uint64_t* used;  // by body: bit c is set if a constraint of colour c touches it
  int* colours;
  const int* maxDegree;  // by part of the graph; the first one's
  int maxColours;
  int bodySlots, bodiesEach;  // as in ConstraintGraph
  bool cold;                  // likewise

  CAIRN_HD ColouringView ofPart(int part) const {
    ColouringView own = *this;
    own.maxDegree += part;
    if (bodiesEach != 0) own.bodySlots = bodiesEach;
    own.bodiesEach = 0;
    return own;
  }
  // Of the part that the constraint is in.
  CAIRN_HD ColouringView around(int constraint) const {
    const ConstraintBodies& c = constraints[constraint];
    return ofPart(bodiesEach == 0 ? 0 : (c.bodyA >= 0 ? c.bodyA : ~c.bodyA) / bodiesEach);
  }
  CAIRN_HD bool ofPaths() const { return !cold && isPaths(bodySlots, *maxDegree, maxColours); }
  CAIRN_HD uint64_t all() const { return coloursBelow(coloursFor(*maxDegree, maxColours)); }
  CAIRN_HD uint64_t usedAt(int body) const { return used[body]; }
  CAIRN_HD int colourOf(int constraint) const { return colours[constraint]; }
  CAIRN_HD void setUsed(int body, uint64_t word) const { used[body] = word; }
  CAIRN_HD void setColour(int constraint, int colour) const { colours[constraint] = colour; }
};

// The functions below take a colouring as it is stored, or one that keeps what it is told to itself (contact_graph_speculation.hpp).

// All colours are free at a body that takes no impulse.
template <class View> CAIRN_HD inline uint64_t freeAt(const View& view, int body) { return body < 0 ? view.all() : view.all() & ~view.usedAt(body); }
// The repair is for two bodies that can move. One that has no colour left will not get any back.
template <class View> CAIRN_HD inline bool mayBeRepaired(const View& view, int constraint) {
  const ConstraintBodies& c = view.constraints[constraint];
  return c.bodyA >= 0 && c.bodyB >= 0 && freeAt(view, c.bodyA) != 0 && freeAt(view, c.bodyB) != 0;
}
template <class View> CAIRN_HD inline int otherEnd(const View& view, int constraint, int body) {
  const ConstraintBodies& c = view.constraints[constraint];
  return c.bodyA == body ? c.bodyB : c.bodyA;
}
template <class View> CAIRN_HD inline int withColour(const View& view, int body, int colour) {
  if (body < 0 || (view.usedAt(body) >> colour & 1) == 0) return -1;
  for (int k = view.begins[body]; k < view.ends[body]; ++k) {
    if (view.colourOf(view.incident[k]) == colour) return view.incident[k];
  }
  return -1;
}

template <class View> CAIRN_HD inline void recolour(const View& view, int body, int from, int to) {
  if (body < 0) return;
  const uint64_t kept = from >= 0 ? view.usedAt(body) & ~(uint64_t(1) << from) : view.usedAt(body);
  view.setUsed(body, to >= 0 ? kept | uint64_t(1) << to : kept);
}

// Swaps colours c and d along the path from `body` that starts with d; c is free at the body.
template <class View> CAIRN_HD inline void invertPath(const View& view, int body, int c, int d) {
  const uint64_t both = (uint64_t(1) << c) | (uint64_t(1) << d);
  int constraint = withColour(view, body, d);
  if (constraint < 0) return;
  view.setUsed(body, view.usedAt(body) ^ both);
  int from = d, to = c, at = body;
  while (constraint >= 0) {
    const int next = otherEnd(view, constraint, at);
    const int following = withColour(view, next, to);
    view.setColour(constraint, to);
    if (following < 0 && next >= 0) view.setUsed(next, view.usedAt(next) ^ both);
    at = next;
    constraint = following;
    const int swapped = from;
    from = to;
    to = swapped;
  }
}

// Colours one constraint between two dynamic bodies with a free colour each; false if no way was found.
template <class View> CAIRN_HD inline bool repairConstraint(const View& view, int constraint) {
  const int u = view.constraints[constraint].bodyA;
  int fan[kMaxColours + 1], ends[kMaxColours + 1];
  int length = 1;
  fan[0] = constraint;
  ends[0] = view.constraints[constraint].bodyB;

  // Hands each fan edge's colour to the one before it, up to place i, and gives place i the colour.
  const auto rotate = [&](int i, int colour) {
    for (int k = 0; k <= i; ++k) {
      const int old = view.colourOf(fan[k]), fresh = k < i ? view.colourOf(fan[k + 1]) : colour;
      recolour(view, ends[k], old, fresh);
      view.setColour(fan[k], fresh);
    }
    recolour(view, u, -1, colour);
  };

  for (;;) {
    const uint64_t common = freeAt(view, u) & freeAt(view, ends[length - 1]);
    if (common != 0) {
      rotate(length - 1, lowestSetBit(common));
      return true;
    }
    // The next fan edge: of the smallest colour that is free at the last end and leads to a body not in the fan yet.
    int found = -1;
    for (uint64_t left = freeAt(view, ends[length - 1]); left != 0 && found < 0; left &= left - 1) {
      const int candidate = withColour(view, u, lowestSetBit(left));
      if (candidate < 0) continue;
      bool inFan = false;
      for (int k = 0; k < length; ++k) inFan = inFan || ends[k] == otherEnd(view, candidate, u);
      if (!inFan) found = candidate;
    }
    if (found < 0 || length > kMaxColours) break;
    fan[length] = found;
    ends[length++] = otherEnd(view, found, u);
  }

  const uint64_t freeU = freeAt(view, u), freeLast = freeAt(view, ends[length - 1]);
  if (freeU == 0 || freeLast == 0) return false;
  const int c = lowestSetBit(freeU), d = lowestSetBit(freeLast);
  invertPath(view, u, c, d);
  for (int i = 0; i < length; ++i) {
    if (i > 0 && (freeAt(view, ends[i - 1]) >> view.colourOf(fan[i]) & 1) == 0) break;  // no fan any more from here on
    if ((freeAt(view, u) & freeAt(view, ends[i]) & (uint64_t(1) << d)) != 0) {
      rotate(i, d);
      return true;
    }
  }
  return false;
}

// Colours one constraint in paths and rings with one of their two colours. Its bodies have one constraint besides it at most, of another colour each,
// or greedy would have placed it. The path that begins at one of them is swapped; unless it leads to the other, both have the same colour free then
// (D. Koenig, "Ueber Graphen und ihre Anwendung auf Determinantentheorie und Mengenlehre", 1916).
CAIRN_HD inline bool repairOnPath(const ColouringView& view, int constraint) {
  const int u = view.constraints[constraint].bodyA, v = view.constraints[constraint].bodyB;
  const uint64_t both = coloursBelow(2);
  const uint64_t freeU = both & freeAt(view, u), freeV = both & freeAt(view, v);
  if (freeU == 0 || freeV == 0) return false;
  if ((freeU & freeV) == 0) invertPath(view, u, lowestSetBit(freeU), lowestSetBit(freeV));
  const uint64_t common = both & freeAt(view, u) & freeAt(view, v);
  if (common == 0) return false;
  const int colour = lowestSetBit(common);
  view.setColour(constraint, colour);
  recolour(view, u, -1, colour);
  recolour(view, v, -1, colour);
  return true;
}

// The same for any that is left over: it has a colour then, or it overflows.
template <class View> CAIRN_HD inline void repairOrOverflow(const View& view, int constraint) {
  view.setColour(constraint, kUncoloured);
  if (!mayBeRepaired(view, constraint) || !repairConstraint(view, constraint)) view.setColour(constraint, kOverflowColour);
}

// All listed constraints, in the order of the list.
CAIRN_HD inline void repairAll(const ColouringView& view, const int* list, int count) {
  for (int k = 0; k < count; ++k) {
    const ColouringView own = view.around(list[k]);
    if (!own.ofPaths() || !repairOnPath(own, list[k])) repairOrOverflow(own, list[k]);
  }
}

}  // namespace cairn::v0
