// Many repairs side by side, with the colours of one after another.
//
// A repair may follow a path of any length, so nobody knows beforehand which of two that come one after the other needs the first one's result. So a
// window of the next left-over constraints is repaired at once, each by itself on the colouring as it is, and keeps what it would write in a log,
// with the bodies that it has looked at. All up to the first one that has looked at a body which an earlier one of the window changes are right: they
// are written. The others are repaired anew, in the next window, which begins with that one. (Deterministic reservations with a prefix that commits:
// Blelloch, Fineman, Gibbons and Shun, "Internally deterministic parallel algorithms can be fast", 2012.)
//
// Each window gets on by one constraint at least. A repair whose log is full waits until it is the first, and works on the colouring itself.
#pragma once

#include "kernels/graph/contact_graph_repair.hpp"

namespace cairn::v0 {

constexpr int kRepairWindow = 128;
// Up to so many left-over constraints each one counts those before it, in the launch that repairs them; more of them are sorted before.
constexpr int kOrderedByCounting = 4096;
constexpr int kNoConflict = 0x7fffffff;

// What one repair has looked at and would write.
struct RepairLog {
  static constexpr int kReads = 96, kWrites = 48;

  uint64_t words[kWrites];  // colours taken at
  int bodies[kWrites];
  int constraints[kWrites], colours[kWrites];
  int reads[kReads];  // bodies
  int bodyCount, constraintCount, readCount;
  int full;  // 1: there was more

  CAIRN_HD void clear() { bodyCount = constraintCount = readCount = full = 0; }
  CAIRN_HD static int placeOf(const int* list, int count, int item) {
    int k = 0;
    while (k < count && list[k] != item) ++k;
    return k;
  }
  // Where an item is in a list that it is put into; one of the last place once that is full.
  CAIRN_HD int put(int* list, int& count, int most, int item) {
    const int k = placeOf(list, count, item);
    if (k < count) return k;
    if (count == most) {
      full = 1;
      return most - 1;
    }
    list[count] = item;
    return count++;
  }
};

// A colouring as it would be after a log's writes.
struct SpeculativeView {
  const ConstraintBodies* constraints;
  const int *begins, *ends;
  const int* incident;
  const ColouringView* stored;
  RepairLog* log;

  CAIRN_HD SpeculativeView(const ColouringView& view, RepairLog& own)
      : constraints(view.constraints), begins(view.begins), ends(view.ends), incident(view.incident), stored(&view), log(&own) {}

  CAIRN_HD uint64_t all() const { return stored->all(); }
  // Colours of constraints are asked for after those taken at one of their bodies, so that this is all that has been looked at. A full log ends every
  // search: nothing is taken any more.
  CAIRN_HD uint64_t usedAt(int body) const {
    log->put(log->reads, log->readCount, RepairLog::kReads, body);
    if (log->full != 0) return 0;
    const int k = RepairLog::placeOf(log->bodies, log->bodyCount, body);
    return k < log->bodyCount ? log->words[k] : stored->usedAt(body);
  }
  CAIRN_HD int colourOf(int constraint) const {
    const int k = RepairLog::placeOf(log->constraints, log->constraintCount, constraint);
    return k < log->constraintCount ? log->colours[k] : stored->colourOf(constraint);
  }
  CAIRN_HD void setUsed(int body, uint64_t word) const { log->words[log->put(log->bodies, log->bodyCount, RepairLog::kWrites, body)] = word; }
  CAIRN_HD void setColour(int constraint, int colour) const {
    log->colours[log->put(log->constraints, log->constraintCount, RepairLog::kWrites, constraint)] = colour;
  }
};

// Where a repair in windows is.
struct WindowState {
  int first;          // place in the list where the window begins
  int firstConflict;  // place of the first repair that is not right yet
  int windows;        // that have been
};

// Rounds over the places of a window.
struct RepairInWindows {
  static constexpr int kPhasesBefore = 0, kPhases = 5;
  ColouringView view;
  const int* sorted;
  const int* listed;
  int room;
  RepairLog* logs;  // [kRepairWindow]
  int* claims;      // by body: the largest claim of a repair that would change it, 0 before; those of later windows are larger, as are earlier places
  WindowState* state;

  CAIRN_HD int count() const { return minOf(*listed, room); }
  CAIRN_HD int claimOf(int i) const { return (state->windows + 1) * kRepairWindow - i; }

  // The state before the first window. Claims are 0 then.
  CAIRN_HD void begin() const {
    state->first = state->windows = 0;
    state->firstConflict = kNoConflict;
  }
  CAIRN_HD void before(int, int) const {}
  CAIRN_HD void after(int) const {}

  // Returns whether there is another window.
  CAIRN_HD bool operator()(int phase, int i) const {
    if (phase == 4) return i == 0 && advance();
    const int place = state->first + i;
    if (place >= count()) return false;
    RepairLog& log = logs[i];
    if (phase == 0) speculate(log, sorted[place]);
    if (phase == 1 && log.full == 0) claim(log, claimOf(i));
    if (phase == 2 && conflicts(log, claimOf(i))) atomicMinInt(&state->firstConflict, i == 0 ? place + 1 : place);
    if (phase == 3 && place < state->firstConflict) commit(log, sorted[place]);
    return false;
  }

  CAIRN_HD void speculate(RepairLog& log, int constraint) const {
    log.clear();
    const ColouringView own = view.around(constraint);
    repairOrOverflow(SpeculativeView(own, log), constraint);
  }
  // A constraint's colour is looked at from both its bodies. Whether it has none or overflows shows nowhere.
  CAIRN_HD void claim(const RepairLog& log, int own) const {
    for (int k = 0; k < log.bodyCount; ++k) atomicMaxInt(claims + log.bodies[k], own);
    for (int k = 0; k < log.constraintCount; ++k) {
      if (log.colours[k] < 0) continue;
      const ConstraintBodies& c = view.constraints[log.constraints[k]];
      if (c.bodyA >= 0) atomicMaxInt(claims + c.bodyA, own);
      if (c.bodyB >= 0) atomicMaxInt(claims + c.bodyB, own);
    }
  }
  // With an earlier place of the window: the first one has none, and is right unless its log is full.
  CAIRN_HD bool conflicts(const RepairLog& log, int own) const {
    if (log.full != 0) return true;
    for (int k = 0; k < log.readCount; ++k) {
      if (claims[log.reads[k]] > own) return true;
    }
    return false;
  }
  CAIRN_HD void commit(const RepairLog& log, int constraint) const {
    if (log.full != 0) return repairOrOverflow(view.around(constraint), constraint);
    for (int k = 0; k < log.bodyCount; ++k) view.setUsed(log.bodies[k], log.words[k]);
    for (int k = 0; k < log.constraintCount; ++k) view.setColour(log.constraints[k], log.colours[k]);
  }
  CAIRN_HD bool advance() const {
    state->first = minOf(state->firstConflict, state->first + kRepairWindow);
    state->firstConflict = kNoConflict;
    ++state->windows;
    return state->first < count();
  }
};

}  // namespace cairn::v0
