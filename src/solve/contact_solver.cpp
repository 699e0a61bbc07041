#include <cairn/contact_solver.hpp>

#include "kernels/runtime/owned_queue.hpp"
#include "src/joints/joint_rows.hpp"
#include "src/solve/caller_pass.hpp"

#include <cairn/scene.hpp>

#include <string>
#include <type_traits>

namespace cairn::v0 {
namespace {

// Of anything: so many that places and lanes still have numbers.
constexpr int kMostItems = 1 << 27;

void requireCount(const char* name, int value) {
  if (value >= 0 && value <= kMostItems) return;
  throw InvalidInput(std::string("capacity.") + name, "must be 0 to " + std::to_string(kMostItems) + ", is " + std::to_string(value));
}

// Shapes, joints and whole steps are no part of a call.
void requireSolvable(const WorldSettings& settings) {
  const auto refuse = [](const char* name, const char* rule) { throw InvalidInput(std::string("settings.") + name, rule); };
  if (settings.solver != Solver::Pgs && settings.solver != Solver::Jacobi) refuse("solver", "must be pgs or jacobi for a ContactSolver");
  if (settings.tolerance != 0) refuse("tolerance", "must be 0 for a ContactSolver: its number of sweeps is fixed");
  if (settings.frictionStabilization) refuse("frictionStabilization", "must be off for a ContactSolver, which knows no last step");
  if (settings.positionCorrections != 0) refuse("positionCorrections", "must be 0 for a ContactSolver, which moves no body");
  if (settings.shockPropagation) refuse("shockPropagation", "must be off for a ContactSolver");
}

// A call's fields, as far as the host sees them.
class FieldChecks {
 public:
  explicit FieldChecks(int items) : items_(items) {}

  template <class T, int N> void required(const char* name, const Field<T, N>& field) const {
    if (items_ > 0 && !field) throw InvalidInput(name, "must be there");
    optional(name, field);
  }
  template <class T, int N> void optional(const char* name, const Field<T, N>& field) const {
    if (!field) return;
    const auto aligned = [](std::ptrdiff_t bytes) { return bytes % static_cast<std::ptrdiff_t>(alignof(T)) == 0; };
    if (!aligned(static_cast<std::ptrdiff_t>(reinterpret_cast<uintptr_t>(field.data))) || !aligned(field.stride) || !aligned(field.componentStride)) {
      throw InvalidInput(name, "its address and strides must be multiples of " + std::to_string(alignof(T)) + " bytes");
    }
    const bool written = !std::is_const<T>::value, shared = field.stride == 0 || (N > 1 && field.componentStride == 0);
    if (written && shared && items_ > 1) throw InvalidInput(name, "a stride must not be 0 where the solver writes");
  }

