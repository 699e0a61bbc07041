// Snapshots: a World as bytes. First a head that says what the rest is and how long, with a hash over it; then the settings; then what the stages
// keep between steps. What they make anew from that in each step is left out, and so is what only speeds them up (lists of neighbours, colours,
// plans).
#include "src/world/snapshot.hpp"

#include "src/scene/settings_table.hpp"
#include "src/state/snapshot_bytes.hpp"
#include "src/world/fnv1a.hpp"
#include "src/world/rolling_checks.hpp"
#include "src/world/simulation_of.hpp"

#include <algorithm>

namespace cairn::v0 {
namespace {

constexpr char kMagic[8] = {'C', 'A', 'I', 'R', 'N', '\x1a', '\r', '\n'};  // a transfer as text would spoil it
constexpr uint32_t kFormat = 9, kByteOrder = 0x01020304;

struct Head {
  char magic[8];
  uint32_t format, byteOrder;
  uint64_t bytes, hash;  // of what follows
};
static_assert(sizeof(Head) == 32, "no padding: all of it is written");

uint64_t hashOf(const std::byte* first, size_t count) {
  Fnv1a hash;
  hash.add(first, count);
  return hash.value();
}

// By name, so that a setting that comes later finds its default in an older snapshot. Those that say where to run stay out: whoever reads it may want
// it elsewhere.
void writeSettings(SnapshotWriter& to, const WorldSettings& settings) {
  const auto count = std::count_if(worldSettings().begin(), worldSettings().end(), [](const WorldSetting& row) { return !isExecution(row.name); });
  to(static_cast<uint64_t>(count));
  for (const WorldSetting& row : worldSettings()) {
    if (isExecution(row.name)) continue;
    to(row.name);
    row.visit(settings, [&](const auto& value) {
      to(static_cast<uint32_t>(sizeof value));
      to(value);
    });
  }
}

void readSettings(SnapshotReader& from, WorldSettings& settings) {
  constexpr size_t kLeastBytes = 8 + 4 + 1;
  for (size_t left = from.count(kLeastBytes); left > 0; --left) {
    std::string name;
    uint32_t size = 0;
    from(name);
    from(size);
    const auto row = std::find_if(worldSettings().begin(), worldSettings().end(), [&](const WorldSetting& known) { return known.name == name; });
    if (row == worldSettings().end() || isExecution(name))
      throw InvalidInput("snapshot", "has a setting '" + name + "', which this library does not know");
    row->visit(settings, [&](auto& value) {
      from.require(size == sizeof value, "has a setting of another type");
      from(value);
    });
  }
  validate(settings);
}

}  // namespace

Snapshot writeSnapshot(Simulation& simulation, const WorldSettings& settings, double leftOver) {
  SnapshotWriter to;
  to.bytes.resize(sizeof(Head));
  writeSettings(to, settings);
  to(leftOver);
  simulation.save(to);
  Head head{};
  std::copy(std::begin(kMagic), std::end(kMagic), head.magic);
  head.format = kFormat;
  head.byteOrder = kByteOrder;
  head.bytes = to.bytes.size() - sizeof head;
  head.hash = hashOf(to.bytes.data() + sizeof head, static_cast<size_t>(head.bytes));
  std::memcpy(to.bytes.data(), &head, sizeof head);
  return {std::move(to.bytes)};
}

SnapshotReader openSnapshot(const Snapshot& snapshot) {
  Head head{};
  const size_t count = snapshot.bytes.size();
  if (count > 0) std::memcpy(&head, snapshot.bytes.data(), std::min(count, sizeof head));
  SnapshotReader::require(std::equal(std::begin(kMagic), std::end(kMagic), head.magic), "is none of Cairn's");
  SnapshotReader::require(count >= sizeof head, "is cut short");
  SnapshotReader::require(head.byteOrder == kByteOrder, "is from a machine with another order of bytes");
  if (head.format != kFormat) {
    throw InvalidInput("snapshot", "has the format " + std::to_string(head.format) + ", this library reads " + std::to_string(kFormat));
  }
  const std::byte* const first = snapshot.bytes.data() + sizeof head;
  const size_t rest = count - sizeof head;
  if (head.bytes > rest) throw InvalidInput("snapshot", "is cut short: " + std::to_string(rest) + " of " + std::to_string(head.bytes) + " bytes");
  SnapshotReader::require(head.bytes == rest, "goes on after its end");
  SnapshotReader::require(head.hash == hashOf(first, rest), "is damaged: its hash is another");
  return {first, rest};
}

WorldSettings readSnapshotSettings(SnapshotReader& from, const WorldSettings& execution, double& leftOver) {
  WorldSettings settings;
  settings.backend = execution.backend;
  settings.threads = execution.threads;
  settings.device = execution.device;
  settings.stream = execution.stream;
  settings.cudaGraph = execution.cudaGraph;
  settings.stageTimes = execution.stageTimes;
  readSettings(from, settings);
  from(leftOver);
  return settings;
}

template <class T> template <class Archive> void SimulationOf<T>::archive(Archive& a) {
  cairn::archive(a, gravity_);
  a(steps_);
  a(stepsBefore_);
  a(timeBefore_);
  state_.archive(a);
  joints_.archive(a, state_);
  environments_.archive(a, queue_, state_, joints_.slotCount());
  jointRows_.update(joints_, state_, settings_.jointSolver);
  jointRows_.archive(a, state_.revision());
  const size_t contacts = tracking_.archive(a, queue_, settings_.frictionStabilization);
  rolling_.archive(a, queue_, contacts);
  if (settings_.sleeping) sleep_.archive(a, queue_, revision());
  if (settings_.contactEvents) archiveEvents(a);
  if constexpr (Archive::kReads) {
    a.require(!(state_.anyRolling() || environments_.anyRolling()) || resistsRolling(settings_.solver), "has materials that its solver has not");
    if (environments_.any()) requireEnvironments(settings_);
    a.require(a.left() == 0, "goes on after its end");
  }
}

// Pairs that touched, and those that have ended with a body since.
template <class T> template <class Archive> void SimulationOf<T>::archiveEvents(Archive& a) {
  contactEvents_.archive(a, queue_, state_.bodySlots(), state_.shapeSlots());
  a(endedAfter_);
  constexpr size_t kBytesOfEnd = 6 * sizeof(int32_t);
  archiveCount(a, ended_, kBytesOfEnd);
  for (ContactEvent& event : ended_) {
    a(event.bodyA.index);
    a(event.bodyA.generation);
    a(event.bodyB.index);
    a(event.bodyB.generation);
    a(event.shapeA);
    a(event.shapeB);
    event.phase = ContactPhase::End;
  }
}

template void SimulationOf<float>::archive(SnapshotWriter&);
template void SimulationOf<double>::archive(SnapshotWriter&);
template void SimulationOf<float>::archive(SnapshotReader&);
template void SimulationOf<double>::archive(SnapshotReader&);

}  // namespace cairn::v0
