// Files that commands write: refused before any work is done, and then whole or not at all.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace cairn::cli {

// Throws InvalidInput if a file of this name could not be made, or would replace something that is not a file. Leaves nothing behind.
void requireWritable(const std::string& option, const std::string& path);
// Throws InvalidInput for a path whose ending is none of these: the format that is written is told by it.
void requireEnding(const std::string& option, const std::string& path, const std::vector<std::string>& endings);
inline const std::vector<std::string> kProblemEndings{".json", ".hdf5", ".h5"}, kRecordingEndings{".h5", ".hdf5"}, kPictureEndings{".png"},
    kFilmEndings{".mp4", ".webm", ".gif", ".png"}, kSnapshotEndings{".snapshot"}, kMeshEndings{".obj", ".stl"}, kPageEndings{".html", ".htm"};
// Makes the directory if it is not there.
void requireDirectory(const std::string& path);
// Throws InvalidInput if two options name the same output, or an output what is read, which has a name without dashes. Empty paths are none.
void requireDistinct(const std::vector<std::pair<std::string, std::string>>& optionsAndPaths);

// JSON that a command writes at its end: to a file, "-" for standard output, or empty for nowhere. The constructor throws InvalidInput if the
// file could not be written, or its ending is that of pictures or HDF5.
class OutputFile {
 public:
  OutputFile(const std::string& option, std::string path);
  bool wanted() const { return !path_.empty(); }
  // All or nothing: written beside the destination and renamed.
  void write(const std::string& text) const;

 private:
  std::string path_;
  bool stream_ = false;  // a device or a pipe: there is nothing to rename
};

}  // namespace cairn::cli
