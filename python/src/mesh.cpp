#include "python/src/bindings.hpp"
#include "python/src/definitions.hpp"

#include <cairn/mesh.hpp>

#include <algorithm>

namespace cairn::python {

TriangleMesh toMesh(const MeshVertices& vertices, const MeshTriangles& triangles) {
  TriangleMesh mesh;
  mesh.vertices.reserve(vertices.shape(0));
  for (size_t i = 0; i < vertices.shape(0); ++i) mesh.vertices.push_back({vertices(i, 0), vertices(i, 1), vertices(i, 2)});
  mesh.triangles.reserve(triangles.shape(0));
  for (size_t i = 0; i < triangles.shape(0); ++i) mesh.triangles.push_back({triangles(i, 0), triangles(i, 1), triangles(i, 2)});
  return mesh;
}

namespace {

using Vertices = MeshVertices;
using Triangles = MeshTriangles;

OutputArray<double> fromPoints(const std::vector<Vec3d>& points) {
  OwnedArray<double> array({points.size(), 3});
  for (size_t i = 0; i < points.size(); ++i) array.setRow(i, points[i]);
  return array.release();
}

template <size_t n> OutputArray<int32_t> fromNumbers(const std::vector<std::array<int32_t, n>>& rows) {
  OwnedArray<int32_t> array({rows.size(), n});
  for (size_t i = 0; i < rows.size(); ++i) std::copy(rows[i].begin(), rows[i].end(), array.data() + n * i);
  return array.release();
}

nb::tuple fromMesh(const TriangleMesh& mesh) { return nb::make_tuple(fromPoints(mesh.vertices), fromNumbers(mesh.triangles)); }

nb::tuple loadArrays(const std::string& nameOrPath) {
  return fromMesh([&] {
    const nb::gil_scoped_release release;
    return loadMesh(nameOrPath);
  }());
}

nb::tuple weldArrays(const Vertices& vertices, const Triangles& triangles, double tolerance) {
  const TriangleMesh mesh = toMesh(vertices, triangles);
  return fromMesh([&] {
    const nb::gil_scoped_release release;
    return welded(mesh, tolerance);
  }());
}

nb::dict toDict(const MeshReport& r) {
  nb::dict out;
  out["vertices"] = r.vertices;
  out["triangles"] = r.triangles;
  out["welded_vertices"] = r.weldedVertices;
  out["unused_vertices"] = r.unusedVertices;
  out["degenerate_triangles"] = r.degenerateTriangles;
  out["duplicate_triangles"] = r.duplicateTriangles;
  out["slivers"] = r.slivers;
  out["edges"] = r.edges;
  out["boundary_edges"] = r.boundaryEdges;
  out["crowded_edges"] = r.crowdedEdges;
  out["twisted_edges"] = r.twistedEdges;
  out["pinched_vertices"] = r.pinchedVertices;
  out["parts"] = r.parts;
  out["inverted_parts"] = r.invertedParts;
  out["euler_number"] = r.eulerNumber;
  out["genus"] = r.genus;
  out["closed"] = r.closed;
  out["manifold"] = r.manifold;
  out["oriented"] = r.oriented;
  out["inside_out"] = r.insideOut;
  out["solid"] = r.isSolid();
  std::vector<int32_t> edges;
  std::vector<double> lengths;
  for (const MeshHole& hole : r.holes) {
    edges.push_back(hole.edges);
    lengths.push_back(hole.length);
  }
  out["hole_edges"] = toArray(edges);
  out["hole_lengths"] = toArray(lengths);
  out["bounds"] = fromPoints({r.low, r.high});
  out["area"] = r.area;
  out["volume"] = r.volume;
  out["centre"] = toArray(std::vector<double>{r.centre.x, r.centre.y, r.centre.z});
  const Sym3<double>& i = r.inertia;
  out["inertia"] = fromPoints({{i.xx, i.xy, i.xz}, {i.xy, i.yy, i.yz}, {i.xz, i.yz, i.zz}});
  out["intersecting_pairs"] = r.intersectingPairs;
  out["intersecting_triangles"] = toArray(r.intersectingTriangles);
  out["boundary_vertices"] = fromNumbers(r.boundaryVertices);
  return out;
}

nb::dict inspectArrays(const Vertices& vertices, const Triangles& triangles, double tolerance) {
  const TriangleMesh mesh = toMesh(vertices, triangles);
  return toDict([&] {
    const nb::gil_scoped_release release;
    return inspectMesh(mesh, tolerance);
  }());
}

nb::tuple hullOfArrays(const Vertices& vertices, const Triangles& triangles, int maxVertices) {
  const TriangleMesh mesh = toMesh(vertices, triangles);
  const MeshHull hull = [&] {
    const nb::gil_scoped_release release;
    return meshHull(mesh, maxVertices);
  }();
  return nb::make_tuple(fromPoints(hull.points), hull.volume, hull.wholeVolume);
}

nb::tuple fieldCostOfArrays(const Vertices& vertices, const Triangles& triangles, double cell) {
  const TriangleMesh mesh = toMesh(vertices, triangles);
  const FieldCost cost = [&] {
    const nb::gil_scoped_release release;
    return fieldCost(mesh, cell);
  }();
  return nb::make_tuple(cost.cell, static_cast<long>(cost.blocks), static_cast<long>(cost.gridBlocks), static_cast<long>(cost.bytes));
}

}  // namespace

void bindMesh(nb::module_& module) {
  module.def("load_mesh", &loadArrays, nb::arg("name_or_path"));
  module.def("weld_mesh", &weldArrays, nb::arg("vertices"), nb::arg("triangles"), nb::arg("tolerance"));
  module.def("inspect_mesh", &inspectArrays, nb::arg("vertices"), nb::arg("triangles"), nb::arg("tolerance"));
  module.def("mesh_hull", &hullOfArrays, nb::arg("vertices"), nb::arg("triangles"), nb::arg("max_vertices"));
  module.def("mesh_field_cost", &fieldCostOfArrays, nb::arg("vertices"), nb::arg("triangles"), nb::arg("cell"));
  module.def(
      "write_mesh",
      [](const Vertices& vertices, const Triangles& triangles, const std::string& path) { writeMesh(toMesh(vertices, triangles), path); },
      nb::arg("vertices"), nb::arg("triangles"), nb::arg("path"));
}

}  // namespace cairn::python
