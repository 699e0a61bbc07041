#include "src/joints/joint_system.hpp"

#include "kernels/joints/column_packs.hpp"
#include "kernels/joints/joint_columns.hpp"
#include "src/joints/body_packs.hpp"
#include "src/joints/column_packs.hpp"

#include <algorithm>

namespace cairn::v0 {
namespace {

size_t at(int i) { return static_cast<size_t>(i); }

constexpr int kNoLimitByte = 0xff;  // of -1

int widestOf(const std::vector<int>& levels) {
  int widest = 0;
  for (size_t l = 0; l + 1 < levels.size(); ++l) widest = std::max(widest, levels[l + 1] - levels[l]);
  return widest;
}

}  // namespace

void JointSystem::build(Queue& queue, const SymbolicFactor& from, int jointSlots, bool limited) {
  limited_ = limited;
  looped_ = std::any_of(from.loops.begin(), from.loops.end(), [](int loop) { return loop != 0; });
  const auto isPlain = [](const SystemNode& node) { return node.joint >= 0 && node.holdsPoint != 0; };
  plain_ = !limited_ && !looped_ && std::all_of(from.nodes.begin(), from.nodes.end(), isPlain);
  std::vector<int> nodeOfJoint(at(jointSlots), -1);
  for (size_t n = 0; n < from.nodes.size(); ++n) {
    if (from.nodes[n].joint >= 0) nodeOfJoint[at(from.nodes[n].joint)] = static_cast<int>(n);
  }
  nodeOfJoint_.upload(queue, nodeOfJoint);
  nodes_.upload(queue, from.nodes);
  blocks_.upload(queue, from.blocks);
  contributions_.upload(queue, from.contributions);
  updates_.upload(queue, from.updates);
  rowBlocks_.upload(queue, from.rowBlocks);
  items_.upload(queue, from.items);
  itemLevels_.upload(queue, from.itemLevels);
  nodesByLevel_.upload(queue, from.nodesByLevel);
  nodeLevels_.upload(queue, from.nodeLevels);
  bodies_.upload(queue, from.bodies);
  bodyOffsets_.upload(queue, from.bodyOffsets);
  bodySides_.upload(queue, from.bodySides);
  loops_.upload(queue, from.loops);
  componentOfBody_.upload(queue, from.componentOfBody);
  arms_.resize(queue, from.nodes.size() + kSystemSpare);
  limits_.resize(queue, at(from.rows));
  deactivated_.resize(queue, at(from.rows));
  // Without limits nobody writes these again.
  std::vector<int> rowsInUse, isPoint;
  for (const SystemNode& node : from.nodes) {
    rowsInUse.push_back(node.rows);
    isPoint.push_back(node.holdsPoint);
  }
  rowsInUse_.upload(queue, rowsInUse);
  isPoint_.upload(queue, isPoint);
  fillBytes(queue, limits_.data(), kNoLimitByte, limits_.size() * sizeof(int));
  deactivated_.fillZero(queue);
  dirty_.resize(queue, from.loops.size());
  active_.resize(queue, from.loops.size());
  found_.resize(queue, from.loops.size());
  limitsChanged_.resize(queue, from.loops.size());
  limitsChanged_.fillZero(queue);
  words_.resize(queue, kSystemWords);
  // Columns side by side read zeros in the place of what they lack, and write behind those.
  values_.resize(queue, static_cast<size_t>(from.values) + 2 * kBlockNumbers);
  fillBytes(queue, values_.data() + from.values, 0, kBlockNumbers * sizeof(double));
  vector_.resize(queue, at(from.rows) + kSystemSpare);
  pivots_.resize(queue, at(from.rows));
  rows_.resize(queue, at(from.rows));
  buildComponents(queue, from);
  buildPacks(queue, from);
  hostItemLevels_ = from.itemLevels;
  hostNodeLevels_ = from.nodeLevels;
  nodeCount_ = static_cast<int>(from.nodes.size());
  bodyCount_ = static_cast<int>(from.bodies.size());
  componentCount_ = static_cast<int>(from.loops.size());
  itemCount_ = static_cast<int>(from.items.size());
  widestItems_ = widestOf(hostItemLevels_);
  widestNodes_ = widestOf(hostNodeLevels_);
}

void JointSystem::LevelsOnTarget::upload(Queue& queue, const ComponentLevels& from) {
  list.upload(queue, from.list);
  starts.upload(queue, from.starts);
  firstStart.upload(queue, from.firstStart);
}

// The CPU goes through the whole system.
void JointSystem::buildComponents(Queue& queue, const SymbolicFactor& from) {
  widestComponentLevel_ = 0;
  if (queue.target != Target::Cuda) return;
  const SystemComponents components = makeSystemComponents(from);
  componentItems_.upload(queue, components.items);
  componentNodes_.upload(queue, components.nodes);
  firstBodyOfComponent_.upload(queue, components.firstBody);
  bodiesByComponent_.upload(queue, components.bodies);
  widestComponentLevel_ = components.widestLevel;
  mostOfComponent_ = components.most;
}

// Devices go by levels.
void JointSystem::buildPacks(Queue& queue, const SymbolicFactor& from) {
  const ColumnPacks packs = queue.target == Target::Cpu ? makeColumnPacks(from) : ColumnPacks{};
  packs_.upload(queue, packs.packs);
  packNodes_.upload(queue, packs.nodes);
  packRows_.upload(queue, packs.rows);
  packSources_.upload(queue, packs.sources);
  packValues_.resize(queue, static_cast<size_t>(packs.values));
  // Components that have no factor yet are beside others.
  packValues_.fillZero(queue);
  packForward_.resize(queue, packs.packs.size() * (kPackColumns * kPackRows));
  const BodyPacks bodies = queue.target == Target::Cpu ? makeBodyPacks(from) : BodyPacks{};
  bodyPackStarts_.upload(queue, bodies.starts);
  bodyPackSources_.upload(queue, bodies.sources);
}

SystemView JointSystem::view() {
  const auto levels = [](const std::vector<int>& starts) { return starts.empty() ? 0 : static_cast<int>(starts.size()) - 1; };
  SystemView v{};
  v.nodes = nodes_.data();
  v.blocks = blocks_.data();
  v.contributions = contributions_.data();
  v.updates = updates_.data();
  v.rowBlocks = rowBlocks_.data();
  v.items = items_.data();
  v.itemLevels = itemLevels_.data();
  v.hostItemLevels = hostItemLevels_.data();
  v.nodesByLevel = nodesByLevel_.data();
  v.nodeLevels = nodeLevels_.data();
  v.hostNodeLevels = hostNodeLevels_.data();
  v.bodies = bodies_.data();
  v.bodyOffsets = bodyOffsets_.data();
  v.bodySides = bodySides_.data();
  v.loops = loops_.data();
  v.componentOfBody = componentOfBody_.data();
  v.nodeOfJoint = nodeOfJoint_.data();
  v.components = {componentItems_.view(),    componentNodes_.view(), firstBodyOfComponent_.data(),
                  bodiesByComponent_.data(), widestComponentLevel_,  mostOfComponent_};
  v.packs.packs = packs_.data();
  v.packs.nodes = packNodes_.data();
  v.packs.rows = packRows_.data();
  v.packs.sources = packSources_.data();
  v.packs.values = packValues_.data();
  v.packs.forward = packForward_.data();
  v.packs.count = static_cast<int>(packs_.size());
  v.bodyPacks = {bodyPackStarts_.data(), bodyPackSources_.data()};
  v.itemLevelCount = levels(hostItemLevels_);
  v.widestItemLevel = widestItems_;
  v.itemCount = itemCount_;
  v.nodeLevelCount = levels(hostNodeLevels_);
  v.widestNodeLevel = widestNodes_;
  v.nodeCount = nodeCount_;
  v.bodyCount = bodyCount_;
  v.componentCount = componentCount_;
  v.limited = limited_;
  v.looped = looped_;
  v.plain = plain_;
  v.values = values_.data();
  v.vector = vector_.data();
  v.pivots = pivots_.data();
  v.rows = rows_.data();
  v.rowsInUse = rowsInUse_.data();
  v.isPoint = isPoint_.data();
  v.arms = arms_.data();
  v.limits = limits_.data();
  v.deactivated = deactivated_.data();
  v.dirty = dirty_.data();
  v.active = active_.data();
  v.found = found_.data();
  v.limitsChanged = limitsChanged_.data();
  v.words = words_.data();
  return v;
}

}  // namespace cairn::v0
