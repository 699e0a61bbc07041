// The functors of the tests as a user's file has them: nvcc compiles it where there is a toolkit, the host compiler where there is none.
#include "tests/joints/black_box_worlds.hpp"

namespace cairn::test {

std::shared_ptr<const ProjectionFunctor> makeOnSphere(const OnSphere& functor) { return makeProjectionFunctor(functor); }
std::shared_ptr<const ProjectionFunctor> makeInBox(const InBox& functor) { return makeProjectionFunctor(functor); }

}  // namespace cairn::test
