// Broad phase, second part: one entry of the tree for the shapes of a body.
//
// In: bounds and bodies of shapes. Out: bounds of entries, and the shapes of each; the header of their tree.
//
// The shapes of a dynamic body lie in slots one after the other and near each other in space, so they become one leaf of the tree, whose bounds hold
// all of them: a body of forty shapes makes one way through the tree instead of forty. What is below a leaf is the second level: the shapes of two
// entries that overlap, by their own bounds (broad_phase_walk.hpp, pair_packs_cpu.cpp). There they come one after the other, so an entry has an end
// (kEntryShapes). Static and kinematic shapes are entries by themselves: they may be a whole landscape, of which anybody meets a small part.
//
// Deterministic: which shapes share an entry follows from slots, bodies and kinds, and that no pair depends on it from the test of each shape's own
// bounds.
//
// Memory: 36 bytes a shape in float, 40 on a device, where bodies have several shapes, none elsewhere.
#include "kernels/collide/broad_phase_entries.hpp"

#include "kernels/collide/broad_phase_header.hpp"
#include "kernels/runtime/launch.hpp"

namespace cairn::v0 {
namespace {

template <class T> struct GatherEntries {
  using ForAvx2 = void;

  const ShapeBounds<T>* bounds;
  const ShapeTag* tags;
  EntryArrays<T> out;
  HeaderCopies headers;
  int slots;

  CAIRN_HD void operator()(int item) const {
    TreeHeader seen = headerOfNothing();
    for (int slot = item * headers.run; slot < (item + 1) * headers.run && slot < slots; ++slot) {
      const ShapeBounds<T> entry = entryAt(slot);
      out.bounds[slot] = entry;
      noteInHeader(entry, seen);
    }
    headers.add(item, seen);
  }

  CAIRN_HD ShapeBounds<T> entryAt(int slot) const {
    ShapeBounds<T> entry = bounds[slot];
    int end = slot + 1;
    if (goesOn(slot) && !isCut(slot)) {
      entry.kind = kMember;
    } else {
      for (; end < slots && goesOn(end) && !(end % kEntryShapes == 0 && end - slot >= kEntryShapes); ++end) {
        entry.low = minOf(entry.low, bounds[end].low);
        entry.high = maxOf(entry.high, bounds[end].high);
      }
    }
    out.ends[slot] = end;
    return entry;
  }

  // Whether a shape belongs to the same run as the one before it.
  CAIRN_HD bool goesOn(int slot) const {
    return slot > 0 && bounds[slot].kind == kMoving && bounds[slot - 1].kind == kMoving && tags[slot].body == tags[slot - 1].body;
  }
  // Whether an entry begins within a run: not in its first part.
  CAIRN_HD bool isCut(int slot) const {
    if (slot % kEntryShapes != 0) return false;
    for (int before = slot - kEntryShapes + 1; before < slot; ++before) {
      if (!goesOn(before)) return false;
    }
    return true;
  }
};

}  // namespace

template <class T> void gatherEntries(Queue& queue, const ShapeBounds<T>* bounds, const ShapeTag* tags, int shapeSlots, const EntryArrays<T>& out,
                                      TreeHeader* partialHeaders) {
  const HeaderCopies headers = headerCopies(queue.target, partialHeaders);
  forEach(queue, "broad_phase/entries", headers.items(shapeSlots), GatherEntries<T>{bounds, tags, out, headers, shapeSlots},
          kLightGrain / kBoundsRunOnCpu);
}

#define CAIRN_INSTANTIATE(T) template void gatherEntries(Queue&, const ShapeBounds<T>*, const ShapeTag*, int, const EntryArrays<T>&, TreeHeader*);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
