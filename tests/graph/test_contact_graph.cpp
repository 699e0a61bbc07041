#include "src/graph/contact_graph.hpp"
#include "src/graph/contact_levels.hpp"
#include "tests/graph/plain_colouring.hpp"
#include "tests/runtime/on_each_target.hpp"

#include <algorithm>
#include <queue>
#include <random>
#include <set>

namespace cairn {
namespace {

using test::OnEachTarget;

struct Graph {
  int bodies = 0;
  std::vector<ConstraintBodies> constraints;
  std::vector<uint32_t> priorities;
  int bodiesEach = 0;  // as in ConstraintGraph
  bool cold = false;   // likewise

  void add(int a, int b) { constraints.push_back({a, b}); }
  void prioritize(uint64_t seed) {
    std::mt19937 random(static_cast<uint32_t>(seed));
    priorities.clear();
    for (size_t i = 0; i < constraints.size(); ++i) priorities.push_back(random() % (seed % 3 == 0 ? 50 : 0xffffffffu));  // ties too
  }
  int maxDegree() const {
    std::vector<int> degrees(static_cast<size_t>(bodies), 0);
    int most = 0;
    for (const ConstraintBodies& c : constraints) {
      for (const int body : {c.bodyA, c.bodyB}) {
        if (body >= 0) most = std::max(most, ++degrees[static_cast<size_t>(body)]);
      }
    }
    return most;
  }
};

Graph randomGraph(int bodies, int constraints, uint64_t seed, bool parallelEdges) {
  std::mt19937_64 random(seed);
  Graph graph;
  graph.bodies = bodies;
  std::set<std::pair<int, int>> seen;
  for (int tries = 0; static_cast<int>(graph.constraints.size()) < constraints && tries < 20 * constraints; ++tries) {
    int a = static_cast<int>(random() % static_cast<uint64_t>(bodies)), b = static_cast<int>(random() % static_cast<uint64_t>(bodies));
    if (a == b) continue;
    if (a > b) std::swap(a, b);
    if (!parallelEdges && !seen.insert({a, b}).second) continue;
    graph.add(a, a % 7 == 3 ? ~b : b);  // some ends take no impulse
  }
  graph.prioritize(seed);
  return graph;
}

Graph complete(int bodies) {
  Graph graph;
  graph.bodies = bodies;
  for (int a = 0; a < bodies; ++a) {
    for (int b = a + 1; b < bodies; ++b) graph.add(a, b);
  }
  graph.prioritize(static_cast<uint64_t>(bodies));
  return graph;
}

// One body under many others, some of which touch each other too. `hub`: its slot; the first or the last, so that it is A or B of its constraints.
Graph plateUnder(int others, int between, bool hubIsA, uint64_t seed) {
  std::mt19937_64 random(seed);
  Graph graph;
  graph.bodies = others + 1;
  const int hub = hubIsA ? 0 : others, first = hubIsA ? 1 : 0;
  const auto other = [&] { return first + static_cast<int>(random() % static_cast<uint64_t>(others)); };
  for (int i = 0; i < others; ++i) graph.add(hubIsA ? hub : first + i, hubIsA ? first + i : hub);
  for (int i = 0; i < between; ++i) {
    const int a = other(), b = other();
    if (a != b) graph.add(std::min(a, b), std::max(a, b));
  }
  graph.prioritize(seed);
  return graph;
}

// Chains of bodies that two colours are enough for, each with one constraint that greedy leaves over: it colours both ends alike first and goes on
// from one of them, so that in the middle of an even number of constraints no colour is left.
Graph chainsWithOneLeftOver(int chains, int constraints) {
  Graph graph;
  for (int chain = 0; chain < chains; ++chain) {
    for (int k = 0; k < constraints; ++k) {
      graph.add(graph.bodies + k, graph.bodies + k + 1);
      const int fromTheEnd = k < constraints / 2 ? k : constraints - 1 - k;
      graph.priorities.push_back(static_cast<uint32_t>(1000000 * (constraints - fromTheEnd) + (chain * 7919 % 1000) * 1000 + k));
    }
    graph.bodies += constraints + 1;
  }
  return graph;
}

// One path after the other, each through so many bodies; rings are closed. They go through the bodies in any order.
Graph paths(int count, int bodies, bool ring, uint64_t seed) {
  std::mt19937_64 random(seed);
  Graph graph;
  std::vector<int> order(static_cast<size_t>(bodies));
  for (int path = 0; path < count; ++path) {
    for (size_t k = 0; k < order.size(); ++k) order[k] = graph.bodies + static_cast<int>(k);
    std::shuffle(order.begin(), order.end(), random);
    for (size_t k = 0; k + (ring ? 0 : 1) < order.size(); ++k) {
      const int a = order[k], b = order[(k + 1) % order.size()];
      graph.add(std::min(a, b), std::max(a, b));
    }
    if (!ring) graph.add(order[0], ~order.back());  // on what does not move
    graph.bodies += bodies;
  }
  graph.prioritize(seed);
  return graph;
}

// Three colours, and a constraint from u to v that finds none: u has 0 and 1, v has 2. Its repair swaps 0 and 2 along a path from u with so many
// pairs of constraints.
void addLongRepair(Graph& graph, int pairs) {
  const auto body = [&graph] { return graph.bodies++; };
  const auto add = [&graph](int colour, int a, int b) {
    graph.add(a, b);
    graph.priorities.push_back(static_cast<uint32_t>(3 - colour));  // as greedy gives it; 3: none
  };
  const int u = body(), v = body(), besideV = body(), onPath = body(), offPath = body(), beyond = body();
  add(0, u, onPath);
  add(1, u, offPath);
  add(0, beyond, body());
  add(2, offPath, beyond);
  int end = onPath;
  for (int k = 0; k < pairs; ++k) {
    const int first = body(), second = body();
    add(0, first, second);
    add(1, first, body());
    add(2, end, first);
    end = second;
  }
  add(0, besideV, body());
  add(1, besideV, body());
  add(2, v, besideV);
  add(3, u, v);
}

struct Coloured {
  GraphView view;
  GraphScalars scalars{};
  std::vector<int> colours;
};

class ContactGraphTest : public OnEachTarget {
 protected:
  Coloured colour(const Graph& graph, int maxColours, GraphBuilder builder) {
    constraints_.upload(queue, graph.constraints);
    priorities_.upload(queue, graph.priorities);
    const int count = static_cast<int>(graph.constraints.size());
    Coloured result;
    ConstraintGraph edges{constraints_.data(), priorities_.data(), count, graph.bodies};
    edges.bodiesEach = graph.bodiesEach;
    edges.cold = graph.cold;
    result.view = graph_.update(queue, scratch_, edges, maxColours, nullptr, builder);
    downloadBytes(queue, &result.scalars, result.view.scalars, sizeof result.scalars);
    result.colours.resize(graph.constraints.size());
    downloadBytes(queue, result.colours.data(), result.view.colours, result.colours.size() * sizeof(int));
    return result;
  }

