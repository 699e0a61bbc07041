#include "src/problems/impulse_sweeps.hpp"

#include "kernels/problems/conjugate_factor.hpp"
#include "kernels/problems/problem_sweep.hpp"

#include <cassert>

namespace cairn::v0 {

template <class T> void ImpulseSweeps<T>::allocate(size_t components) {
  for (Buffer<T>* buffer : {&r_, &next_, &before_, &change_, &squares_, &direction_}) buffer->resize(queue_, components);
  sum_.resize(queue_, 1);
}

template <class T> void ImpulseSweeps<T>::reset(const std::vector<double>& r) {
  assert(r.size() == r_.size());
  std::vector<T> scaled;
  for (const double value : r) scaled.push_back(T(value / impulseUnit_));
  r_.upload(queue_, scaled);
  restart();
}

template <class T> std::vector<double> ImpulseSweeps<T>::impulses() const {
  const std::vector<T> scaled = conjugate_ ? next_.download(queue_) : r_.download(queue_);
  std::vector<double> r;
  for (const T value : scaled) r.push_back(double(value) * impulseUnit_);
  return r;
}

template <class T> void ImpulseSweeps<T>::gaussSeidel() {
  restart();
  sweep();
}

template <class T> void ImpulseSweeps<T>::nncg() {
  const int count = static_cast<int>(r_.size());
  const size_t bytes = r_.size() * sizeof(T);
  copyBytes(queue_, before_.data(), r_.data(), bytes);
  sweep();
  copyBytes(queue_, next_.data(), r_.data(), bytes);
  changeOf(queue_, count, r_.data(), before_.data(), change_.data(), squares_.data());
  reduceSum(queue_, scratch_, squares_.data(), sum_.data(), count);
  const double square = double(sum_.read(queue_, 0));
  const double beta = conjugateFactor(square, conjugate_ ? lastSquare_ : 0.0);
  if (beta == 0) direction_.fillZero(queue_);
  follow(T(beta));
  lastSquare_ = square;
  conjugate_ = true;
}

template class ImpulseSweeps<float>;
template class ImpulseSweeps<double>;

}  // namespace cairn::v0
