// The direct solve of joints: their equations as one sparse system, factorised block by block. See joint_system.cu.
#pragma once

#include "kernels/joints/joint_sweep.hpp"

namespace cairn::v0 {

constexpr int kSystemRows = 6;        // most rows of a node
constexpr int64_t kNodeGrain = 1024;  // a node's work is some 0.1 us
constexpr int kSystemWords = 3;       // of the launch form (sequence_launch.hpp)
// Compliance of impulses in components with a loop, as a part of the row's diagonal of A.
constexpr double kLoopCompliance = 3e-4;

// An unknown of the system and its column of the factor: the impulses of a joint, or the change of velocity of a body with many joints. Nodes lie in
// an order of their elimination in which each comes after those that it needs.
struct SystemNode {
  int joint;                   // slot; -1: the node is a body's
  int body;                    // slot of that body; else -1
  int holdsPoint;              // 1: the joint has all translations locked, and nothing else
  int rows;                    // 1..6: a joint's locked axes, and its limits as far as there is room
  int component;               // bodies that hang together by joints
  int firstRow;                // in vectors
  int firstBlock, blockCount;  // its column: the diagonal, then the blocks below in ascending rows
  int firstOfRow, countOfRow;  // in rowBlocks: the blocks left of the diagonal, as nodesByLevel or, without packs, memory has their columns
};
struct SystemBlock {
  int row, column;  // nodes
  int64_t value;    // first of rows(row) * rows(column) numbers, row after row; of a diagonal the lower triangle, packed
  int firstContribution, contributionCount;
  int64_t firstUpdate;
  int updateCount, spare;
};
// A body's contribution to a block of A: two nodes, or a node with itself, depend on each other by the body. Sides: 1, it is the joint's B; 0, the
// joint's A; -1, the node is the body.
struct SystemContribution {
  int body, sideOfRow, sideOfColumn;
};
// Blocks of one column k: row i's and row j's, whose product goes off block (i, j).
struct SystemUpdate {
  int left, right;
};
// One row of J: +(linear, onB) on B and -(linear, onA) on A.
struct SystemRow {
  Vec3<double> linear, onA, onB;
};

// The arms of a point joint, which holds a point of one body to one of the other and nothing else: its rows are the world's axes, and need no more.
struct SystemArms {
  Vec3<double> onA, onB;  // from the centres of mass
};

// What a component lacks as its bodies have moved, as bits. Without rows its equations say something else. A factor serves a little longer: errors
// are those of the poses as they are, and it only says in which direction to go.
enum StaleEquations : int {
  kFactorStale = 1,  // no longer serves, and neither do its rows
  kRowsStale = 2,
  kFactorOlder = 4  // than the poses, and serves until the step ends: as it begins the factor is that of its poses
};

// Levels of one component after those of another.
struct ComponentLevelsView {
  const int* list;
  const int* starts;      // in the list: of each component its levels' begins, and the end of its last one
  const int* firstStart;  // [componentCount + 1] in the starts
};
// What each component has, for those that are solved apart from each other.
struct ComponentsView {
  ComponentLevelsView items, nodes;
  const int* firstBody;  // [componentCount + 1] in bodies
  const int* bodies;     // places in SystemView::bodies
  int widestLevel;       // the most items of a level of a component; 0: there are no such lists
  int most;              // the most of those, of the nodes and of the bodies of a component
};

// Columns of the factor side by side, or one by itself, in the order in which a CPU's single thread substitutes: level after level. See
// column_packs.hpp.
struct ColumnPack {
  int columns;      // of joints with three rows each; 0: one column by itself
  int below;        // blocks below the diagonal, of the columns that have most
  int firstSource;  // in sources; -1: the columns are made one by one
  int firstNode;    // in nodes: `columns` of them; of one by itself the node
  int firstRow;     // in rows: for each of kPackColumns the node's place in vectors, then that of each block's row. Places without a column repeat
                    // another
  int64_t value;    // in values: kPackColumns times numbersOfColumn(below)
};
struct ColumnPacksView {
  const ColumnPack* packs;
  const int *nodes, *rows, *sources;
  double* values;
  double* forward;  // [count * kPackColumns * kPackRows] the columns' unknowns between the two substitutions
  int count;        // 0: columns go as they lie in memory
};

// Bodies side by side: see body_packs.hpp.
struct BodyPacksView {
  const int* starts;  // in sources, of each kPackBodies bodies that follow each other; -1: one by one
  const int* sources;
};

struct SystemView {
  // --- structure ---
  const SystemNode* nodes;
  const SystemBlock* blocks;
  const SystemContribution* contributions;
  const SystemUpdate* updates;
  const int* rowBlocks;
  const int* items;  // of the factorization: a block, or ~block where an eliminated column's is divided by its pivot
  const int* itemLevels;
  const int* hostItemLevels;
  const int* nodesByLevel;
  const int* nodeLevels;  // in those
  const int* hostNodeLevels;
  const int* bodies;           // [bodyCount] slots of the bodies that take impulses
  const int* bodyOffsets;      // [bodyCount + 1] into
  const int* bodySides;        // 2 node + side, ascending
  const int* componentOfBody;  // by slot; -1: none
  const int* nodeOfJoint;      // by slot; -1: none
  const int* loops;            // [componentCount] 1: there are more joints than a tree of its bodies has
  ComponentsView components;   // on devices
  ColumnPacksView packs;       // on a CPU
  BodyPacksView bodyPacks;     // on a CPU
  int itemLevelCount, widestItemLevel, itemCount;
  int nodeLevelCount, widestNodeLevel, nodeCount;
  int bodyCount, componentCount;
  bool limited;  // some node has rows for limits
  bool looped;   // some component has a loop
  bool plain;    // all nodes are joints that hold a point and nothing else, without limits or loops
  // --- numbers ---
  double* values;    // the factor's blocks
  double* vector;    // right-hand side, then the answer
  double* pivots;    // by row: the diagonal before anything was eliminated
  SystemRow* rows;   // by row
  int* rowsInUse;    // [nodeCount] locked axes and active limits
  int* isPoint;      // [nodeCount] 1: those are the locked axes of a joint that holds a point, and no limit is among them
  SystemArms* arms;  // [nodeCount] of point joints, instead of rows
  int* limits;       // by row: the axis row of the joint that it is, an active limit; -1: none
  int* deactivated;  // by row: 1, that limit gives back what it has pushed
  // --- flags of components: 0 or not ---
  int* dirty;          // [componentCount] StaleEquations
  int* active;         // [componentCount] the next solve is to act on it
  int* found;          // [componentCount] ComponentNotes: what this step has found out
  int* limitsChanged;  // [componentCount] active limits are others now; zero between solves
  int* words;          // [kSystemWords] what a launch tells itself
};

CAIRN_HD inline bool lacksFactor(int stale) { return (stale & kFactorStale) != 0; }
CAIRN_HD inline bool lacksRows(int stale) { return (stale & (kFactorStale | kRowsStale)) != 0; }

// Whether the next solve makes a node's part of the factor.
CAIRN_HD inline bool isToFactorize(const SystemView& view, int node) {
  const int component = view.nodes[node].component;
  return view.active[component] != 0 && lacksFactor(view.dirty[component]);
}

CAIRN_HD inline SystemRow rowOf(const SystemView& view, int node, int k) {
  if (view.isPoint[node] == 0) return view.rows[view.nodes[node].firstRow + k];
  const Vec3<double> d{k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0};
  return {d, cross(view.arms[node].onA, d), cross(view.arms[node].onB, d)};
}

template <class T> struct SystemBodies {
  const JointRecord<T>* records;
  const AxisRow<T>* axisRows;
  const int* laneOfJoint;  // by joint slot
  JointView<T> joints;
  const BodyPose<T>* poses;
  BodyVelocity<T>* velocities;
  const BodyInertia<T>* inertias;
};

// The components that a solve acts on, of those that are awake: all; those that are not in contact; those that have a loop, turn fast
// or have been stiffened.
enum class SystemPart : int { All, OutOfContact, Delicate };

// A component whose bodies turn by no more than this a substep [rad], on average since the step began, turns slowly. With 0.2 a whirled chain came
// apart.
constexpr double kSlowTurn = 0.01;

void markAllDirty(Queue& queue, const SystemView& view);  // factors and rows
// The bodies have moved, for so many substeps since the step began: rows are stale, and factors of components in which a body has turned by more than
// kStaleRotation. Notes those that turn fast.
template <class T> void markMoved(Queue& queue, const SystemView& view, int bodySlots, const BodyMotion<T>* motions, int substeps);
void markOlderDirty(Queue& queue, const SystemView& view);  // factors that are older than the poses
template <class T> void findInContact(Queue& queue, const SystemView& view, const ManifoldView<T>& manifolds);
// Velocities with which no joint of those components has an error, as `block` counts it; the impulses are added to the lanes' if it says so. Factors
// that are dirty are made first, at the poses and inertias as they are. Further solves, as many as are asked for, act on the components in which a
// joint would still be off target (joint_convergence.hpp), and end where there are none. On CUDA all of it is one launch.
template <class T> void solveJointSystem(Queue& queue, const SystemView& view, const SystemBodies<T>& bodies, const JointBlock<T>& block,
                                         SystemPart part, int solves = 1);

}  // namespace cairn::v0
