// Recorded trajectories: HDF5, layout in docs/recordings.md. recording_reader.hpp reads them.
#pragma once

#include <cairn/scene.hpp>
#include <cairn/world.hpp>

#include <memory>
#include <string>

namespace cairn::v0 {

// What is recorded besides the time and the bodies' poses.
struct RecordingSettings {
  int stepsPerFrame = 1;
  bool velocities = false, contacts = false, joints = false, sleep = false;
  bool exact = false;  // poses and velocities to the bit, as doubles; else positions as floats, and rotations to 4e-5 rad
};

// Written beside its destination, as NAME.partial, and moved there by finish(): a run that fails leaves nothing behind. One that is killed leaves
// that file, in which all but the last frames can be read: it is written to disk every second, or every hundredth of the run's time so far where
// that is longer. Memory does not grow with the number of frames.
class Recording {
 public:
  // Throws InvalidInput if the file cannot be made. The World's bodies are those of the scene, in its order.
  Recording(const std::string& path, const Scene& scene, const World& world, const RecordingSettings& settings = {});
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  // A frame: the World as it is now. Throws InvalidInput if it cannot be written.
  void add(double time, const World& world);
  void finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cairn::v0
