// A data set of HDF5 that grows by rows: what is added waits in memory until it fills chunks. Compressed by what every HDF5 has, with a checksum a
// chunk, so that damage is noticed.
#pragma once

#include "src/io/hdf5_handle.hpp"
#include "src/io/recording_layout.hpp"

#include <array>
#include <string>
#include <vector>

namespace cairn::v0 {

constexpr hsize_t kChunkBytes = 64 * 1024;
constexpr const char* kWritingFailed = "writing failed: is the disk full?";

// Properties of a data set in chunks of this size.
Hdf5Handle compressed(const std::string& path, const std::vector<hsize_t>& chunk);

class GrowingRows {
 public:
  // `rowSize`: the dimensions of one row; empty: a number. `chunkRows` 0: as many as make about kChunkBytes.
  GrowingRows(hid_t parent, const std::string& path, const char* name, hid_t stored, hid_t memory, const std::vector<hsize_t>& rowSize,
              hsize_t chunkRows);
  // All that was added, to disk: a reader sees it from then on, and so it does after whatever happens to this program.
  void flush();

 protected:
  void append(const void* values, size_t bytes);

 private:
  void write(hsize_t rows);

  std::string path_;
  hid_t memory_;
  std::vector<hsize_t> size_;  // of the data set, rows first
  size_t rowBytes_ = 0, chunkBytes_ = 0;
  Hdf5Handle set_;
  std::vector<unsigned char> waiting_;
};

template <class T> class GrowingSet : public GrowingRows {
 public:
  GrowingSet(hid_t parent, const std::string& path, const char* name, const std::vector<hsize_t>& rowSize, hsize_t chunkRows = 0)
      : GrowingRows(parent, path, name, recordings::storedType<T>(), recordings::memoryType<T>(), rowSize, chunkRows) {}
  // Numbers in the order of the rows, of which they need not be whole ones.
  template <size_t n> void add(const std::array<double, n>& values) {
    std::array<T, n> converted;
    for (size_t i = 0; i < n; ++i) converted[i] = static_cast<T>(values[i]);
    append(converted.data(), sizeof converted);
  }
  void add(const std::vector<T>& values) { append(values.data(), values.size() * sizeof(T)); }
};

}  // namespace cairn::v0
