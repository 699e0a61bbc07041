// Recordings, frame by frame: what is in memory is the scene, the times, and the frame that was asked for. Layout: docs/recordings.md.
#pragma once

#include <cairn/scene.hpp>
#include <cairn/world.hpp>

#include <memory>
#include <string>
#include <vector>

namespace cairn::v0 {

// As Contact, of the step before the frame. Bodies are positions in the scene.
struct RecordedContact {
  int bodyA = -1, bodyB = -1;
  int shapeA = 0, shapeB = 0;  // position in the body's shapes
  Vec3d point;                 // world [m]
  Vec3d normal;                // unit, from A to B
  double separation = 0;       // [m], negative is penetration
  double normalImpulse = 0;    // over the last substep [N s]
  Vec3d frictionImpulse;       // over the last substep, on B [N s]
};

// As JointState.
struct RecordedJoint {
  double error, angularError;  // [m], [rad]
  Vec3d force, torque;         // on body B, the mean of the step before the frame, world [N], [N m]
  bool broken;
};

struct RecordedFrame {
  double time = 0;                        // [s]
  std::vector<BodyState> states;          // by body; velocities are 0 where they were not recorded
  std::vector<unsigned char> asleep;      // by body, 1 or 0; empty unless recorded, as those below
  std::vector<RecordedJoint> joints;      // by joint
  std::vector<RecordedContact> contacts;  // in the order of World::contacts()
};

// Whether a file is called as recordings are: .h5 or .hdf5, with .partial behind it while it is being written.
bool isNamedRecording(const std::string& path);

// Reads what a run has finished, and what one that was killed or is still under way has written (its name ends in .partial): frames that came
// later than the opening are not seen.
class RecordingReader {
 public:
  // Throws InvalidInput: for a file that cannot be read, is of another program or of a newer version, is cut short or damaged.
  explicit RecordingReader(const std::string& path);
  ~RecordingReader();
  RecordingReader(RecordingReader&&) noexcept;
  RecordingReader& operator=(RecordingReader&&) noexcept;

  const std::string& path() const;
  const Scene& scene() const;                     // of a replicated one all copies; names, shapes, materials and joints are in it
  const std::string& sceneJson() const;           // docs/scene-format.md
  const std::vector<std::string>& names() const;  // of the bodies
  double dt() const;                              // of a step [s]
  int stepsPerFrame() const;
  int substeps() const;      // of a step: impulses of contacts are over one
  int environments() const;  // copies of one scene; 0: it was not replicated, or the file is of version 1, which does not say
  bool hasVelocities() const;
  bool hasSleep() const;
  bool hasJoints() const;
  bool hasContacts() const;

  size_t frameCount() const;
  double time(size_t frame) const;  // [s], growing
  // The last one at this time or before; the first one for what is earlier than all of them.
  size_t frameAt(double time) const;
  // Throws InvalidInput if it cannot be read: the file is cut short or damaged.
  RecordedFrame frame(size_t frame) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cairn::v0