  // Both builders give the colours that the plain repair arrives at.
  void checkAgainstPlain(const Graph& graph, int maxColours) {
    const test::PlainColouring plain(graph.constraints, graph.priorities, graph.bodies, maxColours);
    EXPECT_EQ(colour(graph, maxColours, GraphBuilder::Device).colours, plain.colours);
    if (queue.target == Target::Cpu) {
      EXPECT_EQ(colour(graph, maxColours, GraphBuilder::Host).colours, plain.colours);
    }
  }

  // Proper, within the bound, counted right; on the CPU both builders alike to the letter.
  void check(const Graph& graph, int maxColours, bool overflowAllowed) {
    const Coloured device = colour(graph, maxColours, GraphBuilder::Device);
    const int maxDegree = graph.maxDegree();
    EXPECT_EQ(device.scalars.maxDegree, maxDegree);
    EXPECT_LE(device.view.colourCount, std::min(maxColours, maxDegree + 1 + (maxDegree < 8 ? 0 : maxDegree / 4)));
    std::set<std::pair<int, int>> taken;
    int overflow = 0;
    for (size_t i = 0; i < graph.constraints.size(); ++i) {
      const int c = device.colours[i];
      if (c == kOverflowColour) {
        ++overflow;
        continue;
      }
      ASSERT_GE(c, 0);
      ASSERT_LT(c, device.view.colourCount);
      for (const int body : {graph.constraints[i].bodyA, graph.constraints[i].bodyB}) {
        if (body >= 0) {
          ASSERT_TRUE(taken.insert({body, c}).second) << "two of colour " << c << " at body " << body;
        }
      }
    }
    EXPECT_EQ(device.scalars.overflowCount, overflow);
    if (!overflowAllowed) {
      EXPECT_EQ(overflow, 0);
    }

    Queue host = makeCpuQueue(1);
    PrimitiveScratch primitives;
    HostColouring scratch;
    std::vector<int> expected(graph.constraints.size());
    const GraphScalars scalars = colourOnHost(
        host, primitives, scratch, {graph.constraints.data(), graph.priorities.data(), static_cast<int>(graph.constraints.size()), graph.bodies},
        maxColours, expected.data());
    EXPECT_EQ(device.colours, expected);
    EXPECT_EQ(scalars.colourCount, device.view.colourCount);
    EXPECT_EQ(scalars.overflowCount, device.scalars.overflowCount);
  }

