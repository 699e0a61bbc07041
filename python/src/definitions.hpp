// The records of cairn/_scene.py as the C++ ones of the same names.
#pragma once

#include "python/src/convert.hpp"

#include <cairn/mesh.hpp>

namespace cairn::python {

// The arrays of a cairn.Mesh, which has checked that rows have three columns.
using MeshVertices = InputArray<double, 2>;
using MeshTriangles = InputArray<int32_t, 2>;
TriangleMesh toMesh(const MeshVertices& vertices, const MeshTriangles& triangles);

ShapeDef toShapeDef(nb::handle shape, const Place& place);
BodyDef toBodyDef(nb::handle body, const Place& place);
JointDef toJointDef(nb::handle joint, const Place& place);  // bodyA and bodyB are left out

}  // namespace cairn::python
