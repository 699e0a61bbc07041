#include "src/problems/body_sweeps.hpp"

#include "src/problems/contact_colours.hpp"
#include "src/problems/contact_matrices.hpp"

#include <algorithm>
#include <cmath>

namespace cairn {
namespace {

// More bodies than this at one contact: W serves better.
constexpr size_t kMostArms = 4;

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

}  // namespace

bool hasBodies(const ContactProblem& problem) {
  if (problem.form != ContactProblem::Form::Global || problem.dofsPerBody != kBodyDofs || problem.M.rows % kBodyDofs != 0) return false;
  for (int row = 0; row < problem.M.rows; ++row) {
    for (int k = problem.M.rowStart[static_cast<size_t>(row)]; k < problem.M.rowStart[static_cast<size_t>(row) + 1]; ++k) {
      if (problem.M.column[static_cast<size_t>(k)] / kBodyDofs != row / kBodyDofs) return false;
    }
  }
  const std::vector<std::vector<int>> bodies = bodiesOfContacts(problem);
  return std::all_of(bodies.begin(), bodies.end(), [](const std::vector<int>& own) { return own.size() <= kMostArms; });
}

template <class T> BodySweeps<T>::BodySweeps(Queue& queue, const ContactProblem& problem) : queue_(queue), problem_(problem) {
  using Block = Eigen::Matrix<double, kBodyDofs, kBodyDofs, Eigen::RowMajor>;
  using Arm = Eigen::Matrix<double, kBodyDofs, 3, Eigen::RowMajor>;
  const EigenSparse M = toEigen(problem.M), H = toEigen(problem.H);
  const int bodyCount = problem.M.rows / kBodyDofs;
  inverseBlocks_.resize(static_cast<size_t>(bodyCount) * kBodyDofs * kBodyDofs);
  for (int body = 0; body < bodyCount; ++body) {
    Eigen::Map<Block>(inverseBlocks_.data() + body * kBodyDofs * kBodyDofs) =
        Block(Eigen::MatrixXd(M.block(kBodyDofs * body, kBodyDofs * body, kBodyDofs, kBodyDofs)).inverse());
  }

  const std::vector<std::vector<int>> bodies = bodiesOfContacts(problem);
  std::vector<int> armStart{0}, firstDof;
  std::vector<Arm> jacobian, response;
  std::vector<Eigen::Matrix3d> diagonal;
  double traces = 0;
  for (size_t i = 0; i < bodies.size(); ++i) {
    Eigen::Matrix3d W = Eigen::Matrix3d::Zero();
    for (const int body : bodies[i]) {
      Arm h;
      for (int d = 0; d < kBodyDofs; ++d) {
        for (int c = 0; c < 3; ++c) h(d, c) = H.coeff(kBodyDofs * body + d, 3 * static_cast<int>(i) + c);
      }
      const Arm z = Eigen::Map<const Block>(inverseBlocks_.data() + body * kBodyDofs * kBodyDofs) * h;
      firstDof.push_back(kBodyDofs * body);
      jacobian.push_back(h);
      response.push_back(z);
      W += h.transpose() * z;
    }
    armStart.push_back(static_cast<int>(firstDof.size()));
    diagonal.push_back(0.5 * (W + W.transpose()));
    traces += W.trace();
  }

  // Units as in ProblemSweeps: velocities by the largest that is given, impulses by that over the mean diagonal of W.
  double fastest = 0;
  for (const double value : problem.w) fastest = std::max(fastest, std::abs(value));
  const std::vector<double> freeVelocities = [&] {
    std::vector<double> v(problem.f.size());
    for (int body = 0; body < bodyCount; ++body) {
      Eigen::Map<Eigen::Matrix<double, kBodyDofs, 1>>(v.data() + kBodyDofs * body) =
          Eigen::Map<const Block>(inverseBlocks_.data() + body * kBodyDofs * kBodyDofs) * vectorOf(problem.f).segment<kBodyDofs>(kBodyDofs * body);
    }
    return v;
  }();
  for (const double value : freeVelocities) fastest = std::max(fastest, std::abs(value));
  if (fastest > 0) velocityUnit_ = fastest;
  const double massUnit = traces > 0 ? traces / double(3 * bodies.size()) : 1;
  impulseUnit_ = velocityUnit_ / massUnit;

  std::vector<T> h, z, w9, w, friction;
  for (size_t arm = 0; arm < jacobian.size(); ++arm) {
    for (int k = 0; k < 3 * kBodyDofs; ++k) {
      h.push_back(T(jacobian[arm].data()[k]));
      z.push_back(T(response[arm].data()[k] / massUnit));
    }
  }
  for (const Eigen::Matrix3d& block : diagonal) {
    for (int k = 0; k < 9; ++k) w9.push_back(T(block(k / 3, k % 3) / massUnit));
  }
  for (const double value : problem.w) w.push_back(T(value / velocityUnit_));
  for (const double value : problem.friction) friction.push_back(T(value));
  const ContactColours colours = coloursByBodies(bodies, bodyCount);
  colourStarts_ = colours.starts;

  const size_t components = 3 * bodies.size();
  armStart_.upload(queue, armStart);
  firstDof_.upload(queue, firstDof);
  order_.upload(queue, colours.order);
  jacobian_.upload(queue, h);
  response_.upload(queue, z);
  diagonal_.upload(queue, w9);
  w_.upload(queue, w);
  friction_.upload(queue, friction);
  for (Buffer<T>* buffer : {&r_, &next_, &before_, &change_, &squares_, &direction_, &step_}) buffer->resize(queue, components);
  v_.resize(queue, problem.f.size());
  sum_.resize(queue, 1);
  view_ = {armStart_.data(),
           firstDof_.data(),
           jacobian_.data(),
           response_.data(),
           diagonal_.data(),
           w_.data(),
           friction_.data(),
           r_.data(),
           v_.data(),
           order_.data(),
           colourStarts_.data(),
           problem.contacts(),
           static_cast<int>(colourStarts_.size()) - 1};
  reset(std::vector<double>(components, 0.0));
}

// v = M^-1 (H r + f).
template <class T> void BodySweeps<T>::uploadVelocities(const std::vector<double>& r) {
  using Block = Eigen::Matrix<double, kBodyDofs, kBodyDofs, Eigen::RowMajor>;
  const std::vector<double> impulses = multiply(problem_.H, r);
  const Eigen::VectorXd momentum = vectorOf(impulses) + vectorOf(problem_.f);
  std::vector<T> v;
  for (int body = 0; kBodyDofs * body < problem_.M.rows; ++body) {
    const Eigen::Matrix<double, kBodyDofs, 1> own =
        Eigen::Map<const Block>(inverseBlocks_.data() + body * kBodyDofs * kBodyDofs) * momentum.segment<kBodyDofs>(kBodyDofs * body);
    for (int d = 0; d < kBodyDofs; ++d) v.push_back(T(own[d] / velocityUnit_));
  }
  v_.upload(queue_, v);
}

template <class T> void BodySweeps<T>::reset(const std::vector<double>& r) {
  std::vector<T> scaled;
  for (const double value : r) scaled.push_back(T(value / impulseUnit_));
  r_.upload(queue_, scaled);
  uploadVelocities(r);
  conjugate_ = false;
}

template <class T> std::vector<double> BodySweeps<T>::impulses() const {
  const std::vector<T> scaled = conjugate_ ? next_.download(queue_) : r_.download(queue_);
  std::vector<double> r;
  for (const T value : scaled) r.push_back(double(value) * impulseUnit_);
  return r;
}

template <class T> void BodySweeps<T>::gaussSeidel() {
  conjugate_ = false;
  sweepBodies(queue_, view_);
}

template <class T> void BodySweeps<T>::nncg() {
  const int count = static_cast<int>(r_.size());
  const size_t bytes = r_.size() * sizeof(T);
  copyBytes(queue_, before_.data(), r_.data(), bytes);
  sweepBodies(queue_, view_);
  copyBytes(queue_, next_.data(), r_.data(), bytes);
  changeOf(queue_, count, r_.data(), before_.data(), change_.data(), squares_.data());
  reduceSum(queue_, scratch_, squares_.data(), sum_.data(), count);
  const double square = double(sum_.read(queue_, 0));
  const double beta = conjugateFactor(conjugate_, square, lastSquare_);
  if (beta == 0) direction_.fillZero(queue_);
  // The step goes through the bodies too: beta p is kept in step_, starting from zero.
  step_.fillZero(queue_);
  conjugateStep(queue_, count, T(beta), change_.data(), direction_.data(), step_.data());
  if (beta != 0) addImpulses(queue_, view_, step_.data());
  lastSquare_ = square;
  conjugate_ = true;
}

template class BodySweeps<float>;
template class BodySweeps<double>;

}  // namespace cairn
