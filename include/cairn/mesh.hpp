// Triangle meshes: read from files or generated, looked through for what is wrong with them, measured.
#pragma once

#include <cairn/scene.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace cairn {
inline namespace v0 {

// A surface of triangles. It may be anything that its numbers say: open, in several parts, inside out; inspectMesh finds out.
struct TriangleMesh {
  std::vector<Vec3d> vertices;                    // [m], finite and at most kLargestMagnitude
  std::vector<std::array<int32_t, 3>> triangles;  // numbers of vertices, anticlockwise seen from outside
};

// A way round the border of an open mesh.
struct MeshHole {
  int edges = 0;
  double length = 0;  // of its edges [m]
};

// What inspectMesh finds. Vertices within the tolerance count as one, as in welded(). Triangles that have two corners in one place, or are there
// twice, belong to no edge and to no intersection.
struct MeshReport {
  int vertices = 0, triangles = 0;    // as they are given
  int weldedVertices = 0;             // different ones that triangles refer to
  int unusedVertices = 0;             // that no triangle refers to
  int degenerateTriangles = 0;        // with two corners in one place, or all in a line: no higher than 1e-12 of the longest edge
  int duplicateTriangles = 0;         // with the corners of an earlier one, whichever way round
  int slivers = 0;                    // not degenerate, but less high than a thousandth of the longest edge
  int edges = 0;                      // each counted once
  int boundaryEdges = 0;              // of one triangle
  int crowdedEdges = 0;               // of more than two triangles
  int twistedEdges = 0;               // of two triangles that disagree on what is outside
  int pinchedVertices = 0;            // where parts of the surface touch in a point: their triangles are more than one fan
  int parts = 0;                      // connected by edges
  int invertedParts = 0;              // closed parts whose volume is negative: inside out, or cavities
  int eulerNumber = 0;                // vertices - edges + triangles
  int genus = -1;                     // handles of all parts together; -1: not a closed manifold
  bool closed = false;                // every edge has two triangles
  bool manifold = false;              // no crowded edges, no pinched vertices
  bool oriented = false;              // no twisted edges
  bool insideOut = false;             // closed and oriented, with a negative volume
  std::vector<MeshHole> holes;        // the ways round the border
  Vec3d low{0, 0, 0}, high{0, 0, 0};  // bounds of the triangles [m]
  double area = 0;                    // [m^2]
  // Of what the surface encloses, with the sign of its orientation, for a density of one. What they are of a mesh that is not closed and oriented
  // depends on where it lies, and has no meaning.
  double volume = 0;           // [m^3]
  Vec3d centre{0, 0, 0};       // of the volume [m]
  Sym3<double> inertia{};      // about the centre [m^5]
  long intersectingPairs = 0;  // pairs of triangles that meet elsewhere than in the corners and edges that they share, touching included
  // What to show, in the numbers of the given mesh.
  std::vector<int32_t> intersectingTriangles;            // ascending
  std::vector<std::array<int32_t, 2>> boundaryVertices;  // the ends of each edge of one triangle

  // Closed, manifold, oriented, not inside out, and nothing meets itself: it has an inside that everyone agrees on.
  bool isSolid() const { return closed && manifold && oriented && !insideOut && intersectingPairs == 0; }
};

// Throws InvalidInput, with "place/vertices" or "place/triangles" as its place, for coordinates that are not finite or beyond kLargestMagnitude,
// corners that are no vertices, and a mesh without triangles.
CAIRN_API void validate(const TriangleMesh& mesh, const std::string& place);

// The mesh with each vertex that is within the tolerance [m], >= 0, of an earlier one replaced by the first such; 0: those with equal coordinates.
// Triangles keep their number and order, also those whose corners become one. Throws InvalidInput for a mesh that is not valid, or a tolerance out of
// range.
CAIRN_API TriangleMesh welded(const TriangleMesh& mesh, double tolerance = 0);

// Whether two triangles meet is decided exactly for the coordinates as they are. Volume, centre and inertia are sums of the tetrahedra of the
// triangles with a point (Mirtich, "Fast and Accurate Computation of Polyhedral Mass Properties", 1996; the moments of a tetrahedron: Tonon,
// "Explicit Exact Formulas for the 3-D Tetrahedron Inertia Tensor", 2004). Time and memory are those of sorting the triangles, and of the pairs whose
// bounds overlap. Throws as welded() does.
CAIRN_API MeshReport inspectMesh(const TriangleMesh& mesh, double weldTolerance = 0);

// What a sparse signed distance field of a mesh needs: blocks of 8 x 8 x 8 cells wherever the surface passes, 9 x 9 x 9 samples of 4 bytes each a
// block, and 4 bytes for each block of the mesh's bounds, which say where it is.
struct FieldCost {
  double cell = 0;        // [m]
  double blocks = 0;      // that triangles pass or touch
  double gridBlocks = 0;  // in the bounds
  double bytes = 0;
};
// `cell` [m], > 0. Throws InvalidInput for a mesh that is not valid, or cells so small that there would be more than 20 million blocks, or more than
// 2^20 along an axis.
CAIRN_API FieldCost fieldCost(const TriangleMesh& mesh, double cell);

// The convex hull of a mesh's vertices.
struct MeshHull {
  std::vector<Vec3d> points;  // its corners, for ShapeDef::hull [m]
  double volume = 0;          // [m^3]
  double wholeVolume = 0;     // of the hull of all vertices, however many corners it has [m^3]
};
// At most so many corners, 4 to 64, are kept: those that lie furthest out. Throws InvalidInput for a mesh that is not valid, for a number out of its
// range, and for vertices that have no hull (ShapeDef::points).
CAIRN_API MeshHull meshHull(const TriangleMesh& mesh, int maxVertices = 64);

// --- files and generators (cairn::io) ----------------------------------------------------------------------------

// Reads *.obj (Wavefront: vertices, and faces, of which polygons are cut into triangles) or *.stl (text or binary: each triangle with vertices of its
// own). Nothing is repaired and nothing welded. Throws InvalidInput naming file, place and reason: also for *.obj in a build without tinyobjloader.
CAIRN_API TriangleMesh readMesh(const std::string& path);
// Writes what the path's ending says: *.obj, which reads back to the same numbers, or *.stl, binary, in single precision. Throws InvalidInput for a
// mesh that is not valid, another ending, and a file that cannot be written; there is then no file.
CAIRN_API void writeMesh(const TriangleMesh& mesh, const std::string& path);
// A file, or a generator with parameters: "torus:major=1,minor=0.25". Throws InvalidInput for a generator or parameter that there is not, or a value
// out of its range.
CAIRN_API TriangleMesh loadMesh(const std::string& nameOrPath);
// The generators of meshes and their parameters.
CAIRN_API std::vector<SceneGenerator> meshGenerators();

}  // namespace v0
}  // namespace cairn
