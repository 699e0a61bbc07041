#include "src/io/recording.hpp"

#include "src/io/hdf5_handle.hpp"
#include "src/io/report_json.hpp"

#include <cairn/error.hpp>

#include <algorithm>
#include <cstdio>
#include <limits>

namespace cairn::v0 {
namespace {

constexpr int kPoseColumns = 7;      // x y z qx qy qz qw
constexpr int kVelocityColumns = 6;  // v, w
constexpr hsize_t kChunkBytes = 64 * 1024;
constexpr hsize_t kMaxFramesAChunk = 256;
constexpr const char* kFormat = "cairn-recording-1";

Hdf5Handle stringType(const std::string& path, size_t size) {
  Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose, path, "make a type");
  H5Tset_size(type, size > 0 ? size : 1);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

void writeAttribute(hid_t file, const std::string& path, const char* name, const std::string& value) {
  const Hdf5Handle type = stringType(path, value.size());
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose, path, "make a space");
  const Hdf5Handle attribute(H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose, path, "write an attribute");
  H5Awrite(attribute, type, value.c_str());
}

void writeAttribute(hid_t file, const std::string& path, const char* name, double value) {
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose, path, "make a space");
  const Hdf5Handle attribute(H5Acreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose, path, "write an attribute");
  H5Awrite(attribute, H5T_NATIVE_DOUBLE, &value);
}

void writeAttribute(hid_t object, const std::string& path, const std::string& name, const Json& value) {
  if (value.is_string()) {
    writeAttribute(object, path, name.c_str(), value.get<std::string>());
  } else if (value.is_null()) {
    writeAttribute(object, path, name.c_str(), std::numeric_limits<double>::infinity());  // a limit that is off
  } else {
    writeAttribute(object, path, name.c_str(), value.is_boolean() ? static_cast<double>(value.get<bool>()) : value.get<double>());
  }
}

void writeStrings(hid_t file, const std::string& path, const char* name, const std::vector<std::string>& values) {
  const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose, path, "make a type");
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  const hsize_t count = values.size();
  const Hdf5Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose, path, "make a space");
  const Hdf5Handle set(H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose, path, "make a data set");
  std::vector<const char*> pointers;
  for (const std::string& value : values) pointers.push_back(value.c_str());
  if (count > 0) H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data());
}

// A data set that grows by frames; rank 1 (columns 0) or 3 (frames x bodies x columns). Chunks of about kChunkBytes, one frame at least.
hid_t growingSet(hid_t file, const char* name, hsize_t bodies, hsize_t columns) {
  const int rank = columns == 0 ? 1 : 3;
  const hsize_t frame = bodies * columns * sizeof(double), atLeastOne = std::max<hsize_t>(bodies, 1);
  const hsize_t perChunk = std::clamp<hsize_t>(frame > 0 ? kChunkBytes / frame : kMaxFramesAChunk, 1, kMaxFramesAChunk);
  const hsize_t size[3] = {0, bodies, columns}, max[3] = {H5S_UNLIMITED, atLeastOne, columns};
  const hsize_t chunk[3] = {perChunk, atLeastOne, std::max<hsize_t>(columns, 1)};
  const Hdf5Handle space(H5Screate_simple(rank, size, max), H5Sclose), properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_chunk(properties, rank, chunk);
  return H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, properties, H5P_DEFAULT);
}

bool appendFrame(hid_t set, hsize_t frame, hsize_t bodies, hsize_t columns, const double* values) {
  const int rank = columns == 0 ? 1 : 3;
  const hsize_t size[3] = {frame + 1, bodies, columns}, start[3] = {frame, 0, 0}, count[3] = {1, bodies, columns};
  if (H5Dset_extent(set, size) < 0) return false;
  const Hdf5Handle file(H5Dget_space(set), H5Sclose), memory(H5Screate_simple(rank, count, nullptr), H5Sclose);
  return H5Sselect_hyperslab(file, H5S_SELECT_SET, start, nullptr, count, nullptr) >= 0 &&
         H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, file, H5P_DEFAULT, values) >= 0;
}

// A recording that is being read. Throws InvalidInput for objects that are not there or of another type.
class RecordingFile {
 public:
  explicit RecordingFile(const std::string& path)
      : path_(path), file_(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, path, "open it") {}

  std::vector<std::string> strings(const std::string& name) const {
    const Hdf5Handle set = open(name), space = spaceOf(set), type(H5Dget_type(set), H5Tclose, path_, "read a type");
    std::vector<char*> pointers(static_cast<size_t>(H5Sget_simple_extent_npoints(space)));
    std::vector<std::string> values;
    if (pointers.empty()) return values;
    H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data());
    for (const char* pointer : pointers) values.emplace_back(pointer);
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, pointers.data());
    return values;
  }
  std::vector<double> numbers(const std::string& name) const {
    const Hdf5Handle set = open(name), space = spaceOf(set);
    std::vector<double> values(static_cast<size_t>(H5Sget_simple_extent_npoints(space)));
    if (!values.empty() && H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) {
      throw InvalidInput(path_, "'" + name + "' cannot be read");
    }
    return values;
  }
  double numberAttribute(const std::string& name) const {
    const Hdf5Handle attribute(H5Aopen(file_, name.c_str(), H5P_DEFAULT), H5Aclose, path_, "find '" + name + "'");
    double value = 0;
    if (H5Aread(attribute, H5T_NATIVE_DOUBLE, &value) < 0) throw InvalidInput(path_, "'" + name + "' is no number");
    return value;
  }

 private:
  Hdf5Handle open(const std::string& name) const { return {H5Dopen2(file_, name.c_str(), H5P_DEFAULT), H5Dclose, path_, "find '" + name + "'"}; }
  Hdf5Handle spaceOf(hid_t set) const { return {H5Dget_space(set), H5Sclose, path_, "read a space"}; }

  const std::string& path_;
  Hdf5Handle file_;
};

}  // namespace

struct Recording::Impl {
  std::string path, partial;
  hid_t file = -1, times = -1, poses = -1, velocities = -1;
  hsize_t frames = 0, bodies = 0;
  std::vector<double> poseRow, velocityRow;

  // False if something could not be written.
  bool close() {
    bool ok = true;
    for (hid_t* set : {&times, &poses, &velocities}) {
      if (*set >= 0) ok = H5Dclose(*set) >= 0 && ok;
      *set = -1;
    }
    if (file >= 0) ok = H5Fclose(file) >= 0 && ok;
    file = -1;
    return ok;
  }
  ~Impl() {
    if (file < 0) return;
    close();
    std::remove(partial.c_str());
  }
};

Recording::Recording(const std::string& path, const Scene& scene, const World& world, int every) : impl_(std::make_unique<Impl>()) {
  silenceHdf5();
  impl_->path = path;
  impl_->partial = path + ".partial";
  impl_->file = H5Fcreate(impl_->partial.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  if (impl_->file < 0) throw InvalidInput(path, "cannot be written");
  impl_->bodies = static_cast<hsize_t>(world.bodyCount());
  std::vector<std::string> names;
  for (const BodyId body : world.bodies()) names.push_back(world.bodyName(body));
  writeAttribute(impl_->file, path, "format", std::string(kFormat));
  writeAttribute(impl_->file, path, "device", world.deviceName());
  writeAttribute(impl_->file, path, "dt_s", world.settings().dt);
  writeAttribute(impl_->file, path, "steps_per_frame", static_cast<double>(every));
  {
    const Hdf5Handle settings(H5Gcreate2(impl_->file, "settings", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose, path, "make a group");
    const Json values = settingsJson(world.settings());
    for (const auto& [name, value] : values.items()) writeAttribute(settings, path, name, value);
  }
  writeStrings(impl_->file, path, "scene", {writeScene(scene)});
  writeStrings(impl_->file, path, "names", names);
  impl_->times = growingSet(impl_->file, "times", 0, 0);
  impl_->poses = growingSet(impl_->file, "poses", impl_->bodies, kPoseColumns);
  impl_->velocities = growingSet(impl_->file, "velocities", impl_->bodies, kVelocityColumns);
  if (impl_->times < 0 || impl_->poses < 0 || impl_->velocities < 0) throw InvalidInput(path, "cannot be written");
}

Recording::~Recording() = default;

void Recording::add(double time, const std::vector<BodyState>& states) {
  impl_->poseRow.clear();
  impl_->velocityRow.clear();
  for (const BodyState& s : states) {
    impl_->poseRow.insert(impl_->poseRow.end(), {s.pose.p.x, s.pose.p.y, s.pose.p.z, s.pose.q.x, s.pose.q.y, s.pose.q.z, s.pose.q.w});
    impl_->velocityRow.insert(impl_->velocityRow.end(), {s.linearVelocity.x, s.linearVelocity.y, s.linearVelocity.z, s.angularVelocity.x,
                                                         s.angularVelocity.y, s.angularVelocity.z});
  }
  const bool ok = appendFrame(impl_->times, impl_->frames, 0, 0, &time) &&
                  appendFrame(impl_->poses, impl_->frames, impl_->bodies, kPoseColumns, impl_->poseRow.data()) &&
                  appendFrame(impl_->velocities, impl_->frames, impl_->bodies, kVelocityColumns, impl_->velocityRow.data());
  if (!ok) throw InvalidInput(impl_->path, "writing failed: is the disk full?");
  ++impl_->frames;
}

void Recording::finish() {
  if (!impl_->close() || std::rename(impl_->partial.c_str(), impl_->path.c_str()) != 0) {
    std::remove(impl_->partial.c_str());
    throw InvalidInput(impl_->path, "writing failed: is the disk full?");
  }
}

RecordedTrajectory readRecording(const std::string& path) {
  silenceHdf5();
  const RecordingFile file(path);
  RecordedTrajectory trajectory;
  trajectory.dt = file.numberAttribute("dt_s");
  trajectory.stepsPerFrame = static_cast<int>(file.numberAttribute("steps_per_frame"));
  trajectory.times = file.numbers("times");
  trajectory.names = file.strings("names");
  trajectory.scene = file.strings("scene").at(0);
  const std::vector<double> poses = file.numbers("poses"), velocities = file.numbers("velocities");
  const size_t bodies = trajectory.names.size(), frames = trajectory.times.size();
  if (poses.size() != frames * bodies * kPoseColumns || velocities.size() != frames * bodies * kVelocityColumns) {
    throw InvalidInput(path, "'poses' and 'velocities' do not fit 'times' and 'names'");
  }
  for (size_t frame = 0; frame < frames; ++frame) {
    std::vector<BodyState> states;
    for (size_t body = 0; body < bodies; ++body) {
      const double* p = poses.data() + (frame * bodies + body) * kPoseColumns;
      const double* v = velocities.data() + (frame * bodies + body) * kVelocityColumns;
      BodyState state;
      state.pose = {{p[0], p[1], p[2]}, {p[3], p[4], p[5], p[6]}};
      state.linearVelocity = {v[0], v[1], v[2]};
      state.angularVelocity = {v[3], v[4], v[5]};
      states.push_back(state);
    }
    trajectory.frames.push_back(std::move(states));
  }
  return trajectory;
}

}  // namespace cairn::v0
