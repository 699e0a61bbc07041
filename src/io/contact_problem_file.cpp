// Contact problems in files, by the path's ending.
#include "src/io/contact_problem_hdf5.hpp"
#include "src/io/contact_problem_json.hpp"
#include "src/scene/text.hpp"

#include <cairn/error.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace cairn::v0 {
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

void writeText(const std::string& text, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw InvalidInput(path, "cannot be written");
}

}  // namespace

ContactProblem readContactProblem(const std::string& path) {
  const bool hdf5 = isHdf5(path);
  if (!std::filesystem::exists(path)) throw InvalidInput(path, "there is no such file");
  const ContactProblem problem = hdf5 ? readFclib(path) : parseContactProblem(readText(path), path);
  validate(problem, path + ": ");
  return symmetrized(problem);
}

// Written beside its place and renamed, so that what was there before is whole as long as the new one is not.
void writeContactProblem(const ContactProblem& problem, const std::string& path) {
  const bool hdf5 = isHdf5(path);
  validate(problem, "problem");
  const std::string partial = path + ".partial";
  std::error_code error;
  try {
    hdf5 ? writeFclib(problem, partial) : writeText(contactProblemJson(problem), partial);
    std::filesystem::rename(partial, path, error);
  } catch (const InvalidInput&) {
    error = std::make_error_code(std::errc::io_error);
  }
  if (!error) return;
  if (std::filesystem::is_regular_file(partial)) std::filesystem::remove(partial, error);
  throw InvalidInput(path, "cannot be written");
}

}  // namespace cairn::v0
