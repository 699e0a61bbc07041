#include "src/io/growing_set.hpp"

#include <algorithm>

namespace cairn::v0 {
namespace {

constexpr hsize_t kMostRowsAChunk = 256, kMostChunkBytes = 512 * 1024;
constexpr unsigned kDeflate = 1;  // higher levels take longer and save little: what changes in a trajectory is noise to them

size_t sizeOf(hid_t type) { return H5Tget_size(type); }

Hdf5Handle growingSet(hid_t parent, const std::string& path, const char* name, hid_t stored, const std::vector<hsize_t>& rowSize, hsize_t chunkRows) {
  std::vector<hsize_t> size{0}, most{H5S_UNLIMITED}, chunk{chunkRows};
  for (const hsize_t extent : rowSize) {
    size.push_back(extent);
    most.push_back(std::max<hsize_t>(extent, 1));
    chunk.push_back(std::max<hsize_t>(extent, 1));
  }
  // A row that is larger than a chunk has several.
  if (chunk.size() > 1) {
    hsize_t itemBytes = sizeOf(stored);
    for (size_t i = 2; i < chunk.size(); ++i) itemBytes *= chunk[i];
    chunk[1] = std::clamp<hsize_t>(kMostChunkBytes / itemBytes, 1, chunk[1]);
  }
  const Hdf5Handle space(H5Screate_simple(static_cast<int>(size.size()), size.data(), most.data()), H5Sclose, path, "make a space");
  const Hdf5Handle properties = compressed(path, chunk);
  return {H5Dcreate2(parent, name, stored, space, H5P_DEFAULT, properties, H5P_DEFAULT), H5Dclose, path, "make a data set"};
}

size_t bytesOf(hid_t type, const std::vector<hsize_t>& rowSize) {
  size_t bytes = sizeOf(type);
  for (const hsize_t extent : rowSize) bytes *= extent;
  return bytes;
}

hsize_t rowsOf(hsize_t wanted, size_t rowBytes) {
  return wanted > 0 ? wanted : std::clamp<hsize_t>(kChunkBytes / std::max<size_t>(rowBytes, 1), 1, kMostRowsAChunk);
}

}  // namespace

Hdf5Handle compressed(const std::string& path, const std::vector<hsize_t>& chunk) {
  Hdf5Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  if (H5Pset_chunk(properties, static_cast<int>(chunk.size()), chunk.data()) < 0 || H5Pset_shuffle(properties) < 0 ||
      H5Pset_deflate(properties, kDeflate) < 0 || H5Pset_fletcher32(properties) < 0) {
    throw InvalidInput(path, "HDF5 cannot compress here");
  }
  return properties;
}

GrowingRows::GrowingRows(hid_t parent, const std::string& path, const char* name, hid_t stored, hid_t memory, const std::vector<hsize_t>& rowSize,
                         hsize_t chunkRows)
    : path_(path),
      memory_(memory),
      size_{0},
      rowBytes_(bytesOf(stored, rowSize)),
      chunkBytes_(rowsOf(chunkRows, rowBytes_) * rowBytes_),
      set_(growingSet(parent, path, name, stored, rowSize, rowsOf(chunkRows, rowBytes_))) {
  size_.insert(size_.end(), rowSize.begin(), rowSize.end());
}

void GrowingRows::append(const void* values, size_t bytes) {
  const auto* first = static_cast<const unsigned char*>(values);
  waiting_.insert(waiting_.end(), first, first + bytes);
  if (chunkBytes_ > 0 && waiting_.size() >= chunkBytes_) write(waiting_.size() / chunkBytes_ * (chunkBytes_ / rowBytes_));
}

void GrowingRows::write(hsize_t rows) {
  if (rows == 0) return;
  std::vector<hsize_t> start(size_.size(), 0), count = size_;
  start[0] = size_[0];
  count[0] = rows;
  size_[0] += rows;
  const int rank = static_cast<int>(size_.size());
  if (H5Dset_extent(set_, size_.data()) < 0) throw InvalidInput(path_, kWritingFailed);
  const Hdf5Handle file(H5Dget_space(set_), H5Sclose), memory(H5Screate_simple(rank, count.data(), nullptr), H5Sclose);
  if (H5Sselect_hyperslab(file, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr) < 0 ||
      H5Dwrite(set_, memory_, memory, file, H5P_DEFAULT, waiting_.data()) < 0) {
    throw InvalidInput(path_, kWritingFailed);
  }
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<ptrdiff_t>(rows * rowBytes_));
}

void GrowingRows::flush() {
  if (rowBytes_ > 0) write(waiting_.size() / rowBytes_);
  if (H5Dflush(set_) < 0) throw InvalidInput(path_, kWritingFailed);
}

}  // namespace cairn::v0
