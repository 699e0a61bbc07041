// Environments between steps: back to their start, and what a report says of each.
//
// In: a mask, the start of the scene's bodies; numbers by body and by contact point. Out: poses and velocities of the masked environments; sums and
// maxima. Deterministic: one item a body, or one an environment, which goes through its numbers in their order. Memory: 48 bytes an environment.
#include "kernels/state/environments.hpp"

#include "kernels/runtime/launch.hpp"
#include "kernels/state/integration.hpp"
#include "kernels/state/step_check.hpp"

namespace cairn::v0 {
namespace {

template <class T> struct ResetBody {
  EnvironmentMask mask;
  EnvironmentStart<T> start;
  BodyPose<T>* poses;
  BodyVelocity<T>* velocities;
  BodyForce<T>* forces;
  PositionRemainder<T>* remainders;

  CAIRN_HD void operator()(int body) const {
    if (mask[body / start.bodies] == 0) return;
    const int place = body % start.bodies;
    poses[body] = start.poses[place];
    remainders[body].left = {T(0), T(0), T(0)};
    velocities[body].v = start.velocities[place].v;
    velocities[body].w = start.velocities[place].w;
    const Vec3<T> none{T(0), T(0), T(0)};
    if (forces != nullptr) forces[body] = {none, none};
  }
};

struct ChooseEnvironment {
  EnvironmentMask mask;
  const StepStatus* status;
  unsigned char* chosen;

  CAIRN_HD void operator()(int environment) const { chosen[environment] = status->failed != 0 ? 0 : mask[environment]; }
};

template <class T> struct SumEnvironment {
  EnvironmentBodies bodies;
  EnvironmentPoints<T> points;
  EnvironmentSums* sums;

  CAIRN_HD void operator()(int environment) const {
    EnvironmentSums sum{};
    for (int i = environment * bodies.bodies; i < (environment + 1) * bodies.bodies; ++i) {
      sum.kinetic += bodies.kinetic[i];
      sum.potential += bodies.potential[i];
      sum.speed = maxOf(sum.speed, bodies.speed[i]);
    }
    if (points.offsets != nullptr) addPoints(environment, sum);
    sums[environment] = sum;
  }

  CAIRN_HD void addPoints(int environment, EnvironmentSums& sum) const {
    const int begin = points.offsets[environment * points.shapes], end = points.offsets[(environment + 1) * points.shapes];
    double scale = 0;
    for (int i = begin; i < end; ++i) {
      sum.points += points.manifolds[i].pointCount;
      for (int p = 0; p < points.manifolds[i].pointCount; ++p) {
        const int at = kMaxManifoldPoints * i + p;
        sum.residual = maxOf(sum.residual, double(points.residual[at]));
        sum.penetration = maxOf(sum.penetration, double(points.penetration[at]));
        scale = maxOf(scale, double(points.velocityScale[at]));
      }
    }
    if (scale > 0) sum.residual /= scale;
  }
};

}  // namespace

void chooseEnvironments(Queue& queue, EnvironmentMask mask, const StepStatus* status, int count, unsigned char* chosen) {
  forEach(queue, "environments/choose", count, ChooseEnvironment{mask, status, chosen});
}

template <class T> void resetBodies(Queue& queue, EnvironmentMask mask, const EnvironmentStart<T>& start, int bodySlots, BodyPose<T>* poses,
                                    PositionRemainder<T>* remainders, BodyVelocity<T>* velocities, BodyForce<T>* forces) {
  forEach(queue, "environments/reset", bodySlots, ResetBody<T>{mask, start, poses, velocities, forces, remainders});
}

template <class T>
void sumEnvironments(Queue& queue, int count, const EnvironmentBodies& bodies, const EnvironmentPoints<T>& points, EnvironmentSums* sums) {
  forEach(queue, "environments/report", count, SumEnvironment<T>{bodies, points, sums});
}

#define CAIRN_INSTANTIATE(T)                                                                                                                 \
  template void resetBodies(Queue&, EnvironmentMask, const EnvironmentStart<T>&, int, BodyPose<T>*, PositionRemainder<T>*, BodyVelocity<T>*, \
                            BodyForce<T>*);                                                                                                  \
  template void sumEnvironments(Queue&, int, const EnvironmentBodies&, const EnvironmentPoints<T>&, EnvironmentSums*);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
