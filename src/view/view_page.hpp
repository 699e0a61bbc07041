// Pages that show a scene's frames: one file of HTML that needs nothing else.
#pragma once

#include "src/view/frame_encoder.hpp"
#include "src/view/view_scene.hpp"

#include <cstdio>
#include <string>

namespace cairn::v0 {

// page/page.html with all that it names, from the build. What the program fills in: title, scene, frames.
const std::string& pageSource();

// A page without frames, for one that gets them from a server.
std::string livePage(const Scene& scene, const ViewDescription& description);

// Written beside its destination and moved there by finish(): a run that fails leaves nothing behind. Frames go to the file as they come, in pieces
// that can be read each by itself.
class PageFile {
 public:
  // Throws InvalidInput if the file cannot be made.
  PageFile(std::string path, const Scene& scene, const ViewDescription& description);
  ~PageFile();
  PageFile(const PageFile&) = delete;
  PageFile& operator=(const PageFile&) = delete;

  void add(const ViewFrame& frame);
  void finish();
  size_t bytes() const { return bytes_; }  // that are written
  long frames() const { return frames_; }

 private:
  void write(const std::string& text);
  void endPiece();

  std::string path_, partial_, rest_, piece_;
  std::FILE* file_;
  FrameEncoder encoder_;
  int framesInPiece_ = 0;
  long frames_ = 0;
  size_t bytes_ = 0;
};

}  // namespace cairn::v0
