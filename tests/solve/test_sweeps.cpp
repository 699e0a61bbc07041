// Rows and sweeps: packs of CPU lanes against single lanes, bit by bit; mass splitting; the block solve against the contact law.
#include "kernels/solve/row_passes.hpp"
#include "kernels/solve/sweeps.hpp"
#include "kernels/state/integration.hpp"
#include "src/graph/contact_graph.hpp"
#include "src/rows/overflow.hpp"
#include "src/rows/rows.hpp"
#include "tests/runtime/on_each_target.hpp"
#include "tests/support/random_contacts.hpp"

#include <cstring>

namespace cairn {
namespace {

using test::OnEachTarget;
using test::RandomProblem;

// The problem on a queue, coloured and laid out as rows.
template <class T> struct Loaded {
  Buffer<BodyVelocity<T>> velocities;
  Buffer<BodyInertia<T>> inertias;
  Buffer<BodyConstants<T>> constants;
  Buffer<BodyMotion<T>> motions;
  Buffer<Manifold<T>> manifolds;
  Buffer<ManifoldImpulse<T>> warmStart, impulses;
  Buffer<ConstraintBodies> constraints;
  Buffer<uint32_t> priorities;
  PrimitiveScratch scratch;
  ContactGraph graph;
  Rows<T> rows;
  Overflow<T> overflow;
  SolveView<T> view;
  GraphView colours;

  // `byLane`: rows as single lanes read them, as on CUDA.
  Loaded(Queue& queue, const RandomProblem<T>& problem, int maxColours, bool byLane = false) {
    velocities.upload(queue, problem.velocities);
    inertias.upload(queue, problem.inertias);
    constants.upload(queue, problem.constants);
    motions.upload(queue, problem.motions);
    manifolds.upload(queue, problem.manifolds);
    warmStart.upload(queue, problem.warmStart);
    const int count = static_cast<int>(problem.manifolds.size()), bodies = static_cast<int>(problem.velocities.size());
    impulses.resize(queue, problem.manifolds.size());
    constraints.resize(queue, problem.manifolds.size());
    priorities.resize(queue, problem.manifolds.size());
    describeConstraints(queue, {manifolds.data(), nullptr, count}, constants.data(), constraints.data(), priorities.data());
    colours = graph.update(queue, scratch, {constraints.data(), priorities.data(), count, bodies}, maxColours);
    const RowView<T> layout =
        rows.build(queue, scratch, {manifolds.data(), nullptr, count}, constraints.data(), colours, nullptr, byLane ? kStripOnCuda : 0);
    view.rows = layout;
    view.overflow = overflow.build(queue, scratch, layout, TileView{}, bodies);
    view.velocities = velocities.data();
    view.inertias = inertias.data();
    view.bodySlots = bodies;
    prepareRows(queue, layout, manifolds.data(), warmStart.data(), {velocities.data(), inertias.data(), view.overflow.partCounts});
    const NormalBias<T> bias{T(240), T(48), T(0.0005), T(3), T(0.024)};
    if (!byLane) {
      updateBias(queue, layout, motions.data(), bias);
      return;
    }
    const UpdateBias<T> body{layout, reinterpret_cast<const T*>(motions.data()), bias};
    for (int slot = 0; slot < layout.tileCount * kTileLanes; ++slot) {
      if (layout.manifold[slot] >= 0) body.template at<T>(slot);
    }
  }

  void run(Queue& queue) {
    sweepImpacts(queue, view, allSweeps(2), ImpactBlock<T>{T(0.5), T(0.024)});
    sweepBegin(queue, view, BeginBlock<T>{});
    const SolveBlock<T> biased{true, T(0.9), T(0.1), T(0.024), T(1.2), 2};
    sweepFirst(queue, view, 3,
               FirstSolve<T>{biased, reinterpret_cast<const T*>(motions.data()), NormalBias<T>{T(240), T(48), T(0.0005), T(3), T(0.024)}});
    sweepSolve(queue, view, {1, 2, 3}, biased);
    sweepSolve(queue, view, allSweeps(2), SolveBlock<T>{false, T(1), T(0), T(0.024), T(1), 1});
    collectImpulses(queue, view.rows, impulses.data());
  }
};

template <class T> void expectSameBits(const std::vector<T>& a, const std::vector<T>& b) {
  ASSERT_EQ(a.size(), b.size());
  EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(T)), 0);
}

