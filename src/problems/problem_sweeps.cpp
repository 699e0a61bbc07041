#include "src/problems/problem_sweeps.hpp"

#include "src/problems/contact_colours.hpp"
#include "src/problems/contact_matrices.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace cairn::v0 {

template <class T> ProblemSweeps<T>::ProblemSweeps(Queue& queue, const ContactProblem& local) : ImpulseSweeps<T>(queue) {
  assert(local.form == ContactProblem::Form::Local);
  const BlockMatrix& W = local.W;
  const auto n = static_cast<size_t>(W.blockRows);
  double diagonalSum = 0, velocityUnit = 0;
  std::vector<int> diagonal;
  size_t maxMet = 1;
  for (int i = 0; i < W.blockRows; ++i) {
    diagonal.push_back(findBlock(W, i, i));
    assert(diagonal.back() >= 0);
    const double* block = W.values.data() + 9 * static_cast<size_t>(diagonal.back());
    diagonalSum += block[0] + block[4] + block[8];
    maxMet = std::max(maxMet, static_cast<size_t>(W.rowStart[static_cast<size_t>(i) + 1] - W.rowStart[static_cast<size_t>(i)]));
  }
  for (const double value : local.q) velocityUnit = std::max(velocityUnit, std::abs(value));
  const double massUnit = diagonalSum > 0 ? diagonalSum / double(3 * n) : 1;
  if (!(velocityUnit > 0)) velocityUnit = 1;
  impulseUnit_ = velocityUnit / massUnit;
  damping_ = T(1) / T(maxMet);

  std::vector<T> blocks, q, friction;
  for (const double value : W.values) blocks.push_back(T(value / massUnit));
  for (const double value : local.q) q.push_back(T(value / velocityUnit));
  for (const double value : local.friction) friction.push_back(T(value));
  const ContactColours colours = coloursByBlocks(W);
  colourStarts_ = colours.starts;

  rowStart_.upload(queue, W.rowStart);
  column_.upload(queue, W.column);
  diagonal_.upload(queue, diagonal);
  order_.upload(queue, colours.order);
  blocks_.upload(queue, blocks);
  q_.upload(queue, q);
  friction_.upload(queue, friction);
  this->allocate(3 * n);
  view_.rowStart = rowStart_.data();
  view_.column = column_.data();
  view_.blocks = blocks_.data();
  view_.diagonal = diagonal_.data();
  view_.q = q_.data();
  view_.friction = friction_.data();
  view_.r = r_.data();
  view_.order = order_.data();
  view_.hostColourStarts = colourStarts_.data();
  view_.contacts = W.blockRows;
  view_.colourCount = static_cast<int>(colourStarts_.size()) - 1;
  this->reset(std::vector<double>(3 * n, 0.0));
}

template <class T> void ProblemSweeps<T>::sweep() { sweepProblem(queue_, view_); }

template <class T> void ProblemSweeps<T>::follow(T beta) {
  conjugateStep(queue_, static_cast<int>(r_.size()), beta, change_.data(), direction_.data(), r_.data());
}

template <class T> void ProblemSweeps<T>::jacobi() {
  this->restart();
  jacobiProblem(queue_, view_, damping_, next_.data());
  copyBytes(queue_, r_.data(), next_.data(), r_.size() * sizeof(T));
}

template class ProblemSweeps<float>;
template class ProblemSweeps<double>;

}  // namespace cairn::v0
