// The factor of the joints' equations.
//
// In: the structure that src/joints/symbolic_factor.cpp found, poses and inertias. Out: rows of J by joint, and the blocks of the sparse factor
// A = L S L^T. A block of A is the sum of what single bodies contribute; a block of the factor is that less the products of the blocks before it
// (left-looking, block by block). A body that is a node has the block -M, whose pivots are negative: S holds their signs. All in double.
//
// Deterministic: a block is made by one item, which takes its sums in the order of its lists; blocks of a level do not see each other.
#pragma once

#include "kernels/joints/block_math.hpp"
#include "kernels/joints/joint_limits.hpp"

namespace cairn::v0 {

constexpr double kLimitCompliance = 1e-3;  // of active limits: the rows of several rotations may hardly be told apart
constexpr double kDeactivated = 1e9;       // compliance of a deactivated limit: its impulse is given

// The inverse masses of a body, in double; at rest.
template <class T> CAIRN_HD inline LaneBody<double> inverseMasses(const SystemBodies<T>& bodies, int slot) {
  const LaneBody<T> body = loadBody(bodies.velocities[slot], bodies.inertias[slot]);
  return {{0, 0, 0}, {0, 0, 0}, convert<double>(body.invMass), convert<double>(body.invInertia)};
}

// The rows of J of one joint, or of the joints of a pack of lanes. What no limit ever changes is there from the beginning (JointSystem): where points
// are held the arms of the lanes, in double, are all that is new.
template <class T> struct MakeRows {
  SystemView view;
  SystemBodies<T> bodies;
  JointBlock<T> block;

  CAIRN_HD void operator()(int index) const {
    const SystemNode& node = view.nodes[index];
    if (node.joint < 0 || view.active[node.component] == 0 || !lacksRows(view.dirty[node.component])) return;
    if (view.limited) findActiveLimits(node, index);
    if (view.isPoint[index] == 0) return makeLockedRows(bodies.records[node.joint], view.rows + node.firstRow);
    const JointLane<T> lane(bodies.joints, bodies.laneOfJoint[node.joint]);
    view.arms[index] = {convert<double>(lane.vectorOf(kJointArmA)), convert<double>(lane.vectorOf(kJointArmB))};
  }
  template <class V> CAIRN_HD void at(int firstLane) const {
    T arms[6][LaneTraits<V>::kWidth];
    storeArms(LaneJoint<V>(bodies.joints, firstLane), arms);
    for (int lane = 0; lane < LaneTraits<V>::kWidth; ++lane) {
      const int own = bodies.joints.joint[firstLane + lane], index = own < 0 ? -1 : view.nodeOfJoint[own];
      if (index < 0) continue;
      const int component = view.nodes[index].component;
      if (view.active[component] != 0 && lacksRows(view.dirty[component])) put(index, arms, lane);
    }
  }
  // In two parts: the arms of a pack of lanes, and the rows of the joint in one of them.
  template <class V> CAIRN_HD static void storeArms(const LaneJoint<V>& joint, T (&arms)[6][LaneTraits<V>::kWidth]) {
    const V numbers[6] = {joint.rA.x, joint.rA.y, joint.rA.z, joint.rB.x, joint.rB.y, joint.rB.z};
    for (int k = 0; k < 6; ++k) LaneTraits<V>::store(arms[k], numbers[k]);
  }
  template <int width> CAIRN_HD void put(int index, const T (&arms)[6][width], int lane) const {
    const SystemNode& node = view.nodes[index];
    if (view.limited) findActiveLimits(node, index);
    if (view.isPoint[index] == 0) return makeLockedRows(bodies.records[node.joint], view.rows + node.firstRow);
    putArms(view.arms[index], arms, lane);
  }
  template <int width> CAIRN_HD static void putArms(SystemArms& out, const T (&arms)[6][width], int lane) {
    out.onA = {double(arms[0][lane]), double(arms[1][lane]), double(arms[2][lane])};
    out.onB = {double(arms[3][lane]), double(arms[4][lane]), double(arms[5][lane])};
  }

 private:
  CAIRN_HD void findActiveLimits(const SystemNode& node, int index) const {
    for (int k = node.firstRow; k < node.firstRow + node.rows; ++k) {
      view.limits[k] = -1;
      view.deactivated[k] = 0;
    }
    const JointRecord<T>& j = bodies.records[node.joint];
    const int locked = lockedRows(j), count = locked < node.rows ? addActiveLimits(node, locked) : locked;
    view.rowsInUse[index] = count;
    view.isPoint[index] = node.holdsPoint != 0 && count == locked ? 1 : 0;
  }

  // Those of translations come first.
  CAIRN_HD void makeLockedRows(const JointRecord<T>& j, SystemRow* rows) const {
    const joint::Frames<T> frames = joint::framesOf(j, bodies.poses[j.bodyA], bodies.poses[j.bodyB]);
    const Mat3<T> a = rotationMatrix(frames.qA), b = rotationMatrix(frames.qB);
    const joint::Directions<T> translations = joint::lockedTranslations(j.lockedLinear, a), rotations = joint::lockedRotations(j.lockedAngular, a, b);
    const Vec3<double> armA = convert<double>(frames.armA + frames.offset), armB = convert<double>(frames.armB), none{0, 0, 0};
    int count = 0;
    for (int k = 0; k < translations.count; ++k) {
      const Vec3<double> d = convert<double>(translations.d[k]);
      rows[count++] = {d, cross(armA, d), cross(armB, d)};
    }
    for (int k = 0; k < rotations.count; ++k) {
      const Vec3<double> d = convert<double>(rotations.d[k]);
      rows[count++] = {none, d, d};
    }
  }
  CAIRN_HD int addActiveLimits(const SystemNode& node, int count) const {
    const LimitRows<T> limits(bodies, node.joint);
    const JointLane<T>& lane = limits.lane;
    for (int r = 0; r < limits.record.rowCount && count < node.rows; ++r) {
      if (!limits.active(block, r)) continue;
      view.limits[node.firstRow + count] = r;
      view.rows[node.firstRow + count++] = {convert<double>(lane.vector(r, kAxisLinear)), convert<double>(lane.vector(r, kAxisAngularA)),
                                            convert<double>(lane.vector(r, kAxisAngularB))};
    }
    return count;
  }
};

// The block of two point joints by way of one body: r_i x M^-1 (r_k x e) and the masses' part for each axis e, three numbers a row. First
// I^-1 (r_k x e) for the three axes, each of which has a zero; then what that adds to the block. V: a number, or that of several blocks.
template <class V> CAIRN_HD inline void turnedByAxes(const Sym3<V>& i, const Vec3<V>& arm, Vec3<V> (&turned)[3]) {
  turned[0] = {i.xy * arm.z - i.xz * arm.y, i.yy * arm.z - i.yz * arm.y, i.yz * arm.z - i.zz * arm.y};
  turned[1] = {i.xz * arm.x - i.xx * arm.z, i.yz * arm.x - i.xy * arm.z, i.zz * arm.x - i.xz * arm.z};
  turned[2] = {i.xx * arm.y - i.xy * arm.x, i.xy * arm.y - i.yy * arm.x, i.xz * arm.y - i.yz * arm.x};
}
template <class V> CAIRN_HD inline void addPoints(const Vec3<V> (&turned)[3], const Vec3<V>& mass, const Vec3<V>& arm, V* m) {
  const V masses[3] = {mass.x, mass.y, mass.z};
  for (int k = 0; k < 3; ++k) {
    const Vec3<V> moved = cross(turned[k], arm);
    const V all[3] = {moved.x, moved.y, moved.z};
    for (int r = 0; r < 3; ++r) m[3 * r + k] += r == k ? masses[k] + all[r] : all[r];
  }
}

// One block of the factor: the block of A, less the products of blocks in the columns before it. A diagonal block is factorized; a block below it is
// divided by its column's pivots in an item of its own (~block), once the diagonal is there.
template <class T> struct FactorBlock {
  SystemView view;
  SystemBodies<T> bodies;

  // J_row M^-1 J_column^T, by way of one body.
  CAIRN_HD void addJoints(const SystemBlock& block, const SystemContribution& by, double* out) const {
    const int rows = view.rowsInUse[block.row], columns = view.rowsInUse[block.column];
    const LaneBody<double> body = inverseMasses(bodies, by.body);
    const bool triangle = block.row == block.column;
    const double sign = by.sideOfRow == by.sideOfColumn ? 1 : -1;
    for (int c = 0; c < columns; ++c) {
      const SystemRow on = rowOf(view, block.column, c);
      const Vec3<double> moved = sign * scale(body.invMass, on.linear), turned = sign * (body.invInertia * (by.sideOfColumn != 0 ? on.onB : on.onA));
      for (int r = triangle ? c : 0; r < rows; ++r) {
        const SystemRow of = rowOf(view, block.row, r);
        out[triangle ? block::at(r, c) : r * columns + c] += dot(of.linear, moved) + dot(by.sideOfRow != 0 ? of.onB : of.onA, turned);
      }
    }
  }
  // J of a joint's rows on a body that is a node; nothing along axes that the body has locked.
  CAIRN_HD void addBody(const SystemBlock& block, const SystemNode& row, const SystemContribution& by, double* out) const {
    const bool bodyIsRow = row.joint < 0;
    const int node = bodyIsRow ? block.column : block.row, rows = view.rowsInUse[node];
    const int side = bodyIsRow ? by.sideOfColumn : by.sideOfRow;
    const LaneBody<double> body = inverseMasses(bodies, by.body);
    const double sign = side != 0 ? 1 : -1;
    const double moves[6] = {body.invMass.x, body.invMass.y, body.invMass.z, body.invInertia.xx, body.invInertia.yy, body.invInertia.zz};
    for (int r = 0; r < rows; ++r) {
      const SystemRow of = rowOf(view, node, r);
      const Vec3<double> angular = side != 0 ? of.onB : of.onA;
      const double all[6] = {of.linear.x, of.linear.y, of.linear.z, angular.x, angular.y, angular.z};
      for (int d = 0; d < 6; ++d) out[bodyIsRow ? d * rows + r : r * 6 + d] += moves[d] > 0 ? sign * all[d] : 0;
    }
  }
  // -M of a body that is a node; -1 along axes that it has locked.
  CAIRN_HD void addMass(int slot, double* out) const {
    const LaneBody<double> body = inverseMasses(bodies, slot);
    const double inverse[3] = {body.invMass.x, body.invMass.y, body.invMass.z};
    Sym3<double> mobility = body.invInertia;
    double* const diagonal[3] = {&mobility.xx, &mobility.yy, &mobility.zz};
    for (double* each : diagonal) {
      if (!(*each > 0)) *each = 1;
    }
    const Sym3<double> inertia = cairn::inverse(mobility);
    for (int k = 0; k < 3; ++k) out[block::at(k, k)] -= inverse[k] > 0 ? 1 / inverse[k] : 1;
    const double all[6] = {inertia.xx, inertia.xy, inertia.yy, inertia.xz, inertia.yz, inertia.zz};
    const int places[6] = {block::at(3, 3), block::at(4, 3), block::at(4, 4), block::at(5, 3), block::at(5, 4), block::at(5, 5)};
    for (int k = 0; k < 6; ++k) out[places[k]] -= all[k];
  }

  CAIRN_HD void addContributions(const SystemBlock& block, const SystemNode& row, double* out) const {
    for (int c = block.firstContribution; c < block.firstContribution + block.contributionCount; ++c) {
      const SystemContribution& by = view.contributions[c];
      if (by.sideOfRow >= 0 && by.sideOfColumn >= 0) {
        addJoints(block, by, out);
      } else if (block.row == block.column) {
        addMass(by.body, out);
      } else {
        addBody(block, row, by, out);
      }
    }
  }
  // Compliance: the diagonal of a joint's block grows by a part of itself, in loops and for limits.
  CAIRN_HD void addCompliance(const SystemNode& node, int rows, double* out) const {
    const bool closed = node.joint >= 0 && view.loops[node.component] != 0;
    for (int k = 0; k < rows; ++k) {
      const int at = node.firstRow + k;
      view.pivots[at] = absOf(out[block::at(k, k)]);
      double compliance = closed ? kLoopCompliance : 0;
      if (node.joint >= 0 && view.limits[at] >= 0) compliance = view.deactivated[at] != 0 ? kDeactivated : kLimitCompliance;
      out[block::at(k, k)] += compliance * out[block::at(k, k)];
    }
  }
  CAIRN_HD void subtractUpdates(const SystemBlock& block, int rows, int columns, double* out) const {
    for (int64_t u = block.firstUpdate; u < block.firstUpdate + block.updateCount; ++u) {
      const SystemBlock& left = view.blocks[view.updates[u].left];
      const SystemBlock& right = view.blocks[view.updates[u].right];
      const SystemNode& by = view.nodes[left.column];
      block::SubtractProduct product{};
      product.out = out;
      product.left = view.values + left.value;
      product.right = view.values + right.value;
      product.rows = rows;
      product.columns = columns;
      product.triangle = block.row == block.column;
      product.sign = by.joint < 0 ? -1.0 : 1.0;
      const int shared = view.rowsInUse[left.column];
      if (shared == 3) {
        product.at<3>();  // here, where rows and columns may be known as well
      } else {
        block::withRows(shared, product);
      }
    }
  }

  // The block of two point joints, or of one with itself, whose size is known.
  template <bool triangle> CAIRN_HD void makePointBlock(const SystemBlock& block, const SystemNode& row) const {
    double m[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    const SystemArms &ofRow = view.arms[block.row], &ofColumn = view.arms[block.column];
    for (int c = block.firstContribution; c < block.firstContribution + block.contributionCount; ++c) {
      const SystemContribution& by = view.contributions[c];
      const LaneBody<double> body = inverseMasses(bodies, by.body);
      const double sign = by.sideOfRow == by.sideOfColumn ? 1 : -1;
      const Vec3<double> armR = by.sideOfRow != 0 ? ofRow.onB : ofRow.onA, armC = by.sideOfColumn != 0 ? ofColumn.onB : ofColumn.onA;
      Vec3<double> turned[3];
      turnedByAxes(body.invInertia, sign * armC, turned);
      addPoints(turned, sign * body.invMass, armR, m);
    }
    if (triangle) {
      double l[6] = {m[0], m[3], m[4], m[6], m[7], m[8]};
      addCompliance(row, 3, l);
      subtractUpdates(block, 3, 3, l);
      block::factorizeOf<3>(l, view.pivots + row.firstRow);
      for (int k = 0; k < 6; ++k) view.values[block.value + k] = l[k];
    } else {
      subtractUpdates(block, 3, 3, m);
      for (int k = 0; k < 9; ++k) view.values[block.value + k] = m[k];
    }
  }

  CAIRN_HD void operator()(int item) const { make(view.items[item]); }
  CAIRN_HD void makeColumn(int node) const {
    const int first = view.nodes[node].firstBlock, end = first + view.nodes[node].blockCount;
    for (int b = first; b < end; ++b) make(b);
    for (int b = first + 1; b < end; ++b) make(~b);
  }
  CAIRN_HD void make(int index) const {
    const SystemBlock& block = view.blocks[index < 0 ? ~index : index];
    const SystemNode& row = view.nodes[block.row];
    if (!isToFactorize(view, block.row)) return;
    const SystemNode& column = view.nodes[block.column];
    const int rows = view.rowsInUse[block.row], columns = view.rowsInUse[block.column];
    if (index >= 0 && view.isPoint[block.row] != 0 && view.isPoint[block.column] != 0) {
      return block.row == block.column ? makePointBlock<true>(block, row) : makePointBlock<false>(block, row);
    }
    double* const out = view.values + block.value;
    if (index < 0) {
      return block::withRows(columns, block::Divide{view.values + view.blocks[column.firstBlock].value, out, rows, column.joint < 0 ? -1.0 : 1.0});
    }
    const bool diagonal = block.row == block.column;
    const int size = diagonal ? block::at(rows, 0) : rows * columns;
    for (int k = 0; k < size; ++k) out[k] = 0;
    addContributions(block, row, out);
    if (diagonal) addCompliance(row, rows, out);
    subtractUpdates(block, rows, columns, out);
    if (!diagonal) return;
    if (row.joint < 0) {
      for (int k = 0; k < size; ++k) out[k] = -out[k];
    }
    block::withRows(rows, block::Factorize{out, view.pivots + row.firstRow});
  }
};

// After those that lack one have theirs: others may have one that is older than the poses.
struct MarkFactorFresh {
  SystemView view;
  CAIRN_HD void operator()(int component) const {
    if (view.active[component] != 0 && lacksFactor(view.dirty[component])) view.dirty[component] = 0;
  }
};
struct MarkRowsFresh {
  SystemView view;
  CAIRN_HD void operator()(int component) const {
    if (view.active[component] != 0) view.dirty[component] &= ~kRowsStale;
  }
};

}  // namespace cairn::v0
