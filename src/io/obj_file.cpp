// OBJ: vertices and faces. What else stands in such files (normals, textures, groups, materials, lines) is no part of a surface.
//
// tinyobjloader takes numbers that it does not understand for zeros, corners out of range for a warning, and rounds twice. So lines are
// checked here, coordinates are read here, and it gets vertices and faces alone, to cut the polygons into triangles.
#include "src/io/mesh_text.hpp"

#include <cairn/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>

#define TINYOBJLOADER_USE_DOUBLE
#define TINYOBJLOADER_IMPLEMENTATION
#include <tiny_obj_loader.h>

namespace cairn::v0 {
namespace {

constexpr std::array<std::string_view, 19> kWithoutSurface{"vt",     "vn",         "vp",        "o",        "g",       "s",      "mg",
                                                           "usemtl", "mtllib",     "l",         "p",        "usemap",  "maplib", "lod",
                                                           "bevel",  "shadow_obj", "trace_obj", "c_interp", "d_interp"};

struct Checked {
  std::vector<Vec3d> vertices;
  std::string text;        // of vertices and faces, for tinyobjloader
  size_t triangles = 0;    // that the faces make
  long largestCorner = 0;  // from 1 on
};

// The vertex of "7", "7/2", "7//3" or "-1/2/3", from 1 on.
long cornerOf(const MeshWords& lines, std::string_view word, size_t vertexCount) {
  long corner = 0;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, corner);
  const std::string_view rest(stop, static_cast<size_t>(end - stop));
  if (error != std::errc() || (!rest.empty() && rest[0] != '/') || rest.find_first_not_of("/-0123456789") != std::string_view::npos)
    lines.fail(fmt::format("'{}' is no corner of a face", word.substr(0, 40)));
  const long count = static_cast<long>(vertexCount);
  if (corner == 0 || corner < -count || corner > 2147483647)
    lines.fail(fmt::format("corner {} is no vertex: there are {} before this line", corner, count));
  return corner < 0 ? count + 1 + corner : corner;
}

Checked checked(const std::string& bytes, const std::string& source) {
  Checked out;
  MeshWords lines(bytes, source);
  std::vector<std::string_view> words;
  while (lines.nextLine(words)) {
    if (words[0] == "v") {
      if (words.size() < 4 || words.size() > 8) lines.fail(fmt::format("a vertex has three coordinates, this one has {} numbers", words.size() - 1));
      for (size_t k = 4; k < words.size(); ++k) lines.number(words[k]);
      out.vertices.push_back({lines.number(words[1]), lines.number(words[2]), lines.number(words[3])});
      const Vec3d& p = out.vertices.back();
      out.text += fmt::format("v {} {} {}\n", p.x, p.y, p.z);
    } else if (words[0] == "f") {
      if (words.size() < 4) lines.fail(fmt::format("a face has three corners at least, this one has {}", words.size() - 1));
      out.text += 'f';
      for (size_t k = 1; k < words.size(); ++k) {
        const long corner = cornerOf(lines, words[k], out.vertices.size());
        out.largestCorner = std::max(out.largestCorner, corner);
        out.text += fmt::format(" {}", corner);
      }
      out.text += '\n';
      out.triangles += words.size() - 3;
    } else if (std::find(kWithoutSurface.begin(), kWithoutSurface.end(), words[0]) == kWithoutSurface.end()) {
      lines.fail(fmt::format("'{}' is nothing that is read of an OBJ file: vertices (v) and faces (f) are", words[0].substr(0, 40)));
    }
  }
  if (out.largestCorner > static_cast<long>(out.vertices.size()))
    throw InvalidInput(source, fmt::format("a face has corner {}, but there are {} vertices", out.largestCorner, out.vertices.size()));
  if (out.triangles == 0) throw InvalidInput(source, "has no faces");
  return out;
}

}  // namespace

TriangleMesh parseObj(const std::string& bytes, const std::string& source) {
  Checked file = checked(bytes, source);
  std::istringstream stream(std::move(file.text));
  tinyobj::attrib_t attributes;
  std::vector<tinyobj::shape_t> shapes;
  std::vector<tinyobj::material_t> materials;
  std::string warning, error;
  if (!tinyobj::LoadObj(&attributes, &shapes, &materials, &warning, &error, &stream, nullptr, true, false))
    throw InvalidInput(source, "tinyobjloader does not read it: " + error);
  TriangleMesh mesh;
  mesh.vertices = std::move(file.vertices);
  mesh.triangles.reserve(file.triangles);
  for (const tinyobj::shape_t& shape : shapes) {
    const std::vector<tinyobj::index_t>& corners = shape.mesh.indices;
    for (size_t k = 0; k + 2 < corners.size(); k += 3)
      mesh.triangles.push_back({corners[k].vertex_index, corners[k + 1].vertex_index, corners[k + 2].vertex_index});
  }
  if (mesh.triangles.size() != file.triangles) {
    throw InvalidInput(source, fmt::format("its polygons make {} triangles, and only {} could be cut: a polygon is degenerate or crosses itself",
                                           file.triangles, mesh.triangles.size()));
  }
  validate(mesh, source);
  return mesh;
}

}  // namespace cairn::v0
