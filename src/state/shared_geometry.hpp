// What the tables of hulls and of meshes have in common: they grow, what is new follows to the target, and what came is taken back where an add
// fails.
#pragma once

#include "kernels/runtime/runtime.hpp"

#include <vector>

namespace cairn::v0 {

// The items from `first` on, behind those that are on the target already.
template <class Item> void append(Queue& queue, const std::vector<Item>& items, size_t first, Buffer<Item>& there) {
  there.resizeKeep(queue, items.size());
  if (items.size() > first) uploadBytes(queue, there.data() + first, items.data() + first, (items.size() - first) * sizeof(Item));
}

// Whether `count` items from `first` on are among `all`.
inline bool holdsRange(int first, int count, size_t all) {
  return first >= 0 && count >= 0 && static_cast<size_t>(first) <= all && static_cast<size_t>(count) <= all - static_cast<size_t>(first);
}

// What came to the table in its lifetime is taken back, unless it is to be kept.
template <class Table> class NewInTable {
 public:
  explicit NewInTable(Table& table) : table_(table), before_(table.sizes()) {}
  ~NewInTable() {
    if (!kept_) table_.cutBack(before_);
  }
  NewInTable(const NewInTable&) = delete;
  NewInTable& operator=(const NewInTable&) = delete;
  void keep() { kept_ = true; }

 private:
  Table& table_;
  const typename Table::Sizes before_;
  bool kept_ = false;
};

}  // namespace cairn::v0
