// Functions of Python's as the projections of joints.
#pragma once

#include "python/src/convert.hpp"

namespace cairn::python {

// Worlds ask it from the thread that steps, which does not hold the interpreter's lock. Copies share one reference to the function.
class Projection {
 public:
  explicit Projection(nb::object function) : function_(new nb::object(std::move(function)), Release()) {}

  JointPose operator()(const JointPose& predicted) const {
    const nb::gil_scoped_acquire lock;
    const nb::object answer = (*function_)(nb::make_tuple(toTuple(predicted.offset), toTuple(predicted.rotation)));
    const Posed allowed = toPose(answer, Place("projection"));
    return {allowed.p, allowed.q};
  }

  // The same function, by a reference of its own.
  Projection apart() const { return Projection(nb::object(*function_)); }
  std::weak_ptr<nb::object> reference() const { return function_; }
  PyObject* function() const { return function_->ptr(); }
  int traverse(visitproc visit, void* arg) const {
    Py_VISIT(function_->ptr());
    return 0;
  }

 private:
  struct Release {
    void operator()(nb::object* function) const {
      const nb::gil_scoped_acquire lock;
      delete function;
    }
  };
  std::shared_ptr<nb::object> function_;
};

// Gives the joint a reference of its own, if its projection is Python's. Python's garbage collector counts references, and functions often know the
// World that they belong to: no two of scenes and Worlds may share one.
inline const Projection* takeApart(JointDef& joint) {
  if (const Projection* shared = joint.projection.target<Projection>()) joint.projection = shared->apart();
  return joint.projection.target<Projection>();
}

}  // namespace cairn::python