// One lane after the other, with the scalar body: what a GPU thread does.
template <class T, class Operation> void sweepByLane(const Loaded<T>& loaded, int sweeps, const Operation& operation) {
  const RowView<T>& rows = loaded.view.rows;
  const ColouredLane<T, Operation> body{rows, reinterpret_cast<T*>(loaded.view.velocities), reinterpret_cast<const T*>(loaded.view.inertias),
                                        operation};
  for (int s = 0; s < sweeps; ++s) {
    for (int slot = 0; slot < rows.tileCount * kTileLanes; ++slot) {
      if (rows.manifold[slot] >= 0) body.template at<T>(slot);
    }
  }
}

template <class T> void packsGiveTheBitsOfLanes() {
  const RandomProblem<T> problem(400, 1500, 42);
  Queue queue = makeCpuQueue(1);
  Loaded<T> packs(queue, problem, 64), lanes(queue, problem, 64, true);
  ASSERT_EQ(packs.view.rows.overflowTiles, 0);
  packs.run(queue);
  sweepByLane(lanes, 2, ImpactBlock<T>{T(0.5), T(0.024)});
  sweepByLane(lanes, 1, BeginBlock<T>{});
  const SolveBlock<T> biased{true, T(0.9), T(0.1), T(0.024), T(1.2), 2};
  const NormalBias<T> bias{T(240), T(48), T(0.0005), T(3), T(0.024)};
  sweepByLane(lanes, 1, FirstSolve<T>{biased, reinterpret_cast<const T*>(lanes.motions.data()), bias});
  sweepByLane(lanes, 2, biased);
  sweepByLane(lanes, 2, SolveBlock<T>{false, T(1), T(0), T(0.024), T(1), 1});
  collectImpulses(queue, lanes.view.rows, lanes.impulses.data());
  expectSameBits(packs.velocities.download(queue), lanes.velocities.download(queue));
  expectSameBits(packs.impulses.download(queue), lanes.impulses.download(queue));
}

TEST(Sweep, PacksGiveTheBitsOfLanes) {
  packsGiveTheBitsOfLanes<float>();
  packsGiveTheBitsOfLanes<double>();
}

// Bodies at rest with zeros of either sign, as gravity and damping leave them: a single lane whose bodies are of another level does nothing, and a
// pack must not make another zero of theirs.
template <class T> void shocksKeepTheSignsOfZeros() {
  RandomProblem<T> problem(400, 1500, 17);
  std::vector<T> levels;
  for (size_t i = 0; i < problem.velocities.size(); ++i) {
    levels.push_back(T(int(i * 7 % 5) - 1));
    BodyVelocity<T>& velocity = problem.velocities[i];
    if (i % 3 != 0) velocity.v = {T(-0.0), i % 2 == 0 ? T(-0.0) : T(0), T(-0.0)};
    if (i % 4 != 0) velocity.w = {T(0), T(-0.0), i % 2 == 0 ? T(0) : T(-0.0)};
  }
  Queue queue = makeCpuQueue(1);
  Loaded<T> packs(queue, problem, 64), lanes(queue, problem, 64, true);
  for (int level = 0; level < 2; ++level) {
    const ShockBlock<T> shock{levels.data(), T(level), T(0.024)};
    sweepShock(queue, packs.view, shock, JointShock<T>{levels.data(), T(level), {}});
    sweepByLane(lanes, 1, shock);
  }
  expectSameBits(packs.velocities.download(queue), lanes.velocities.download(queue));
  const auto after = lanes.velocities.download(queue);
  EXPECT_NE(std::memcmp(after.data(), problem.velocities.data(), after.size() * sizeof after[0]), 0);
}

