// Files that tests write.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace cairn::test {

// A path in the folder of temporary files at which nothing is.
inline std::string freshPath(const std::string& name) {
  const std::string path = (std::filesystem::path(::testing::TempDir()) / name).string();
  std::filesystem::remove(path);
  return path;
}

}  // namespace cairn::test
