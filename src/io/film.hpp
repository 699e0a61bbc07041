// Films: pictures one after the other, on their way to a file. For users: docs/films.md.
#pragma once

#include "src/render/image.hpp"

#include <memory>
#include <string>

namespace cairn::v0 {

struct FilmFormat {
  int width = 1280, height = 720;  // [pixels]
  int fps = 30;                    // pictures a second
};

// Written beside its destination, as NAME.partial, and moved there by finish(); without that it leaves nothing behind. If the program is killed, that
// file is a film of the pictures so far.
class Film {
 public:
  virtual ~Film() = default;
  // A picture of the format's size. Throws InvalidInput if it cannot be written.
  virtual void add(const Picture& picture) = 0;
  virtual void finish() = 0;
};

// Whether films of this ending (.mp4, .webm, .gif) are made by the program ffmpeg.
bool needsFfmpeg(const std::string& path);
// Throws InvalidInput, whose place is given, for a size or speed that such a film cannot have, and where ffmpeg is needed and cannot make it.
void requireFilm(const std::string& place, const std::string& path, const FilmFormat& format);

// A film by its ending: .mp4, .webm and .gif by ffmpeg, .png as an animation. Throws InvalidInput if it cannot be made.
std::unique_ptr<Film> makeFilm(const std::string& path, const FilmFormat& format);
// Pictures of their own in a folder that is there: frame-000000.png, each of them whole as soon as it has its name.
std::unique_ptr<Film> makeFrameFolder(const std::string& path);
// Whether there are pictures with such names in a folder.
bool holdsFrames(const std::string& path);

}  // namespace cairn::v0
