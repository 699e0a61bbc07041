#include "src/cli/output_file.hpp"

#include "src/scene/text.hpp"

#include <cairn/error.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace cairn::cli {
namespace {

namespace fs = std::filesystem;

// The file that is written first and then renamed, so that readers never see half of it.
std::string partialOf(const std::string& path) { return path + ".partial"; }

std::string endingOf(const std::string& path) { return inSmallLetters(fs::path(path).extension().string()); }

// What no text is called.
const std::vector<std::string> kBinaryEndings{".h5", ".hdf5", ".png", ".jpg", ".jpeg", ".mp4", ".webm", ".gif", ".snapshot", ".obj", ".stl"};

[[noreturn]] void refuse(const std::string& option, const std::string& path, const std::string& reason) {
  throw InvalidInput(option + " " + path, "cannot be written: " + reason);
}

}  // namespace

void requireWritable(const std::string& option, const std::string& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status)) refuse(option, path, fs::is_directory(status) ? "is a directory" : "is not a file");
  if (fs::exists(status) && access(path.c_str(), W_OK) != 0) refuse(option, path, std::strerror(errno));
  std::FILE* file = std::fopen(partialOf(path).c_str(), "wb");
  if (file == nullptr) refuse(option, path, std::strerror(errno));
  std::fclose(file);
  std::remove(partialOf(path).c_str());
}

void requireEnding(const std::string& option, const std::string& path, const std::vector<std::string>& endings) {
  if (std::find(endings.begin(), endings.end(), endingOf(path)) != endings.end()) return;
  std::string list;
  for (size_t k = 0; k < endings.size(); ++k) list += (k == 0 ? "" : k + 1 == endings.size() ? " or " : ", ") + endings[k];
  throw InvalidInput(option + " " + path, "must end in " + list);
}

void requireDirectory(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (!fs::is_directory(path, error)) throw InvalidInput(path, "is not a directory and cannot be made one");
  requireWritable("directory", (fs::path(path) / "picture.png").string());
}

void requireDistinct(const std::vector<std::pair<std::string, std::string>>& optionsAndPaths) {
  for (size_t i = 0; i < optionsAndPaths.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      const std::string &a = optionsAndPaths[i].second, &b = optionsAndPaths[k].second;
      std::error_code error;
      if (a.empty() || b.empty()) continue;
      if (fs::weakly_canonical(fs::absolute(a), error) != fs::weakly_canonical(fs::absolute(b), error)) continue;
      const std::string& other = optionsAndPaths[k].first;
      throw InvalidInput(optionsAndPaths[i].first + " " + a,
                         other[0] == '-' ? "is what " + other + " writes already" : "is the " + other + " that is read");
    }
  }
}

OutputFile::OutputFile(const std::string& option, std::string path) : path_(std::move(path)) {
  if (path_.empty() || path_ == "-") return;
  if (std::find(kBinaryEndings.begin(), kBinaryEndings.end(), endingOf(path_)) != kBinaryEndings.end()) {
    throw InvalidInput(option + " " + path_, "is JSON, which " + endingOf(path_) + " is not");
  }
  std::error_code error;
  const fs::file_status status = fs::status(path_, error);
  stream_ = fs::is_character_file(status) || fs::is_fifo(status) || fs::is_socket(status);
  if (!stream_) {
    requireWritable(option, path_);
  } else if (access(path_.c_str(), W_OK) != 0) {
    refuse(option, path_, std::strerror(errno));
  }
}

void OutputFile::write(const std::string& text) const {
  if (path_ == "-") {
    fmt::print("{}\n", text);
    return;
  }
  const std::string destination = stream_ ? path_ : partialOf(path_);
  std::ofstream file(destination, std::ios::binary);
  file << text << '\n';
  file.close();
  if (!file || (!stream_ && std::rename(destination.c_str(), path_.c_str()) != 0)) {
    if (!stream_) std::remove(destination.c_str());
    throw InvalidInput(path_, "writing failed: is the disk full?");
  }
}

}  // namespace cairn::cli
