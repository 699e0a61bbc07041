// Recorded trajectories: HDF5, layout in docs/program.md.
#pragma once

#include <cairn/scene.hpp>
#include <cairn/world.hpp>

#include <memory>
#include <string>
#include <vector>

namespace cairn::v0 {

// Written beside its destination and moved there by finish(): a run that fails leaves nothing behind.
class Recording {
 public:
  // Throws InvalidInput if the file cannot be made.
  Recording(const std::string& path, const Scene& scene, const World& world, int every);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  void add(double time, const std::vector<BodyState>& states);
  void finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

struct RecordedTrajectory {
  double dt = 0;  // of a step [s]
  int stepsPerFrame = 1;
  std::vector<double> times;                   // [s]
  std::vector<std::string> names;              // of the bodies
  std::vector<std::vector<BodyState>> frames;  // [frame][body]
  std::string scene;                           // JSON
};
// Throws InvalidInput if the file is not a recording.
RecordedTrajectory readRecording(const std::string& path);

}  // namespace cairn::v0
