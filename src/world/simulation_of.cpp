#include "src/world/simulation_of.hpp"

namespace cairn::v0 {

template <class T> SimulationOf<T>::SimulationOf(const Scene& scene, int environments, const WorldSettings& settings, Target target)
    : owned_(target, settings.threads, settings.device, settings.stream),
      queue_(owned_.queue),
      settings_(settings),
      gravity_(scene.gravity),
      state_(queue_),
      jointRows_(queue_),
      sleep_(settings),
      clock_(settings.stageTimes) {
  state_.add(scene.bodies);
  for (const JointDef& joint : scene.joints) {
    const std::string name = joint.name.empty() ? "joint-" + std::to_string(joints_.count()) : joint.name;
    join(joint, state_.idOf(joint.bodyA), state_.idOf(joint.bodyB), "joint '" + name + "'");
  }
  firstBad_.resize(queue_, 2);
  if (environments == 0) return;
  EnvironmentLayout layout;
  layout.count = environments;
  layout.bodies = state_.bodySlots() / environments;
  layout.shapes = state_.shapeSlots() / environments;
  layout.joints = joints_.slotCount() / environments;
  environments_.begin(queue_, state_, layout);
}

template <class T> JointId SimulationOf<T>::join(const JointDef& joint, BodyId a, BodyId b, const std::string& place) {
  requireJoinable(state_, a, b, place);
  requireFunctorRunsOn(queue_.target, joint, place);
  return joints_.add(joint, a, b);
}

template <class T> std::unique_ptr<Simulation> makeSimulation(const Scene& scene, const WorldSettings& settings, Target target, int environments) {
  return std::make_unique<SimulationOf<T>>(scene, environments, settings, target);
}

#define CAIRN_INSTANTIATE(T)                                                                   \
  template SimulationOf<T>::SimulationOf(const Scene&, int, const WorldSettings&, Target);     \
  template JointId SimulationOf<T>::join(const JointDef&, BodyId, BodyId, const std::string&); \
  template std::unique_ptr<Simulation> makeSimulation<T>(const Scene&, const WorldSettings&, Target, int);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
