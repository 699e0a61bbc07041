// Articulations: joints that form trees, solved at once and exactly.
//
// Gauss-Seidel hands an impulse on by one body a sweep, and a chain of n links with a heavy end needs some n^2 times the mass ratio of them. A tree
// of bodies has an elimination without fill-in instead (Baraff, "Linear-Time Dynamics using Lagrange Multipliers", 1996; the articulated inertia of
// Featherstone, "Robot Dynamics Algorithms", 1987, in maximal coordinates): from the leaves up, each body and the joint above it are eliminated and
// leave their inertia on the parent; from the roots down, each body learns its velocity. With M the inertia of a body, J its rows of the joint above,
// P the parent's rows, r what the relative velocity lacks:
//   up:    D = J M^-1 J^T,   z = D^-1 (r - J M^-1 p),   M_parent += P^T D^-1 P,   p_parent += P^T z
//   down:  lambda = z - D^-1 P v_parent,   v = M^-1 (p + J^T lambda)
// v are changes of velocity, so that solving again refines the answer. Bodies of a level do not see each other: levels run in sequence, their bodies
// in any order, and a parent adds up its children in their order. Bodies with a loop among them are left to the sweeps (src/articulation.cpp).
#include "articulation.hpp"

#include "joint_math.hpp"
#include "launch.hpp"
#include "level_launch.hpp"

namespace cairn {
namespace {

CAIRN_HD inline int at(int row, int column) { return row * (row + 1) / 2 + column; }

// In place; the diagonal holds inverses, zero where the rows before leave less than a part `least` of a pivot: such a direction gets no answer.
template <int n> CAIRN_HD inline void factorizeOf(double* m, double least) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) {
      double sum = m[at(i, j)];
      for (int k = 0; k < j; ++k) sum -= m[at(i, k)] * m[at(j, k)];
      m[at(i, j)] = sum * m[at(j, j)];
    }
    const double whole = m[at(i, i)];
    double sum = whole;
    for (int k = 0; k < i; ++k) sum -= m[at(i, k)] * m[at(i, k)];
    m[at(i, i)] = sum > least * whole && whole > 0 ? 1 / squareRoot(sum) : 0;
  }
}
// x := L^-1 x, and x := L^-T x.
template <int n> CAIRN_HD inline void forwardOf(const double* l, double* x) {
  for (int i = 0; i < n; ++i) {
    double sum = x[i];
    for (int k = 0; k < i; ++k) sum -= l[at(i, k)] * x[k];
    x[i] = sum * l[at(i, i)];
  }
}
template <int n> CAIRN_HD inline void backwardOf(const double* l, double* x) {
  for (int i = n - 1; i >= 0; --i) {
    double sum = x[i];
    for (int k = i + 1; k < n; ++k) sum -= l[at(k, i)] * x[k];
    x[i] = sum * l[at(i, i)];
  }
}

template <int n> CAIRN_HD inline void solveOf(const double* l, double* x) {
  forwardOf<n>(l, x);
  backwardOf<n>(l, x);
}
// D^-1 x: loops of a size that the compiler knows. Most joints have 3, 5 or 6 rows.
CAIRN_HD inline void solveResponse(const ArticulationFactor& f, double* x) {
  switch (f.rows) {
    case 3:
      return solveOf<3>(f.response, x);
    case 5:
      return solveOf<5>(f.response, x);
    case 6:
      return solveOf<6>(f.response, x);
    case 1:
      return solveOf<1>(f.response, x);
    case 2:
      return solveOf<2>(f.response, x);
    default:
      return solveOf<4>(f.response, x);
  }
}

CAIRN_HD inline void put(double* out, Vec3<double> linear, Vec3<double> angular) {
  out[0] = linear.x;
  out[1] = linear.y;
  out[2] = linear.z;
  out[3] = angular.x;
  out[4] = angular.y;
  out[5] = angular.z;
}

// Row k of a body's side of the joint, whose point lies at `arm`; zero along what the body cannot do.
CAIRN_HD inline void rowOf(const ArticulationFactor& f, int k, Vec3<double> arm, const double* moves, double out[6]) {
  const Vec3<double> none{0, 0, 0};
  if (k < f.offsets) {
    put(out, f.axes[k], cross(arm, f.axes[k]));
  } else {
    put(out, none, f.axes[k]);
  }
  for (int d = 0; d < 6; ++d) out[d] *= moves[d];
}

