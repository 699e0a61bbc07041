// Room for the hits of queries of which nobody knows how many they are: first they are counted, then they are written.
#pragma once

#include "kernels/collide/query_records.hpp"
#include "kernels/runtime/primitives.hpp"

#include <cairn/world.hpp>

#include <vector>

namespace cairn::v0 {

// Stands for a way without end; far beyond every scene and far from overflow when squared.
constexpr double kEndlessQuery = 1e15;

// The body to ignore has been found.
inline QueryTag tagOf(const QueryFilter& filter) {
  const CollisionFilter rule = filter.collision.value_or(CollisionFilter{});
  return {{filter.ignored.index, rule.category, rule.mask, rule.group}, filter.collision ? 1 : 0, filter.environment};
}

template <class Record> class QueryRooms {
 public:
  // `find(rooms)` asks all queries; `hitOf(record)` is what a record says to the caller. Waits for the device.
  template <class Hit, class Find, class HitOf>
  QueryHits<Hit> collect(Queue& queue, PrimitiveScratch& scratch, int queries, const Find& find, const HitOf& hitOf) {
    const auto count = static_cast<size_t>(queries);
    offsets_.resize(queue, count + 1);
    find(HitRooms<Record>{nullptr, offsets_.data(), nullptr});
    exclusiveScan(queue, scratch, offsets_.data(), offsets_.data(), queries);
    QueryHits<Hit> out;
    for (const int offset : offsets_.download(queue)) out.offsets.push_back(static_cast<size_t>(offset));
    hits_.resize(queue, out.offsets.back());
    find(HitRooms<Record>{offsets_.data(), nullptr, hits_.data()});
    out.hits.reserve(out.offsets.back());
    for (const Record& record : hits_.download(queue)) out.hits.push_back(hitOf(record));
    return out;
  }

 private:
  Buffer<int> offsets_;
  Buffer<Record> hits_;
};

}  // namespace cairn::v0
