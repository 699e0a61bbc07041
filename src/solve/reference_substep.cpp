#include "src/solve/reference_substep.hpp"

#include <cairn/error.hpp>
#include <cairn/reference.hpp>

#include <cassert>

namespace cairn::v0 {
namespace {

template <class Item> std::vector<Item> downloaded(Queue& queue, const Item* from, size_t count) {
  std::vector<Item> out(count);
  if (count > 0) downloadBytes(queue, out.data(), from, count * sizeof(Item));
  return out;
}

// The problem's velocities, six dofs a dynamic body, to the bodies.
template <class T> void scatter(const std::vector<double>& dofs, const std::vector<ExportedBody>& bodies, std::vector<BodyVelocity<T>>& velocities) {
  assert(velocities.size() == bodies.size());
  size_t dof = 0;
  for (size_t i = 0; i < velocities.size(); ++i) {
    if (!bodies[i].dynamic) continue;
    assert(dof + 6 <= dofs.size());
    const double* v = dofs.data() + dof;
    velocities[i].v = {T(v[0]), T(v[1]), T(v[2])};
    velocities[i].w = {T(v[3]), T(v[4]), T(v[5])};
    dof += 6;
  }
}

// Neither a mistake of the caller's nor a failure of memory or device, for which there are types: pivoting may end without a solution. Callers see
// the base type, and the program exits with 1.
void requireSolved(reference::LcpStatus status, const char* what) {
  if (status != reference::LcpStatus::Solved) throw Error(std::string(what) + ": " + reference::toString(status));
}

}  // namespace

template <class T> void ReferenceSubstep<T>::begin(StepContext<T>& step) {
  Queue& queue = step.queue;
  const RowView<T>& rows = step.rows;
  const auto slots = static_cast<size_t>(step.bodySlots), tiles = static_cast<size_t>(rows.tileCount);
  free_ = downloaded(queue, step.velocities, slots);
  const std::vector<BodyInertia<T>> inertias = downloaded(queue, step.inertias, slots);
  const std::vector<BodyConstants<T>> constants = downloaded(queue, step.constants, slots);
  bodies_.clear();
  for (size_t i = 0; i < slots; ++i) {
    bodies_.push_back(exportedBody(free_[i], inertias[i], (constants[i].flags & kBodyDynamic) != 0));
  }

  joints_.begin(step);
  contacts_.clear();
  points_.clear();
  if (tiles == 0) return;
  const auto count = static_cast<size_t>(step.manifolds.count);
  biases_.resize(queue, count);
  collectBiases(queue, rows, biases_.data());
  const std::vector<ManifoldBias<T>> biases = biases_.download(queue);
  const std::vector<Manifold<T>> manifolds = downloaded(queue, step.manifolds.manifolds, count);
  for (const int index : downloaded(queue, rows.manifold, tiles * kTileLanes)) {
    if (index < 0) continue;
    const Manifold<T>& m = manifolds[static_cast<size_t>(index)];
    if (isGone(m)) continue;  // pivoting loses its digits to such a gap
    for (int p = 0; p < m.pointCount; ++p) {
      contacts_.push_back(exportedContact(m, p, 0));
      points_.push_back({index, p, convert<double>(biases[static_cast<size_t>(index)].points[p])});
    }
  }
  if (contacts_.size() > static_cast<size_t>(reference::kMostContacts)) {
    throw InvalidInput("solver lemke", "takes at most " + std::to_string(reference::kMostContacts) + " contact points, there are " +
                                           std::to_string(contacts_.size()));
  }
}

template <class T> void ReferenceSubstep<T>::solve(StepContext<T>& step, bool biased, T restSpeed, const JointBlock<T>& joints) {
  if (contacts_.empty() && joints_.empty()) return;
  for (size_t i = 0; i < contacts_.size(); ++i) {
    contacts_[i].offset = biased ? points_[i].bias.x : gapSpeed(points_[i].bias.x, double(restSpeed));
  }
  ContactProblem problem = assembleContactProblem(bodies_, contacts_);
  for (size_t i = 0; biased && i < points_.size(); ++i) {
    problem.w[3 * i + 1] += points_[i].bias.y;
    problem.w[3 * i + 2] += points_[i].bias.z;
  }
  const reference::ContactLcpResult result = joints_.empty() ? reference::solveContactLcp(problem) : solveJointed(step, problem, joints);
  requireSolved(result.status, "solver lemke");

  std::vector<BodyVelocity<T>> velocities = free_;
  scatter(result.solution.v, bodies_, velocities);
  uploadBytes(step.queue, step.velocities, velocities.data(), velocities.size() * sizeof(BodyVelocity<T>));
  if (points_.empty()) return;
  std::vector<ManifoldImpulse<T>> impulses(biases_.size());
  for (size_t i = 0; i < points_.size(); ++i) {
    const double* r = result.solution.r.data() + 3 * i;
    impulses[static_cast<size_t>(points_[i].manifold)].points[points_[i].point] = {T(r[0]), T(r[1]), T(r[2])};
  }
  impulses_.upload(step.queue, impulses);
  storeImpulses(step.queue, step.rows, impulses_.data());
}

// The joints' targets are linearised where the bodies would go without impulses, and once more where they would go with the impulses found.
template <class T>
reference::ContactLcpResult ReferenceSubstep<T>::solveJointed(StepContext<T>& step, const ContactProblem& problem, const JointBlock<T>& block) {
  JointBlock<double> wide;
  wide.error = block.error;
  wide.h = double(block.h);
  wide.rate = double(block.rate);
  std::vector<double> v;
  for (const ExportedBody& body : bodies_) {
    if (body.dynamic) v.insert(v.end(), {body.v.x, body.v.y, body.v.z, body.w.x, body.w.y, body.w.z});
  }
  reference::JointedContactResult result;
  for (int k = 0; k < (block.error == JointError::Predicted ? 2 : 1); ++k) {
    result = reference::solveJointedContactLcp(problem, joints_.rows(bodies_, v, wide));
    if (result.contacts.status != reference::LcpStatus::Solved) return result.contacts;
    v = result.contacts.solution.v;
  }
  joints_.store(step, result.jointImpulses);
  return result.contacts;
}

template <class T> void ReferenceSubstep<T>::solvePositions(StepContext<T>& step, const PointArray<T>& gaps, BodyVelocity<T>* displacements) {
  if (contacts_.empty()) return;
  gaps_.resize(step.queue, biases_.size());
  collectField(step.queue, step.rows, gaps, kGap, gaps_.data());
  const std::vector<ManifoldNumbers<T>> values = gaps_.download(step.queue);
  // The velocity-level problem of bodies at rest without friction is the position problem, with gaps for speeds.
  std::vector<ExportedBody> bodies = bodies_;
  for (ExportedBody& body : bodies) body.v = body.w = {0, 0, 0};
  std::vector<ExportedContact> contacts = contacts_;
  for (size_t i = 0; i < contacts.size(); ++i) {
    contacts[i].friction = 0;
    contacts[i].offset = double(values[static_cast<size_t>(points_[i].manifold)].points[points_[i].point]);
  }
  const reference::ContactLcpResult result = reference::solveContactLcp(assembleContactProblem(bodies, contacts));
  requireSolved(result.status, "solver lemke, positions");
  std::vector<BodyVelocity<T>> moved = downloaded(step.queue, displacements, bodies.size());
  scatter(result.solution.v, bodies, moved);
  uploadBytes(step.queue, displacements, moved.data(), moved.size() * sizeof(BodyVelocity<T>));
}

template class ReferenceSubstep<float>;
template class ReferenceSubstep<double>;

}  // namespace cairn::v0
