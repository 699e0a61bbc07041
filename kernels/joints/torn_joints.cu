// Looks for joints that a step has lost.
//
// A joint is solved as if its bodies turned little within a substep. Where they turn far, a whirled chain say, an error of the solve can feed on
// itself until nothing is finite any more. A joint of bodies that turn fast, whose ends the step took apart by a good part of the arms that they sit
// on, is beyond that point; what would follow is not the motion of anything. Sweeps that are too weak for what whirls let go of it step by step:
// there it is the step in which the ends get further apart than the arms reach. Ends that were that far apart before are on their way back from where
// a scene has put them. In: poses before and after a step, velocities. Out: the smallest slot of such a joint, or of a black box whose projection
// answered something that is no pose. Deterministic: an integer minimum.
#include "kernels/joints/torn_joints.hpp"

#include "kernels/joints/joint_math.hpp"
#include "kernels/runtime/launch.hpp"
#include "kernels/state/finite.hpp"

namespace cairn::v0 {
namespace {

constexpr double kFast = 0.25;  // rotation within a substep, and for ends beyond the arms within the step [rad]
constexpr double kTorn = 0.5;   // part of the arms' lengths by which the ends have come apart within the step

template <class T> struct FindTornJoints {
  const int* live;
  const JointRecord<T>* records;
  JointedBodies<T> bodies;
  int* firstTorn;

  CAIRN_HD bool fast(const JointRecord<T>& j, T time) const {
    const Vec3<T> a = bodies.velocities[j.bodyA].w, b = bodies.velocities[j.bodyB].w;
    const T most = T(kFast) / time;
    return maxOf(dot(a, a), dot(b, b)) > most * most;
  }
  CAIRN_HD T errorOf(const JointRecord<T>& j, const BodyPose<T>* poses) const {
    const joint::Frames<T> frames = joint::framesOf(j, poses[j.bodyA], poses[j.bodyB]);
    const joint::Directions<T> locked = joint::lockedTranslations(j.lockedLinear, rotationMatrix(frames.qA));
    T square = T(0);
    for (int k = 0; k < locked.count; ++k) {
      const T off = dot(locked.d[k], frames.offset);
      square += off * off;
    }
    return squareRoot(square);
  }
  CAIRN_HD void operator()(int index) const {
    const int slot = live[index];
    const JointRecord<T>& j = records[slot];
    if ((j.flags & kJointBlackBox) != 0) {
      if (!finite(bodies.targets[slot].allowed)) atomicMinInt(firstTorn, slot);
      return;
    }
    if (j.lockedLinear == 0 || !fast(j, bodies.dt)) return;
    const T arms = length(j.frameA.p) + length(j.frameB.p), before = errorOf(j, bodies.posesBefore), now = errorOf(j, bodies.poses);
    const bool torn = fast(j, bodies.h) && now - before > T(kTorn) * arms;
    if (torn || (now > arms && !(before > arms))) atomicMinInt(firstTorn, slot);
  }
};

}  // namespace

template <class T>
void findTornJoints(Queue& queue, const int* live, int count, const JointRecord<T>* records, const JointedBodies<T>& bodies, int* firstTorn) {
  forEach(queue, "joints/torn", count, FindTornJoints<T>{live, records, bodies, firstTorn});
}

#define CAIRN_INSTANTIATE(T) template void findTornJoints(Queue&, const int*, int, const JointRecord<T>*, const JointedBodies<T>&, int*);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
