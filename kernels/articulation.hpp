// Articulations: the direct solve of joints that form trees. See articulation.cu.
#pragma once

#include "joint_sweep.hpp"

namespace cairn {

// A body that hangs on its parent by one joint. Nodes lie breadth first, so that the children of a node follow one another.
struct ArticulationNode {
  int body;        // slot
  int parent;      // node; -1: none, or a body that takes no impulses
  int parentBody;  // slot; -1: there is no joint above it
  int joint;       // slot; -1: a root that floats
  int childIsB;    // whether this body is the joint's B
  int firstChild, childCount;
  int tree;
};

constexpr int kArticulationRows = 6;

// What the elimination of a node leaves behind. In double: masses of many bodies add up in one number here.
struct ArticulationFactor {
  double mass[21];                       // Cholesky factor of the articulated inertia, rows of the lower triangle, inverses on the diagonal
  double response[21];                   // likewise of what an impulse at the joint does to the relative velocity there
  double across[6 * kArticulationRows];  // L^-1 J^T of the child, row after row of J
  Vec3<double> axes[kArticulationRows];  // of the locked offsets, then of the locked turns
  Vec3<double> arm, parentArm;
  double up[6], answer[kArticulationRows];  // of the solve that is under way
  double toParent[6], change[6];
  double inertiaToParent[21];
  int offsets, rows;              // of them offsets, in all
  int limits[kArticulationRows];  // the axis row of the joint that a row is; -1: a locked axis
  double moves[6];                // 0 for locked degrees of freedom of this body
};

struct ArticulationView {
  const ArticulationNode* nodes;
  ArticulationFactor* factors;
  const int* levels;      // [levelCount + 1] first node of each level, on the target
  const int* hostLevels;  // the same on the host
  int levelCount, nodeCount, widest;
  int* turned;  // [treeCount] 1: rows of the tree's joints were made anew
  int treeCount;
};

template <class T> struct ArticulationBodies {
  const JointRecord<T>* records;
  const AxisRow<T>* axisRows;
  const int* slotOfJoint;  // lane of each joint
  JointView<T> joints;
  const BodyPose<T>* poses;
  BodyVelocity<T>* velocities;
  const BodyInertia<T>* inertias;
};

// Eliminates all bodies, leaves first, at the poses as they are; or only those of trees whose rows were made anew.
template <class T> void factorArticulations(Queue& queue, const ArticulationView& view, const ArticulationBodies<T>& bodies, bool onlyTurned);
// Velocities with which no joint of a tree has an error, as `block` counts it; the impulses are added to the lanes' if it says so. Needs the factors.
// Or only those of trees that are flagged.
template <class T> void solveArticulations(Queue& queue, const ArticulationView& view, const ArticulationBodies<T>& bodies,
                                           const JointBlock<T>& block, bool onlyTurned = false);

}  // namespace cairn
