// Limits in the direct solve of joints: an active set.
//
// A limit is an inequality, lambda >= 0 complementary to its speed error >= 0, and the factor holds equations. So the limits that are active as the
// solve begins become rows beside the locked axes, as far as there is room in the joint's node. Where the answer would make a multiplier negative,
// the limit is deactivated: it gives back what it has pushed, and its component is solved anew before anything moves.
//
// Deterministic: an item reads and writes its own joint's rows; components are marked with ones by atomic or, in no order that shows.
#include "kernels/joints/joint_limits.hpp"

#include "kernels/runtime/launch.hpp"

namespace cairn {
namespace {

template <class T> struct CompareLimits {
  SystemView view;
  SystemBodies<T> bodies;
  JointBlock<T> block;

  CAIRN_HD void changed(int component) const { atomicOrInt(view.limitsChanged + component, 1); }
  CAIRN_HD void operator()(int index) const {
    const SystemNode& node = view.nodes[index];
    if (node.joint < 0 || view.active[node.component] == 0 || view.dirty[node.component] != 0) return;
    const int locked = lockedRows(bodies.records[node.joint]);
    if (node.rows == locked) return;
    const LimitRows<T> limits(bodies, node.joint);
    int k = node.firstRow + locked;
    const int end = node.firstRow + node.rows;
    for (int r = 0; r < limits.record.rowCount && k < end; ++r) {
      if (limits.active(block, r) && (view.deactivated[k] != 0 || view.limits[k++] != r)) return changed(node.component);
    }
    if (k < end && view.limits[k] >= 0) changed(node.component);
  }
};

struct MarkChangedDirty {
  SystemView view;
  CAIRN_HD void operator()(int component) const {
    if (view.limitsChanged[component] != 0) view.dirty[component] = 1;
    view.limitsChanged[component] = 0;
  }
};

template <class T> struct FindNegativeMultipliers {
  SystemView view;
  SystemBodies<T> bodies;

  CAIRN_HD void operator()(int index) const {
    const SystemNode& node = view.nodes[index];
    if (node.joint < 0 || view.active[node.component] == 0) return;
    for (int k = node.firstRow; k < node.firstRow + view.rowsInUse[index]; ++k) {
      if (view.limits[k] < 0 || view.deactivated[k] != 0) continue;
      const JointLane<T> lane(bodies.joints, bodies.laneOfJoint[node.joint]);
      if (lane.at(view.limits[k], kAxisImpulse) + view.vector[k] >= 0) continue;
      view.deactivated[k] = 1;
      atomicOrInt(view.limitsChanged + node.component, 1);
    }
  }
};

struct ActivateChanged {
  SystemView view;
  CAIRN_HD void operator()(int component) const {
    view.active[component] = view.limitsChanged[component];
    if (view.limitsChanged[component] != 0) view.dirty[component] = 1;
    view.limitsChanged[component] = 0;
  }
};

}  // namespace

template <class T> void compareLimits(Queue& queue, const SystemView& view, const SystemBodies<T>& bodies, const JointBlock<T>& block) {
  forEach(queue, "joint_system/compare", view.nodeCount, CompareLimits<T>{view, bodies, block}, kNodeGrain);
  forEach(queue, "joint_system/dirty", view.componentCount, MarkChangedDirty{view});
}

template <class T> void findNegativeMultipliers(Queue& queue, const SystemView& view, const SystemBodies<T>& bodies) {
  forEach(queue, "joint_system/negative", view.nodeCount, FindNegativeMultipliers<T>{view, bodies}, kNodeGrain);
}

void activateChanged(Queue& queue, const SystemView& view) { forEach(queue, "joint_system/activate", view.componentCount, ActivateChanged{view}); }

#define CAIRN_INSTANTIATE(T)                                                                            \
  template void compareLimits(Queue&, const SystemView&, const SystemBodies<T>&, const JointBlock<T>&); \
  template void findNegativeMultipliers(Queue&, const SystemView&, const SystemBodies<T>&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn
