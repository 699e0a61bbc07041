// A World that several threads of Python may ask, one at a time.
#pragma once

#include "python/src/errors.hpp"
#include "python/src/projection.hpp"

#include <cairn/world.hpp>

#include <nanobind/nanobind.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>

namespace cairn::python {

// Python's signal handlers, from a thread without the interpreter's lock: what they raise (KeyboardInterrupt) is thrown as nanobind's python_error.
class SignalWatch {
 public:
  // Runs them if a while has passed since the last time.
  void look() {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < kPause) return;
    last_ = now;
    lookNow();
  }
  static void lookNow() {
    const nanobind::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
  }
  static constexpr std::chrono::milliseconds kPause{20};

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

class SharedWorld {
 public:
  // `environments`: so many copies of the scene; 0: the scene itself.
  SharedWorld(const Scene& scene, const WorldSettings& settings, int environments) {
    const auto calls = [](const JointDef& joint) { return static_cast<bool>(joint.projection); };
    if (std::any_of(scene.joints.begin(), scene.joints.end(), calls)) {
      Scene own = scene;
      for (JointDef& joint : own.joints) takeProjection(joint);
      make(own, settings, environments);
    } else {
      make(scene, settings, environments);
    }
  }
  // The projections of a snapshot's joints would have to be there already: World::save refuses such joints.
  SharedWorld(const Snapshot& snapshot, const WorldSettings& execution) {
    const nanobind::gil_scoped_release release;
    world_.emplace(snapshot, execution);
    device_ = world_->device();
  }

  // Calls `work` with the World, without the interpreter's lock: other threads of Python run meanwhile, and those that ask this World wait. Throws
  // ClosedWorld, and Error where the World itself has called this thread's Python (the projection of a joint).
  template <class Work> auto use(const Work& work) {
    return alone([&] {
      if (closed_) throw ClosedWorld();
      if (device_ < 0) giveBackKept();
      return work(*world_);
    });
  }
  JointId addJoint(BodyId bodyA, BodyId bodyB, JointDef joint) {
    takeProjection(joint);
    return use([&](World& world) { return world.addJoint(bodyA, bodyB, joint); });
  }
  // For the garbage collector: the functions that this World alone refers to. Where another thread is about to let one go it waits for the
  // interpreter's lock, which the collector has: what is not expired here lives until it is through, and nothing is let go by looking.
  int traverse(visitproc visit, void* arg) const {
    for (const Watched& projection : projections_)
      if (!projection.reference.expired()) Py_VISIT(projection.function);
    return 0;
  }

  void close() {
    alone([&] {
      closed_ = true;
      if (lent_[kBodies] + lent_[kJoints] + lent_[kContacts] == 0) world_.reset();
    });
  }
  bool closed() {
    return alone([&] { return closed_; });
  }

  // What arrays of Python's have of the World's memory: while there are any it stays, beyond `close` too. That of bodies stays where it is, that of
  // the others is kept where steps or changes of joints move on to another.
  enum Memory { kBodies, kJoints, kContacts, kMemories };
  class Lease {
   public:
    Lease(SharedWorld& shared, Memory memory) : shared_(shared), memory_(memory) { ++shared_.lent_[memory_]; }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() { --shared_.lent_[memory_]; }

   private:
    SharedWorld& shared_;
    Memory memory_;
  };
  // Within `use`, before the World is asked for the addresses.
  std::shared_ptr<Lease> lease(Memory memory) {
    if (memory != kBodies && !keeps_) {
      world_->keepArrays(true);
      keeps_ = true;
    }
    return std::make_shared<Lease>(*this, memory);
  }
  // What nobody looks at any more. Within `use`; on a device where nobody captures, as memory is given back then.
  void giveBackKept() {
    if (!keeps_ || lent_[kJoints] + lent_[kContacts] > 0) return;
    world_->keepArrays(false);
    keeps_ = false;
  }
  void requireUnlent(Memory memory, const char* call) const {
    if (lent_[memory] > 0)
      throw nanobind::buffer_error((std::string(call) + ": arrays of this World's memory are in use, which it would move").c_str());
  }
  // Waits for what has been asked for.
  void settleLent() {
    alone([&] {
      if (world_) world_->wait();
    });
  }
  int device() const { return device_; }  // -1: the host

 private:
  struct Watched {
    std::weak_ptr<nanobind::object> reference;
    PyObject* function;
  };

  void takeProjection(JointDef& joint) {
    const Projection* own = takeApart(joint);
    if (own == nullptr) return;
    const auto gone = [](const Watched& each) { return each.reference.expired(); };
    projections_.erase(std::remove_if(projections_.begin(), projections_.end(), gone), projections_.end());
    projections_.push_back({own->reference(), own->function()});
  }
  void make(const Scene& scene, const WorldSettings& settings, int environments) {
    const nanobind::gil_scoped_release release;
    if (environments == 0) {
      world_.emplace(scene, settings);
    } else {
      world_.emplace(scene, environments, settings);
    }
    device_ = world_->device();
  }

  template <class Work> std::invoke_result_t<Work> alone(const Work& work) {
    if (owner_.load() == std::this_thread::get_id())
      throw Error("World: it cannot be asked from within its own step, by a projection or a signal handler");
    const nanobind::gil_scoped_release release;
    const Turn turn(*this);
    return work();
  }

  class Turn {
   public:
    explicit Turn(SharedWorld& shared) : shared_(shared) {
      while (!shared_.mutex_.try_lock_for(SignalWatch::kPause)) SignalWatch::lookNow();
      shared_.owner_ = std::this_thread::get_id();
    }
    ~Turn() {
      shared_.owner_ = std::thread::id();
      shared_.mutex_.unlock();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    SharedWorld& shared_;
  };

  std::vector<Watched> projections_;
  std::optional<World> world_;
  bool closed_ = false;
  std::array<std::atomic<int>, kMemories> lent_{};
  bool keeps_ = false;
  int device_ = -1;
  std::timed_mutex mutex_;
  std::atomic<std::thread::id> owner_{};  // who has the mutex
};

}  // namespace cairn::python
