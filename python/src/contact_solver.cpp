// The ContactSolver on arrays of Python's: fields as cairn/_contact_solver.py has them become the C++ ones, where they lie.
#include "python/src/bindings.hpp"
#include "python/src/definitions.hpp"
#include "python/src/errors.hpp"
#include "python/src/foreign_array.hpp"
#include "python/src/settings.hpp"

#include <cairn/contact_solver.hpp>

#include <nanobind/stl/vector.h>

#include <deque>
#include <mutex>
#include <optional>

namespace cairn::python {
namespace {

constexpr int64_t kStatusWords = sizeof(ContactSolverStatus) / sizeof(int);
static_assert(sizeof(ContactSolverStatus) == 14 * sizeof(int), "cairn/_contact_solver.py has the words of a status by their places");

// A call's arrays as fields. What it has taken is held until it goes.
class FieldReader {
 public:
  explicit FieldReader(const ArrayMemory& memory) : memory_(memory) {}

  // The items of a record's array; all fields that are read next have as many.
  template <class T, int N> int count(nb::handle record, const char* attribute, const char* name, Field<T, N>& field) {
    rows_ = -1;
    read(record, attribute, name, field);
    return static_cast<int>(rows_);
  }
  void expect(int64_t rows) { rows_ = rows; }

  template <class T, int N> void read(nb::handle record, const char* attribute, const char* name, Field<T, N>& field) {
    const ForeignArray& array = take(nb::object(record.attr(attribute)), name);
    using Number = std::remove_const_t<T>;
    array.requireElement(std::is_floating_point<Number>::value ? 'f' : 'i', sizeof(Number));
    if (N == 1) {
      array.requireShape({rows_});
    } else {
      array.requireShape({rows_, N});
    }
    if (array.size(0) > std::numeric_limits<int>::max()) array.refuse("must have fewer items");
    rows_ = array.size(0);
    if (!std::is_const<T>::value) array.requireWritable();
    field = {reinterpret_cast<T*>(array.data()), array.stride(0), N == 1 ? static_cast<std::ptrdiff_t>(sizeof(T)) : array.stride(1)};
    spans_.push_back({array.data(), field.stride, field.componentStride, rows_, N, sizeof(T), !std::is_const<T>::value, name});
  }
  template <class T, int N> void optional(nb::handle record, const char* attribute, const char* name, Field<T, N>& field) {
    if (!nb::object(record.attr(attribute)).is_none()) read(record, attribute, name, field);
  }

  // A single array of words, one after the other.
  int* words(nb::handle value, const char* name, int64_t count, bool written) {
    const ForeignArray& array = take(value, name);
    array.requireElement('i', sizeof(int));
    array.requireShape({count});
    if (!array.contiguous()) array.refuse("must be contiguous");
    if (written) array.requireWritable();
    spans_.push_back({array.data(), sizeof(int), sizeof(int), count, 1, sizeof(int), written, name});
    return reinterpret_cast<int*>(array.data());
  }
  SolverWorkspace workspace(nb::handle value) {
    const ForeignArray& array = take(value, "workspace");
    if (!array.isElement('u', 1)) array.refuseElement("uint8");
    array.requireShape({-1});
    if (!array.contiguous()) array.refuse("must be contiguous");
    array.requireWritable();
    spans_.push_back({array.data(), 1, 1, array.size(0), 1, 1, true, "workspace"});
    return {array.data(), static_cast<size_t>(array.size(0))};
  }

  void requireApart() const { python::requireApart(spans_); }

 private:
  const ForeignArray& take(nb::handle value, const char* name) { return arrays_.emplace_back(value, name, memory_); }

