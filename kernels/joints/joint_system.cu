// The joints' equations, solved at once and exactly.
//
// Gauss-Seidel hands an impulse on by one body a sweep, and a chain of n links with a heavy end needs some n^2 times the mass ratio of them. What the
// joints' impulses lambda do to the speeds along all locked axes is a matrix with a block wherever two joints share a body,
//   A lambda = r,   A = J M^-1 J^T,   r: what those speeds lack,
// and a sparse factor L S L^T of it costs a tree of joints no more than its size (Baraff, "Linear-Time Dynamics using Lagrange Multipliers", 1996), a
// net of them little more. A body with many joints would make all of them neighbours: it keeps its change of velocity v as an unknown of its own,
// with the row J^T lambda - M v = 0, whose pivots are negative (S holds the signs); such matrices have a factor in any order of elimination
// (Vanderbei, "Symmetric Quasidefinite Matrices", SIAM J. Optim. 5, 1995). The order is src/joints/symbolic_factor.cpp's: few blocks, and few levels.
// Blocks of a level do not see each other; each is made by one item, which takes its sums in a fixed order.
//
// Joints that close a loop may ask for the same twice, or for what cannot be had. There the impulses give way a little, A + e D with D the diagonal
// of A: what is asked for twice is shared, what cannot be had stays, and solving again takes what has given way to the rest. All in double, since the
// masses of many bodies meet in one number.
#include "kernels/joints/joint_system.hpp"

#include "kernels/joints/block_math.hpp"
#include "kernels/joints/joint_math.hpp"
#include "kernels/runtime/launch.hpp"
#include "kernels/runtime/level_launch.hpp"

