#include "src/view/collect_frame.hpp"

namespace cairn::v0 {

FrameCollector::FrameCollector(const Scene& scene, const WorldSettings& settings, int mostContacts)
    : mostContacts_(static_cast<size_t>(mostContacts)), scene_(scene), colours_(scene, settings) {
  channels_.asleep = settings.sleeping;
  channels_.forces = channels_.islands = channels_.colours = true;
  channels_.joints = !scene.joints.empty();
  channels_.contacts = mostContacts > 0;
}

ViewFrame FrameCollector::collect(const World& world, double time) {
  ViewFrame frame;
  frame.time = time;
  frame.states = world.states();
  if (channels_.asleep) frame.asleep = world.asleep();
  std::vector<bool> broken;
  for (const JointState& joint : channels_.joints ? world.jointStates() : std::vector<JointState>()) {
    broken.push_back(joint.broken);
    frame.joints.push_back({joint.error, joint.angularError, length(joint.force), joint.broken});
  }
  const std::vector<Contact> contacts = world.contacts();
  const std::vector<int> colours = colours_.colour(contacts, broken, frame.asleep, frame.colours);
  const double substep = world.settings().dt / world.settings().substeps;
  std::vector<ViewContact> shown;
  shown.reserve(contacts.size());
  for (size_t k = 0; k < contacts.size(); ++k) {
    const Contact& c = contacts[k];
    shown.push_back({c.bodyA.index, c.bodyB.index, c.point, c.normal, c.normalImpulse / substep, colours[k]});
  }
  addContacts(scene_, std::move(shown), mostContacts_, frame);
  return frame;
}

}  // namespace cairn::v0
