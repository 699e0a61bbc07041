// Slot tables: things that come and go, have names and are known by handles, as bodies and joints are.
//
// A thing lives in a slot. A removed one leaves its slot to the next that comes, the smallest free slot first, and the slot's generation goes up, so
// that old handles are recognized. What belongs to a thing lies with its owner, by slot.
#pragma once

#include <cairn/error.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

namespace cairn::v0 {

// Room for `count` items without a throw later on; grows by half at least.
template <class Item> void makeRoom(std::vector<Item>& items, size_t count) {
  if (count > items.capacity()) items.reserve(std::max(count, items.capacity() + items.capacity() / 2));
}

// Id: { index, generation }. Nothing has changed where a function throws.
template <class Id> class SlotTable {
 public:
  // "body", "joint": messages and the names of unnamed things are made from it.
  explicit SlotTable(const char* noun) : noun_(noun) {}

  // Throws InvalidInput if another has the name; an empty one is always free.
  void requireFree(const std::string& name) const {
    if (slotByName_.count(name) != 0) throw InvalidInput(noun_ + " '" + name + "'", "there is a " + noun_ + " of this name already");
  }
  // The slot that claim will take.
  int next() const { return free_.empty() ? slots() : free_.front(); }
  int claim(const std::string& name) {
    requireFree(name);
    const int slot = next();
    const bool fresh = slot == slots();
    if (fresh) {
      makeRoom(slots_, slots_.size() + 1);
      makeRoom(free_, slots_.size() + 1);
    }
    std::string kept = name;
    if (!name.empty()) slotByName_.emplace(name, slot);
    // Nothing throws from here on.
    if (fresh) {
      slots_.emplace_back();
    } else {
      std::pop_heap(free_.begin(), free_.end(), std::greater<int>());
      free_.pop_back();
    }
    at(slot).name = std::move(kept);
    at(slot).alive = true;
    ++alive_;
    return slot;
  }
  void release(int slot) noexcept {
    if (!at(slot).name.empty()) slotByName_.erase(at(slot).name);
    at(slot).name.clear();
    at(slot).alive = false;
    ++at(slot).generation;
    free_.push_back(slot);
    std::push_heap(free_.begin(), free_.end(), std::greater<int>());
    --alive_;
  }

  int slots() const { return static_cast<int>(slots_.size()); }
  int count() const { return alive_; }
  bool alive(int slot) const { return at(slot).alive; }
  Id idOf(int slot) const { return {slot, at(slot).generation}; }
  std::string name(int slot) const { return at(slot).name.empty() ? noun_ + "-" + std::to_string(slot) : at(slot).name; }

  // Throw InvalidInput for one that is gone or never was.
  int slotOf(Id id) const {
    if (id.index < 0 || id.index >= slots() || !alive(id.index) || at(id.index).generation != id.generation) {
      throw InvalidInput(noun_ + " id " + std::to_string(id.index) + "." + std::to_string(id.generation),
                         "no such " + noun_ + ": it was removed, or belongs to another World");
    }
    return id.index;
  }
  Id find(const std::string& wanted) const {
    const auto found = slotByName_.find(wanted);
    if (found != slotByName_.end()) return idOf(found->second);
    for (int slot = 0; slot < slots(); ++slot) {
      if (alive(slot) && at(slot).name.empty() && name(slot) == wanted) return idOf(slot);
    }
    throw InvalidInput(noun_ + " '" + wanted + "'", "there is no " + noun_ + " of this name");
  }
  // Ids of all that are there, by ascending slot.
  std::vector<Id> ids() const {
    std::vector<Id> ids;
    ids.reserve(static_cast<size_t>(alive_));
    for (int slot = 0; slot < slots(); ++slot) {
      if (alive(slot)) ids.push_back(idOf(slot));
    }
    return ids;
  }

  // For snapshots: names, generations, and which slots are free. Reads into a table that is empty; throws InvalidInput for a name that is there
  // twice.
  template <class Archive> void archive(Archive& a) {
    constexpr size_t kLeastBytes = 8 + 4 + 1;  // of a slot without a name
    auto count = static_cast<uint64_t>(slots_.size());
    if constexpr (Archive::kReads) {
      count = a.count(kLeastBytes);
      slots_.resize(count);
      free_.reserve(count);
    } else {
      a(count);
    }
    for (int slot = 0; slot < slots(); ++slot) {
      Slot& item = at(slot);
      a(item.name);
      a(item.generation);
      a(item.alive);
      if (Archive::kReads) adopt(slot);
    }
  }

 private:
  struct Slot {
    std::string name;
    uint32_t generation = 0;
    bool alive = false;
  };
  // A slot that has been read: ascending, so that the free ones are a heap as they come.
  void adopt(int slot) {
    const Slot& item = at(slot);
    if (!item.alive) return free_.push_back(slot);
    if (!item.name.empty()) {
      requireFree(item.name);
      slotByName_.emplace(item.name, slot);
    }
    ++alive_;
  }
  Slot& at(int slot) { return slots_[static_cast<size_t>(slot)]; }
  const Slot& at(int slot) const { return slots_[static_cast<size_t>(slot)]; }

  std::string noun_;
  std::vector<Slot> slots_;
  std::vector<int> free_;  // a heap, the smallest slot first; room for all slots
  std::unordered_map<std::string, int> slotByName_;
  int alive_ = 0;
};

}  // namespace cairn::v0