// A joint's axis rows in its lane.
template <class T> struct LaneRows {
  T* fields;
  int strip;

  CAIRN_HD LaneRows(const ArticulationBodies<T>& bodies, int joint)
      : fields(jointLaneFields(bodies.joints, bodies.slotOfJoint[joint], bodies.joints.strip)), strip(bodies.joints.strip) {}
  CAIRN_HD T& at(int row, int field) const { return fields[(kJointFields + row * kAxisFields + field) * strip]; }
  CAIRN_HD Vec3<T> vector(int row, int field) const { return {at(row, field), at(row, field + 1), at(row, field + 2)}; }
  // A limit that has been reached and pushes takes part as if it were locked: what the trees' solve left out, it would undo. Of offsets and of single
  // turns: several turns' limits of one joint may ask for what cannot be had together, which only sweeps can weigh.
  CAIRN_HD int strongest(const ArticulationBodies<T>& bodies, const JointRecord<T>& j) const {
    int found = -1;
    T most = T(0);
    for (int r = 0; r < j.rowCount; ++r) {
      if (bodies.axisRows[j.firstRow + r].kind != kLimitRow || at(r, kAxisPlainBias) > T(0) || !(at(r, kAxisImpulse) > most)) continue;
      if (bodies.axisRows[j.firstRow + r].axis >= 3 && joint::countBits(j.lockedAngular) != 2) continue;
      most = at(r, kAxisImpulse);
      found = r;
    }
    return found;
  }
};

template <class T> struct FactorNode {
  ArticulationView view;
  ArticulationBodies<T> bodies;
  bool onlyTurned;

  // Inertia of the body by itself. Locked degrees of freedom count as 1 and meet no row.
  CAIRN_HD void ownInertia(int body, ArticulationFactor& f) const {
    const BodyVelocity<T>& u = bodies.velocities[body];
    const BodyInertia<T>& i = bodies.inertias[body];
    const double inverse[3] = {double(u.invMassX), double(u.invMassY), double(i.invMassZ)};
    Sym3<double> turn{double(i.invInertia.xx), double(i.invInertia.yy), double(i.invInertia.zz),
                      double(i.invInertia.xy), double(i.invInertia.xz), double(i.invInertia.yz)};
    double* diagonal[3] = {&turn.xx, &turn.yy, &turn.zz};
    for (int k = 0; k < 3; ++k) {
      f.moves[k] = inverse[k] > 0 ? 1 : 0;
      f.moves[3 + k] = *diagonal[k] > 0 ? 1 : 0;
      if (!(*diagonal[k] > 0)) *diagonal[k] = 1;
    }
    const Sym3<double> inertia = cairn::inverse(turn);
    for (double& each : f.mass) each = 0;
    for (int k = 0; k < 3; ++k) f.mass[at(k, k)] = inverse[k] > 0 ? 1 / inverse[k] : 1;
    f.mass[at(3, 3)] = inertia.xx;
    f.mass[at(4, 3)] = inertia.xy;
    f.mass[at(4, 4)] = inertia.yy;
    f.mass[at(5, 3)] = inertia.xz;
    f.mass[at(5, 4)] = inertia.yz;
    f.mass[at(5, 5)] = inertia.zz;
  }

  CAIRN_HD void jointRows(const ArticulationNode& node, ArticulationFactor& f) const {
    const JointRecord<T>& j = bodies.records[node.joint];
    const joint::Frames<T> frames = joint::framesOf(j, bodies.poses[j.bodyA], bodies.poses[j.bodyB]);
    const Mat3<T> a = rotationMatrix(frames.qA), b = rotationMatrix(frames.qB);
    const joint::Directions<T> offsets = joint::lockedOffsets(j.lockedLinear, a), turns = joint::lockedTurns(j.lockedAngular, a, b);
    f.rows = 0;
    const auto add = [&f](Vec3<T> axis, int limit) {
      f.axes[f.rows] = convert<double>(axis);
      f.limits[f.rows++] = limit;
    };
    const LaneRows<T> lane(bodies, node.joint);
    for (int k = 0; k < offsets.count; ++k) add(offsets.d[k], -1);
    const int limit = lane.strongest(bodies, j);
    const bool ofTurn = limit >= 0 && bodies.axisRows[j.firstRow + limit].axis >= 3;
    if (limit >= 0 && !ofTurn) add(lane.vector(limit, kAxisLinear), limit);
    f.offsets = f.rows;
    for (int k = 0; k < turns.count; ++k) add(turns.d[k], -1);
    if (ofTurn) add(lane.vector(limit, kAxisAngularB), limit);
    const Vec3<double> armA = convert<double>(frames.armA + frames.offset), armB = convert<double>(frames.armB);
    f.arm = node.childIsB != 0 ? armB : armA;
    f.parentArm = node.childIsB != 0 ? armA : armB;
  }

  CAIRN_HD void operator()(int index) const {
    const ArticulationNode& node = view.nodes[index];
    if (onlyTurned && view.turned[node.tree] == 0) return;
    ArticulationFactor& f = view.factors[index];
    ownInertia(node.body, f);
    for (int c = node.firstChild; c < node.firstChild + node.childCount; ++c) {
      for (int k = 0; k < 21; ++k) f.mass[k] += view.factors[c].inertiaToParent[k];
    }
    factorizeOf<6>(f.mass, 1e-14);
    f.rows = f.offsets = 0;
    if (node.joint < 0) return;
    jointRows(node, f);
    switch (f.rows) {
      case 3:
        return eliminate<3>(node, f);
      case 5:
        return eliminate<5>(node, f);
      case 6:
        return eliminate<6>(node, f);
      case 1:
        return eliminate<1>(node, f);
      case 2:
        return eliminate<2>(node, f);
      default:
        return eliminate<4>(node, f);
    }
  }

  template <int n> CAIRN_HD void eliminate(const ArticulationNode& node, ArticulationFactor& f) const {
    for (int k = 0; k < n; ++k) {
      double* column = f.across + 6 * k;
      rowOf(f, k, f.arm, f.moves, column);
      forwardOf<6>(f.mass, column);
      for (int i = 0; i <= k; ++i) {
        double sum = 0;
        for (int d = 0; d < 6; ++d) sum += f.across[6 * i + d] * column[d];
        f.response[at(k, i)] = sum;
      }
    }
    factorizeOf<n>(f.response, 1e-9);
    if (node.parent < 0) return;
    // P^T D^-1 P = X^T X with X = L_D^-1 P, a column of P at a time. What the parent cannot do takes no rows.
    const BodyVelocity<T>& u = bodies.velocities[node.parentBody];
    const BodyInertia<T>& i = bodies.inertias[node.parentBody];
    const double moves[6] = {u.invMassX > T(0) ? 1.0 : 0.0,      u.invMassY > T(0) ? 1.0 : 0.0,      i.invMassZ > T(0) ? 1.0 : 0.0,
                             i.invInertia.xx > T(0) ? 1.0 : 0.0, i.invInertia.yy > T(0) ? 1.0 : 0.0, i.invInertia.zz > T(0) ? 1.0 : 0.0};
    double rows[6][n];
    for (int k = 0; k < n; ++k) {
      double row[6];
      rowOf(f, k, f.parentArm, moves, row);
      for (int d = 0; d < 6; ++d) rows[d][k] = row[d];
    }
    for (int d = 0; d < 6; ++d) forwardOf<n>(f.response, rows[d]);
    for (int r = 0; r < 6; ++r) {
      for (int c = 0; c <= r; ++c) {
        double sum = 0;
        for (int k = 0; k < n; ++k) sum += rows[r][k] * rows[c][k];
        f.inertiaToParent[at(r, c)] = sum;
      }
    }
  }
};

