// A World that somebody watches and touches: runs by the clock, pauses, steps, starts anew, and has a body on a spring.
#pragma once

#include "src/view/collect_frame.hpp"

#include <chrono>
#include <memory>
#include <optional>

namespace cairn::v0 {

class LiveWorld {
 public:
  using Clock = std::chrono::steady_clock;

  LiveWorld(Scene scene, const WorldSettings& settings, int mostContacts);

  const Scene& scene() const { return scene_; }
  const ViewChannels& channels() const { return collector_.channels(); }
  bool paused() const { return paused_; }
  double speed() const { return speed_; }  // simulated seconds a second, at most: a World that is slower than that is as fast as it can
  long steps() const { return steps_; }

  void pause(bool paused);
  void stepOnce();
  void reset();
  void setSpeed(double factor);
  // A spring from a point of the body, in its frame, to one of the world, until letGo or a reset. Throws InvalidInput for a body that is not dynamic,
  // or is not there.
  void pull(int body, Vec3d anchor, Vec3d to);
  void letGo() { pull_.reset(); }

  // Does a step if one is due. Returns whether it did.
  bool advance(Clock::time_point now);
  // Until a step is due; nothing is due while it is paused.
  Clock::duration idle(Clock::time_point now) const;
  // Of what the last step has left.
  ViewFrame frame() { return collector_.collect(*world_, static_cast<double>(steps_) * world_->settings().dt); }

 private:
  struct Pull {
    int body;
    double mass;
    Vec3d anchor, to;
  };
  void applyPull();
  Clock::duration stepTime() const;

  Scene scene_;
  WorldSettings settings_;
  std::unique_ptr<World> world_;
  FrameCollector collector_;
  bool paused_ = false;
  double speed_ = 1;
  long steps_ = 0, owed_ = 0;
  Clock::time_point due_;
  std::optional<Pull> pull_;
};

}  // namespace cairn::v0
