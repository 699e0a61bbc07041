// Manifolds and bodies as no scene has them, for rows and sweeps by themselves.
#pragma once

#include "kernels/state/views.hpp"

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace cairn::test {

// Random manifolds between random bodies; a tenth of the bodies does not move.
template <class T> struct RandomProblem {
  std::vector<BodyVelocity<T>> velocities;
  std::vector<BodyInertia<T>> inertias;
  std::vector<BodyConstants<T>> constants;
  std::vector<BodyMotion<T>> motions;
  std::vector<Manifold<T>> manifolds;
  std::vector<ManifoldImpulse<T>> warmStart;

  RandomProblem(int bodies, int contacts, uint64_t seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    const auto vector = [&] { return Vec3<T>{T(uniform(random)), T(uniform(random)), T(uniform(random))}; };
    for (int i = 0; i < bodies; ++i) {
      const bool dynamicBody = i % 10 != 0;
      const T inverse = dynamicBody ? T(1.5 + uniform(random)) : T(0);
      velocities.push_back({vector(), inverse, vector(), inverse});
      const T a = dynamicBody ? T(2 + uniform(random)) : T(0);
      inertias.push_back({{a, a * T(1.25), a * T(0.75), a * T(0.125), T(0), a * T(0.25)}, inverse, T(0)});
      constants.push_back({});
      constants.back().flags = dynamicBody ? kBodyAlive | kBodyDynamic : kBodyAlive;
      motions.push_back({T(0.01) * vector(), T(0), quatFromRotationVector(T(0.02) * vector())});
    }
    std::uniform_int_distribution<int> body(0, bodies - 1), points(1, 4);
    while (static_cast<int>(manifolds.size()) < contacts) {
      const int a = body(random), b = body(random);
      if (a == b || a % 10 == 0) continue;
      Manifold<T> m{};
      m.bodyA = m.shapeA = a;
      m.bodyB = m.shapeB = b;
      m.normal = normalizedOr(vector(), {T(0), T(1), T(0)});
      m.pointCount = points(random);
      m.friction = T(0.5 + 0.4 * uniform(random));
      m.restitution = T(0.5);
      ManifoldImpulse<T> impulse{};
      const Vec3<T> toB = vector();
      for (int p = 0; p < m.pointCount; ++p) {
        const Vec3<T> rA = vector();
        m.points[p] = {rA, T(0.01 * uniform(random)), rA + toB, static_cast<uint32_t>(p)};
        impulse.points[p] = {T(std::abs(0.1 * uniform(random))), T(0), T(0)};
      }
      manifolds.push_back(m);
      warmStart.push_back(impulse);
    }
  }
};

}  // namespace cairn::test