  PrimitiveScratch scratch_;
  ContactGraph graph_;
  Buffer<ConstraintBodies> constraints_;
  Buffer<uint32_t> priorities_;
};

TEST_P(ContactGraphTest, SimpleGraphsNeedFewMoreColoursThanTheLargestDegree) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const int bodies = 5 + static_cast<int>(seed * 7 % 200);
    check(randomGraph(bodies, bodies * static_cast<int>(1 + seed % 8), seed, false), 64, false);
  }
}

TEST_P(ContactGraphTest, CompleteGraphs) {
  // Greedy alone wants far more colours than Vizing's bound, and more than it may have.
  for (int bodies = 2; bodies <= 40; ++bodies) check(complete(bodies), 64, false);
}

TEST_P(ContactGraphTest, StarsAndChains) {
  Graph star;
  star.bodies = 61;
  for (int i = 1; i <= 60; ++i) star.add(0, i);
  star.prioritize(1);
  check(star, 64, false);
  Graph chain;
  chain.bodies = 5000;
  for (int i = 0; i + 1 < chain.bodies; ++i) chain.add(i, i + 1);
  chain.prioritize(2);
  check(chain, 64, false);
  Graph hub;  // a static hub of degree thousands is no conflict
  hub.bodies = 3001;
  for (int i = 1; i <= 3000; ++i) hub.add(i, ~0);
  hub.prioritize(4);
  check(hub, 64, false);
  EXPECT_EQ(colour(hub, 64, GraphBuilder::Device).view.colourCount, 1);
}

TEST_P(ContactGraphTest, PathsOfFewBodiesHaveTwoColours) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    for (const int bodies : {2, 3, 5, 20, 21, 63, 64}) {
      for (const bool ring : {false, true}) {
        if (ring && bodies == 2) continue;
        SCOPED_TRACE(std::to_string(bodies) + (ring ? " in a ring" : " in a row") + ", seed " + std::to_string(seed));
        const Graph graph = paths(1, bodies, ring, seed);
        EXPECT_LE(colour(graph, 64, GraphBuilder::Device).view.colourCount, ring && bodies % 2 == 1 ? 3 : 2);
        check(graph, 64, false);
        checkAgainstPlain(graph, 64);
      }
    }
    check(paths(6, 10, seed % 2 == 0, seed), 64, false);
    checkAgainstPlain(paths(7, 9, true, seed), 64);
  }
  EXPECT_EQ(colour(paths(1, 65, false, 1), 64, GraphBuilder::Device).view.colourCount, 3) << "a test of the bound";
  Graph cold = paths(1, 64, false, 1);
  EXPECT_EQ(colour(cold, 64, GraphBuilder::ForTarget).view.colourCount, 2);
  cold.cold = true;
  EXPECT_EQ(colour(cold, 64, GraphBuilder::ForTarget).view.colourCount, 3);
  EXPECT_EQ(colour(cold, 64, GraphBuilder::Device).view.colourCount, 3);
}