namespace cairn {
namespace {

constexpr double kLimitCompliance = 1e-3;  // of limits: those of several turns may hardly be told apart
// Of what a violated limit asks back in sweeps: it is solved exactly here, and sweeps alone take the speed out again.
constexpr double kLimitShare = 0.1;
constexpr double kReleased = 1e9;  // of limits whose impulse is given
// How often a component may find that a limit would pull.
constexpr int kMostAttempts = 3;
constexpr int64_t kNodeGrain = 1024;  // a node's work is some 0.1 us

// A joint's axis rows in its lane.
template <class T> struct LaneRows {
  T* fields;
  int strip;

  CAIRN_HD LaneRows(const SystemBodies<T>& bodies, int joint)
      : fields(jointLaneFields(bodies.joints, bodies.slotOfJoint[joint], bodies.joints.strip)), strip(bodies.joints.strip) {}
  CAIRN_HD T& at(int row, int field) const { return fields[(kJointFields + row * kAxisFields + field) * strip]; }
  CAIRN_HD Vec3<T> vector(int row, int field) const { return {at(row, field), at(row, field + 1), at(row, field + 2)}; }
  CAIRN_HD T& of(int field) const { return fields[field * strip]; }
  CAIRN_HD Vec3<T> vectorOf(int field) const { return {of(field), of(field + 1), of(field + 2)}; }
  // The speed along a row.
  CAIRN_HD T speed(int row, const LaneBody<T>& a, const LaneBody<T>& b) const {
    return dot(vector(row, kAxisLinear), b.v - a.v) + dot(vector(row, kAxisAngularB), b.w) - dot(vector(row, kAxisAngularA), a.w);
  }
  // What the speed of a limit's row is off by.
  CAIRN_HD T ofLimit(const JointBlock<T>& block, int row, const LaneBody<T>& a, const LaneBody<T>& b) const {
    const T u = speed(row, a, b);
    return block.store ? u + T(kLimitShare) * at(row, block.biased ? kAxisBias : kAxisPlainBias) : u;
  }
};

// Whether a limit takes part as if it were locked: it has been reached, and pushes or is run into. What this solve left out, it would undo.
template <class T> struct Pushing {
  SystemBodies<T> bodies;
  JointBlock<T> block;
  LaneRows<T> lane;
  const JointRecord<T>& record;
  LaneBody<T> a, b;

  CAIRN_HD Pushing(const SystemBodies<T>& all, const JointBlock<T>& how, int joint)
      : bodies(all),
        block(how),
        lane(all, joint),
        record(all.records[joint]),
        a(loadBody(all.velocities[record.bodyA], all.inertias[record.bodyA])),
        b(loadBody(all.velocities[record.bodyB], all.inertias[record.bodyB])) {}
  CAIRN_HD bool operator()(int row) const {
    if (bodies.axisRows[record.firstRow + row].kind != kLimitRow || lane.at(row, kAxisPlainBias) > T(0)) return false;
    return lane.at(row, kAxisMass) > T(0) && (lane.at(row, kAxisImpulse) > T(0) || lane.ofLimit(block, row, a, b) < T(0));
  }
};

CAIRN_HD inline int locksOf(int lockedLinear, int lockedAngular) { return joint::countBits(lockedLinear) + joint::countBits(lockedAngular); }

// A component whose limits that push are not those of its factor needs another.
template <class T> struct CompareLimits {
  SystemView view;
  SystemBodies<T> bodies;
  JointBlock<T> block;

  CAIRN_HD void changed(int component) const { atomicOrInt(view.changed + component, 1); }
  CAIRN_HD void operator()(int index) const {
    const SystemNode& node = view.nodes[index];
    if (node.joint < 0 || view.wanted[node.component] == 0 || view.stale[node.component] != 0) return;
    const JointRecord<T>& j = bodies.records[node.joint];
    const int locks = locksOf(j.lockedLinear, j.lockedAngular);
    if (node.rows == locks) return;
    const Pushing<T> pushes(bodies, block, node.joint);
    int k = node.firstRow + locks;
    const int end = node.firstRow + node.rows;
    for (int r = 0; r < j.rowCount && k < end; ++r) {
      if (pushes(r) && (view.released[k] != 0 || view.limits[k++] != r)) return changed(node.component);
    }
    if (k < end && view.limits[k] >= 0) changed(node.component);
  }
};
struct MarkStale {
  SystemView view;
  CAIRN_HD void operator()(int component) const {
    if (view.changed[component] != 0) view.stale[component] = 1;
    view.changed[component] = 0;
  }
};

// The rows of J of one joint.
template <class T> struct MakeRows {
  SystemView view;
  SystemBodies<T> bodies;
  JointBlock<T> block;

  CAIRN_HD void operator()(int index) const {
    const SystemNode& node = view.nodes[index];
    if (view.wanted[node.component] == 0 || view.stale[node.component] == 0) return;
    if (node.joint < 0) {
      view.active[index] = node.rows;
      return;
    }
    const JointRecord<T>& j = bodies.records[node.joint];
    const joint::Frames<T> frames = joint::framesOf(j, bodies.poses[j.bodyA], bodies.poses[j.bodyB]);
    const Mat3<T> a = rotationMatrix(frames.qA), b = rotationMatrix(frames.qB);
    const joint::Directions<T> offsets = joint::lockedOffsets(j.lockedLinear, a), turns = joint::lockedTurns(j.lockedAngular, a, b);
    const Vec3<double> armA = convert<double>(frames.armA + frames.offset), armB = convert<double>(frames.armB), none{0, 0, 0};
    SystemRow* const rows = view.rows + node.firstRow;
    int count = 0;
    for (int k = 0; k < offsets.count; ++k) {
      const Vec3<double> d = convert<double>(offsets.d[k]);
      rows[count++] = {d, cross(armA, d), cross(armB, d)};
    }
    for (int k = 0; k < turns.count; ++k) {
      const Vec3<double> d = convert<double>(turns.d[k]);
      rows[count++] = {none, d, d};
    }
    int* const limits = view.limits + node.firstRow;
    for (int k = 0; k < node.rows; ++k) {
      limits[k] = -1;
      view.released[node.firstRow + k] = 0;
    }
    view.active[index] = count;
    if (count == node.rows) return;
    const Pushing<T> pushes(bodies, block, node.joint);
    const LaneRows<T>& lane = pushes.lane;
    for (int r = 0; r < j.rowCount && count < node.rows; ++r) {
      if (!pushes(r)) continue;
      limits[count] = r;
      rows[count++] = {convert<double>(lane.vector(r, kAxisLinear)), convert<double>(lane.vector(r, kAxisAngularA)),
                       convert<double>(lane.vector(r, kAxisAngularB))};
    }
    view.active[index] = count;
  }
};

// The inverse masses of a body, in double; at rest.
template <class T> CAIRN_HD inline LaneBody<double> inversesOf(const SystemBodies<T>& bodies, int slot) {
  const LaneBody<T> body = loadBody(bodies.velocities[slot], bodies.inertias[slot]);
  return {{0, 0, 0}, {0, 0, 0}, convert<double>(body.invMass), convert<double>(body.invInertia)};
}

// A block of A, and what the columns before leave of it; a diagonal is factorised, a block below it is divided in an item of its own (~block).
template <class T> struct FactorBlock {
  SystemView view;
  SystemBodies<T> bodies;

  // J_row M^-1 J_column^T of one body.
  CAIRN_HD void addJoints(const SystemBlock& block, const SystemNode& row, const SystemNode& column, const SystemCoupling& by, double* out) const {
    const int rows = view.active[block.row], columns = view.active[block.column];
    const LaneBody<double> body = inversesOf(bodies, by.body);
    const bool triangle = block.row == block.column;
    const double sign = by.sideOfRow == by.sideOfColumn ? 1 : -1;
    for (int c = 0; c < columns; ++c) {
      const SystemRow& on = view.rows[column.firstRow + c];
      const Vec3<double> moved = sign * scale(body.invMass, on.linear), turned = sign * (body.invInertia * (by.sideOfColumn != 0 ? on.onB : on.onA));
      for (int r = triangle ? c : 0; r < rows; ++r) {
        const SystemRow& of = view.rows[row.firstRow + r];
        out[triangle ? block::at(r, c) : r * columns + c] += dot(of.linear, moved) + dot(by.sideOfRow != 0 ? of.onB : of.onA, turned);
      }
    }
  }
  // J of a joint's rows on a body that is a node, without what the body cannot do.
  CAIRN_HD void addBody(const SystemBlock& block, const SystemNode& row, const SystemNode& column, const SystemCoupling& by, double* out) const {
    const bool bodyIsRow = row.joint < 0;
    const int rows = view.active[bodyIsRow ? block.column : block.row];
    const SystemNode& node = bodyIsRow ? column : row;
    const int side = bodyIsRow ? by.sideOfColumn : by.sideOfRow;
    const LaneBody<double> body = inversesOf(bodies, by.body);
    const double sign = side != 0 ? 1 : -1;
    const double moves[6] = {body.invMass.x, body.invMass.y, body.invMass.z, body.invInertia.xx, body.invInertia.yy, body.invInertia.zz};
    for (int r = 0; r < rows; ++r) {
      const SystemRow& of = view.rows[node.firstRow + r];
      const Vec3<double> turn = side != 0 ? of.onB : of.onA;
      const double all[6] = {of.linear.x, of.linear.y, of.linear.z, turn.x, turn.y, turn.z};
      for (int d = 0; d < 6; ++d) out[bodyIsRow ? d * rows + r : r * 6 + d] += moves[d] > 0 ? sign * all[d] : 0;
    }
  }
  // M of such a body, negated when its pivots are taken; 1 for what it cannot do.
  CAIRN_HD void addMass(int slot, double* out) const {
    const LaneBody<double> body = inversesOf(bodies, slot);
    const double inverse[3] = {body.invMass.x, body.invMass.y, body.invMass.z};
    Sym3<double> turn = body.invInertia;
    double* const diagonal[3] = {&turn.xx, &turn.yy, &turn.zz};
    for (double* each : diagonal) {
      if (!(*each > 0)) *each = 1;
    }
    const Sym3<double> inertia = cairn::inverse(turn);
    for (int k = 0; k < 3; ++k) out[block::at(k, k)] -= inverse[k] > 0 ? 1 / inverse[k] : 1;
    const double all[6] = {inertia.xx, inertia.xy, inertia.yy, inertia.xz, inertia.yz, inertia.zz};
    const int places[6] = {block::at(3, 3), block::at(4, 3), block::at(4, 4), block::at(5, 3), block::at(5, 4), block::at(5, 5)};
    for (int k = 0; k < 6; ++k) out[places[k]] -= all[k];
  }

  CAIRN_HD void operator()(int item) const {
    const int index = view.items[item];
    const SystemBlock& block = view.blocks[index < 0 ? ~index : index];
    const SystemNode& row = view.nodes[block.row];
    if (view.wanted[row.component] == 0 || view.stale[row.component] == 0) return;
    const SystemNode& column = view.nodes[block.column];
    const int rows = view.active[block.row], columns = view.active[block.column];
    double* const out = view.values + block.value;
    if (index < 0) {
      return block::withRows(columns, block::Divide{view.values + view.blocks[column.firstBlock].value, out, rows, column.joint < 0 ? -1.0 : 1.0});
    }
    const bool diagonal = block.row == block.column;
    const int size = diagonal ? block::at(rows, 0) : rows * columns;
    for (int k = 0; k < size; ++k) out[k] = 0;
    for (int c = block.firstCoupling; c < block.firstCoupling + block.couplingCount; ++c) {
      const SystemCoupling& by = view.couplings[c];
      if (by.sideOfRow >= 0 && by.sideOfColumn >= 0) {
        addJoints(block, row, column, by, out);
      } else if (diagonal) {
        addMass(by.body, out);
      } else {
        addBody(block, row, column, by, out);
      }
    }
    if (diagonal) {
      const bool closed = row.joint >= 0 && view.loops[row.component] != 0;
      for (int k = 0; k < rows; ++k) {
        view.pivots[row.firstRow + k] = absOf(out[block::at(k, k)]);
        double gives = closed ? kLoopCompliance : 0;
        if (row.joint >= 0 && view.limits[row.firstRow + k] >= 0) gives = view.released[row.firstRow + k] != 0 ? kReleased : kLimitCompliance;
        out[block::at(k, k)] += gives * out[block::at(k, k)];
      }
    }
    for (int64_t u = block.firstUpdate; u < block.firstUpdate + block.updateCount; ++u) {
      const SystemBlock& left = view.blocks[view.updates[u].left];
      const SystemBlock& right = view.blocks[view.updates[u].right];
      const SystemNode& by = view.nodes[left.column];
      block::withRows(view.active[left.column], block::SubtractProduct{out, view.values + left.value, view.values + right.value, rows, columns,
                                                                       diagonal, by.joint < 0 ? -1.0 : 1.0});
    }
    if (!diagonal) return;
    if (row.joint < 0) {
      for (int k = 0; k < size; ++k) out[k] = -out[k];
    }
    block::withRows(rows, block::Factorize{out, view.pivots + row.firstRow});
  }
};

struct Settle {
  SystemView view;
  CAIRN_HD void operator()(int component) const {
    if (view.wanted[component] != 0) view.stale[component] = 0;
  }
};

// r: what the speeds of a joint's rows lack.
template <class T> struct Lacking {
  SystemView view;
  SystemBodies<T> bodies;
  JointBlock<T> block;

  CAIRN_HD LaneBody<T> body(int slot) const { return loadBody(bodies.velocities[slot], bodies.inertias[slot]); }
  CAIRN_HD void operator()(int index) const {
    const SystemNode& node = view.nodes[index];
    if (view.wanted[node.component] == 0) return;
    double* const r = view.vector + node.firstRow;
    if (node.joint < 0) {
      for (int k = 0; k < 6; ++k) r[k] = 0;
      return;
    }
    const JointRecord<T>& j = bodies.records[node.joint];
    const LaneBody<T> a = body(j.bodyA), b = body(j.bodyB);
    const LaneRows<T> lane(bodies, node.joint);
    const SystemRow* const rows = view.rows + node.firstRow;
    const int offsets = joint::countBits(j.lockedLinear), locks = locksOf(j.lockedLinear, j.lockedAngular);
    const Vec3<double> offset =
        convert<double>(block.offsetSpeed(a, b, lane.vectorOf(kJointArmA), lane.vectorOf(kJointArmB), lane.vectorOf(kJointOffset)));
    for (int k = 0; k < offsets; ++k) r[k] = -dot(rows[k].linear, offset);
    if (locks > offsets) {
      const Vec3<double> turn = convert<double>(block.turnSpeed(a, b, lane.vectorOf(kJointTurn)));
      for (int k = offsets; k < locks; ++k) r[k] = -dot(rows[k].onB, turn);
    }
    for (int k = locks; k < view.active[index]; ++k) {
      const int limit = view.limits[node.firstRow + k];
      const int at = node.firstRow + k;
      r[k] =
          view.released[at] != 0 ? -(kReleased * view.pivots[at] * double(lane.at(limit, kAxisImpulse))) : -double(lane.ofLimit(block, limit, a, b));
    }
    if (view.loops[node.component] == 0 || block.error == JointError::None || !block.store) return;
    // What gives way goes with the whole impulse, or each solve would add to what cannot be had. Speeds alone ask for nothing of that kind.
    const Vec3<double> linear = convert<double>(lane.vectorOf(kJointLinear)), angular = convert<double>(lane.vectorOf(kJointAngular));
    for (int k = 0; k < locks; ++k) {
      const double impulse = k < offsets ? dot(rows[k].linear, linear) : dot(rows[k].onB, angular);
      r[k] -= kLoopCompliance * view.pivots[node.firstRow + k] * impulse;
    }
  }
};

struct SolveUp {
  SystemView view;

