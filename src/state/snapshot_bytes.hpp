// The bytes of a snapshot, field by field. What a snapshot holds is described once, by `archive` functions that take either of the two classes: the
// one appends each field, the other fills it. Numbers are as the machine has them, which the snapshot's head says (src/world/snapshot.cpp).
#pragma once

#include "kernels/runtime/runtime.hpp"

#include <cairn/error.hpp>
#include <cairn/scene.hpp>

#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace cairn::v0 {

template <class V> constexpr bool kIsNumber = std::is_arithmetic_v<V> || std::is_enum_v<V>;

class SnapshotWriter {
 public:
  static constexpr bool kReads = false;

  std::vector<std::byte> bytes;

  template <class V> std::enable_if_t<kIsNumber<V>> operator()(const V& value) { append(&value, sizeof value); }
  void operator()(const std::string& text) {
    (*this)(static_cast<uint64_t>(text.size()));
    append(text.data(), text.size());
  }
  // Records of plain data, with their number and size.
  template <class V> void records(const std::vector<V>& items) {
    static_assert(std::is_trivially_copyable_v<V>);
    (*this)(static_cast<uint64_t>(items.size()));
    (*this)(static_cast<uint32_t>(sizeof(V)));
    append(items.data(), items.size() * sizeof(V));
  }
  // The first `count` of an array on the target.
  template <class V> void records(Queue& queue, Buffer<V>& array, size_t count) {
    std::vector<V> items(count);
    downloadBytes(queue, items.data(), array.data(), count * sizeof(V));
    records(items);
  }

 private:
  void append(const void* from, size_t count) {
    const auto* first = static_cast<const std::byte*>(from);
    bytes.insert(bytes.end(), first, first + count);
  }
};

// Throws InvalidInput for whatever is not there.
class SnapshotReader {
 public:
  static constexpr bool kReads = true;

  SnapshotReader(const std::byte* first, size_t count) : next_(first), left_(count) {}

  template <class V> std::enable_if_t<kIsNumber<V>> operator()(V& value) {
    if constexpr (std::is_same_v<V, bool>) {
      unsigned char byte = 0;
      take(&byte, 1);
      value = byte != 0;
    } else {
      take(&value, sizeof value);
    }
  }
  void operator()(std::string& text) {
    text.resize(count(1));
    take(text.data(), text.size());
  }
  template <class V> void records(std::vector<V>& items) {
    static_assert(std::is_trivially_copyable_v<V>);
    uint64_t number = 0;
    uint32_t size = 0;
    (*this)(number);
    (*this)(size);
    require(size == sizeof(V) && number <= left_ / sizeof(V), "has records of another size");
    items.resize(static_cast<size_t>(number));
    take(items.data(), items.size() * sizeof(V));
  }
  template <class V> void records(Queue& queue, Buffer<V>& array, size_t count) {
    std::vector<V> items;
    records(items);
    require(items.size() == count, "has arrays that do not fit together");
    array.upload(queue, items);
  }
  // A number of things of which each takes so many bytes at least.
  size_t count(size_t least) {
    uint64_t number = 0;
    (*this)(number);
    require(number <= left_ / least, "ends too early");
    return static_cast<size_t>(number);
  }
  size_t left() const { return left_; }

  static void require(bool holds, const char* why) {
    if (!holds) throw InvalidInput("snapshot", why);
  }

 private:
  void take(void* to, size_t count) {
    require(count <= left_, "ends too early");
    if (count > 0) std::memcpy(to, next_, count);
    next_ += count;
    left_ -= count;
  }

  const std::byte* next_;
  size_t left_;
};

template <class Archive> void archive(Archive& a, Vec3d& v) {
  a(v.x);
  a(v.y);
  a(v.z);
}
template <class Archive> void archive(Archive& a, Posed& pose) {
  archive(a, pose.p);
  a(pose.q.x);
  a(pose.q.y);
  a(pose.q.z);
  a(pose.q.w);
}
// The number of items, which a reader makes; the items are archived by the caller.
template <class Archive, class Item> void archiveCount(Archive& a, std::vector<Item>& items, size_t leastBytes) {
  if constexpr (Archive::kReads) {
    items.resize(a.count(leastBytes));
  } else {
    a(static_cast<uint64_t>(items.size()));
  }
}

}  // namespace cairn::v0
