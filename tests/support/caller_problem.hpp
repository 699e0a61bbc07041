// Bodies and contacts as somebody else's simulator has them, in arrays of structs and in structs of arrays.
#pragma once

#include "kernels/runtime/runtime.hpp"

#include <cairn/contact_solver.hpp>
#include <cairn/math.hpp>

#include <cstddef>
#include <cstring>
#include <random>
#include <type_traits>
#include <vector>

namespace cairn::test {

template <class T> struct CallerBody {
  T position[3], orientation[4];
  T linear[3], angular[3];
  T inverseMass, inverseInertia[6];
  T linearMove[3], angularMove[3];
};
template <class T> struct CallerContact {
  int bodies[2];
  T point[3], normal[3];
  T separation, friction, restitution;
  T normalImpulse, frictionImpulse[3];
};

template <class T> struct CallerJoint {
  int bodies[2], rows[2], locked, spare;
  T anchorA[3], anchorB[3], frameA[4], frameB[4];
  T linearImpulse[3], angularImpulse[3];
};
template <class T> struct CallerJointRow {
  int axis, kind;
  T low, high, target, maxForce, stiffness, damping, ratio, phase, impulse;
};

template <class T> struct CallerProblem {
  std::vector<CallerBody<T>> bodies;
  std::vector<CallerContact<T>> contacts;
  std::vector<CallerJoint<T>> joints;
  std::vector<CallerJointRow<T>> rows;  // a joint's are added before it

  // A cube of unit mass and an edge of 1, or of no mass.
  int addCube(T x, T y, T z, bool dynamic = true) {
    CallerBody<T> body{};
    body.position[0] = x;
    body.position[1] = y;
    body.position[2] = z;
    body.orientation[3] = T(1);
    if (dynamic) {
      body.inverseMass = T(1);
      for (int k = 0; k < 3; ++k) body.inverseInertia[k] = T(6);
    }
    bodies.push_back(body);
    return static_cast<int>(bodies.size()) - 1;
  }
  CallerContact<T>& add(int a, int b, Vec3<T> point, Vec3<T> normal, T separation = T(0)) {
    CallerContact<T> contact{};
    contact.bodies[0] = a;
    contact.bodies[1] = b;
    const T from[3] = {point.x, point.y, point.z}, along[3] = {normal.x, normal.y, normal.z};
    std::memcpy(contact.point, from, sizeof from);
    std::memcpy(contact.normal, along, sizeof along);
    contact.separation = separation;
    contact.friction = T(0.5);
    contacts.push_back(contact);
    return contacts.back();
  }
  // The joint of the rows that no joint has yet. Anchors in the bodies' axes.
  CallerJoint<T>& join(int a, int b, Vec3<T> anchorA, Vec3<T> anchorB, int locked) {
    CallerJoint<T> joint{};
    joint.bodies[0] = a;
    joint.bodies[1] = b;
    for (const CallerJoint<T>& before : joints) joint.rows[0] += before.rows[1];
    joint.rows[1] = static_cast<int>(rows.size()) - joint.rows[0];
    joint.locked = locked;
    const T onA[3] = {anchorA.x, anchorA.y, anchorA.z}, onB[3] = {anchorB.x, anchorB.y, anchorB.z};
    std::memcpy(joint.anchorA, onA, sizeof onA);
    std::memcpy(joint.anchorB, onB, sizeof onB);
    joint.frameA[3] = joint.frameB[3] = T(1);
    joints.push_back(joint);
    return joints.back();
  }
  CallerJointRow<T>& addRow(int axis, int kind) {
    CallerJointRow<T> row{};
    row.axis = axis;
    row.kind = kind;
    row.ratio = T(1);
    rows.push_back(row);
    return rows.back();
  }
};

// A cube that lies on the world with four points.
template <class T> CallerProblem<T> cubeOnTheWorld(T speed = T(-1)) {
  CallerProblem<T> problem;
  const int cube = problem.addCube(T(0), T(0.5), T(0));
  problem.bodies[0].linear[1] = speed;
  for (const T x : {T(-0.5), T(0.5)}) {
    for (const T z : {T(-0.5), T(0.5)}) problem.add(cube, -1, {x, T(0), z}, {T(0), T(-1), T(0)});
  }
  return problem;
}

// Bodies of many masses at random places, a tenth of them without mass; manifolds of one to four points between them and to the world.
template <class T> CallerProblem<T> randomCallerProblem(int bodies, int manifolds, uint64_t seed) {
  CallerProblem<T> problem;
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto vector = [&](double size) { return Vec3<T>{T(size * uniform(random)), T(size * uniform(random)), T(size * uniform(random))}; };
  for (int i = 0; i < bodies; ++i) {
    const Vec3<T> x = vector(4);
    CallerBody<T>& body = problem.bodies[static_cast<size_t>(problem.addCube(x.x, x.y, x.z, i % 10 != 0))];
    const Vec3<T> v = vector(1), w = vector(1);
    const Quat<T> q = quatFromRotationVector(vector(1));
    const T components[4] = {q.x, q.y, q.z, q.w}, linear[3] = {v.x, v.y, v.z}, angular[3] = {w.x, w.y, w.z};
    std::memcpy(body.orientation, components, sizeof components);
    std::memcpy(body.linear, linear, sizeof linear);
    std::memcpy(body.angular, angular, sizeof angular);
    if (i % 10 == 0) continue;
    const T scale = T(1.5 + uniform(random)), values[6] = {scale, scale * T(1.25), scale * T(0.75), scale * T(0.125), T(0), scale * T(0.25)};
    body.inverseMass = scale;
    std::memcpy(body.inverseInertia, values, sizeof values);
  }
  std::uniform_int_distribution<int> body(-1, bodies - 1), points(1, 4);
  for (int made = 0; made < manifolds;) {
    const int a = body(random), b = body(random);
    if (a == b || a < 0) continue;
    const Vec3<T> normal = normalizedOr(vector(1), {T(0), T(1), T(0)});
    const T friction = T(0.5 + 0.4 * uniform(random));
    for (int p = points(random); p > 0; --p) {
      CallerContact<T>& contact = problem.add(a, b, vector(4), normal, T(0.01 * uniform(random)));
      contact.friction = friction;
      contact.restitution = T(0.25);
      contact.normalImpulse = T(0.05 * (1 + uniform(random)));
    }
    ++made;
  }
  return problem;
}

// The problem on a queue's target. Results are read from where the solver was to leave them.
template <class T> class OnTarget {
 public:
  // Fields of structs, or each number of a field in an array of its own.
  enum class Layout { Structs, Arrays };

  OnTarget(Queue& queue, const CallerProblem<T>& problem, Layout layout = Layout::Structs) : queue_(queue), layout_(layout), problem_(problem) {
    if (layout == Layout::Structs) {
      bodies_.upload(queue, bytesOf(problem.bodies));
      contacts_.upload(queue, bytesOf(problem.contacts));
    } else {
      bodies_.upload(queue, turned(bytesOf(problem.bodies), sizeof(CallerBody<T>), sizeof(T)));
      contacts_.upload(queue, turned(bytesOf(problem.contacts), sizeof(CallerContact<T>), sizeof(T)));
    }
    joints_.upload(queue, problem.joints);
    rows_.upload(queue, problem.rows);
    status_.resize(queue, 1);
    fillBytes(queue, status_.data(), 0x7f, sizeof(ContactSolverStatus));
  }

  ContactSolverCall<T> call() {
    ContactSolverCall<T> call;
    SolverBodies<T>& b = call.bodies;
    b.count = static_cast<int>(problem_.bodies.size());
    b.position = body<const T, 3>(offsetof(CallerBody<T>, position));
    b.orientation = body<const T, 4>(offsetof(CallerBody<T>, orientation));
    b.linearVelocity = body<T, 3>(offsetof(CallerBody<T>, linear));
    b.angularVelocity = body<T, 3>(offsetof(CallerBody<T>, angular));
    b.inverseMass = body<const T, 1>(offsetof(CallerBody<T>, inverseMass));
    b.inverseInertia = body<const T, 6>(offsetof(CallerBody<T>, inverseInertia));
    b.linearMove = body<T, 3>(offsetof(CallerBody<T>, linearMove));
    b.angularMove = body<T, 3>(offsetof(CallerBody<T>, angularMove));
    SolverContacts<T>& c = call.contacts;
    c.count = static_cast<int>(problem_.contacts.size());
    c.bodies = contact<const int, 2>(offsetof(CallerContact<T>, bodies));
    c.point = contact<const T, 3>(offsetof(CallerContact<T>, point));
    c.normal = contact<const T, 3>(offsetof(CallerContact<T>, normal));
    c.separation = contact<const T, 1>(offsetof(CallerContact<T>, separation));
    c.friction = contact<const T, 1>(offsetof(CallerContact<T>, friction));
    c.restitution = contact<const T, 1>(offsetof(CallerContact<T>, restitution));
    c.normalImpulse = contact<T, 1>(offsetof(CallerContact<T>, normalImpulse));
    c.frictionImpulse = contact<T, 3>(offsetof(CallerContact<T>, frictionImpulse));
    callJoints(call.joints);
    call.status = status_.data();
    return call;
  }

  // Waits for the queue.
  CallerProblem<T> read() {
    CallerProblem<T> out = problem_;
    std::vector<unsigned char> bodies = bodies_.download(queue_), contacts = contacts_.download(queue_);
    if (layout_ == Layout::Arrays) {
      bodies = turned(bodies, bodies.size() / sizeof(CallerBody<T>) * sizeof(T), sizeof(T));
      contacts = turned(contacts, contacts.size() / sizeof(CallerContact<T>) * sizeof(T), sizeof(T));
    }
    // Of nothing there may be no address either.
    if (!bodies.empty()) std::memcpy(static_cast<void*>(out.bodies.data()), bodies.data(), bodies.size());
    if (!contacts.empty()) std::memcpy(static_cast<void*>(out.contacts.data()), contacts.data(), contacts.size());
    out.joints = joints_.download(queue_);
    out.rows = rows_.download(queue_);
    return out;
  }
  ContactSolverStatus status() { return status_.read(queue_, 0); }

 private:
  template <class Item> static std::vector<unsigned char> bytesOf(const std::vector<Item>& items) {
    const auto* first = reinterpret_cast<const unsigned char*>(items.data());
    return {first, first + items.size() * sizeof(Item)};
  }
  // The words of rows of so many bytes, column by column.
  static std::vector<unsigned char> turned(const std::vector<unsigned char>& bytes, size_t rowBytes, size_t word) {
    std::vector<unsigned char> out(bytes.size());
    if (bytes.empty()) return out;
    const size_t rows = bytes.size() / rowBytes, columns = rowBytes / word;
    for (size_t row = 0; row < rows; ++row) {
      for (size_t column = 0; column < columns; ++column) {
        std::memcpy(out.data() + (column * rows + row) * word, bytes.data() + (row * columns + column) * word, word);
      }
    }
    return out;
  }
  template <class Number, int N> Field<Number, N> field(Buffer<unsigned char>& buffer, size_t items, size_t itemBytes, size_t offset) const {
    Field<Number, N> out;
    if (layout_ == Layout::Structs) {
      out.data = reinterpret_cast<Number*>(buffer.data() + offset);
      out.stride = static_cast<std::ptrdiff_t>(itemBytes);
    } else {
      out.data = reinterpret_cast<Number*>(buffer.data() + offset * items);
      out.stride = sizeof(T);
      // Two indices lie in one place beside numbers in double.
      if (sizeof(Number) == sizeof(T)) out.componentStride = static_cast<std::ptrdiff_t>(items * sizeof(T));
    }
    return out;
  }
  template <class Number, int N> Field<Number, N> body(size_t offset) {
    return field<Number, N>(bodies_, problem_.bodies.size(), sizeof(CallerBody<T>), offset);
  }
  template <class Number, int N> Field<Number, N> contact(size_t offset) {
    return field<Number, N>(contacts_, problem_.contacts.size(), sizeof(CallerContact<T>), offset);
  }

  void callJoints(SolverJoints<T>& j) {
    j.count = static_cast<int>(problem_.joints.size());
    j.axisRows.count = static_cast<int>(problem_.rows.size());
    const auto field = [this](auto& out, size_t offset) {
      using Number = std::remove_pointer_t<decltype(out.data)>;
      out.data = reinterpret_cast<Number*>(reinterpret_cast<unsigned char*>(joints_.data()) + offset);
      out.stride = sizeof(CallerJoint<T>);
    };
    const auto ofRow = [this](auto& out, size_t offset) {
      using Number = std::remove_pointer_t<decltype(out.data)>;
      out.data = reinterpret_cast<Number*>(reinterpret_cast<unsigned char*>(rows_.data()) + offset);
      out.stride = sizeof(CallerJointRow<T>);
    };
    field(j.bodies, offsetof(CallerJoint<T>, bodies));
    field(j.rows, offsetof(CallerJoint<T>, rows));
    field(j.locked, offsetof(CallerJoint<T>, locked));
    field(j.anchorA, offsetof(CallerJoint<T>, anchorA));
    field(j.anchorB, offsetof(CallerJoint<T>, anchorB));
    field(j.frameA, offsetof(CallerJoint<T>, frameA));
    field(j.frameB, offsetof(CallerJoint<T>, frameB));
    field(j.linearImpulse, offsetof(CallerJoint<T>, linearImpulse));
    field(j.angularImpulse, offsetof(CallerJoint<T>, angularImpulse));
    SolverJointRows<T>& r = j.axisRows;
    ofRow(r.axis, offsetof(CallerJointRow<T>, axis));
    ofRow(r.kind, offsetof(CallerJointRow<T>, kind));
    ofRow(r.low, offsetof(CallerJointRow<T>, low));
    ofRow(r.high, offsetof(CallerJointRow<T>, high));
    ofRow(r.target, offsetof(CallerJointRow<T>, target));
    ofRow(r.maxForce, offsetof(CallerJointRow<T>, maxForce));
    ofRow(r.stiffness, offsetof(CallerJointRow<T>, stiffness));
    ofRow(r.damping, offsetof(CallerJointRow<T>, damping));
    ofRow(r.ratio, offsetof(CallerJointRow<T>, ratio));
    ofRow(r.phase, offsetof(CallerJointRow<T>, phase));
    ofRow(r.impulse, offsetof(CallerJointRow<T>, impulse));
  }

  Queue& queue_;
  Layout layout_;
  CallerProblem<T> problem_;
  Buffer<unsigned char> bodies_, contacts_;
  Buffer<CallerJoint<T>> joints_;
  Buffer<CallerJointRow<T>> rows_;
  Buffer<ContactSolverStatus> status_;
};

template <class T> ContactCapacity capacityOf(const CallerProblem<T>& problem) {
  ContactCapacity capacity;
  capacity.bodies = static_cast<int>(problem.bodies.size());
  capacity.contacts = static_cast<int>(problem.contacts.size());
  capacity.joints = static_cast<int>(problem.joints.size());
  capacity.jointRows = capacity.rowsOfJoint = static_cast<int>(problem.rows.size());
  return capacity;
}

template <class Item> bool sameBits(const std::vector<Item>& a, const std::vector<Item>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Item)) == 0);
}
template <class T> bool sameBits(const CallerProblem<T>& a, const CallerProblem<T>& b) {
  return sameBits(a.bodies, b.bodies) && sameBits(a.contacts, b.contacts) && sameBits(a.joints, b.joints) && sameBits(a.rows, b.rows);
}

}  // namespace cairn::test
