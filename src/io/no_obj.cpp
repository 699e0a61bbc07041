// In the place of obj_file.cpp where tinyobjloader is not.
#include "src/io/mesh_text.hpp"

#include <cairn/error.hpp>

namespace cairn::v0 {

TriangleMesh parseObj(const std::string&, const std::string& source) {
  throw InvalidInput(source, "this build has no tinyobjloader (Debian: libtinyobjloader-dev), which reads OBJ files; STL is read without");
}

}  // namespace cairn::v0
