// The program as its tests start it: a folder of their own, exit status, what it printed.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cairn_test_paths.hpp>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

namespace cairn::test {

struct Result {
  int status = -1;
  std::string out, error;
};

inline std::string readFile(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Beside the tests where both were carried to another machine.
inline std::string program() {
  const std::filesystem::path beside = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "cairn";
  return std::filesystem::exists(beside) ? beside.string() : CAIRN_PROGRAM;
}

class Program : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) / ("cairn-program-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Result run(const std::string& arguments) {
    const std::filesystem::path error = folder_ / "stderr";
    const std::string command = program() + " " + arguments + " 2>" + error.string() + " </dev/null";
    Result result;
    FILE* pipe = popen(command.c_str(), "r");
    std::array<char, 4096> buffer;
    for (size_t n = 0; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) result.out.append(buffer.data(), n);
    const int status = pclose(pipe);
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    result.error = readFile(error);
    std::filesystem::remove(error);
    return result;
  }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  size_t filesLeft() const {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder_), std::filesystem::directory_iterator{}));
  }

  std::filesystem::path folder_;
};

}  // namespace cairn::test