 private:
  int items_;
};

void requireCount(const char* name, const char* capacityName, int value, int most) {
  if (value >= 0 && value <= most) return;
  throw InvalidInput(name, std::string("must be 0 to capacity.") + capacityName + ", " + std::to_string(most) + ", is " + std::to_string(value));
}

template <class T> void requireJointFields(const SolverJoints<T>& joints, const ContactCapacity& capacity) {
  const SolverJointRows<T>& rows = joints.axisRows;
  requireCount("joints.count", "joints", joints.count, capacity.joints);
  requireCount("joints.axisRows.count", "jointRows", rows.count, capacity.jointRows);
  const FieldChecks ofJoints(joints.count), ofRows(rows.count);
  ofJoints.required("joints.bodies", joints.bodies);
  ofJoints.required("joints.anchorA", joints.anchorA);
  ofJoints.required("joints.anchorB", joints.anchorB);
  ofJoints.optional("joints.frameA", joints.frameA);
  ofJoints.optional("joints.frameB", joints.frameB);
  ofJoints.required("joints.locked", joints.locked);
  ofJoints.optional("joints.rows", joints.rows);
  ofJoints.optional("joints.linearImpulse", joints.linearImpulse);
  ofJoints.optional("joints.angularImpulse", joints.angularImpulse);
  ofRows.required("joints.axisRows.axis", rows.axis);
  ofRows.required("joints.axisRows.kind", rows.kind);
  ofRows.optional("joints.axisRows.low", rows.low);
  ofRows.optional("joints.axisRows.high", rows.high);
  ofRows.optional("joints.axisRows.target", rows.target);
  ofRows.optional("joints.axisRows.maxForce", rows.maxForce);
  ofRows.optional("joints.axisRows.stiffness", rows.stiffness);
  ofRows.optional("joints.axisRows.damping", rows.damping);
  ofRows.optional("joints.axisRows.ratio", rows.ratio);
  ofRows.optional("joints.axisRows.phase", rows.phase);
  ofRows.optional("joints.axisRows.impulse", rows.impulse);
}

template <class T> void requireFields(const ContactSolverCall<T>& call, const ContactCapacity& capacity) {
  const SolverBodies<T>& bodies = call.bodies;
  const SolverContacts<T>& contacts = call.contacts;
  requireCount("bodies.count", "bodies", bodies.count, capacity.bodies);
  if (contacts.counted == nullptr && contacts.count < 0)
    throw InvalidInput("contacts.count", "must not be negative, is " + std::to_string(contacts.count));
  const FieldChecks ofBodies(bodies.count);
  ofBodies.required("bodies.position", bodies.position);
  ofBodies.optional("bodies.orientation", bodies.orientation);
  ofBodies.required("bodies.inverseMass", bodies.inverseMass);
  ofBodies.required("bodies.inverseInertia", bodies.inverseInertia);
  ofBodies.required("bodies.linearVelocity", bodies.linearVelocity);
  ofBodies.required("bodies.angularVelocity", bodies.angularVelocity);
  ofBodies.optional("bodies.linearMove", bodies.linearMove);
  ofBodies.optional("bodies.angularMove", bodies.angularMove);
  const FieldChecks ofContacts(contacts.counted != nullptr ? capacity.contacts : contacts.count);
  ofContacts.required("contacts.bodies", contacts.bodies);
  ofContacts.required("contacts.point", contacts.point);
  ofContacts.required("contacts.normal", contacts.normal);
  ofContacts.required("contacts.separation", contacts.separation);
  ofContacts.required("contacts.friction", contacts.friction);
  ofContacts.optional("contacts.restitution", contacts.restitution);
  ofContacts.optional("contacts.normalImpulse", contacts.normalImpulse);
  ofContacts.optional("contacts.frictionImpulse", contacts.frictionImpulse);
  requireJointFields(call.joints, capacity);
}

void requireSwept(const JointDef& joint) {
  validate(joint, "joint");
  if (joint.type == JointType::BlackBox) throw InvalidInput("joint/type", "must not be black-box: a ContactSolver asks nobody");
}

// Addresses of a call that is measured: nothing is read there, but fields that are there cost memory.
template <class T> ContactSolverCall<T> largestCall(const ContactCapacity& capacity) {
  static T somewhere;
  ContactSolverCall<T> call;
  call.bodies.count = capacity.bodies;
  call.bodies.linearMove.data = &somewhere;
  call.contacts.restitution.data = &somewhere;
  call.joints.count = capacity.joints;
  call.joints.axisRows.count = capacity.jointRows;
  call.measureResidual = true;
  return call;
}

}  // namespace

static_assert(int(kSolverLimit) == kLimitRow && int(kSolverVelocityMotor) == kVelocityRow && int(kSolverPositionMotor) == kPositionRow &&
                  int(kSolverSpring) == kSpringRow && int(kSolverDistance) == kDistanceRow && int(kSolverGear) == kGearRow,
              "kinds of rows have the numbers of the library's");

int lockedBits(const JointDef& joint) {
  requireSwept(joint);
  const LockedAxes locked = lockedAxes(joint);
  return locked.linear | locked.angular << 3;
}

std::vector<SolverJointRow> axisRows(const JointDef& joint) {
  requireSwept(joint);
  std::vector<SolverJointRow> rows;
  for (const AxisRow<double>& row : axisRowsOf<double>(joint)) {
    SolverJointRow out;
    out.axis = row.axis;
    out.kind = row.kind;
    out.low = row.low;
    out.high = row.high;
    out.target = row.target;
    out.maxForce = row.maxForce;
    out.stiffness = row.stiffness;
    out.damping = row.damping;
    out.ratio = row.ratio;
    rows.push_back(out);
  }
  return rows;
}

struct ContactSolver::Impl {
  Impl(const ContactCapacity& wanted, const WorldSettings& settings, Target target)
      : original(settings), owned(target, settings.threads, settings.device) {
    call.world = settings;
    call.world.jointSolver = JointSolver::Sweeps;
    call.capacity = wanted;
  }
  ~Impl() {
    if (owned.queue.target != Target::Cuda) return;
    try {
      const DeviceScope scope(owned.queue.device);
      releaseQueue(owned.queue);
    } catch (const DeviceError&) {
      // A device that cannot be made current has failed.
    }
  }

