#include "src/view/recorded_frames.hpp"

#include "src/io/hdf5_handle.hpp"

namespace cairn::v0 {
namespace {

// The reader tells of frames, not of settings: of these one makes forces of impulses.
double substepsOf(const std::string& path) {
  const Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, path, "open it");
  const Hdf5Handle settings(H5Gopen2(file, "settings", H5P_DEFAULT), H5Gclose, path, "find 'settings'");
  const Hdf5Handle attribute(H5Aopen(settings, "substeps", H5P_DEFAULT), H5Aclose, path, "find 'settings/substeps'");
  double value = 0;
  if (H5Aread(attribute, H5T_NATIVE_DOUBLE, &value) < 0 || !(value >= 1)) throw InvalidInput(path, "'settings/substeps' is no number of substeps");
  return value;
}

}  // namespace

RecordedFrames::RecordedFrames(const RecordingReader& recording, int mostContacts)
    : recording_(recording), mostContacts_(static_cast<size_t>(mostContacts)) {
  channels_.asleep = recording.hasSleep();
  channels_.joints = recording.hasJoints();
  channels_.forces = channels_.islands = recording.hasContacts();
  channels_.contacts = recording.hasContacts() && mostContacts > 0;
  if (recording.hasContacts()) substep_ = recording.dt() / substepsOf(recording.path());
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