TEST(Sweep, ShocksKeepTheSignsOfZeros) {
  shocksKeepTheSignsOfZeros<float>();
  shocksKeepTheSignsOfZeros<double>();
}

TEST_P(OnEachTarget, SweepsGiveTheBitsOfOneThread) {
  for (const int maxColours : {64, 3, 0}) {
    const RandomProblem<float> problem(2000, 9000, 7);
    Queue reference = makeCpuQueue(1);
    Loaded<float> expected(reference, problem, maxColours), actual(queue, problem, maxColours);
    expected.run(reference);
    actual.run(queue);
    expectSameBits(expected.velocities.download(reference), actual.velocities.download(queue));
    expectSameBits(expected.impulses.download(reference), actual.impulses.download(queue));
  }
}

TEST_P(OnEachTarget, EveryManifoldHasOneLaneAndColoursShareNoBody) {
  const RandomProblem<float> problem(300, 2000, 9);
  for (const int maxColours : {64, 5, 0}) {
    Loaded<float> loaded(queue, problem, maxColours);
    const RowView<float>& rows = loaded.view.rows;
    const auto slots = static_cast<size_t>(rows.tileCount) * kTileLanes;
    std::vector<int> manifoldOfSlot(slots), bodyA(slots), bodyB(slots);
    downloadBytes(queue, manifoldOfSlot.data(), rows.manifold, slots * sizeof(int));
    downloadBytes(queue, bodyA.data(), rows.bodyA, slots * sizeof(int));
    downloadBytes(queue, bodyB.data(), rows.bodyB, slots * sizeof(int));
    std::vector<int> seen(problem.manifolds.size(), 0);
    for (int colour = 0; colour <= rows.colourCount; ++colour) {
      std::vector<bool> taken(problem.velocities.size(), false);
      for (int slot = rows.hostColourTiles[colour] * kTileLanes; slot < rows.hostColourTiles[colour + 1] * kTileLanes; ++slot) {
        const auto i = static_cast<size_t>(slot);
        if (manifoldOfSlot[i] < 0) continue;
        ++seen[static_cast<size_t>(manifoldOfSlot[i])];
        for (const int body : {bodyA[i], bodyB[i]}) {
          if (body < 0 || colour == rows.colourCount) continue;
          EXPECT_FALSE(taken[static_cast<size_t>(body)]);
          taken[static_cast<size_t>(body)] = true;
        }
      }
    }
    for (const int count : seen) ASSERT_EQ(count, 1);
    EXPECT_EQ(rows.overflowTiles > 0, maxColours != 64);
  }
}

TEST_P(OnEachTarget, TheOverflowAloneConverges) {
  // Mass-split Jacobi must bring the residual of a random problem down, where plain Jacobi diverges.
  const RandomProblem<double> problem(60, 200, 13);
  Loaded<double> loaded(queue, problem, 0);
  sweepBegin(queue, loaded.view, BeginBlock<double>{});
  const auto change = [&](int sweeps) {
    const auto before = loaded.velocities.download(queue);
    sweepSolve(queue, loaded.view, allSweeps(sweeps), SolveBlock<double>{false, 1, 0, 0.024, 1, 1});
    const auto after = loaded.velocities.download(queue);
    double largest = 0;
    for (size_t i = 0; i < before.size(); ++i) largest = std::max(largest, length(after[i].v - before[i].v));
    return largest;
  };
  const double first = change(1);
  change(3000);
  EXPECT_LT(change(1), 1e-3 * first);
}

CAIRN_INSTANTIATE_TARGETS(OnEachTarget);

}  // namespace
}  // namespace cairn
