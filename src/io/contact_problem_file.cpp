// Contact problems in files, by the path's ending.
#include "src/io/contact_problem_hdf5.hpp"
#include "src/io/contact_problem_json.hpp"
#include "src/scene/text.hpp"

#include <cairn/error.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace cairn {
namespace {

bool isHdf5(const std::string& path) {
  const std::string ending = inSmallLetters(std::filesystem::path(path).extension().string());
  if (ending == ".hdf5" || ending == ".h5") return true;
  if (ending != ".json") throw InvalidInput(path, "must end in .json, .hdf5 or .h5");
  return false;
}

std::string readText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || std::filesystem::is_directory(path) || !(text << file.rdbuf())) throw InvalidInput(path, "cannot be read");
  return text.str();
}

}  // namespace

ContactProblem readContactProblem(const std::string& path) {
  const bool hdf5 = isHdf5(path);
  if (!std::filesystem::exists(path)) throw InvalidInput(path, "there is no such file");
  const ContactProblem problem = hdf5 ? readFclib(path) : parseContactProblem(readText(path), path);
  validate(problem, path + ": ");
  return symmetrized(problem);
}

void writeContactProblem(const ContactProblem& problem, const std::string& path) {
  const bool hdf5 = isHdf5(path);
  validate(problem, "problem");
  if (hdf5) return writeFclib(problem, path);
  std::ofstream file(path, std::ios::binary);
  const std::string text = contactProblemJson(problem);
  if (!file || !file.write(text.data(), static_cast<std::streamsize>(text.size())) || !file.flush()) {
    file.close();
    std::error_code ignored;
    if (std::filesystem::is_regular_file(path, ignored)) std::filesystem::remove(path, ignored);
    throw InvalidInput(path, "cannot be written");
  }
}

}  // namespace cairn