  CAIRN_HD void operator()(int index) const {
    const SystemNode& node = view.nodes[index];
    if (view.wanted[node.component] == 0) return;
    double* const x = view.vector + node.firstRow;
    for (int k = node.firstOfRow; k < node.firstOfRow + node.countOfRow; ++k) {
      const SystemBlock& block = view.blocks[view.rowBlocks[k]];
      const SystemNode& column = view.nodes[block.column];
      block::withRows(view.active[block.column],
                      block::SubtractRows{view.values + block.value, view.vector + column.firstRow, x, view.active[index]});
    }
    block::withRows(view.active[index], block::Forward{view.values + view.blocks[node.firstBlock].value, x});
  }
};
struct SolveDown {
  SystemView view;

  CAIRN_HD void operator()(int index) const {
    const SystemNode& node = view.nodes[index];
    if (view.wanted[node.component] == 0) return;
    double* const x = view.vector + node.firstRow;
    if (node.joint < 0) {
      for (int k = 0; k < 6; ++k) x[k] = -x[k];
    }
    for (int k = node.firstBlock + 1; k < node.firstBlock + node.blockCount; ++k) {
      const SystemBlock& block = view.blocks[k];
      const SystemNode& row = view.nodes[block.row];
      block::withRows(view.active[index], block::SubtractColumns{view.values + block.value, view.vector + row.firstRow, x, view.active[block.row]});
    }
    block::withRows(view.active[index], block::Backward{view.values + view.blocks[node.firstBlock].value, x});
  }
};

// Limits only push. One that the answer would have pull gives back what it has pushed, by a pivot so large that its impulse is given, and its
// component is solved anew before anything moves.
template <class T> struct FindPulls {
  SystemView view;
  SystemBodies<T> bodies;

  CAIRN_HD void operator()(int index) const {
    const SystemNode& node = view.nodes[index];
    if (node.joint < 0 || view.wanted[node.component] == 0) return;
    for (int k = node.firstRow; k < node.firstRow + view.active[index]; ++k) {
      if (view.limits[k] < 0 || view.released[k] != 0) continue;
      if (LaneRows<T>(bodies, node.joint).at(view.limits[k], kAxisImpulse) + view.vector[k] >= 0) continue;
      view.released[k] = 1;
      atomicOrInt(view.changed + node.component, 1);
    }
  }
};
struct WantChanged {
  SystemView view;
  CAIRN_HD void operator()(int component) const {
    view.wanted[component] = view.changed[component];
    if (view.changed[component] != 0) view.stale[component] = 1;
    view.changed[component] = 0;
  }
};

template <class T> struct FindTouching {
  SystemView view;
  const Manifold<T>* manifolds;

  CAIRN_HD void mark(int body) const {
    const int component = view.componentOfBody[body];
    if (component >= 0) atomicOrInt(view.touching + component, 1);
  }
  CAIRN_HD void operator()(int index) const {
    mark(manifolds[index].bodyA);
    mark(manifolds[index].bodyB);
  }
};
struct WantUntouched {
  SystemView view;
  CAIRN_HD void operator()(int component) const { view.wanted[component] = view.touching[component] == 0 ? 1 : 0; }
};

// The impulses on a body.
template <class T> struct MoveBody {
  SystemView view;
  SystemBodies<T> bodies;

  CAIRN_HD void operator()(int body) const {
    const int first = view.bodyOffsets[body], end = view.bodyOffsets[body + 1];
    const int component = view.nodes[view.bodySides[first] / 2].component;
    if (view.wanted[component] == 0 || view.changed[component] != 0) return;
    Vec3<double> linear{0, 0, 0}, angular = linear;
    for (int s = first; s < end; ++s) {
      const int index = view.bodySides[s] / 2;
      const SystemNode& node = view.nodes[index];
      const bool isB = view.bodySides[s] % 2 != 0;
      for (int k = 0; k < view.active[index]; ++k) {
        const SystemRow& row = view.rows[node.firstRow + k];
        const double x = isB ? view.vector[node.firstRow + k] : -view.vector[node.firstRow + k];
        linear += x * row.linear;
        angular += x * (isB ? row.onB : row.onA);
      }
    }
    const LaneBody<double> inverse = inversesOf(bodies, view.bodies[body]);
    BodyVelocity<T>& u = bodies.velocities[view.bodies[body]];
    u.v += convert<T>(scale(inverse.invMass, linear));
    u.w += convert<T>(inverse.invInertia * angular);
  }
};

// The impulses of a joint, added to its lane's.
template <class T> struct StoreImpulses {
  SystemView view;
  SystemBodies<T> bodies;

  CAIRN_HD void operator()(int index) const {
    const SystemNode& node = view.nodes[index];
    if (node.joint < 0 || view.wanted[node.component] == 0 || view.changed[node.component] != 0) return;
    const JointRecord<T>& j = bodies.records[node.joint];
    const int offsets = joint::countBits(j.lockedLinear), locks = locksOf(j.lockedLinear, j.lockedAngular);
    const double* const x = view.vector + node.firstRow;
    const SystemRow* const rows = view.rows + node.firstRow;
    Vec3<double> linear{0, 0, 0}, angular = linear;
    for (int k = 0; k < offsets; ++k) linear += x[k] * rows[k].linear;
    for (int k = offsets; k < locks; ++k) angular += x[k] * rows[k].onB;
    const LaneRows<T> lane(bodies, node.joint);
    const double all[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
    for (int k = 0; k < 6; ++k) lane.of(kJointLinear + k) += T(all[k]);
    for (int k = locks; k < view.active[index]; ++k) {
      T& impulse = lane.at(view.limits[node.firstRow + k], kAxisImpulse);
      impulse = maxOf(impulse + T(x[k]), T(0));
    }
  }
};

// On the CPU: whether any component is marked in all of the lists. Nobody waits for a device to say.
bool any(const Queue& queue, const SystemView& view, const int* marks, const int* others) {
  if (queue.target != Target::Cpu) return true;
  for (int c = 0; c < view.componentCount; ++c) {
    if (marks[c] != 0 && others[c] != 0) return true;
  }
  return false;
}

template <class T> void makeRows(Queue& queue, const SystemView& view, const SystemBodies<T>& bodies, const JointBlock<T>& block) {
  if (view.limited) {
    forEach(queue, "joint_system/compare", view.nodeCount, CompareLimits<T>{view, bodies, block}, kNodeGrain);
    forEach(queue, "joint_system/stale", view.componentCount, MarkStale{view});
  }
  if (any(queue, view, view.wanted, view.stale)) forEach(queue, "joint_system/rows", view.nodeCount, MakeRows<T>{view, bodies, block}, kNodeGrain);
}

template <class T> void factorize(Queue& queue, const SystemView& view, const SystemBodies<T>& bodies) {
  if (!any(queue, view, view.wanted, view.stale)) return;
  const NodeLevels items{view.itemLevels, view.hostItemLevels, view.itemLevelCount, view.itemCount, view.widestItemLevel};
  overLevels(queue, "joint_system/factor", items, FactorBlock<T>{view, bodies}, false);
  forEach(queue, "joint_system/settle", view.componentCount, Settle{view});
}

}  // namespace

bool anyWanted(const Queue& queue, const SystemView& view) { return any(queue, view, view.wanted, view.wanted); }
void wantAll(Queue& queue, const SystemView& view) {
  if (view.componentCount > 0) fillBytes(queue, view.wanted, 1, static_cast<size_t>(view.componentCount) * sizeof(int));
}
void wantUntouched(Queue& queue, const SystemView& view) { forEach(queue, "joint_system/want_untouched", view.componentCount, WantUntouched{view}); }
void staleAll(Queue& queue, const SystemView& view) {
  if (view.componentCount > 0) fillBytes(queue, view.stale, 1, static_cast<size_t>(view.componentCount) * sizeof(int));
}

template <class T> void findTouching(Queue& queue, const SystemView& view, const Manifold<T>* manifolds, int count) {
  if (view.componentCount == 0) return;
  fillBytes(queue, view.touching, 0, static_cast<size_t>(view.componentCount) * sizeof(int));
  forEach(queue, "joint_system/touching", count, FindTouching<T>{view, manifolds});
}

template <class T> void solveJointSystem(Queue& queue, const SystemView& view, const SystemBodies<T>& bodies, const JointBlock<T>& block) {
  const NodeLevels nodes{view.nodeLevels, view.hostNodeLevels, view.nodeLevelCount, view.nodeCount, view.widestNodeLevel};
  if (!anyWanted(queue, view)) return;
  makeRows(queue, view, bodies, block);
  const int most = view.limited && block.store ? kMostAttempts : 1;
  for (int attempt = 0; attempt < most && anyWanted(queue, view); ++attempt) {
    factorize(queue, view, bodies);
    forEach(queue, "joint_system/lacking", view.nodeCount, Lacking<T>{view, bodies, block}, kNodeGrain);
    overLevels(queue, "joint_system/up", nodes, SolveUp{view}, false);
    overLevels(queue, "joint_system/down", nodes, SolveDown{view}, true);
    if (attempt + 1 < most) forEach(queue, "joint_system/pulls", view.nodeCount, FindPulls<T>{view, bodies}, kNodeGrain);
    forEach(queue, "joint_system/bodies", view.bodyCount, MoveBody<T>{view, bodies}, kNodeGrain);
    if (block.store) forEach(queue, "joint_system/store", view.nodeCount, StoreImpulses<T>{view, bodies}, kNodeGrain);
    if (attempt + 1 < most) forEach(queue, "joint_system/want", view.componentCount, WantChanged{view});
  }
}

template void findTouching(Queue&, const SystemView&, const Manifold<float>*, int);
template void findTouching(Queue&, const SystemView&, const Manifold<double>*, int);
template void solveJointSystem(Queue&, const SystemView&, const SystemBodies<float>&, const JointBlock<float>&);
template void solveJointSystem(Queue&, const SystemView&, const SystemBodies<double>&, const JointBlock<double>&);

}  // namespace cairn