TEST_P(ContactGraphTest, PathsOfEachEnvironmentAreColouredAsIfThereWereNoOther) {
  for (const int parts : {3, 40, 30000}) {  // of the last more are left over than are put in order by counting
    Graph all = paths(parts, 5, false, 4);
    all.bodiesEach = 5;
    const Coloured device = colour(all, 64, GraphBuilder::Device);
    const std::vector<int>& colours = device.colours;
    EXPECT_EQ(device.scalars.leftOver > kOrderedByCounting, parts == 30000);
    if (queue.target == Target::Cpu) {
      EXPECT_EQ(colour(all, 64, GraphBuilder::Host).colours, colours);
    }
    const size_t each = all.constraints.size() / static_cast<size_t>(parts);
    for (size_t part = 0; part < static_cast<size_t>(parts); ++part) {
      Graph own;
      own.bodies = 5;
      const int first = static_cast<int>(part) * 5;
      for (size_t k = part * each; k < (part + 1) * each; ++k) {
        const ConstraintBodies c = all.constraints[k];
        own.add(c.bodyA - first, c.bodyB < 0 ? ~(~c.bodyB - first) : c.bodyB - first);
        own.priorities.push_back(all.priorities[k]);
      }
      const auto from = colours.begin() + static_cast<std::ptrdiff_t>(part * each);
      ASSERT_EQ(std::vector<int>(from, from + static_cast<std::ptrdiff_t>(each)),
                test::PlainColouring(own.constraints, own.priorities, own.bodies, 64).colours)
          << "part " << part << " of " << parts;
    }
  }
}

TEST_P(ContactGraphTest, WhatAFixedMaximumCannotHoldGoesToTheOverflow) {
  Graph star;
  star.bodies = 2001;
  for (int i = 1; i <= 2000; ++i) star.add(i, 0);
  star.prioritize(5);
  check(star, 64, true);
  EXPECT_EQ(colour(star, 64, GraphBuilder::Device).scalars.overflowCount, 2000 - 64);
  for (const int maxColours : {0, 1, 3, 8}) check(randomGraph(80, 600, 11, false), maxColours, true);
  EXPECT_EQ(colour(randomGraph(80, 600, 11, false), 0, GraphBuilder::Device).view.colourCount, 0);
}

TEST_P(ContactGraphTest, ColoursAreThoseOfThePlainRepair) {
  for (uint64_t seed = 1; seed <= 24; ++seed) {
    for (const int maxColours : {64, 7, 4, 3, 2, 1}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", at most " + std::to_string(maxColours) + " colours");
      const int bodies = 5 + static_cast<int>(seed * 11 % 120);
      checkAgainstPlain(randomGraph(bodies, bodies * static_cast<int>(1 + seed % 5), seed, seed % 2 == 0), maxColours);
    }
  }
  for (int bodies = 3; bodies <= 30; bodies += 3) checkAgainstPlain(complete(bodies), 64);
}

TEST_P(ContactGraphTest, ColoursAtHubsAreThoseOfThePlainRepair) {
  for (const bool hubIsA : {true, false}) {
    for (const int others : {63, 64, 65, 66, 150, 500}) {
      for (const int maxColours : {64, 8, 3}) {
        SCOPED_TRACE(std::to_string(others) + " on a body, at most " + std::to_string(maxColours) + " colours");
        checkAgainstPlain(plateUnder(others, 2 * others, hubIsA, static_cast<uint64_t>(others)), maxColours);
      }
    }
  }
}

