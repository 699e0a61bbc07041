// Words and numbers of the text forms of meshes, line by line.
#pragma once

#include <cairn/mesh.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace cairn::v0 {

// The readers of one form each: the bytes of a file, and its name for messages. Throw InvalidInput for whatever is wrong; of numbers and corners too,
// so that what they return is valid.
TriangleMesh parseObj(const std::string& bytes, const std::string& source);
TriangleMesh parseStl(const std::string& bytes, const std::string& source);
std::string objText(const TriangleMesh& mesh);
std::string stlBytes(const TriangleMesh& mesh);

// The words of a text, with the number of the line that they stand in.
class MeshWords {
 public:
  MeshWords(std::string_view text, const std::string& source) : text_(text), source_(source) {}

  // Words of the next line that has any; false at the end. A line that ends in a backslash goes on in the next; # begins a comment.
  bool nextLine(std::vector<std::string_view>& words);

  [[noreturn]] void fail(const std::string& reason) const;
  // Throws for what is no number, or one that no mesh may have.
  double number(std::string_view word) const;

 private:
  std::string_view text_;
  const std::string& source_;
  size_t at_ = 0;
  long line_ = 0, next_ = 1;
};

}  // namespace cairn::v0
