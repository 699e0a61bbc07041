// Meshes from and to files, by the ending of their names.
#include "src/io/mesh_text.hpp"
#include "src/scene/text.hpp"

#include <cairn/error.hpp>
#include <cairn/mesh.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace cairn::v0 {
namespace {

namespace fs = std::filesystem;

enum class Form { Obj, Stl };

Form formOf(const std::string& path) {
  const std::string ending = inSmallLetters(fs::path(path).extension().string());
  if (ending == ".obj") return Form::Obj;
  if (ending == ".stl") return Form::Stl;
  throw InvalidInput(path, "is no mesh file: their names end in .obj or .stl");
}

std::string bytesOf(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) throw InvalidInput(path, "is a folder, not a mesh file");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InvalidInput(path, "cannot be opened: " + std::string(std::strerror(errno)));
  std::ostringstream bytes;
  bytes << file.rdbuf();
  if (file.bad()) throw InvalidInput(path, "cannot be read");
  return bytes.str();
}

}  // namespace

std::string objText(const TriangleMesh& mesh) {
  fmt::memory_buffer out;
  for (const Vec3d& p : mesh.vertices) fmt::format_to(std::back_inserter(out), "v {} {} {}\n", p.x, p.y, p.z);
  for (const auto& t : mesh.triangles) fmt::format_to(std::back_inserter(out), "f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
  return {out.data(), out.size()};
}

TriangleMesh readMesh(const std::string& path) {
  const Form form = formOf(path);
  const std::string bytes = bytesOf(path);
  return form == Form::Obj ? parseObj(bytes, path) : parseStl(bytes, path);
}

void writeMesh(const TriangleMesh& mesh, const std::string& path) {
  const Form form = formOf(path);
  validate(mesh, "mesh");
  const std::string bytes = form == Form::Obj ? objText(mesh) : stlBytes(mesh), partial = path + ".partial";
  std::ofstream file(partial, std::ios::binary);
  file << bytes;
  file.close();
  if (!file || std::rename(partial.c_str(), path.c_str()) != 0) {
    const std::string reason = std::strerror(errno);
    std::remove(partial.c_str());
    throw InvalidInput(path, "cannot be written: " + reason);
  }
}

}  // namespace cairn::v0