template <class T> struct SolveUp {
  ArticulationView view;
  ArticulationBodies<T> bodies;
  JointBlock<T> block;
  bool onlyTurned;

  CAIRN_HD LaneBody<T> body(int slot) const { return loadBody(bodies.velocities[slot], bodies.inertias[slot]); }
  // What the speed of a limit's row is off by.
  CAIRN_HD T missing(const LaneRows<T>& lane, int row, const LaneBody<T>& a, const LaneBody<T>& b) const {
    const T u = dot(lane.vector(row, kAxisLinear), b.v - a.v) + dot(lane.vector(row, kAxisAngularB), b.w) - dot(lane.vector(row, kAxisAngularA), a.w);
    if (!block.store) return u;
    return u + lane.at(row, block.biased ? kAxisBias : kAxisPlainBias);
  }
  CAIRN_HD void operator()(int index) const {
    const ArticulationNode& node = view.nodes[index];
    if (onlyTurned && view.turned[node.tree] == 0) return;
    ArticulationFactor& f = view.factors[index];
    for (double& each : f.up) each = 0;
    for (int c = node.firstChild; c < node.firstChild + node.childCount; ++c) {
      for (int d = 0; d < 6; ++d) f.up[d] += view.factors[c].toParent[d];
    }
    for (int d = 0; d < 6; ++d) f.up[d] *= f.moves[d];
    forwardOf<6>(f.mass, f.up);
    if (node.joint < 0) return;
    const JointRecord<T>& j = bodies.records[node.joint];
    const LaneBody<T> a = body(j.bodyA), b = body(j.bodyB);
    const int slot = bodies.slotOfJoint[node.joint];
    const T* const lane = jointLaneFields(bodies.joints, slot, bodies.joints.strip);
    const int strip = bodies.joints.strip;
    const auto get = [lane, strip](int field) { return Vec3<T>{lane[field * strip], lane[(field + 1) * strip], lane[(field + 2) * strip]}; };
    const Vec3<T> offset = block.offsetSpeed(a, b, get(kJointArmA), get(kJointArmB), get(kJointOffset));
    const Vec3<T> turn = f.rows > f.offsets ? block.turnSpeed(a, b, get(kJointTurn)) : Vec3<T>{T(0), T(0), T(0)};
    const double sign = node.childIsB != 0 ? -1 : 1;
    const LaneRows<T> limits(bodies, node.joint);
    for (int k = 0; k < f.rows; ++k) {
      double sum =
          f.limits[k] < 0 ? sign * dot(f.axes[k], convert<double>(k < f.offsets ? offset : turn)) : sign * double(missing(limits, f.limits[k], a, b));
      for (int d = 0; d < 6; ++d) sum -= f.across[6 * k + d] * f.up[d];
      f.answer[k] = sum;
    }
    solveResponse(f, f.answer);
    if (node.parent < 0) return;
    Vec3<double> linear{0, 0, 0}, angular = linear;
    for (int k = 0; k < f.rows; ++k) (k < f.offsets ? linear : angular) += f.answer[k] * f.axes[k];
    put(f.toParent, -linear, -(angular + cross(f.parentArm, linear)));
  }
};

