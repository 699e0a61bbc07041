#include "src/cli/model_file.hpp"

#include "src/io/report_json.hpp"

#include <cairn/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <map>
#include <vector>

extern char** environ;

namespace cairn::cli {
namespace {

constexpr const char* kPythons[] = {"python3", "/usr/bin/python3"};

bool isModel(const std::string& name) {
  const std::string ending = std::filesystem::path(name).extension().string();
  return ending == ".xml" || ending == ".urdf" || ending == ".mjb";
}

std::string readAll(int descriptor) {
  std::string text;
  char piece[65536];
  for (ssize_t count = 0; (count = read(descriptor, piece, sizeof piece)) > 0;) text.append(piece, size_t(count));
  return text;
}

// What a program writes to its standard output; nothing if it is not there. Its errors are not ours to show: a Python without the package has some.
std::string outputOf(std::vector<std::string> words) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const bool spawned = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text = spawned ? readAll(ends[0]) : std::string();
  close(ends[0]);
  if (spawned) waitpid(child, nullptr, 0);
  return text;
}

// {"scene", "time_step_s", "report"}, or {"error"} with what is wrong with the file or the Python: the last Python's word if none has the packages.
Json readModel(const std::string& path) {
  std::string missing = "none of python3, /usr/bin/python3 has them";
  for (const char* python : kPythons) {
    Json document = Json::parse(outputOf({python, "-m", "cairn._models", path}), nullptr, false);
    if (!document.is_object()) continue;
    if (!document.contains("missing")) return document;
    missing = document["missing"].get<std::string>();
  }
  throw InvalidInput(
      path, "models are read by Python 3 with the packages cairn and mujoco (pip install '.[models]' at the root of the source): " + missing);
}

Scene loadModel(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) throw InvalidInput(path, "there is no such file");
  const Json document = readModel(path);
  if (document.contains("error")) throw InvalidInput(path, document["error"].get<std::string>());
  const Scene scene = parseScene(document.at("scene").dump(), path);
  for (const Json& line : document.at("report")) fmt::print(stderr, "cairn: {}: {}\n", path, line.get<std::string>());
  fmt::print(stderr, "cairn: {}: its time step is {} s, which --dt takes\n", path, document.at("time_step_s").get<double>());
  return scene;
}

}  // namespace

Scene loadSceneOrModel(const std::string& name) {
  if (!isModel(name)) return loadScene(name);
  // Commands ask for a scene again: before any work, and for it.
  static std::map<std::string, Scene> read;
  auto found = read.find(name);
  if (found == read.end()) found = read.emplace(name, loadModel(name)).first;
  return found->second;
}

}  // namespace cairn::cli
