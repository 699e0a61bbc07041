#include "src/io/snapshot_file.hpp"

#include <cairn/error.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace cairn::v0 {

void writeSnapshot(const Snapshot& snapshot, const std::string& path) {
  const std::string partial = path + ".partial";
  std::ofstream file(partial, std::ios::binary);
  file.write(reinterpret_cast<const char*>(snapshot.bytes.data()), static_cast<std::streamsize>(snapshot.bytes.size()));
  file.close();
  if (file && std::rename(partial.c_str(), path.c_str()) == 0) return;
  std::remove(partial.c_str());
  throw InvalidInput(path, "writing failed: is the disk full?");
}

Snapshot readSnapshot(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) throw InvalidInput(path, "is a directory");
  errno = 0;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw InvalidInput(path, std::string("cannot be read: ") + std::strerror(errno != 0 ? errno : EIO));
  Snapshot snapshot;
  snapshot.bytes.resize(static_cast<size_t>(file.tellg()));
  file.seekg(0);
  if (!file.read(reinterpret_cast<char*>(snapshot.bytes.data()), static_cast<std::streamsize>(snapshot.bytes.size()))) {
    throw InvalidInput(path, "cannot be read");
  }
  return snapshot;
}

}  // namespace cairn::v0