template <class T> struct SolveDown {
  ArticulationView view;
  ArticulationBodies<T> bodies;
  bool store, onlyTurned;

  CAIRN_HD void operator()(int index) const {
    const ArticulationNode& node = view.nodes[index];
    if (onlyTurned && view.turned[node.tree] == 0) return;
    ArticulationFactor& f = view.factors[index];
    if (node.joint >= 0) {
      double correction[kArticulationRows];
      if (node.parent >= 0) {
        const ArticulationFactor& p = view.factors[node.parent];
        const Vec3<double> v{p.change[0], p.change[1], p.change[2]}, w{p.change[3], p.change[4], p.change[5]};
        const Vec3<double> there = v + cross(w, f.parentArm);
        for (int k = 0; k < f.rows; ++k) correction[k] = -dot(f.axes[k], k < f.offsets ? there : w);
        solveResponse(f, correction);
        for (int k = 0; k < f.rows; ++k) f.answer[k] -= correction[k];
      }
      for (int k = 0; k < f.rows; ++k) {
        for (int d = 0; d < 6; ++d) f.up[d] += f.across[6 * k + d] * f.answer[k];
      }
      if (store) addImpulse(node, f);
    }
    for (int d = 0; d < 6; ++d) f.change[d] = f.up[d];
    backwardOf<6>(f.mass, f.change);
    for (int d = 0; d < 6; ++d) f.change[d] *= f.moves[d];
    BodyVelocity<T>& u = bodies.velocities[node.body];
    u.v += Vec3<T>{T(f.change[0]), T(f.change[1]), T(f.change[2])};
    u.w += Vec3<T>{T(f.change[3]), T(f.change[4]), T(f.change[5])};
  }

  CAIRN_HD void addImpulse(const ArticulationNode& node, const ArticulationFactor& f) const {
    Vec3<double> linear{0, 0, 0}, angular = linear;
    const double sign = node.childIsB != 0 ? 1 : -1;
    const LaneRows<T> limits(bodies, node.joint);
    for (int k = 0; k < f.rows; ++k) {
      if (f.limits[k] < 0) {
        (k < f.offsets ? linear : angular) += (sign * f.answer[k]) * f.axes[k];
      } else {
        T& impulse = limits.at(f.limits[k], kAxisImpulse);
        impulse = maxOf(impulse + T(sign * f.answer[k]), T(0));
      }
    }
    T* const lane = jointLaneFields(bodies.joints, bodies.slotOfJoint[node.joint], bodies.joints.strip);
    const int strip = bodies.joints.strip;
    const double all[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
    for (int k = 0; k < 6; ++k) lane[(kJointLinear + k) * strip] += T(all[k]);
  }
};

NodeLevels levelsOf(const ArticulationView& view) { return {view.levels, view.hostLevels, view.levelCount, view.nodeCount, view.widest}; }

}  // namespace

template <class T> void factorArticulations(Queue& queue, const ArticulationView& view, const ArticulationBodies<T>& bodies, bool onlyTurned) {
  overLevels(queue, "articulation/factor", levelsOf(view), FactorNode<T>{view, bodies, onlyTurned}, true);
}

template <class T> void solveArticulations(Queue& queue, const ArticulationView& view, const ArticulationBodies<T>& bodies,
                                           const JointBlock<T>& block, bool onlyTurned) {
  overLevels(queue, "articulation/up", levelsOf(view), SolveUp<T>{view, bodies, block, onlyTurned}, true);
  overLevels(queue, "articulation/down", levelsOf(view), SolveDown<T>{view, bodies, block.store, onlyTurned}, false);
}

#define CAIRN_INSTANTIATE(T)                                                                              \
  template void factorArticulations(Queue&, const ArticulationView&, const ArticulationBodies<T>&, bool); \
  template void solveArticulations(Queue&, const ArticulationView&, const ArticulationBodies<T>&, const JointBlock<T>&, bool);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn
