// HDF5 identifiers that close themselves.
#pragma once

#include <cairn/error.hpp>

#include <hdf5.h>

#include <string>

namespace cairn::v0 {

class Hdf5Handle {
 public:
  // Takes ownership of an identifier; a negative one, HDF5's sign of failure, is kept as it is.
  Hdf5Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  // Throws InvalidInput for a negative identifier.
  Hdf5Handle(hid_t id, herr_t (*close)(hid_t), const std::string& path, const std::string& action) : Hdf5Handle(id, close) {
    if (id < 0) throw InvalidInput(path, "HDF5 cannot " + action);
  }
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(other.id_), close_(other.close_) { other.id_ = -1; }
  Hdf5Handle(const Hdf5Handle&) = delete;
  Hdf5Handle& operator=(const Hdf5Handle&) = delete;
  Hdf5Handle& operator=(Hdf5Handle&&) = delete;
  ~Hdf5Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

// HDF5 prints its own stack of messages; ours say what the user needs.
inline void silenceHdf5() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

}  // namespace cairn::v0