  ArrayMemory memory_;
  std::deque<ForeignArray> arrays_;
  std::vector<FieldSpan> spans_;
  int64_t rows_ = -1;
};

template <class T> void readBodies(FieldReader& reader, nb::handle given, SolverBodies<T>& bodies) {
  bodies.count = reader.count(given, "position", "bodies.position", bodies.position);
  reader.optional(given, "orientation", "bodies.orientation", bodies.orientation);
  reader.read(given, "inverse_mass", "bodies.inverse_mass", bodies.inverseMass);
  reader.read(given, "inverse_inertia", "bodies.inverse_inertia", bodies.inverseInertia);
  reader.read(given, "linear_velocity", "bodies.linear_velocity", bodies.linearVelocity);
  reader.read(given, "angular_velocity", "bodies.angular_velocity", bodies.angularVelocity);
  reader.optional(given, "linear_move", "bodies.linear_move", bodies.linearMove);
  reader.optional(given, "angular_move", "bodies.angular_move", bodies.angularMove);
}

template <class T> void readContacts(FieldReader& reader, nb::handle given, int capacity, SolverContacts<T>& contacts) {
  contacts.count = reader.count(given, "bodies", "contacts.bodies", contacts.bodies);
  reader.read(given, "point", "contacts.point", contacts.point);
  reader.read(given, "normal", "contacts.normal", contacts.normal);
  reader.read(given, "separation", "contacts.separation", contacts.separation);
  reader.read(given, "friction", "contacts.friction", contacts.friction);
  reader.optional(given, "restitution", "contacts.restitution", contacts.restitution);
  reader.optional(given, "normal_impulse", "contacts.normal_impulse", contacts.normalImpulse);
  reader.optional(given, "friction_impulse", "contacts.friction_impulse", contacts.frictionImpulse);
  if (const nb::object counted = given.attr("counted"); !counted.is_none()) {
    contacts.counted = reader.words(counted, "contacts.counted", 1, false);
    // Nobody here knows the number: up to the capacity everything may be read.
    if (contacts.count < capacity) {
      throw InvalidInput("contacts.bodies", "must be of capacity.contacts rows at least, " + std::to_string(capacity) +
                                                ", as `counted` may say so many, is of " + std::to_string(contacts.count));
    }
  }
}

template <class T> void readJoints(FieldReader& reader, nb::handle given, SolverJoints<T>& joints) {
  joints.count = reader.count(given, "bodies", "joints.bodies", joints.bodies);
  reader.read(given, "anchor_a", "joints.anchor_a", joints.anchorA);
  reader.read(given, "anchor_b", "joints.anchor_b", joints.anchorB);
  reader.optional(given, "frame_a", "joints.frame_a", joints.frameA);
  reader.optional(given, "frame_b", "joints.frame_b", joints.frameB);
  reader.read(given, "locked", "joints.locked", joints.locked);
  reader.optional(given, "rows", "joints.rows", joints.rows);
  reader.optional(given, "linear_impulse", "joints.linear_impulse", joints.linearImpulse);
  reader.optional(given, "angular_impulse", "joints.angular_impulse", joints.angularImpulse);
  const nb::object rows = given.attr("axis_rows");
  if (rows.is_none()) return;
  SolverJointRows<T>& out = joints.axisRows;
  out.count = reader.count(rows, "axis", "joints.axis_rows.axis", out.axis);
  reader.read(rows, "kind", "joints.axis_rows.kind", out.kind);
  reader.optional(rows, "low", "joints.axis_rows.low", out.low);
  reader.optional(rows, "high", "joints.axis_rows.high", out.high);
  reader.optional(rows, "target", "joints.axis_rows.target", out.target);
  reader.optional(rows, "max_force", "joints.axis_rows.max_force", out.maxForce);
  reader.optional(rows, "stiffness", "joints.axis_rows.stiffness", out.stiffness);
  reader.optional(rows, "damping", "joints.axis_rows.damping", out.damping);
  reader.optional(rows, "ratio", "joints.axis_rows.ratio", out.ratio);
  reader.optional(rows, "phase", "joints.axis_rows.phase", out.phase);
  reader.optional(rows, "impulse", "joints.axis_rows.impulse", out.impulse);
}

void requireWithin(const char* name, int count, const char* capacityName, int most) {
  if (count <= most) return;
  throw InvalidInput(
      name, std::string("must be of capacity.") + capacityName + " rows at most, " + std::to_string(most) + ", is of " + std::to_string(count));
}

nb::dict toDict(const ContactSolverStatus& status) {
  nb::dict out;
  out["flags"] = status.flags;
  out["contacts_needed"] = status.contactsNeeded;
  out["contacts_available"] = status.contactsAvailable;
  out["overflow_needed"] = status.overflowNeeded;
  out["overflow_available"] = status.overflowAvailable;
  out["bad_body"] = status.badBody;
  out["bad_contact"] = status.badContact;
  out["bad_joint"] = status.badJoint;
  out["bad_joint_row"] = status.badJointRow;
  out["manifolds"] = status.manifolds;
  out["colours"] = status.colours;
  out["sweeps"] = status.sweeps;
  out["residual"] = status.residual;
  out["velocity_scale"] = status.velocityScale;
  return out;
}

// Serves one thread at a time; the others wait.
class SharedSolver {
 public:
  SharedSolver(const ContactCapacity& capacity, const WorldSettings& settings) {
    const nb::gil_scoped_release release;
    solver_.emplace(capacity, settings);
  }
  const ContactSolver& solver() const { return *solver_; }

  void enqueue(nb::handle bodies, nb::handle contacts, nb::handle joints, nb::handle status, nb::handle workspace, uintptr_t stream,
               bool measureResidual) {
    const Demands demands{bodies, contacts, joints, status, workspace, stream, measureResidual};
    isWide() ? run<double>(demands, nullptr) : run<float>(demands, nullptr);
  }
  nb::dict solve(nb::handle bodies, nb::handle contacts, nb::handle joints, bool measureResidual) {
    if (solver_->backend() != Backend::Cpu) throw InvalidInput("solve", "is for the CPU: this solver is on CUDA, where calls are queued by enqueue");
    ContactSolverStatus status{};
    const Demands demands{bodies, contacts, joints, nb::none(), nb::none(), 0, measureResidual};
    isWide() ? run<double>(demands, &status) : run<float>(demands, &status);
    return toDict(status);
  }

