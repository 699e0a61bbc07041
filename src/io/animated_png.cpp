#include "src/io/animated_png.hpp"

#include <cairn/error.hpp>

#include <png.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>

namespace cairn::v0 {
namespace {

constexpr size_t kSignatureBytes = 8, kChunkBytes = 12;  // of a chunk without data: length, type, checksum
constexpr const char* kWritingFailed = "writing failed: is the disk full?";

void append(std::vector<unsigned char>& bytes, uint32_t value, int size = 4) {
  for (int shift = 8 * (size - 1); shift >= 0; shift -= 8) bytes.push_back(static_cast<unsigned char>(value >> shift));
}

uint32_t numberAt(const std::vector<unsigned char>& bytes, size_t at) {
  return uint32_t(bytes[at]) << 24 | uint32_t(bytes[at + 1]) << 16 | uint32_t(bytes[at + 2]) << 8 | uint32_t(bytes[at + 3]);
}

// The compressed rows of a picture, as libpng has them in its IDAT chunks.
std::vector<unsigned char> compressedRows(int width, int height, const unsigned char* first, ptrdiff_t stride) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = PNG_FORMAT_RGB;
  image.flags = PNG_IMAGE_FLAG_FAST;
  std::vector<unsigned char> whole(PNG_IMAGE_PNG_SIZE_MAX(image));
  png_alloc_size_t size = whole.size();
  if (png_image_write_to_memory(&image, whole.data(), &size, 0, first, static_cast<png_int_32>(stride), nullptr) == 0) {
    throw InvalidInput("film", std::string("libpng cannot compress a picture: ") + image.message);
  }
  std::vector<unsigned char> rows;
  for (size_t at = kSignatureBytes; at + kChunkBytes <= size;) {
    const size_t length = numberAt(whole, at);
    const auto data = whole.begin() + static_cast<ptrdiff_t>(at + 8);
    if (std::memcmp(&whole[at + 4], "IDAT", 4) == 0) rows.insert(rows.end(), data, data + static_cast<ptrdiff_t>(length));
    at += length + kChunkBytes;
  }
  return rows;
}

}  // namespace

struct AnimatedPng::Part {
  int x = 0, y = 0, width = 0, height = 0;
};

AnimatedPng::AnimatedPng(const std::string& path, const FilmFormat& format) : path_(path), format_(format) {
  file_ = std::fopen((path + ".partial").c_str(), "wb");
  if (file_ == nullptr) throw InvalidInput(path, "cannot be written");
}

AnimatedPng::~AnimatedPng() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  std::remove((path_ + ".partial").c_str());
}

void AnimatedPng::chunk(const char* type, const std::vector<unsigned char>& data) {
  std::vector<unsigned char> bytes;
  bytes.reserve(data.size() + kChunkBytes);
  append(bytes, static_cast<uint32_t>(data.size()));
  bytes.insert(bytes.end(), type, type + 4);
  bytes.insert(bytes.end(), data.begin(), data.end());
  append(bytes, static_cast<uint32_t>(crc32(0, bytes.data() + 4, static_cast<uInt>(bytes.size() - 4))));
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) throw InvalidInput(path_, kWritingFailed);
}

// Signature, size, and how many pictures there are so far, without end.
void AnimatedPng::writeHead() {
  const unsigned char signature[kSignatureBytes] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  std::fseek(file_, 0, SEEK_SET);
  if (std::fwrite(signature, 1, kSignatureBytes, file_) != kSignatureBytes) throw InvalidInput(path_, kWritingFailed);
  std::vector<unsigned char> header, animation;
  append(header, static_cast<uint32_t>(format_.width));
  append(header, static_cast<uint32_t>(format_.height));
  for (const unsigned char value : {8, 2, 0, 0, 0}) header.push_back(value);  // eight bits, red green blue, nothing unusual
  chunk("IHDR", header);
  append(animation, pictures_);
  append(animation, 0);  // over and over
  chunk("acTL", animation);
  chunk("sRGB", {0});
}

void AnimatedPng::control(const Part& part) {
  std::vector<unsigned char> data;
  append(data, sequence_++);
  for (const int value : {part.width, part.height, part.x, part.y}) append(data, static_cast<uint32_t>(value));
  append(data, 1, 2);
  append(data, static_cast<uint32_t>(format_.fps), 2);  // shown for 1/fps seconds
  data.push_back(0);                                    // it stays, and the next one is drawn over it
  data.push_back(0);                                    // as it is
  chunk("fcTL", data);
}

// The smallest rectangle outside of which nothing is new; one pixel at least.
AnimatedPng::Part AnimatedPng::changed(const Picture& picture) const {
  const auto row = static_cast<size_t>(3 * format_.width);
  const auto differs = [&](int y) { return std::memcmp(&picture.rgb[row * size_t(y)], &last_[row * size_t(y)], row) != 0; };
  int top = 0, bottom = format_.height, left = format_.width, right = 0;
  while (top < bottom && !differs(top)) ++top;
  if (top == bottom) return {0, 0, 1, 1};
  while (!differs(bottom - 1)) --bottom;
  for (int y = top; y < bottom; ++y) {
    const unsigned char *now = &picture.rgb[row * size_t(y)], *before = &last_[row * size_t(y)];
    const auto [first, ignored] = std::mismatch(now, now + row, before);
    if (first == now + row) continue;
    left = std::min(left, static_cast<int>(first - now) / 3);
    size_t end = row;
    while (now[end - 1] == before[end - 1]) --end;
    right = std::max(right, static_cast<int>((end + 2) / 3));
  }
  return {left, top, right - left, bottom - top};
}

void AnimatedPng::writeEnd() {
  endsAt_ = std::ftell(file_);
  chunk("IEND", {});
  writeHead();
  if (std::fflush(file_) != 0) throw InvalidInput(path_, kWritingFailed);
}

void AnimatedPng::add(const Picture& picture) {
  const bool first = pictures_ == 0;
  const Part part = first ? Part{0, 0, format_.width, format_.height} : changed(picture);
  const auto row = static_cast<ptrdiff_t>(3 * format_.width);
  const std::vector<unsigned char> rows = compressedRows(part.width, part.height, picture.rgb.data() + part.y * row + 3 * part.x, row);
  if (first) {
    writeHead();
  } else {
    std::fseek(file_, endsAt_, SEEK_SET);
  }
  control(part);
  if (first) {
    chunk("IDAT", rows);
  } else {
    std::vector<unsigned char> numbered;
    append(numbered, sequence_++);
    numbered.insert(numbered.end(), rows.begin(), rows.end());
    chunk("fdAT", numbered);
  }
  ++pictures_;
  last_ = picture.rgb;
  writeEnd();
}

void AnimatedPng::finish() {
  std::FILE* file = file_;
  file_ = nullptr;
  const std::string partial = path_ + ".partial";
  if (std::fclose(file) != 0 || std::rename(partial.c_str(), path_.c_str()) != 0) {
    std::remove(partial.c_str());
    throw InvalidInput(path_, kWritingFailed);
  }
}

}  // namespace cairn::v0
