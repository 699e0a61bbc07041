// The reader of FCLib's files: whatever data sets a file has, of whatever types and sizes, it is refused with InvalidInput in one line or read. The
// bytes choose the data sets; that damaged bytes of an HDF5 file are no trouble is HDF5's business.
#include "src/io/contact_problem_hdf5.hpp"
#include "src/io/hdf5_handle.hpp"
#include "tests/fuzz/bytes.hpp"

#include <cairn/error.hpp>

#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace cairn::fuzz {
namespace {

class Writer {
 public:
  Writer(const std::string& path, Bytes& bytes) : bytes_(bytes), file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose) {}

  void group(const std::string& name) {
    if (bytes_.below(32) == 0) return;
    const Hdf5Handle group(H5Gcreate2(file_, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  }
  void whole(const std::string& name, int usual) {
    std::vector<int> values{bytes_.below(8) == 0 ? any() : usual};
    if (bytes_.below(32) == 0) values.push_back(any());
    put(name, H5T_STD_I32LE, H5T_NATIVE_INT, values.size(), values.data());
  }
  void wholes(const std::string& name, size_t count) {
    std::vector<int> values(count + (bytes_.below(16) == 0 ? 1 : 0));
    for (int& value : values) value = bytes_.below(32) == 0 ? any() : bytes_.below(8);
    put(name, H5T_STD_I32LE, H5T_NATIVE_INT, values.size(), values.data());
  }
  // 0, step, 2 step: where lines of so many entries begin.
  void starts(const std::string& name, int lines, int step) {
    std::vector<int> values;
    for (int line = 0; line <= lines; ++line) values.push_back(bytes_.below(32) == 0 ? any() : line * step);
    put(name, H5T_STD_I32LE, H5T_NATIVE_INT, values.size(), values.data());
  }
  void numbers(const std::string& name, size_t count) {
    std::vector<double> values(count + (bytes_.below(16) == 0 ? 1 : 0));
    for (double& value : values) value = bytes_.number();
    put(name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values.size(), values.data());
  }
  void matrix(const std::string& name, int rows, int columns) {
    group(name);
    const int form = bytes_.below(3) - 2;  // -2: compressed rows; -1: columns; else triplets
    const int lines = form == -2 ? rows : columns, step = 1 + bytes_.below(3), entries = lines * step;
    whole(name + "/m", rows);
    whole(name + "/n", columns);
    whole(name + "/nz", form == 0 ? entries : form);
    if (form == 0) {
      wholes(name + "/p", size_t(entries));
    } else {
      starts(name + "/p", lines, step);
    }
    wholes(name + "/i", size_t(entries));
    numbers(name + "/x", size_t(entries));
  }

 private:
  int any() { return bytes_.flag() ? int(uint32_t(bytes_.bits())) : int(int8_t(bytes_.byte())); }
  void put(const std::string& name, hid_t stored, hid_t memory, size_t count, const void* values) {
    const int oddity = bytes_.below(64);
    if (oddity == 0) return;
    if (oddity == 1) stored = H5T_NATIVE_DOUBLE;
    if (oddity == 2) stored = H5T_STD_I64BE;
    hsize_t size[] = {oddity == 3 ? (hsize_t(1) << bytes_.below(63)) : count, hsize_t(1 + bytes_.below(2))};
    const Hdf5Handle space(oddity == 4 ? H5Screate(H5S_NULL) : H5Screate_simple(oddity == 5 ? 2 : 1, size, nullptr), H5Sclose);
    const Hdf5Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_alloc_time(properties, H5D_ALLOC_TIME_INCR);
    const Hdf5Handle set(H5Dcreate2(file_, name.c_str(), stored, space, H5P_DEFAULT, properties, H5P_DEFAULT), H5Dclose);
    if (set >= 0 && count > 0 && oddity > 5) H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
  }

  Bytes& bytes_;
  Hdf5Handle file_;
};

void writeFile(const std::string& path, Bytes& bytes) {
  Writer out(path, bytes);
  const bool local = bytes.flag();
  const int contacts = bytes.below(4), dimension = bytes.below(8) == 0 ? 2 : 3, rows = contacts * dimension, freedoms = 6 * bytes.below(3);
  const std::string root = local ? "fclib_local" : "fclib_global";
  out.group(root);
  out.group(root + "/vectors");
  out.whole(root + "/spacedim", dimension);
  out.numbers(root + "/vectors/mu", size_t(contacts));
  if (local) {
    out.matrix(root + "/W", rows, rows);
    out.numbers(root + "/vectors/q", size_t(rows));
  } else {
    out.matrix(root + "/M", freedoms, freedoms);
    out.matrix(root + "/H", freedoms, rows);
    out.numbers(root + "/vectors/f", size_t(freedoms));
    out.numbers(root + "/vectors/w", size_t(rows));
  }
  if (bytes.flag()) {
    out.group("solution");
    out.numbers("solution/r", size_t(rows));
    out.numbers("solution/u", size_t(rows));
    if (!local) out.numbers("solution/v", size_t(freedoms));
  }
  if (bytes.below(16) == 0) out.group(local ? "fclib_global" : "fclib_local");
  if (bytes.below(32) == 0) out.group(root + "/G");
}

}  // namespace
}  // namespace cairn::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::string path = "/tmp/cairn_fuzz_" + std::to_string(getpid()) + ".hdf5";
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  cairn::fuzz::Bytes bytes(data, size);
  cairn::fuzz::writeFile(path, bytes);
  try {
    const cairn::ContactProblem problem = cairn::readContactProblem(path);
    validate(problem, "fuzz.hdf5");
  } catch (const cairn::InvalidInput& error) {
    if (std::string(error.what()).find('\n') != std::string::npos) std::abort();
  }
  unlink(path.c_str());
  return 0;
}
