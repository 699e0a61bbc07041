// Films as animated PNG: a PNG whose further pictures are in chunks of their own (acTL, fcTL, fdAT; PNG specification, third edition,
// section 11.3.6). libpng, as Debian has it, writes none of them: it compresses the pictures here, and the chunks are put together by hand.
#pragma once

#include "src/io/film.hpp"

#include <cstdint>
#include <cstdio>

namespace cairn::v0 {

// After each picture the file is a whole animation.
class AnimatedPng : public Film {
 public:
  AnimatedPng(const std::string& path, const FilmFormat& format);
  ~AnimatedPng() override;
  void add(const Picture& picture) override;
  void finish() override;

 private:
  struct Part;  // of a picture: a rectangle
  Part changed(const Picture& picture) const;
  void chunk(const char* type, const std::vector<unsigned char>& data);
  void control(const Part& part);
  void writeHead();
  void writeEnd();

  std::string path_;
  FilmFormat format_;
  std::FILE* file_ = nullptr;
  std::vector<unsigned char> last_;  // pixels of the picture before
  uint32_t pictures_ = 0, sequence_ = 0;
  long endsAt_ = 0;  // where the last chunk, which closes the file, begins
};

}  // namespace cairn::v0
