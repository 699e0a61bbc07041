// A caller's arrays: from fields with strides to the records that rows and sweeps read, and back.
//
// In: bodies and contact points in arrays of any layout, their number perhaps only on the target. Out: bodies in slots, manifolds, impulses; at the
// end velocities and impulses in the caller's arrays. What is wrong with the input is collected in the call's state, by minima and bits that no order
// of threads changes, before anything is solved; all that the caller owns is written by one kernel at the very end, which looks at that state first.
// So a call that is refused has touched nothing.
//
// Manifolds: a run of points that agree with the one before in bodies, normal, friction and restitution is cut into pieces of four. The first point
// of a run walks along it and says where manifolds begin; a scan then numbers them. Memory: 4 bytes a contact and what the records take.
#include "kernels/solve/caller_contacts.hpp"

#include "kernels/runtime/launch.hpp"
#include "kernels/solve/caller_fields.hpp"

#include <algorithm>

namespace cairn::v0 {
namespace {

using caller::areBodies;
using caller::at;
using caller::isFinite;
using caller::isUnit;
using caller::kNone;
using caller::kUnitTolerance;
using caller::putVector;
using caller::quaternionAt;
using caller::refuse;
using caller::vectorAt;

template <class T> struct BeginCall {
  SolverContacts<T> contacts;
  ContactCapacity capacity;
  CallState* state;

  CAIRN_HD void operator()(int) const {
    const int found = contacts.counted != nullptr ? *contacts.counted : contacts.count;
    ContactSolverStatus status{};
    status.contactsNeeded = found;
    status.contactsAvailable = capacity.contacts;
    status.overflowAvailable = capacity.overflow;
    status.badBody = status.badContact = status.badJoint = status.badJointRow = kNone;
    status.residual = -1;
    const bool fits = found >= 0 && found <= capacity.contacts;
    status.flags = fits ? 0 : kSolverContactCapacity;
    state->contacts = fits ? found : 0;
    state->status = status;
  }
};

template <class T> struct ReadBody {
  SolverBodies<T> bodies;
  BodyRecords<T> out;
  CallState* state;

  CAIRN_HD Sym3<T> inertiaOf(int i) const {
    const Field<const T, 6>& f = bodies.inverseInertia;
    return {at(f, i, 0), at(f, i, 1), at(f, i, 2), at(f, i, 3), at(f, i, 4), at(f, i, 5)};
  }
  CAIRN_HD static bool soundInertia(Sym3<T> m) {
    const auto holds = [](T a, T b, T c) { return a >= T(0) && c * c <= a * b * T(1 + kUnitTolerance); };
    return holds(m.xx, m.yy, m.xy) && holds(m.yy, m.zz, m.yz) && holds(m.zz, m.xx, m.xz);
  }

  CAIRN_HD int flawsOf(const BodyPose<T>& pose, const BodyVelocity<T>& velocity, Sym3<T> inertia) const {
    const Quat<T> q = pose.q;
    const bool sound = finite(pose.x) && finite(velocity.v) && finite(velocity.w) && isFinite(velocity.invMassX) && isFinite(q) &&
                       finite(Vec3<T>{inertia.xx, inertia.yy, inertia.zz}) && finite(Vec3<T>{inertia.xy, inertia.xz, inertia.yz});
    if (!sound) return kSolverNotFinite;
    const bool inRange = velocity.invMassX >= T(0) && soundInertia(inertia) && isUnit(q);
    return inRange ? 0 : kSolverOutOfRange;
  }

  CAIRN_HD void operator()(int i) const {
    BodyPose<T> pose{{T(0), T(0), T(0)}, T(0), identityQuat<T>()};
    BodyVelocity<T> velocity{};
    Sym3<T> inertia{T(0), T(0), T(0), T(0), T(0), T(0)};
    if (i < bodies.count) {
      pose.x = vectorAt(bodies.position, i);
      pose.q = quaternionAt(bodies.orientation, i);
      velocity.v = vectorAt(bodies.linearVelocity, i);
      velocity.w = vectorAt(bodies.angularVelocity, i);
      velocity.invMassX = velocity.invMassY = at(bodies.inverseMass, i);
      inertia = inertiaOf(i);
      const int flaws = flawsOf(pose, velocity, inertia);
      if (flaws != 0) refuse(state, flaws, &state->status.badBody, i);
    }
    const bool turns = inertia.xx > T(0) || inertia.yy > T(0) || inertia.zz > T(0), dynamic = velocity.invMassX > T(0) || turns;
    const bool isotropic = inertia.xx == inertia.yy && inertia.xx == inertia.zz && inertia.xy == T(0) && inertia.xz == T(0) && inertia.yz == T(0);
    BodyConstants<T> constants{};
    constants.flags = kBodyAlive | (dynamic ? kBodyDynamic : 0) | (isotropic ? kBodyIsotropic : 0);
    constants.invInertia = inertia;
    out.poses[i] = pose;
    out.velocities[i] = velocity;
    out.inertias[i] = {isotropic || bodies.orientation.data == nullptr ? inertia : rotated(rotationMatrix(pose.q), inertia), velocity.invMassX, T(0)};
    out.motions[i] = {{T(0), T(0), T(0)}, T(0), identityQuat<T>()};
    out.constants[i] = constants;
  }
};

template <class T> struct CheckContact {
  CallerArrays<T> caller;
  CallState* state;
  int* heads;

  CAIRN_HD bool soundImpulses(int i) const {
    const SolverContacts<T>& contacts = caller.contacts;
    if (!caller.warmStart) return true;
    if (contacts.normalImpulse.data != nullptr && !isFinite(at(contacts.normalImpulse, i))) return false;
    return contacts.frictionImpulse.data == nullptr || finite(vectorAt(contacts.frictionImpulse, i));
  }
  CAIRN_HD int flawsOf(int i) const {
    const SolverContacts<T>& contacts = caller.contacts;
    const int bodies = caller.bodies.count, a = at(contacts.bodies, i, 0), b = at(contacts.bodies, i, 1);
    const Vec3<T> n = vectorAt(contacts.normal, i);
    const T friction = at(contacts.friction, i), restitution = contacts.restitution.data != nullptr ? at(contacts.restitution, i) : T(0);
    int flaws = 0;
    if (!areBodies(a, b, bodies)) flaws |= kSolverBodyIndex;
    const bool sound = finite(vectorAt(contacts.point, i)) && finite(n) && isFinite(at(contacts.separation, i)) && isFinite(friction) &&
                       isFinite(restitution) && soundImpulses(i);
    if (!sound) return flaws | kSolverNotFinite;
    if (!isUnit(n)) flaws |= kSolverBadNormal;
    if (friction < T(0) || restitution < T(0) || restitution > T(1)) flaws |= kSolverOutOfRange;
    return flaws;
  }
  CAIRN_HD bool continues(int i) const {
    const SolverContacts<T>& contacts = caller.contacts;
    const Vec3<T> n = vectorAt(contacts.normal, i), before = vectorAt(contacts.normal, i - 1);
    const bool same = at(contacts.bodies, i, 0) == at(contacts.bodies, i - 1, 0) && at(contacts.bodies, i, 1) == at(contacts.bodies, i - 1, 1) &&
                      n.x == before.x && n.y == before.y && n.z == before.z && at(contacts.friction, i) == at(contacts.friction, i - 1);
    return same && (contacts.restitution.data == nullptr || at(contacts.restitution, i) == at(contacts.restitution, i - 1));
  }
  CAIRN_HD void operator()(int i) const {
    const int count = state->contacts;
    if (i >= count) {
      heads[i] = 0;
      return;
    }
    const int flaws = flawsOf(i);
    if (flaws != 0) refuse(state, flaws, &state->status.badContact, i);
    if (i > 0 && continues(i)) return;  // the first of the run writes it
    heads[i] = 1;
    for (int j = i + 1; j < count && continues(j); ++j) heads[j] = (j - i) % kMaxManifoldPoints == 0 ? 1 : 0;
  }
};

template <class T> struct ReadManifold {
  CallerArrays<T> caller;
  CallState* state;
  int* places;
  int most;
  ManifoldRecords<T> out;

  CAIRN_HD bool begins(int i) const { return places[i + 1] > places[i]; }
  CAIRN_HD Vec3<T> impulseOf(int i, Vec3<T> t1, Vec3<T> t2) const {
    const SolverContacts<T>& contacts = caller.contacts;
    const T normal = contacts.normalImpulse.data != nullptr ? at(contacts.normalImpulse, i) : T(0);
    if (contacts.frictionImpulse.data == nullptr) return {normal, T(0), T(0)};
    const Vec3<T> friction = vectorAt(contacts.frictionImpulse, i);
    return {normal, dot(friction, t1), dot(friction, t2)};
  }
  CAIRN_HD int slotOf(int body) const { return body < 0 ? caller.bodies.count : body; }
  CAIRN_HD Vec3<T> positionOf(int body) const { return body < 0 ? Vec3<T>{T(0), T(0), T(0)} : vectorAt(caller.bodies.position, body); }

  CAIRN_HD void operator()(int first) const {
    if (first == 0) state->flaws = state->status.flags;
    if (state->refused()) {
      if (first == 0) places[most] = 0;  // nobody else reads it then
      return;
    }
    if (first >= state->contacts || !begins(first)) return;
    const SolverContacts<T>& contacts = caller.contacts;
    const int a = at(contacts.bodies, first, 0), b = at(contacts.bodies, first, 1), index = places[first];
    Manifold<T>& m = out.manifolds[index];
    m.bodyA = m.shapeA = slotOf(a);
    m.bodyB = m.shapeB = slotOf(b);
    m.normal = vectorAt(contacts.normal, first);
    m.friction = at(contacts.friction, first);
    m.restitution = contacts.restitution.data != nullptr ? at(contacts.restitution, first) : T(0);
    Vec3<T> t1, t2;
    tangentFrame(m.normal, t1, t2);
    const Vec3<T> xA = positionOf(a), xB = positionOf(b);
    ManifoldImpulse<T>& impulse = out.impulses[index];
    // What no body takes is no impulse: sweeps pass such contacts by, and what they had would stay.
    const bool starts = caller.warmStart && ((out.constants[m.bodyA].flags | out.constants[m.bodyB].flags) & kBodyDynamic) != 0;
    int count = 0;
    for (int i = first; i < state->contacts && count < kMaxManifoldPoints && (i == first || !begins(i)); ++i, ++count) {
      const Vec3<T> point = vectorAt(contacts.point, i);
      m.points[count] = {point - xA, at(contacts.separation, i), point - xB, static_cast<uint32_t>(count)};
      impulse.points[count] = starts ? impulseOf(i, t1, t2) : Vec3<T>{T(0), T(0), T(0)};
    }
    for (int p = count; p < kMaxManifoldPoints; ++p) {
      m.points[p] = {};
      impulse.points[p] = {T(0), T(0), T(0)};
    }
    m.pointCount = count;
    out.firstContact[index] = first;
  }
};

// Item i is a body, and a manifold.
template <class T> struct CheckResult {
  SolvedCall<T> solved;
  CallState* state;
  int bodies;

  CAIRN_HD void operator()(int i) const {
    if (i == 0) {
      const int overflow = solved.colours->overflowCount;
      state->status.overflowNeeded = overflow;
      if (overflow > state->status.overflowAvailable) atomicOrInt(&state->status.flags, kSolverOverflowCapacity);
    }
    if (i < bodies) {
      const BodyVelocity<T>& u = solved.bodies.velocities[i];
      const bool moves = solved.moves == nullptr || (finite(solved.moves[i].v) && finite(solved.moves[i].w));
      const bool sound = finite(u.v) && finite(u.w) && moves;
      if (!sound && state->flaws == 0) refuse(state, kSolverResultNotFinite, &state->status.badBody, i);
    }
    if (i < *solved.manifoldCount && i < solved.manifoldBound) checkImpulses(i);
  }
  CAIRN_HD void checkImpulses(int m) const {
    const Manifold<T>& manifold = solved.manifolds.manifolds[m];
    for (int p = 0; p < manifold.pointCount; ++p) {
      if (finite(solved.manifolds.impulses[m].points[p])) continue;
      refuse(state, kSolverResultNotFinite, &state->status.badContact, solved.manifolds.firstContact[m] + p);
    }
  }
};

template <class T> struct WriteResult {
  CallerArrays<T> caller;
  SolvedCall<T> solved;
  const CallState* state;
  ContactSolverStatus* status;

  CAIRN_HD void operator()(int i) const {
    if (i == 0 && status != nullptr) *status = finalStatus();
    if (state->refused()) return;
    if (i < caller.bodies.count) writeBody(i);
    if (i < *solved.manifoldCount && i < solved.manifoldBound) writeImpulses(i);
  }
  CAIRN_HD ContactSolverStatus finalStatus() const {
    ContactSolverStatus out = state->status;
    for (int* const first : {&out.badBody, &out.badContact, &out.badJoint, &out.badJointRow}) {
      if (*first == kNone) *first = -1;
    }
    out.manifolds = *solved.manifoldCount;
    out.colours = solved.colours->colourCount;
    out.sweeps = solved.sweeps;
    if (out.flags == 0) return out;
    out.manifolds = out.colours = out.sweeps = 0;
    out.residual = -1;
    out.velocityScale = 0;
    return out;
  }
  CAIRN_HD void writeBody(int i) const {
    const bool dynamic = (solved.bodies.constants[i].flags & kBodyDynamic) != 0;
    const SolverBodies<T>& bodies = caller.bodies;
    if (dynamic) {
      putVector(bodies.linearVelocity, i, solved.bodies.velocities[i].v);
      putVector(bodies.angularVelocity, i, solved.bodies.velocities[i].w);
    }
    if (solved.moves == nullptr) return;
    if (bodies.linearMove.data != nullptr) putVector(bodies.linearMove, i, solved.moves[i].v);
    if (bodies.angularMove.data != nullptr) putVector(bodies.angularMove, i, solved.moves[i].w);
  }
  CAIRN_HD void writeImpulses(int index) const {
    const SolverContacts<T>& contacts = caller.contacts;
    const Manifold<T>& m = solved.manifolds.manifolds[index];
    Vec3<T> t1, t2;
    tangentFrame(m.normal, t1, t2);
    for (int p = 0; p < m.pointCount; ++p) {
      const Vec3<T> lambda = solved.manifolds.impulses[index].points[p];
      const int i = solved.manifolds.firstContact[index] + p;
      if (contacts.normalImpulse.data != nullptr) at(contacts.normalImpulse, i) = lambda.x;
      if (contacts.frictionImpulse.data != nullptr) putVector(contacts.frictionImpulse, i, lambda.y * t1 + lambda.z * t2);
    }
  }
};

template <class T> struct NoteResidual {
  const MaxAt<T>* maxima;  // residual, velocity; null: there are no contacts
  CallState* state;
  CAIRN_HD void operator()(int) const {
    state->status.residual = 0;
    if (maxima == nullptr) return;
    const T scale = maxima[1].value > T(0) ? maxima[1].value : T(1);
    state->status.residual = static_cast<float>(maxima[0].value / scale);
    state->status.velocityScale = static_cast<float>(maxima[1].value);
  }
};

}  // namespace

template <class T> void beginCall(Queue& queue, const SolverContacts<T>& contacts, const ContactCapacity& capacity, CallState* state) {
  forEach(queue, "contact_solver/begin", 1, BeginCall<T>{contacts, capacity, state});
}

template <class T> void readBodies(Queue& queue, const SolverBodies<T>& bodies, const BodyRecords<T>& out, CallState* state) {
  forEach(queue, "contact_solver/bodies", bodies.count + 1, ReadBody<T>{bodies, out, state});
}

template <class T> void checkContacts(Queue& queue, const CallerArrays<T>& caller, int most, CallState* state, int* heads) {
  forEach(queue, "contact_solver/check", most, CheckContact<T>{caller, state, heads});
}

template <class T>
void readManifolds(Queue& queue, const CallerArrays<T>& caller, int most, CallState* state, int* places, const ManifoldRecords<T>& out) {
  forEach(queue, "contact_solver/manifolds", std::max(most, 1), ReadManifold<T>{caller, state, places, most, out});
}

template <class T> void checkResult(Queue& queue, int bodies, const SolvedCall<T>& solved, CallState* state) {
  forEach(queue, "contact_solver/check_result", std::max({bodies, solved.manifoldBound, 1}), CheckResult<T>{solved, state, bodies});
}

template <class T>
void writeResult(Queue& queue, const CallerArrays<T>& caller, const SolvedCall<T>& solved, const CallState* state, ContactSolverStatus* status) {
  forEach(queue, "contact_solver/write", std::max({caller.bodies.count, solved.manifoldBound, 1}), WriteResult<T>{caller, solved, state, status});
}

template <class T> void noteResidual(Queue& queue, const MaxAt<T>* maxima, CallState* state) {
  forEach(queue, "contact_solver/residual", 1, NoteResidual<T>{maxima, state});
}

#define CAIRN_INSTANTIATE(T)                                                                                               \
  template void beginCall(Queue&, const SolverContacts<T>&, const ContactCapacity&, CallState*);                           \
  template void readBodies(Queue&, const SolverBodies<T>&, const BodyRecords<T>&, CallState*);                             \
  template void checkContacts(Queue&, const CallerArrays<T>&, int, CallState*, int*);                                      \
  template void readManifolds(Queue&, const CallerArrays<T>&, int, CallState*, int*, const ManifoldRecords<T>&);           \
  template void checkResult(Queue&, int, const SolvedCall<T>&, CallState*);                                                \
  template void writeResult(Queue&, const CallerArrays<T>&, const SolvedCall<T>&, const CallState*, ContactSolverStatus*); \
  template void noteResidual(Queue&, const MaxAt<T>*, CallState*);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
