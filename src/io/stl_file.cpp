// STL, text and binary. A binary file is one whose size is that of the number of triangles that it gives, since some begin with the word of the
// text form too. Normals are not taken over: the order of the corners says the same.
#include "src/io/mesh_text.hpp"

#include <cairn/error.hpp>

#include <fmt/format.h>

#include <cmath>
#include <cstring>

namespace cairn::v0 {
namespace {

constexpr size_t kHead = 84, kFacet = 50;

// Both ends of bytes: the format's are the little-endian ones, and so are those of all processors that this is built for.
template <class T> T valueAt(const std::string& bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

bool isText(const std::string& bytes) {
  const size_t begin = bytes.find_first_not_of(" \t\r\n");
  return begin != std::string::npos && bytes.compare(begin, 5, "solid") == 0;
}

bool hasBinarySize(const std::string& bytes) {
  return bytes.size() >= kHead && bytes.size() == kHead + kFacet * size_t(valueAt<uint32_t>(bytes, 80));
}

void addTriangle(TriangleMesh& mesh) {
  const int32_t count = static_cast<int32_t>(mesh.vertices.size());
  mesh.triangles.push_back({count - 3, count - 2, count - 1});
}

TriangleMesh parseBinary(const std::string& bytes, const std::string& source) {
  const size_t count = valueAt<uint32_t>(bytes, 80);
  TriangleMesh mesh;
  mesh.vertices.reserve(3 * count);
  mesh.triangles.reserve(count);
  for (size_t t = 0; t < count; ++t) {
    for (size_t k = 0; k < 3; ++k) {
      const size_t at = kHead + kFacet * t + 12 + 12 * k;
      const Vec3d p{valueAt<float>(bytes, at), valueAt<float>(bytes, at + 4), valueAt<float>(bytes, at + 8)};
      for (const double value : {p.x, p.y, p.z}) {
        if (!(std::abs(value) <= kLargestMagnitude)) {
          throw InvalidInput(source,
                             fmt::format("triangle {}: coordinates must be finite and at most {} in size, one is {}", t, kLargestMagnitude, value));
        }
      }
      mesh.vertices.push_back(p);
    }
    addTriangle(mesh);
  }
  return mesh;
}

class TextReader {
 public:
  TextReader(const std::string& bytes, const std::string& source) : lines_(bytes, source) {}

  TriangleMesh read() {
    TriangleMesh mesh;
    while (lines_.nextLine(words_)) {
      if (words_[0] != "solid") expected("solid");
      while (next("facet or endsolid"), words_[0] != "endsolid") readFacet(mesh);
    }
    return mesh;
  }

 private:
  void readFacet(TriangleMesh& mesh) {
    if (words_[0] != "facet") expected("facet or endsolid");
    require("outer loop");
    for (int k = 0; k < 3; ++k) {
      next("vertex");
      if (words_[0] != "vertex" || words_.size() != 4) expected("vertex and three coordinates");
      mesh.vertices.push_back({lines_.number(words_[1]), lines_.number(words_[2]), lines_.number(words_[3])});
    }
    require("endloop");
    require("endfacet");
    addTriangle(mesh);
  }
  void next(const char* what) {
    if (!lines_.nextLine(words_)) lines_.fail(fmt::format("the file ends where {} should stand", what));
  }
  void require(const char* what) {
    next(what);
    std::string line(words_[0]);
    for (size_t k = 1; k < words_.size() && k < 3; ++k) line += " " + std::string(words_[k]);
    if (line != what) expected(what);
  }
  [[noreturn]] void expected(const char* what) const { lines_.fail(fmt::format("must be {}, is '{}'", what, words_[0].substr(0, 40))); }

  MeshWords lines_;
  std::vector<std::string_view> words_;
};

template <class T> void append(std::string& bytes, T value) {
  char raw[sizeof value];
  std::memcpy(raw, &value, sizeof value);
  bytes.append(raw, sizeof value);
}

}  // namespace

TriangleMesh parseStl(const std::string& bytes, const std::string& source) {
  TriangleMesh mesh;
  if (hasBinarySize(bytes)) {
    mesh = parseBinary(bytes, source);
  } else if (isText(bytes)) {
    mesh = TextReader(bytes, source).read();
  } else if (bytes.size() < kHead) {
    throw InvalidInput(source,
                       fmt::format("is no STL file: it neither begins with 'solid' nor has the {} bytes that a binary one begins with", kHead));
  } else {
    const size_t count = valueAt<uint32_t>(bytes, 80);
    throw InvalidInput(source, fmt::format("has {} triangles by its own count, which take {} bytes, and is {} bytes long", count,
                                           kHead + kFacet * count, bytes.size()));
  }
  if (mesh.triangles.empty()) throw InvalidInput(source, "has no triangles");
  validate(mesh, source);
  return mesh;
}

std::string stlBytes(const TriangleMesh& mesh) {
  std::string bytes = "binary STL";
  bytes.resize(80, ' ');
  append(bytes, static_cast<uint32_t>(mesh.triangles.size()));
  for (const auto& triangle : mesh.triangles) {
    const auto corner = [&](size_t k) { return mesh.vertices[static_cast<size_t>(triangle[k])]; };
    const Vec3d normal = normalizedOr(cross(corner(1) - corner(0), corner(2) - corner(0)), Vec3d{0, 0, 0});
    for (const Vec3d& v : {normal, corner(0), corner(1), corner(2)}) {
      for (const double value : {v.x, v.y, v.z}) append(bytes, static_cast<float>(value));
    }
    append(bytes, uint16_t(0));
  }
  return bytes;
}

}  // namespace cairn::v0
