// The records of cairn/_scene.py as the C++ ones of the same names.
#pragma once

#include "python/src/convert.hpp"

namespace cairn::python {

ShapeDef toShapeDef(nb::handle shape, const Place& place);
BodyDef toBodyDef(nb::handle body, const Place& place);
JointDef toJointDef(nb::handle joint, const Place& place);  // bodyA and bodyB are left out

}  // namespace cairn::python