TEST_P(ContactGraphTest, ManyRepairsGiveTheColoursOfThePlainOne) {
  const Graph graph = randomGraph(3000, 12000, 5, false);
  const Coloured greedy = colour(graph, 6, GraphBuilder::Device);
  EXPECT_GT(greedy.scalars.overflowCount, kRepairWindow);
  checkAgainstPlain(graph, 6);
}

TEST_P(ContactGraphTest, RepairsThatGetInEachOthersWayGiveTheColoursOfThePlainOnes) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    const bool parallel = seed % 2 == 0;
    const Graph graph = randomGraph(parallel ? 200 : 300, 3000, seed, parallel);
    EXPECT_GT(colour(graph, 14, GraphBuilder::Device).scalars.leftOver, kRepairWindow / 2);
    checkAgainstPlain(graph, 14);
  }
}

TEST_P(ContactGraphTest, PathsThatAreLongerThanALogAreRepairedToo) {
  Graph graph;
  for (int k = 0; k <= kRepairWindow; ++k) addLongRepair(graph, k % 50 == 7 ? RepairLog::kWrites : 2);
  const Coloured device = colour(graph, 3, GraphBuilder::Device);
  EXPECT_EQ(device.scalars.leftOver, kRepairWindow + 1);
  EXPECT_EQ(device.scalars.overflowCount, 0);
  checkAgainstPlain(graph, 3);
}

TEST_P(ContactGraphTest, PlannedRepairsOfAnyNumberWaitForNothing) {
  for (const int leftOver : {1, 257, 1000, 5000}) {
    SCOPED_TRACE(std::to_string(leftOver) + " left over");
    const Graph graph = chainsWithOneLeftOver(leftOver, 4);
    constraints_.upload(queue, graph.constraints);
    priorities_.upload(queue, graph.priorities);
    const ConstraintGraph edges{constraints_.data(), priorities_.data(), static_cast<int>(graph.constraints.size()), graph.bodies};
    StepCounts counts;
    counts.beginRead();
    graph_.update(queue, scratch_, edges, 2, &counts, GraphBuilder::Device);
    EXPECT_EQ(counts.known(StepCount::LeftOver), leftOver);
    counts.plan(false);
    counts.beginPlanned();
    graph_.update(queue, scratch_, edges, 2, &counts, GraphBuilder::Device);  // makes room for what the plan has more
    LaunchLog log;
    queue.log = &log;
    const GraphView view = graph_.update(queue, scratch_, edges, 2, &counts, GraphBuilder::Device);
    queue.log = nullptr;
    EXPECT_EQ(log.now().waits, 0);
    std::vector<int> colours(graph.constraints.size());
    downloadBytes(queue, colours.data(), view.colours, colours.size() * sizeof(int));
    EXPECT_EQ(colours, test::PlainColouring(graph.constraints, graph.priorities, graph.bodies, 2).colours);
    EXPECT_EQ(std::count(colours.begin(), colours.end(), kOverflowColour), 0);
  }
}

TEST_P(ContactGraphTest, AHubCostsWhatItsContactsCost) {
  // Minutes, if each of its constraints looked through all the others for a colour that the hub does not have. An emulated device gets fewer.
  const int boxes = queue.target == Target::Cpu ? 20000 : 2000;
  for (const bool hubIsA : {true, false}) {
    const Graph graph = plateUnder(boxes, boxes, hubIsA, 3);
    for (const GraphBuilder builder : {GraphBuilder::ForTarget, GraphBuilder::Device}) {
      EXPECT_GE(colour(graph, 64, builder).scalars.overflowCount, boxes - 64);
    }
  }
}

TEST_P(ContactGraphTest, WithoutColoursAllOverflowsAtOnce) {
  const Graph graph = randomGraph(80, 600, 11, false);
  for (const GraphBuilder builder : {GraphBuilder::ForTarget, GraphBuilder::Device}) {
    const Coloured coloured = colour(graph, 0, builder);
    EXPECT_EQ(coloured.colours, std::vector<int>(graph.constraints.size(), kOverflowColour));
    EXPECT_EQ(coloured.scalars.overflowCount, static_cast<int>(graph.constraints.size()));
    EXPECT_EQ(coloured.scalars.maxDegree, graph.maxDegree());
  }
}

