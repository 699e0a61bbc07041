#include "src/view/recorded_frames.hpp"

namespace cairn::v0 {

RecordedFrames::RecordedFrames(const RecordingReader& recording, int mostContacts)
    : recording_(recording), mostContacts_(static_cast<size_t>(mostContacts)) {
  channels_.asleep = recording.hasSleep();
  channels_.joints = recording.hasJoints();
  channels_.forces = channels_.islands = recording.hasContacts();
  channels_.contacts = recording.hasContacts() && mostContacts > 0;
  if (recording.hasContacts()) substep_ = recording.dt() / recording.substeps();
}

ViewFrame RecordedFrames::read(size_t number) const {
  RecordedFrame recorded = recording_.frame(number);
  ViewFrame frame;
  frame.time = recorded.time;
  frame.states = std::move(recorded.states);
  frame.asleep = std::move(recorded.asleep);
  for (const RecordedJoint& joint : recorded.joints) frame.joints.push_back({joint.error, joint.angularError, length(joint.force), joint.broken});
  if (!recording_.hasContacts()) return frame;
  std::vector<ViewContact> contacts;
  for (const RecordedContact& c : recorded.contacts) contacts.push_back({c.bodyA, c.bodyB, c.point, c.normal, c.normalImpulse / substep_, -1});
  addContacts(recording_.scene(), std::move(contacts), mostContacts_, frame);
  return frame;
}

}  // namespace cairn::v0
