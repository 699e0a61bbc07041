#include "src/problems/body_sweeps.hpp"

#include "src/problems/contact_colours.hpp"
#include "src/problems/contact_matrices.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace cairn::v0 {
namespace {

// If a contact touches more bodies than this, sweeps over W do less work.
constexpr size_t kMaxArms = 4;

// The bodies that each contact touches, ascending.
std::vector<std::vector<int>> bodiesOfContacts(const ContactProblem& problem) {
  std::vector<std::vector<int>> bodies(problem.friction.size());
  for (int dof = 0; dof < problem.H.rows; ++dof) {
    for (int k = problem.H.rowStart[static_cast<size_t>(dof)]; k < problem.H.rowStart[static_cast<size_t>(dof) + 1]; ++k) {
      std::vector<int>& own = bodies[static_cast<size_t>(problem.H.column[static_cast<size_t>(k)] / 3)];
      if (own.empty() || own.back() != dof / kBodyDofs) own.push_back(dof / kBodyDofs);
    }
  }
  return bodies;
}

using Block = Eigen::Matrix<double, kBodyDofs, kBodyDofs, Eigen::RowMajor>;
using Arm = Eigen::Matrix<double, kBodyDofs, 3, Eigen::RowMajor>;

Eigen::Map<const Block> blockOf(const std::vector<double>& blocks, int body) {
  return Eigen::Map<const Block>(blocks.data() + body * kBodyDofs * kBodyDofs);
}

// M^-1, 36 entries a body.
std::vector<double> invertedBlocks(const EigenSparse& M) {
  const int bodyCount = static_cast<int>(M.rows()) / kBodyDofs;
  std::vector<double> blocks(static_cast<size_t>(bodyCount) * kBodyDofs * kBodyDofs);
  for (int body = 0; body < bodyCount; ++body) {
    Eigen::Map<Block>(blocks.data() + body * kBodyDofs * kBodyDofs) =
        Block(Eigen::MatrixXd(M.block(kBodyDofs * body, kBodyDofs * body, kBodyDofs, kBodyDofs)).inverse());
  }
  return blocks;
}

// M^-1 momentum.
std::vector<double> velocitiesOf(const std::vector<double>& inverseBlocks, const Eigen::VectorXd& momentum) {
  std::vector<double> v(static_cast<size_t>(momentum.size()));
  for (int body = 0; kBodyDofs * body < momentum.size(); ++body) {
    Eigen::Map<Eigen::Matrix<double, kBodyDofs, 1>>(v.data() + kBodyDofs * body) =
        blockOf(inverseBlocks, body) * momentum.segment<kBodyDofs>(kBodyDofs * body);
  }
  return v;
}

// A contact's bodies, one after another: blocks of H, of M^-1 H, and of W's diagonal.
struct Arms {
  std::vector<int> start{0};  // [contacts + 1]
  std::vector<int> firstDof;
  std::vector<Arm> jacobian, response;
  std::vector<Eigen::Matrix3d> diagonal;  // [contacts]
  double traces = 0;                      // of W's diagonal, summed up
};

Arms armsOf(const EigenSparse& H, const std::vector<double>& inverseBlocks, const std::vector<std::vector<int>>& bodiesOfContacts) {
  Arms arms;
  for (size_t i = 0; i < bodiesOfContacts.size(); ++i) {
    Eigen::Matrix3d W = Eigen::Matrix3d::Zero();
    for (const int body : bodiesOfContacts[i]) {
      Arm h;
      for (int d = 0; d < kBodyDofs; ++d) {
        for (int c = 0; c < 3; ++c) h(d, c) = H.coeff(kBodyDofs * body + d, 3 * static_cast<int>(i) + c);
      }
      const Arm z = blockOf(inverseBlocks, body) * h;
      arms.firstDof.push_back(kBodyDofs * body);
      arms.jacobian.push_back(h);
      arms.response.push_back(z);
      W += h.transpose() * z;
    }
    arms.start.push_back(static_cast<int>(arms.firstDof.size()));
    arms.diagonal.push_back(0.5 * (W + W.transpose()));
    arms.traces += W.trace();
  }
  return arms;
}

double largestOf(const std::vector<double>& values, double largest) {
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

}  // namespace

bool hasBodies(const ContactProblem& problem) {
  if (problem.form != ContactProblem::Form::Global || problem.dofsPerBody != kBodyDofs || problem.M.rows % kBodyDofs != 0) return false;
  for (int row = 0; row < problem.M.rows; ++row) {
    for (int k = problem.M.rowStart[static_cast<size_t>(row)]; k < problem.M.rowStart[static_cast<size_t>(row) + 1]; ++k) {
      if (problem.M.column[static_cast<size_t>(k)] / kBodyDofs != row / kBodyDofs) return false;
    }
  }
  const std::vector<std::vector<int>> bodies = bodiesOfContacts(problem);
  return std::all_of(bodies.begin(), bodies.end(), [](const std::vector<int>& own) { return own.size() <= kMaxArms; });
}

template <class T> BodySweeps<T>::BodySweeps(Queue& queue, const ContactProblem& problem)
    : ImpulseSweeps<T>(queue), problem_(problem), inverseBlocks_(invertedBlocks(toEigen(problem.M))) {
  assert(hasBodies(problem));
  const std::vector<std::vector<int>> bodies = bodiesOfContacts(problem);
  const Arms arms = armsOf(toEigen(problem.H), inverseBlocks_, bodies);
  const double fastest = largestOf(velocitiesOf(inverseBlocks_, vectorOf(problem.f)), largestOf(problem.w, 0));
  if (fastest > 0) velocityUnit_ = fastest;
  const double massUnit = arms.traces > 0 ? arms.traces / double(3 * bodies.size()) : 1;
  impulseUnit_ = velocityUnit_ / massUnit;

  std::vector<T> h, z, w9, w, friction;
  for (size_t arm = 0; arm < arms.jacobian.size(); ++arm) {
    for (int k = 0; k < 3 * kBodyDofs; ++k) {
      h.push_back(T(arms.jacobian[arm].data()[k]));
      z.push_back(T(arms.response[arm].data()[k] / massUnit));
    }
  }
  for (const Eigen::Matrix3d& block : arms.diagonal) {
    for (int k = 0; k < 9; ++k) w9.push_back(T(block(k / 3, k % 3) / massUnit));
  }
  for (const double value : problem.w) w.push_back(T(value / velocityUnit_));
  for (const double value : problem.friction) friction.push_back(T(value));
  const ContactColours colours = coloursByBodies(bodies, problem.M.rows / kBodyDofs);
  colourStarts_ = colours.starts;

  const size_t components = 3 * bodies.size();
  armStart_.upload(queue, arms.start);
  firstDof_.upload(queue, arms.firstDof);
  order_.upload(queue, colours.order);
  jacobian_.upload(queue, h);
  response_.upload(queue, z);
  diagonal_.upload(queue, w9);
  w_.upload(queue, w);
  friction_.upload(queue, friction);
  this->allocate(components);
  step_.resize(queue, components);
  v_.resize(queue, problem.f.size());
  view_.armStart = armStart_.data();
  view_.firstDof = firstDof_.data();
  view_.jacobian = jacobian_.data();
  view_.response = response_.data();
  view_.diagonal = diagonal_.data();
  view_.w = w_.data();
  view_.friction = friction_.data();
  view_.r = r_.data();
  view_.v = v_.data();
  view_.order = order_.data();
  view_.hostColourStarts = colourStarts_.data();
  view_.contacts = problem.contacts();
  view_.colourCount = static_cast<int>(colourStarts_.size()) - 1;
  reset(std::vector<double>(components, 0.0));
}

// v = M^-1 (H r + f) follows from r.
template <class T> void BodySweeps<T>::reset(const std::vector<double>& r) {
  ImpulseSweeps<T>::reset(r);
  const std::vector<double> impulses = multiply(problem_.H, r);
  std::vector<T> v;
  for (const double value : velocitiesOf(inverseBlocks_, vectorOf(impulses) + vectorOf(problem_.f))) v.push_back(T(value / velocityUnit_));
  v_.upload(queue_, v);
}

template <class T> void BodySweeps<T>::sweep() { sweepBodies(queue_, view_); }

// The step goes through the bodies too: beta p is kept in step_, starting from zero.
template <class T> void BodySweeps<T>::follow(T beta) {
  step_.fillZero(queue_);
  conjugateStep(queue_, static_cast<int>(r_.size()), beta, change_.data(), direction_.data(), step_.data());
  if (beta != T(0)) addImpulses(queue_, view_, step_.data());
}

template class BodySweeps<float>;
template class BodySweeps<double>;

}  // namespace cairn::v0
