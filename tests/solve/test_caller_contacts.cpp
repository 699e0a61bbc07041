// ContactSolver: a caller's contacts against a World's step, a reference solution and the contact law; on every target and in every layout of arrays;
// what is refused, and that it touches nothing.
#include "kernels/runtime/recorded_work.hpp"
#include "tests/runtime/on_each_target.hpp"
#include "tests/support/caller.hpp"

#include <cairn/error.hpp>

#include <cmath>
#include <functional>
#include <limits>
#include <thread>

namespace cairn {
namespace {

using test::Caller;
using test::CallerProblem;
using test::capacityOf;
using test::Change;
using test::cubeOnTheWorld;
using test::OnTarget;
using test::Outcome;
using test::randomCallerProblem;
using test::sameBits;
using test::settingsOn;

template <class T> Outcome<T> solveOn(Queue& queue, const CallerProblem<T>& problem, const Change<T>& change = {}, int overflow = 0) {
  ContactCapacity capacity = capacityOf(problem);
  capacity.overflow = overflow;
  return Caller<T>(queue, capacity, settingsOn<T>(queue.target)).solve(problem, OnTarget<T>::Layout::Structs, change);
}
template <class T> Outcome<T> solveOnTheCpu(const CallerProblem<T>& problem, const Change<T>& change = {}, int overflow = 0) {
  Queue queue = makeCpuQueue(1);
  return solveOn(queue, problem, change, overflow);
}

class CallerContactsTest : public test::OnEachTarget {
 protected:
  template <class T> void expectRefused(const CallerProblem<T>& problem, int flags, int badBody, int badContact) {
    const Outcome<T> outcome = solveOn(queue, problem);
    EXPECT_EQ(outcome.status.flags, flags);
    EXPECT_EQ(outcome.status.badBody, badBody);
    EXPECT_EQ(outcome.status.badContact, badContact);
    EXPECT_EQ(outcome.status.sweeps, 0);
    EXPECT_EQ(outcome.status.residual, -1);
    EXPECT_TRUE(sameBits(outcome.problem, problem)) << "a refused call has touched something";
  }
};

TEST_P(CallerContactsTest, ACubeThatFallsOnTheWorldStops) {
  const Outcome<double> outcome = solveOn(queue, cubeOnTheWorld<double>());
  ASSERT_EQ(outcome.status.flags, 0);
  EXPECT_EQ(outcome.status.manifolds, 1);
  EXPECT_EQ(outcome.status.colours, 1);
  EXPECT_EQ(outcome.status.contactsNeeded, 4);
  EXPECT_EQ(outcome.status.sweeps, 6);
  double sum = 0;
  for (const auto& contact : outcome.problem.contacts) {
    EXPECT_GT(contact.normalImpulse, 0);
    sum += contact.normalImpulse;
  }
  EXPECT_NEAR(sum, 1, 0.05) << "of 1 kg at 1 m/s";
  EXPECT_NEAR(outcome.problem.bodies[0].linear[1], 0, 0.05);
  EXPECT_NEAR(outcome.problem.bodies[0].linear[1] - sum, -1, 1e-12) << "momentum";
}

template <class T> void expectTheBitsOfTheCpu(Queue& queue) {
  const CallerProblem<T> problem = randomCallerProblem<T>(120, 400, 3);
  const Change<T> measured = [](ContactSolverCall<T>& call) { call.measureResidual = true; };
  const Outcome<T> here = solveOn(queue, problem, measured), onCpu = solveOnTheCpu(problem, measured);
  ASSERT_EQ(onCpu.status.flags, 0);
  EXPECT_FALSE(sameBits(onCpu.problem.bodies, problem.bodies)) << "the problem is too easy";
  EXPECT_TRUE(sameBits(here.problem, onCpu.problem));
  EXPECT_EQ(std::memcmp(&here.status, &onCpu.status, sizeof here.status), 0);
  EXPECT_EQ(here.status.manifolds, 400);
}
TEST_P(CallerContactsTest, GiveTheSameBitsOnEachTarget) {
  expectTheBitsOfTheCpu<float>(queue);
  expectTheBitsOfTheCpu<double>(queue);
}

template <class T> void expectNoInfluenceOfStrides(Queue& queue) {
  const CallerProblem<T> problem = randomCallerProblem<T>(60, 200, 5);
  Caller<T> caller(queue, capacityOf(problem), settingsOn<T>(queue.target));
  const Outcome<T> structs = caller.solve(problem), arrays = caller.solve(problem, OnTarget<T>::Layout::Arrays);
  ASSERT_EQ(structs.status.flags, 0);
  EXPECT_TRUE(sameBits(structs.problem, arrays.problem));
}
TEST_P(CallerContactsTest, StridesHaveNoInfluence) {
  expectNoInfluenceOfStrides<float>(queue);
  expectNoInfluenceOfStrides<double>(queue);
}

TEST_P(CallerContactsTest, CapacitiesAndEarlierCallsHaveNoInfluence) {
  const CallerProblem<float> problem = randomCallerProblem<float>(60, 200, 5), other = randomCallerProblem<float>(40, 90, 6);
  const Outcome<float> exact = solveOn(queue, problem);
  ContactCapacity roomy = capacityOf(problem);
  roomy.bodies += 77;
  roomy.contacts *= 3;
  roomy.overflow = 10;
  Caller<float> caller(queue, roomy, settingsOn<float>(queue.target));
  caller.solve(other);
  for (int again = 0; again < 2; ++again) EXPECT_TRUE(sameBits(caller.solve(problem).problem, exact.problem)) << again;
}

TEST_P(CallerContactsTest, WhatTheWorkspaceHoldsHasNoInfluence) {
  const CallerProblem<float> problem = randomCallerProblem<float>(60, 200, 9);
  const Outcome<float> expected = solveOnTheCpu(problem);
  Caller<float> caller(queue, capacityOf(problem), settingsOn<float>(queue.target));
  for (const int byte : {0, 0xff, 0x3f, 1}) {
    caller.fillWorkspace(byte);
    EXPECT_TRUE(sameBits(caller.solve(problem).problem, expected.problem)) << byte;
    EXPECT_TRUE(sameBits(caller.solve(problem).problem, expected.problem)) << "after a call";
  }
}

TEST_P(CallerContactsTest, AreCountedByAWordOnTheTarget) {
  CallerProblem<float> problem = randomCallerProblem<float>(30, 80, 7);
  const size_t all = problem.contacts.size();
  const int used = static_cast<int>(all) - 37;
  Buffer<int> word;
  word.upload(queue, std::vector<int>{used});
  const Outcome<float> counted = solveOn<float>(queue, problem, [&](ContactSolverCall<float>& call) {
    call.contacts.counted = word.data();
    call.contacts.count = -5;  // nobody looks at it
  });
  ASSERT_EQ(counted.status.flags, 0);
  EXPECT_EQ(counted.status.contactsNeeded, used);
  CallerProblem<float> fewer = problem;
  fewer.contacts.resize(static_cast<size_t>(used));
  const Outcome<float> exact = solveOn(queue, fewer);
  EXPECT_TRUE(sameBits(counted.problem.bodies, exact.problem.bodies));
  for (size_t i = static_cast<size_t>(used); i < all; ++i) {
    EXPECT_EQ(std::memcmp(&counted.problem.contacts[i], &problem.contacts[i], sizeof problem.contacts[i]), 0) << "beyond the count";
  }
}

TEST_P(CallerContactsTest, AreManifoldsWhereNeighboursAgree) {
  CallerProblem<float> problem;
  const int a = problem.addCube(0, 0, 0), b = problem.addCube(0, 1, 0);
  const Vec3<float> up{0, 1, 0};
  for (int k = 0; k < 9; ++k) problem.add(a, b, {0.1f * static_cast<float>(k), 0.5f, 0}, up);  // 4 + 4 + 1
  problem.contacts[4].friction = 0.25f;                                                        // 4, 1, 4
  problem.add(b, a, {0, 0.5f, 0}, up);                                                         // other bodies
  problem.add(b, a, {0, 0.5f, 0}, {0, 0.6f, 0.8f});                                            // another normal
  problem.add(b, -1, {0, 0.5f, 0}, {0, 0.6f, 0.8f});
  problem.add(b, -1, {0, 0.5f, 1}, {0, 0.6f, 0.8f}).restitution = 1;
  const Outcome<float> outcome = solveOn(queue, problem);
  EXPECT_EQ(outcome.status.flags, 0);
  EXPECT_EQ(outcome.status.manifolds, 3 + 4);
}

TEST_P(CallerContactsTest, StartFromTheImpulsesOfTheCallBefore) {
  CallerProblem<double> problem = cubeOnTheWorld<double>();
  WorldSettings settings = settingsOn<double>(queue.target);
  settings.iterations = 200;
  settings.overRelaxation = 1;
  settings.relaxations = 0;
  settings.normalStabilization = NormalStabilization::None;
  const Outcome<double> converged = Caller<double>(queue, capacityOf(problem), settings).solve(problem);
  for (size_t i = 0; i < problem.contacts.size(); ++i) problem.contacts[i].normalImpulse = converged.problem.contacts[i].normalImpulse;
  settings.iterations = 1;
  EXPECT_NEAR(Caller<double>(queue, capacityOf(problem), settings).solve(problem).problem.bodies[0].linear[1], 0, 1e-9);
  settings.warmStart = false;
  EXPECT_GT(std::abs(Caller<double>(queue, capacityOf(problem), settings).solve(problem).problem.bodies[0].linear[1]), 1e-3);
}

// --- edges -----------------------------------------------------------------------------------------------------

TEST_P(CallerContactsTest, NothingToSolveIsNoError) {
  const CallerProblem<float> nothing;
  EXPECT_EQ(solveOn(queue, nothing).status.flags, 0);

  CallerProblem<float> apart = cubeOnTheWorld<float>();
  apart.contacts.clear();
  const Outcome<float> outcome = solveOn<float>(queue, apart, [](ContactSolverCall<float>& call) { call.measureResidual = true; });
  EXPECT_EQ(outcome.status.flags, 0);
  EXPECT_EQ(outcome.status.residual, 0);
  EXPECT_EQ(outcome.problem.bodies[0].linear[1], -1) << "nothing stops it";
  EXPECT_EQ(outcome.problem.bodies[0].linearMove[1], -1);

  CallerProblem<float> fixed;
  const int a = fixed.addCube(0, 0, 0, false), b = fixed.addCube(0, 1, 0, false);
  fixed.bodies[0].linear[1] = 1;
  fixed.add(a, b, {0, 0.5f, 0}, {0, 1, 0});
  fixed.add(-1, -1, {0, 0.5f, 0}, {0, 1, 0}).normalImpulse = 1;
  const Outcome<float> still = solveOn(queue, fixed);
  EXPECT_EQ(still.status.flags, 0);
  EXPECT_EQ(still.problem.bodies[0].linear[1], 1);
  EXPECT_EQ(still.problem.contacts[0].normalImpulse, 0);
  EXPECT_EQ(still.problem.contacts[1].normalImpulse, 0);
}

TEST_P(CallerContactsTest, MoreThanTheCapacityTouchesNothing) {
  const CallerProblem<float> problem = cubeOnTheWorld<float>();
  ContactCapacity capacity = capacityOf(problem);
  capacity.contacts = 3;
  Caller<float> caller(queue, capacity, settingsOn<float>(queue.target));
  const Outcome<float> outcome = caller.solve(problem);
  EXPECT_EQ(outcome.status.flags, kSolverContactCapacity);
  EXPECT_EQ(outcome.status.contactsNeeded, 4);
  EXPECT_EQ(outcome.status.contactsAvailable, 3);
  EXPECT_TRUE(sameBits(outcome.problem, problem));
  Buffer<int> word;
  for (const int count : {4, -1, std::numeric_limits<int>::max()}) {
    word.upload(queue, std::vector<int>{count});
    const Outcome<float> counted =
        caller.solve(problem, OnTarget<float>::Layout::Structs, [&](ContactSolverCall<float>& call) { call.contacts.counted = word.data(); });
    EXPECT_EQ(counted.status.flags, kSolverContactCapacity);
    EXPECT_EQ(counted.status.contactsNeeded, count);
    EXPECT_TRUE(sameBits(counted.problem, problem));
  }
}

// A body with more neighbours than there are colours.
CallerProblem<float> hub(int neighbours) {
  CallerProblem<float> problem;
  const int middle = problem.addCube(0, 0, 0);
  for (int k = 0; k < neighbours; ++k) {
    const auto x = static_cast<float>(k);
    const int other = problem.addCube(x, 1, 0);
    problem.bodies.back().linear[1] = -1;
    problem.add(middle, other, {x, 0.5f, 0}, {0, 1, 0});
  }
  return problem;
}
TEST_P(CallerContactsTest, MoreThanTheColoursHoldNeedsRoom) {
  const CallerProblem<float> problem = hub(100);
  const Outcome<float> refused = solveOn(queue, problem);
  EXPECT_EQ(refused.status.flags, kSolverOverflowCapacity);
  EXPECT_EQ(refused.status.overflowNeeded, 36);
  EXPECT_EQ(refused.status.overflowAvailable, 0);
  EXPECT_TRUE(sameBits(refused.problem, problem));
  const Outcome<float> solved = solveOn<float>(queue, problem, {}, 36), onCpu = solveOnTheCpu<float>(problem, {}, 50);
  EXPECT_EQ(solved.status.flags, 0);
  EXPECT_FALSE(sameBits(solved.problem, problem));
  EXPECT_TRUE(sameBits(solved.problem, onCpu.problem));
}

TEST_P(CallerContactsTest, FlawsOfContactsTouchNothing) {
  const auto nan = std::numeric_limits<float>::quiet_NaN(), infinite = std::numeric_limits<float>::infinity();
  const auto flawed = [&](int flags, const std::function<void(test::CallerContact<float>&)>& spoil) {
    CallerProblem<float> problem = cubeOnTheWorld<float>();
    spoil(problem.contacts[2]);
    spoil(problem.contacts[3]);
    expectRefused(problem, flags, -1, 2);
  };
  flawed(kSolverNotFinite, [&](auto& c) { c.point[1] = nan; });
  flawed(kSolverNotFinite, [&](auto& c) { c.normal[0] = infinite; });
  flawed(kSolverNotFinite, [&](auto& c) { c.separation = nan; });
  flawed(kSolverNotFinite, [&](auto& c) { c.friction = infinite; });
  flawed(kSolverNotFinite, [&](auto& c) { c.normalImpulse = nan; });
  flawed(kSolverNotFinite, [&](auto& c) { c.frictionImpulse[2] = nan; });
  flawed(kSolverBodyIndex, [](auto& c) { c.bodies[1] = 1; });
  flawed(kSolverBodyIndex, [](auto& c) { c.bodies[0] = -2; });
  flawed(kSolverBodyIndex, [](auto& c) { c.bodies[1] = c.bodies[0]; });
  flawed(kSolverBadNormal, [](auto& c) { c.normal[1] = -1.001f; });
  flawed(kSolverBadNormal, [](auto& c) { c.normal[1] = 0; });
  flawed(kSolverOutOfRange, [](auto& c) { c.friction = -0.1f; });
  flawed(kSolverOutOfRange, [](auto& c) { c.restitution = 1.5f; });
}

TEST_P(CallerContactsTest, FlawsOfBodiesTouchNothing) {
  const auto nan = std::numeric_limits<float>::quiet_NaN();
  const auto flawed = [&](int flags, const std::function<void(test::CallerBody<float>&)>& spoil) {
    CallerProblem<float> problem = cubeOnTheWorld<float>();
    problem.addCube(3, 0, 0);
    spoil(problem.bodies[1]);
    expectRefused(problem, flags, 1, -1);
  };
  flawed(kSolverNotFinite, [&](auto& b) { b.position[2] = nan; });
  flawed(kSolverNotFinite, [&](auto& b) { b.orientation[0] = nan; });
  flawed(kSolverNotFinite, [&](auto& b) { b.linear[0] = nan; });
  flawed(kSolverNotFinite, [&](auto& b) { b.angular[1] = nan; });
  flawed(kSolverNotFinite, [&](auto& b) { b.inverseMass = nan; });
  flawed(kSolverNotFinite, [&](auto& b) { b.inverseInertia[5] = nan; });
  flawed(kSolverOutOfRange, [](auto& b) { b.orientation[3] = 1.01f; });
  flawed(kSolverOutOfRange, [](auto& b) { b.inverseMass = -1; });
  flawed(kSolverOutOfRange, [](auto& b) { b.inverseInertia[1] = -1; });
  flawed(kSolverOutOfRange, [](auto& b) { b.inverseInertia[3] = 7; });
}

TEST_P(CallerContactsTest, AResultThatIsNotFiniteTouchesNothing) {
  CallerProblem<float> problem = cubeOnTheWorld<float>(-3e38f);
  problem.bodies[0].angular[0] = 3e38f;
  expectRefused(problem, kSolverResultNotFinite, 0, 0);
}

// --- what the host can see -------------------------------------------------------------------------------------

std::string placeOf(const std::function<void()>& action) {
  try {
    action();
  } catch (const InvalidInput& error) {
    return error.place;
  }
  return "accepted";
}

TEST_P(CallerContactsTest, MistakesThatTheHostSeesAreExceptions) {
  const CallerProblem<float> problem = cubeOnTheWorld<float>();
  const WorldSettings settings = settingsOn<float>(queue.target);
  Caller<float> caller(queue, capacityOf(problem), settings);
  OnTarget<float> there(queue, problem);
  const auto spoilt = [&](const std::function<void(ContactSolverCall<float>&)>& spoil) {
    ContactSolverCall<float> call = there.call();
    spoil(call);
    return placeOf([&] { caller.enqueue(call); });
  };
  EXPECT_EQ(spoilt([](auto& call) { call.bodies.count = 2; }), "bodies.count");
  EXPECT_EQ(spoilt([](auto& call) { call.bodies.count = -1; }), "bodies.count");
  EXPECT_EQ(spoilt([](auto& call) { call.contacts.count = -1; }), "contacts.count");
  EXPECT_EQ(spoilt([](auto& call) { call.bodies.position.data = nullptr; }), "bodies.position");
  EXPECT_EQ(spoilt([](auto& call) { call.contacts.friction.data = nullptr; }), "contacts.friction");
  EXPECT_EQ(spoilt([](auto& call) { call.contacts.normal.stride += 2; }), "contacts.normal");
  EXPECT_EQ(spoilt([](auto& call) { call.contacts.normalImpulse.stride = 0; }), "contacts.normalImpulse");
  EXPECT_EQ(spoilt([](auto& call) { call.contacts.friction.stride = 0; }), "accepted");
  EXPECT_EQ(placeOf([&] { caller.solver().enqueue(queue.stream, {nullptr, 0}, ContactSolverCall<double>{}); }), "call");
  if (queue.target == Target::Cuda) {
    EXPECT_EQ(placeOf([&] { caller.solver().enqueue(queue.stream, {nullptr, 0}, there.call()); }), "workspace");
    EXPECT_EQ(placeOf([&] { caller.solver().solve(there.call()); }), "solve");
  }
  ContactCapacity negative;
  negative.contacts = -1;
  EXPECT_EQ(placeOf([&] { ContactSolver(negative, settings); }), "capacity.contacts");
  WorldSettings unfit = settings;
  unfit.solver = Solver::Nncg;
  EXPECT_EQ(placeOf([&] { ContactSolver({}, unfit); }), "settings.solver");
  unfit = settings;
  unfit.tolerance = 1e-3;
  EXPECT_EQ(placeOf([&] { ContactSolver({}, unfit); }), "settings.tolerance");
}

// --- streams ---------------------------------------------------------------------------------------------------

TEST(CallerContactsOnCuda, ACapturedCallSolvesWhatTheArraysHold) {
  if (!cudaUsable()) GTEST_SKIP() << "skipped: no CUDA device";
  Queue queue = makeCudaQueue();
  {
    const CallerProblem<float> problem = randomCallerProblem<float>(60, 200, 9);
    Caller<float> caller(queue, capacityOf(problem), settingsOn<float>(queue.target));
    OnTarget<float> there(queue, problem);
    const ContactSolverCall<float> call = there.call();
    RecordedWork graph;
    graph.begin(queue);
    caller.enqueue(call);
    graph.end(queue);
    EXPECT_TRUE(sameBits(there.read(), problem)) << "what is recorded does not run";
    CallerProblem<float> expected = problem;
    for (int launch = 0; launch < 3; ++launch) {
      graph.launch(queue);
      expected = solveOnTheCpu(expected).problem;
      EXPECT_TRUE(sameBits(there.read(), expected)) << "launch " << launch;
    }
  }
  releaseQueue(queue);
}

// Once the CPU's arrays are large enough.
TEST_P(CallerContactsTest, ACallAllocatesNothingAndWaitsForNothing) {
  const CallerProblem<float> problem = randomCallerProblem<float>(60, 200, 9);
  LaunchLog log;
  const LaunchLogging logging(log);
  Caller<float> caller(queue, capacityOf(problem), settingsOn<float>(queue.target));
  caller.solve(problem);
  OnTarget<float> there(queue, problem);
  const ContactSolverCall<float> call = there.call();
  log.now() = {};
  failAllocation(1);
  EXPECT_NO_THROW(caller.enqueue(call));
  failAllocation(0);
  EXPECT_EQ(log.now().waits, 0);
  EXPECT_EQ(log.now().bytes, 0) << "between host and device";
  RecordProperty("launches", static_cast<int>(log.now().launches));
  EXPECT_EQ(log.now().launches > 0, queue.target == Target::Cuda);
  EXPECT_LE(log.now().launches, 45);
  EXPECT_EQ(there.status().flags, 0);
}

TEST_P(CallerContactsTest, ASolversOwnWorkspaceIsAsGoodAsTheCallers) {
  const CallerProblem<float> problem = randomCallerProblem<float>(60, 200, 12);
  const Outcome<float> expected = solveOn(queue, problem);
  ContactSolver solver(capacityOf(problem), settingsOn<float>(queue.target));
  EXPECT_EQ(solver.device() >= 0, queue.target == Target::Cuda);
  const SolverWorkspace own = solver.ownWorkspace();
  EXPECT_EQ(own.bytes, solver.workspaceBytes());
  EXPECT_EQ(own.data == nullptr, queue.target == Target::Cpu);
  EXPECT_EQ(solver.ownWorkspace().data, own.data);
  for (int repeat = 0; repeat < 2; ++repeat) {
    OnTarget<float> there(queue, problem);
    solver.enqueue(queue.stream, own, there.call());
    EXPECT_TRUE(sameBits(there.read(), expected.problem));
    EXPECT_EQ(there.status().flags, 0);
  }
}

TEST_P(CallerContactsTest, TwoSolversInTwoThreadsDisturbNobody) {
  const CallerProblem<float> problems[2] = {randomCallerProblem<float>(60, 200, 10), randomCallerProblem<float>(80, 150, 11)};
  CallerProblem<float> results[2];
  const auto work = [&](int which) {
    Queue own = queue.target == Target::Cuda ? makeCudaQueue() : makeCpuQueue(1);
    {
      Caller<float> caller(own, capacityOf(problems[which]), settingsOn<float>(own.target));
      for (int repeat = 0; repeat < 3; ++repeat) results[which] = caller.solve(problems[which]).problem;
    }
    releaseQueue(own);
  };
  std::thread other([&] { work(1); });
  work(0);
  other.join();
  for (int k = 0; k < 2; ++k) EXPECT_TRUE(sameBits(results[k], solveOnTheCpu(problems[k]).problem)) << k;
}

CAIRN_INSTANTIATE_TARGETS(CallerContactsTest);

}  // namespace
}  // namespace cairn
