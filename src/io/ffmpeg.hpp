// Films by the program ffmpeg, which is given raw pictures and makes a file of them.
#pragma once

#include "src/io/film.hpp"

#include <sys/types.h>

#include <cstdio>

namespace cairn::v0 {

// Throws InvalidInput, whose place is given, if ffmpeg is not here, or has no encoder for films of this ending.
void requireFfmpeg(const std::string& place, const std::string& ending);

// ffmpeg has a process group of its own: a Ctrl-C that ends this program has it close the film where the pictures end.
class FfmpegFilm : public Film {
 public:
  FfmpegFilm(const std::string& path, const std::string& ending, const FilmFormat& format);
  ~FfmpegFilm() override;
  void add(const Picture& picture) override;
  void finish() override;

 private:
  // Once it has all pictures. Its exit status.
  int end();
  [[noreturn]] void fail();

  std::string path_, partial_;
  std::FILE* messages_ = nullptr;
  pid_t process_ = -1;
  int pictures_ = -1;  // the socket that it reads from
};

}  // namespace cairn::v0