 private:
  struct Demands {
    nb::handle bodies, contacts, joints, status, workspace;
    uintptr_t stream;
    bool measureResidual;
  };

  bool isWide() const { return solver_->settings().precision == Precision::Double; }

  template <class T> void run(const Demands& demands, ContactSolverStatus* own) {
    const ContactCapacity& capacity = solver_->capacity();
    const bool onDevice = solver_->backend() == Backend::Cuda;
    FieldReader reader({onDevice, solver_->device(), demands.stream});
    ContactSolverCall<T> call;
    call.measureResidual = demands.measureResidual;
    call.status = own;
    readBodies(reader, demands.bodies, call.bodies);
    requireWithin("bodies.position", call.bodies.count, "bodies", capacity.bodies);
    if (!demands.contacts.is_none()) readContacts(reader, demands.contacts, capacity.contacts, call.contacts);
    if (!demands.joints.is_none()) readJoints(reader, demands.joints, call.joints);
    requireWithin("joints.bodies", call.joints.count, "joints", capacity.joints);
    requireWithin("joints.axis_rows.axis", call.joints.axisRows.count, "joint_rows", capacity.jointRows);
    if (!demands.status.is_none()) {
      call.status = reinterpret_cast<ContactSolverStatus*>(reader.words(demands.status, "status", kStatusWords, true));
    }
    SolverWorkspace workspace{};
    if (onDevice && !demands.workspace.is_none()) workspace = reader.workspace(demands.workspace);
    reader.requireApart();

    const nb::gil_scoped_release release;
    const std::lock_guard<std::mutex> turn(mutex_);
    if (onDevice && workspace.data == nullptr) workspace = solver_->ownWorkspace();
    solver_->enqueue(reinterpret_cast<void*>(demands.stream), workspace, call);
  }

  std::optional<ContactSolver> solver_;
  std::mutex mutex_;
};

ContactCapacity toCapacity(nb::handle given) {
  const auto whole = [&](const char* name) {
    const Place outer("capacity");
    return static_cast<int>(toWhole(nb::object(given.attr(name)), Place(outer, name), 0, 1 << 27));
  };
  ContactCapacity capacity;
  capacity.bodies = whole("bodies");
  capacity.contacts = whole("contacts");
  capacity.joints = whole("joints");
  capacity.jointRows = whole("joint_rows");
  capacity.rowsOfJoint = whole("rows_of_joint");
  capacity.overflow = whole("overflow");
  return capacity;
}

nb::list axisRowsOf(nb::handle joint) {
  nb::list out;
  for (const SolverJointRow& row : axisRows(toJointDef(joint, Place("joint")))) {
    out.append(nb::make_tuple(row.axis, row.kind, row.low, row.high, row.target, row.maxForce, row.stiffness, row.damping, row.ratio));
  }
  return out;
}

}  // namespace

void bindContactSolver(nb::module_& module) {
  nb::class_<SharedSolver>(module, "ContactSolver")
      .def(
          "__init__",
          [](SharedSolver* out, nb::handle capacity, const nb::dict& settings) {
            WorldSettings made;
            setFrom(settings, made);
            new (out) SharedSolver(toCapacity(capacity), made);
          },
          nb::arg("capacity"), nb::arg("settings"))
      .def_prop_ro("settings", [](const SharedSolver& shared) { return toDict(shared.solver().settings()); })
      .def_prop_ro("backend", [](const SharedSolver& shared) { return nameOf(shared.solver().backend()); })
      .def_prop_ro("workspace_bytes", [](const SharedSolver& shared) { return shared.solver().workspaceBytes(); })
      .def("enqueue", &SharedSolver::enqueue, nb::arg("bodies"), nb::arg("contacts").none(), nb::arg("joints").none(), nb::arg("status").none(),
           nb::arg("workspace").none(), nb::arg("stream"), nb::arg("measure_residual"))
      .def("solve", &SharedSolver::solve, nb::arg("bodies"), nb::arg("contacts").none(), nb::arg("joints").none(), nb::arg("measure_residual"));
  module.def(
      "locked_bits", [](nb::handle joint) { return lockedBits(toJointDef(joint, Place("joint"))); }, nb::arg("joint"));
  module.def("axis_rows", &axisRowsOf, nb::arg("joint"));
  module.attr("_SOLVER_ROW_KINDS") = nb::make_tuple(int(kSolverLimit), int(kSolverVelocityMotor), int(kSolverPositionMotor), int(kSolverSpring),
                                                    int(kSolverDistance), int(kSolverGear));
  module.attr("_SOLVER_FLAGS") = nb::make_tuple(int(kSolverContactCapacity), int(kSolverOverflowCapacity), int(kSolverNotFinite),
                                                int(kSolverBodyIndex), int(kSolverBadNormal), int(kSolverOutOfRange), int(kSolverResultNotFinite));
}

}  // namespace cairn::python
