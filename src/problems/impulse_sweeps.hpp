// Sweeps over a stand-alone problem on a queue's target: the interface that a solver's loop uses, and the half that both kinds of sweeps share.
#pragma once

#include "kernels/runtime/primitives.hpp"
#include "kernels/runtime/runtime.hpp"

#include <vector>

namespace cairn::v0 {

class Sweeps {
 public:
  virtual ~Sweeps() = default;
  virtual void reset(const std::vector<double>& r) = 0;
  virtual std::vector<double> impulses() const = 0;  // in the problem's units; after nncg() those right after its sweep
  virtual void gaussSeidel() = 0;
  virtual void nncg() = 0;  // a sweep, and then a step along the conjugate direction
};

// Impulses in a unit in which float serves too, and the nonsmooth nonlinear conjugate gradient method around the sweeps of a derived class. The
// algorithm and its source are in kernels/solve/conjugate_sweep.hpp; a World's substeps have a loop of their own (src/solve/conjugate_gradients.hpp
// says why).
template <class T> class ImpulseSweeps : public Sweeps {
 public:
  void reset(const std::vector<double>& r) override;
  std::vector<double> impulses() const final;
  void gaussSeidel() final;
  void nncg() final;

 protected:
  explicit ImpulseSweeps(Queue& queue) : queue_(queue) {}
  // Room for this many components of the impulse; contents undefined until reset().
  void allocate(size_t components);
  // The next nncg() starts from a direction of zero.
  void restart() { conjugate_ = false; }

  // One projected Gauss-Seidel sweep, in place on r.
  virtual void sweep() = 0;
  // r += beta p, p = beta p + change, and the same for whatever else a derived class keeps up with r.
  virtual void follow(T beta) = 0;

  Queue& queue_;
  double impulseUnit_ = 1;
  Buffer<T> r_;       // [components]
  Buffer<T> next_;    // r right after the last sweep of nncg(), which then goes on to an extrapolation
  Buffer<T> change_;  // by the last sweep of nncg()
  Buffer<T> direction_;

 private:
  PrimitiveScratch scratch_;
  Buffer<T> before_, squares_, sum_;
  double lastSquare_ = 0;
  bool conjugate_ = false;
};

}  // namespace cairn::v0
