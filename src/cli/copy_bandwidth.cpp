#include "src/cli/copy_bandwidth.hpp"

#include "kernels/runtime/owned_queue.hpp"
#include "src/io/report_json.hpp"

#include <cairn/error.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace cairn::cli {
namespace {

constexpr int kCopies = 9;
constexpr int64_t kBlock = int64_t(1) << 20;                 // that a thread copies at a time [bytes]
constexpr int64_t kBlocksOfThread = 64, kMostBlocks = 1024;  // more threads than 16 share what is more than any cache
constexpr size_t kDeviceBytes = size_t(256) << 20;           // more than a device's cache

// Copies are timed one by one after one that only touches the memory.
template <class Copy> double medianBandwidth(double bytes, Copy copy) {
  copy();
  std::vector<double> rates;
  for (int k = 0; k < kCopies; ++k) {
    const auto start = std::chrono::steady_clock::now();
    copy();
    rates.push_back(2 * bytes / std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return quantile(rates, 0.5);
}

double hostBandwidth(int threads) {
  const int64_t blocks = std::min(kMostBlocks, kBlocksOfThread * threads);
  // Left unwritten: pages come to the thread that writes them first.
  const std::unique_ptr<char[]> from(new (std::nothrow) char[size_t(blocks * kBlock)]), to(new (std::nothrow) char[size_t(blocks * kBlock)]);
  if (from == nullptr || to == nullptr) return 0;
  ThreadTeam team(threads);
  team.run(blocks, [&](int64_t begin, int64_t end) { std::memset(from.get() + begin * kBlock, 1, size_t((end - begin) * kBlock)); });
  return medianBandwidth(double(blocks * kBlock), [&] {
    team.run(blocks, [&](int64_t begin, int64_t end) {
      std::memcpy(to.get() + begin * kBlock, from.get() + begin * kBlock, size_t((end - begin) * kBlock));
    });
  });
}

double deviceBandwidth(int device) {
  const DeviceScope scope(device);
  OwnedQueue owned(Target::Cuda, 0, device);
  Queue& queue = owned.queue;
  Buffer<char> from, to;
  try {
    from.resize(queue, kDeviceBytes);
    to.resize(queue, kDeviceBytes);
  } catch (const CapacityError&) {
    return 0;  // the scene fills the device
  }
  from.fillZero(queue);
  return medianBandwidth(double(kDeviceBytes), [&] {
    copyBytes(queue, to.data(), from.data(), kDeviceBytes);
    synchronize(queue);
  });
}

}  // namespace

double copyBandwidth(const World& world) {
  static std::map<std::pair<Backend, int>, double> measured;
  const bool onDevice = world.backend() == Backend::Cuda;
  const int which = onDevice ? world.settings().device : world.threads();
  const auto [place, fresh] = measured.try_emplace({world.backend(), which}, 0.0);
  if (fresh) place->second = onDevice ? deviceBandwidth(which) : hostBandwidth(which);
  return place->second;
}

}  // namespace cairn::cli
