#include "src/problems/problem_sweeps.hpp"

#include "src/problems/contact_colours.hpp"
#include "src/problems/contact_matrices.hpp"

#include <algorithm>
#include <cmath>

namespace cairn {

template <class T> ProblemSweeps<T>::ProblemSweeps(Queue& queue, const ContactProblem& local) : queue_(queue) {
  const BlockMatrix& W = local.W;
  const auto n = static_cast<size_t>(W.blockRows);
  double diagonalSum = 0, velocityUnit = 0;
  std::vector<int> diagonal;
  size_t mostMet = 1;
  for (int i = 0; i < W.blockRows; ++i) {
    diagonal.push_back(findBlock(W, i, i));
    const double* block = W.values.data() + 9 * static_cast<size_t>(diagonal.back());
    diagonalSum += block[0] + block[4] + block[8];
    mostMet = std::max(mostMet, static_cast<size_t>(W.rowStart[static_cast<size_t>(i) + 1] - W.rowStart[static_cast<size_t>(i)]));
  }
  for (const double value : local.q) velocityUnit = std::max(velocityUnit, std::abs(value));
  const double massUnit = diagonalSum > 0 ? diagonalSum / double(3 * n) : 1;
  if (!(velocityUnit > 0)) velocityUnit = 1;
  impulseUnit_ = velocityUnit / massUnit;
  damping_ = T(1) / T(mostMet);

  std::vector<T> blocks, q, friction;
  for (const double value : W.values) blocks.push_back(T(value / massUnit));
  for (const double value : local.q) q.push_back(T(value / velocityUnit));
  for (const double value : local.friction) friction.push_back(T(value));

  const ContactColours colours = coloursByBlocks(W);
  colourStarts_ = colours.starts;
  const int colourCount = static_cast<int>(colourStarts_.size()) - 1;

  rowStart_.upload(queue, W.rowStart);
  column_.upload(queue, W.column);
  diagonal_.upload(queue, diagonal);
  order_.upload(queue, colours.order);
  blocks_.upload(queue, blocks);
  q_.upload(queue, q);
  friction_.upload(queue, friction);
  for (Buffer<T>* buffer : {&r_, &next_, &before_, &change_, &squares_, &direction_}) buffer->resize(queue, 3 * n);
  sum_.resize(queue, 1);
  view_ = {rowStart_.data(), column_.data(), blocks_.data(),       diagonal_.data(), q_.data(),  friction_.data(),
           r_.data(),        order_.data(),  colourStarts_.data(), W.blockRows,      colourCount};
  reset(std::vector<double>(3 * n, 0.0));
}

template <class T> void ProblemSweeps<T>::reset(const std::vector<double>& r) {
  std::vector<T> scaled;
  for (const double value : r) scaled.push_back(T(value / impulseUnit_));
  r_.upload(queue_, scaled);
  conjugate_ = false;
}

template <class T> std::vector<double> ProblemSweeps<T>::impulses() const {
  // After a conjugate step r is an extrapolation; the sweep before it is in next_.
  const std::vector<T> scaled = conjugate_ ? next_.download(queue_) : r_.download(queue_);
  std::vector<double> r;
  for (const T value : scaled) r.push_back(double(value) * impulseUnit_);
  return r;
}

template <class T> void ProblemSweeps<T>::gaussSeidel() {
  conjugate_ = false;
  sweepProblem(queue_, view_);
}

template <class T> void ProblemSweeps<T>::jacobi() {
  conjugate_ = false;
  jacobiProblem(queue_, view_, damping_, next_.data());
  copyBytes(queue_, r_.data(), next_.data(), r_.size() * sizeof(T));
}

template <class T> void ProblemSweeps<T>::nncg() {
  const int count = static_cast<int>(r_.size());
  const size_t bytes = r_.size() * sizeof(T);
  copyBytes(queue_, before_.data(), r_.data(), bytes);
  sweepProblem(queue_, view_);
  copyBytes(queue_, next_.data(), r_.data(), bytes);
  changeOf(queue_, count, r_.data(), before_.data(), change_.data(), squares_.data());
  reduceSum(queue_, scratch_, squares_.data(), sum_.data(), count);
  const double square = double(sum_.read(queue_, 0));
  const double beta = conjugateFactor(conjugate_, square, lastSquare_);
  if (beta == 0) direction_.fillZero(queue_);
  conjugateStep(queue_, count, T(beta), change_.data(), direction_.data(), r_.data());
  lastSquare_ = square;
  conjugate_ = true;
}

template class ProblemSweeps<float>;
template class ProblemSweeps<double>;

}  // namespace cairn
