// Through libpng's own interface: the simplified one would bring every picture to a gamma that it knows, and heights with it.
#include "src/io/grey_image.hpp"

#include <cairn/error.hpp>

#include <fmt/format.h>
#include <png.h>

#include <cerrno>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

namespace cairn::v0 {
namespace {

struct Closing {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Closing>;

// A file that is being read. libpng goes back to `readHeader` and `readRows` by a long jump when it finds a fault: neither holds anything that would
// have to be destroyed.
struct Reading {
  explicit Reading(std::FILE* file)
      : png(png_create_read_struct(PNG_LIBPNG_VER_STRING, this, &Reading::fault, &Reading::ignore)),
        info(png ? png_create_info_struct(png) : nullptr) {
    if (info) png_init_io(png, file);
  }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
  ~Reading() { png_destroy_read_struct(&png, &info, nullptr); }

  bool readHeader() {
    if (setjmp(png_jmpbuf(png)) != 0) return false;
    png_read_info(png, info);
    return true;
  }
  // `rows` has a pointer for each row.
  bool readRows(png_bytep* rows) {
    if (setjmp(png_jmpbuf(png)) != 0) return false;
    png_read_image(png, rows);
    png_read_end(png, nullptr);
    return true;
  }

  png_structp png;
  png_infop info;
  char reason[120] = "";

 private:
  [[noreturn]] static void fault(png_structp png, png_const_charp message) {
    auto& self = *static_cast<Reading*>(png_get_error_ptr(png));
    std::snprintf(self.reason, sizeof self.reason, "%s", message);
    png_longjmp(png, 1);
  }
  static void ignore(png_structp, png_const_charp) {}
};

}  // namespace

GreyImage readGreyPng(const std::string& path, int64_t mostPixels) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) throw InvalidInput(path, "is a folder, not a picture");
  const File file(std::fopen(path.c_str(), "rb"));
  if (!file) throw InvalidInput(path, std::string("cannot be opened: ") + std::strerror(errno));
  png_byte signature[8];
  const bool isPng = std::fread(signature, 1, sizeof signature, file.get()) == sizeof signature && png_sig_cmp(signature, 0, sizeof signature) == 0;
  if (!isPng) throw InvalidInput(path, "is no PNG file");
  Reading reading(file.get());
  if (!reading.info) throw InvalidInput(path, "cannot be read: no memory for it");
  png_set_sig_bytes(reading.png, sizeof signature);
  const auto requireRead = [&](bool read) {
    if (!read) throw InvalidInput(path, std::string("is no whole PNG file: ") + reading.reason);
  };
  requireRead(reading.readHeader());
  const int bits = png_get_bit_depth(reading.png, reading.info);
  const bool grey = png_get_color_type(reading.png, reading.info) == PNG_COLOR_TYPE_GRAY;
  if (!grey || (bits != 8 && bits != 16))
    throw InvalidInput(path,
                       fmt::format("must be grey alone with 8 or 16 bits a pixel, has {}", grey ? fmt::format("{} bits", bits) : "colours or alpha"));
  const int64_t width = png_get_image_width(reading.png, reading.info), height = png_get_image_height(reading.png, reading.info);
  if (width * height > mostPixels) throw InvalidInput(path, fmt::format("must have at most {} pixels, is {} x {}", mostPixels, width, height));

  png_set_interlace_handling(reading.png);
  const size_t rowBytes = static_cast<size_t>(width) * (bits == 16 ? 2 : 1);
  std::vector<unsigned char> bytes(rowBytes * static_cast<size_t>(height));
  std::vector<png_bytep> rows;
  for (size_t row = 0; row < static_cast<size_t>(height); ++row) rows.push_back(bytes.data() + row * rowBytes);
  requireRead(reading.readRows(rows.data()));
  GreyImage image{static_cast<int>(width), static_cast<int>(height), bits == 16 ? 65535 : 255, {}};
  image.samples.reserve(static_cast<size_t>(width * height));
  for (size_t i = 0; i < bytes.size(); i += bits == 16 ? 2 : 1)
    image.samples.push_back(bits == 16 ? static_cast<uint16_t>(bytes[i] << 8 | bytes[i + 1]) : bytes[i]);
  return image;
}

}  // namespace cairn::v0