  template <class T> CallerPass<T>& kept() {
    if constexpr (std::is_same_v<T, float>) return inFloat;
    if constexpr (std::is_same_v<T, double>) return inDouble;
  }
  template <class T> void measure() {
    Arena arena = Arena::forMeasuring();
    Queue queue = owned.queue;
    queue.memory = nullptr;
    queue.arena = &arena;
    CallerPass<T>().run(queue, call, largestCall<T>(call.capacity));
    workspace = arena.used();
  }
  template <class T> void run(void* stream, const SolverWorkspace& given, const ContactSolverCall<T>& wanted);

  WorldSettings original;
  CallSettings call;
  OwnedQueue owned;
  size_t workspace = 0;
  Buffer<unsigned char> ownWorkspace;
  CallerPass<float> inFloat;  // on the CPU, of the solver's precision alone
  CallerPass<double> inDouble;
};

template <class T> void ContactSolver::Impl::run(void* stream, const SolverWorkspace& given, const ContactSolverCall<T>& wanted) {
  const bool isDouble = std::is_same_v<T, double>;
  if (isDouble != (original.precision == Precision::Double)) {
    throw InvalidInput("call", std::string("must be of the solver's precision, ") + (isDouble ? "float" : "double"));
  }
  requireFields(wanted, call.capacity);
  if (owned.queue.target == Target::Cpu) return kept<T>().run(owned.queue, call, wanted);
  if (given.data == nullptr || given.bytes < workspace) {
    throw InvalidInput("workspace",
                       "must have " + std::to_string(workspace) + " bytes, has " + std::to_string(given.data == nullptr ? 0 : given.bytes));
  }
  if (reinterpret_cast<uintptr_t>(given.data) % Arena::kAlignment != 0) throw InvalidInput("workspace", "must be aligned to 256 bytes");
  const DeviceScope scope(owned.queue.device);
  forgetForeignErrors();
  Arena arena(given.data, given.bytes);
  Queue queue = owned.queue;
  queue.stream = stream;
  queue.recording = true;  // nothing may come from the host
  queue.memory = nullptr;
  queue.arena = &arena;
  CallerPass<T>().run(queue, call, wanted);
}

ContactSolver::ContactSolver(const ContactCapacity& capacity, const WorldSettings& settings) {
  requireCount("bodies", capacity.bodies);
  requireCount("contacts", capacity.contacts);
  requireCount("joints", capacity.joints);
  requireCount("jointRows", capacity.jointRows);
  requireCount("rowsOfJoint", capacity.rowsOfJoint);
  requireCount("overflow", capacity.overflow);
  validate(settings);
  requireSolvable(settings);
  const Target target = chooseTarget(settings.backend, settings.device);
  const DeviceScope scope(target == Target::Cuda ? settings.device : kCurrentDevice);
  impl_ = std::make_unique<Impl>(capacity, settings, target);
  if (target == Target::Cpu) return;
  if (settings.precision == Precision::Double) {
    impl_->measure<double>();
  } else {
    impl_->measure<float>();
  }
}
ContactSolver::~ContactSolver() = default;
ContactSolver::ContactSolver(ContactSolver&&) noexcept = default;
ContactSolver& ContactSolver::operator=(ContactSolver&&) noexcept = default;

const ContactCapacity& ContactSolver::capacity() const { return impl_->call.capacity; }
const WorldSettings& ContactSolver::settings() const { return impl_->original; }
Backend ContactSolver::backend() const { return impl_->owned.queue.target == Target::Cuda ? Backend::Cuda : Backend::Cpu; }
int ContactSolver::device() const { return backend() == Backend::Cuda ? impl_->owned.queue.device : -1; }
size_t ContactSolver::workspaceBytes() const { return impl_->workspace; }
SolverWorkspace ContactSolver::ownWorkspace() {
  if (backend() == Backend::Cpu) return {};
  const DeviceScope scope(impl_->owned.queue.device);
  impl_->ownWorkspace.resize(impl_->owned.queue, impl_->workspace);
  return {impl_->ownWorkspace.data(), impl_->workspace};
}

void ContactSolver::enqueue(void* stream, const SolverWorkspace& workspace, const ContactSolverCall<float>& call) {
  impl_->run(stream, workspace, call);
}
void ContactSolver::enqueue(void* stream, const SolverWorkspace& workspace, const ContactSolverCall<double>& call) {
  impl_->run(stream, workspace, call);
}

void ContactSolver::solve(const ContactSolverCall<float>& call) {
  if (backend() != Backend::Cpu) throw InvalidInput("solve", "is for the CPU: this solver is on CUDA, where calls are queued");
  impl_->run(nullptr, {}, call);
}
void ContactSolver::solve(const ContactSolverCall<double>& call) {
  if (backend() != Backend::Cpu) throw InvalidInput("solve", "is for the CPU: this solver is on CUDA, where calls are queued");
  impl_->run(nullptr, {}, call);
}

}  // namespace cairn::v0