TEST_P(ContactGraphTest, ParallelConstraintsAreColouredOrInTheOverflowNeverLost) {
  for (uint64_t seed = 1; seed <= 20; ++seed) check(randomGraph(12, 100, seed, true), 64, true);
}

TEST_P(ContactGraphTest, NoConstraintsNoColours) {
  Graph empty;
  empty.bodies = 3;
  EXPECT_EQ(colour(empty, 64, GraphBuilder::Device).view.colourCount, 0);
  EXPECT_EQ(colour(empty, 64, GraphBuilder::ForTarget).view.colourCount, 0);
}

TEST_P(ContactGraphTest, LevelsAreBreadthFirstDistancesFromTheGround) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Graph graph = randomGraph(150, 220, seed, false);
    const auto bodies = static_cast<size_t>(graph.bodies);
    std::vector<std::vector<int>> neighbours(bodies);
    std::vector<int> expected(bodies, -1);
    std::queue<int> front;
    for (const ConstraintBodies& c : graph.constraints) {
      if (c.bodyA >= 0 && c.bodyB >= 0) {
        neighbours[static_cast<size_t>(c.bodyA)].push_back(c.bodyB);
        neighbours[static_cast<size_t>(c.bodyB)].push_back(c.bodyA);
      } else if (const int body = std::max(c.bodyA, c.bodyB); body >= 0 && expected[static_cast<size_t>(body)] < 0) {
        expected[static_cast<size_t>(body)] = 0;
        front.push(body);
      }
    }
    for (; !front.empty(); front.pop()) {
      for (const int next : neighbours[static_cast<size_t>(front.front())]) {
        if (expected[static_cast<size_t>(next)] >= 0) continue;
        expected[static_cast<size_t>(next)] = expected[static_cast<size_t>(front.front())] + 1;
        front.push(next);
      }
    }
    constraints_.upload(queue, graph.constraints);
    ContactLevels levels;
    levels.update(queue, constraints_.data(), nullptr, static_cast<int>(graph.constraints.size()), graph.bodies);
    EXPECT_EQ(levels.download(queue), expected) << "seed " << seed;
  }
}

// Things that rest keep their colours, and whoever laid something out by them can tell so.
TEST_P(ContactGraphTest, ColoursAreKeptOnTheCpuWhileNothingElseTouches) {
  if (queue.target != Target::Cpu) GTEST_SKIP() << "a device's graph is coloured there";
  Graph graph = randomGraph(40, 90, 3, true);
  const auto check = [&](int maxColours) {
    const Coloured coloured = colour(graph, maxColours, GraphBuilder::Host);
    EXPECT_EQ(coloured.colours, test::PlainColouring(graph.constraints, graph.priorities, graph.bodies, maxColours).colours);
    return coloured.view.revision;
  };
  const int first = check(64);
  EXPECT_NE(first, 0);
  EXPECT_EQ(check(64), first);
  std::set<int> seen{first};
  const auto isNew = [&](int maxColours) { return seen.insert(check(maxColours)).second; };
  EXPECT_TRUE(isNew(3));
  graph.priorities[17] ^= 1;
  EXPECT_TRUE(isNew(3));
  graph.constraints[17].bodyB = ~graph.constraints[17].bodyB;
  EXPECT_TRUE(isNew(3));
  graph.constraints.pop_back();
  graph.priorities.pop_back();
  EXPECT_TRUE(isNew(3));
  EXPECT_FALSE(isNew(3));
  // The same arrays hold what another builder found.
  colour(graph, 2, GraphBuilder::Device);
  EXPECT_TRUE(isNew(3));
}

CAIRN_INSTANTIATE_TARGETS(ContactGraphTest);

}  // namespace
}  // namespace cairn
