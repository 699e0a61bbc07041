#include "src/io/recording_reader.hpp"

#include "src/io/hdf5_handle.hpp"
#include "src/io/recording_layout.hpp"
#include "src/scene/text.hpp"

#include <cairn/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

namespace cairn::v0 {
namespace {

using namespace recordings;

// What a writer is about to change is read again, each time after twice as long a wait: a millisecond in all. HDF5 would try for minutes.
constexpr unsigned kReadAttempts = 20;
constexpr const char* kDamaged = "the file is cut short or damaged";

// A data set whose rows are read a few at a time.
class Rows {
 public:
  // `rowSize`: the dimensions that a row must have; empty: a number. Throws InvalidInput if there is no such data set.
  Rows(hid_t parent, const std::string& path, const std::string& name, std::vector<hsize_t> rowSize)
      : path_(path),
        name_(name),
        rowSize_(std::move(rowSize)),
        set_(H5Dopen2(parent, name.c_str(), H5P_DEFAULT), H5Dclose, path, "find '" + name + "'") {
    const Hdf5Handle space(H5Dget_space(set_), H5Sclose, path_, "read '" + name + "'"), type(H5Dget_type(set_), H5Tclose);
    std::vector<hsize_t> size(static_cast<size_t>(std::max(H5Sget_simple_extent_ndims(space), 0)));
    H5Sget_simple_extent_dims(space, size.data(), nullptr);
    const H5T_class_t kind = H5Tget_class(type);
    if (kind != H5T_INTEGER && kind != H5T_FLOAT) throw InvalidInput(path_, "'" + name + "' holds no numbers");
    if (size.size() != rowSize_.size() + 1 || !std::equal(rowSize_.begin(), rowSize_.end(), size.begin() + 1)) {
      throw InvalidInput(path_, "'" + name + "' does not have the size that the scene's bodies and joints ask for");
    }
    count_ = size[0];
    for (const hsize_t extent : rowSize_) width_ *= extent;
  }
  hsize_t count() const { return width_ > 0 ? count_ : H5S_UNLIMITED; }  // rows of nothing are always there
  template <class T> std::vector<T> read(hsize_t row, hsize_t rows) const {
    std::vector<T> values(rows * width_);
    if (values.empty()) return values;
    std::vector<hsize_t> start(rowSize_.size() + 1, 0), count{rows};
    start[0] = row;
    count.insert(count.end(), rowSize_.begin(), rowSize_.end());
    const Hdf5Handle file(H5Dget_space(set_), H5Sclose), memory(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr), H5Sclose);
    if (H5Sselect_hyperslab(file, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr) < 0 ||
        H5Dread(set_, memoryType<T>(), memory, file, H5P_DEFAULT, values.data()) < 0) {
      throw InvalidInput(path_, "'" + name_ + "' cannot be read: " + kDamaged);
    }
    return values;
  }

 private:
  std::string path_, name_;
  std::vector<hsize_t> rowSize_;
  Hdf5Handle set_;
  hsize_t count_ = 0, width_ = 1;
};

// Throws InvalidInput, in words for what is wrong with it.
Hdf5Handle opened(const std::string& path) {
  silenceHdf5();
  if (!std::ifstream(path)) throw InvalidInput(path, "cannot be opened");
  if (std::filesystem::is_directory(path)) throw InvalidInput(path, "is a directory");
  if (H5Fis_hdf5(path.c_str()) <= 0) throw InvalidInput(path, "is no recording: it is not an HDF5 file");
  hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  // One that is being written, or was when its program was killed.
  if (file < 0) {
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_metadata_read_attempts(access, kReadAttempts);
    file = H5Fopen(path.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access);
  }
  if (file < 0) throw InvalidInput(path, std::string("cannot be opened: ") + kDamaged + ", or another program is writing it");
  return {file, H5Fclose};
}

bool has(hid_t file, const char* name) { return H5Lexists(file, name, H5P_DEFAULT) > 0; }

std::string textAttribute(hid_t file, const std::string& name) {
  if (H5Aexists(file, name.c_str()) <= 0) return "";
  const Hdf5Handle attribute(H5Aopen(file, name.c_str(), H5P_DEFAULT), H5Aclose), type(H5Aget_type(attribute), H5Tclose);
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) > 0) return "";
  std::string value(H5Tget_size(type), '\0');
  if (H5Aread(attribute, type, value.data()) < 0) return "";
  return value.c_str();
}

double numberAttribute(hid_t file, const std::string& path, const std::string& name) {
  const Hdf5Handle attribute(H5Aopen(file, name.c_str(), H5P_DEFAULT), H5Aclose, path, "find '" + name + "'");
  double value = 0;
  if (H5Aread(attribute, H5T_NATIVE_DOUBLE, &value) < 0) throw InvalidInput(path, "'" + name + "' is no number");
  return value;
}

// Of the format of this file; throws InvalidInput if it is none that is known.
int versionOf(hid_t file, const std::string& path) {
  const std::string format = textAttribute(file, "format"), prefix = kFormat;
  if (format.compare(0, prefix.size(), prefix) != 0) throw InvalidInput(path, "is an HDF5 file, but no recording of Cairn");
  const int version = std::atoi(format.c_str() + prefix.size());
  if (version < 1) throw InvalidInput(path, "is a recording of a version that is not known: '" + format + "'");
  if (version > kVersion) {
    throw InvalidInput(path, "is a recording of version " + std::to_string(version) + ", and this program reads those up to " +
                                 std::to_string(kVersion) + ": a newer one has written it");
  }
  return version;
}

// Texts of either version: of any length each, or of one length filled up with zeros.
std::vector<std::string> texts(hid_t file, const std::string& path, const std::string& name) {
  const Hdf5Handle set(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose, path, "find '" + name + "'"), space(H5Dget_space(set), H5Sclose),
      type(H5Dget_type(set), H5Tclose);
  if (H5Tget_class(type) != H5T_STRING) throw InvalidInput(path, "'" + name + "' holds no texts");
  const auto count = static_cast<size_t>(std::max<hssize_t>(H5Sget_simple_extent_npoints(space), 0));
  const std::string problem = "'" + name + "' cannot be read: " + kDamaged;
  std::vector<std::string> values;
  if (count == 0) return values;
  values.reserve(count);
  if (H5Tis_variable_str(type) > 0) {
    std::vector<char*> pointers(count, nullptr);
    if (H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data()) < 0) throw InvalidInput(path, problem);
    for (const char* pointer : pointers) values.emplace_back(pointer == nullptr ? "" : pointer);
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, pointers.data());
    return values;
  }
  const size_t size = H5Tget_size(type);
  std::string all(size * count, '\0');
  if (H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()) < 0) throw InvalidInput(path, problem);
  for (size_t i = 0; i < count; ++i) values.emplace_back(all, i * size, strnlen(all.data() + i * size, size));
  return values;
}

std::string sceneText(hid_t file, const std::string& path, int version) {
  if (version == 1) {
    const std::vector<std::string> scene = texts(file, path, "scene");
    if (scene.size() != 1) throw InvalidInput(path, "'scene' is not one text");
    return scene[0];
  }
  const Rows bytes(file, path, "scene", {});
  const std::vector<unsigned char> json = bytes.read<unsigned char>(0, bytes.count());
  return {json.begin(), json.end()};
}

Vec3d vectorAt(const std::vector<float>& values, size_t at) { return {values[at], values[at + 1], values[at + 2]}; }

}  // namespace

struct RecordingReader::Impl {
  struct Joints {
    Rows errors, loads, broken;
    Joints(hid_t group, const std::string& path, hsize_t count)
        : errors(group, path, "errors", {count, kJointErrorColumns}),
          loads(group, path, "loads", {count, kJointLoadColumns}),
          broken(group, path, "broken", {count}) {}
  };
  struct Contacts {
    Rows bodies, shapes, points, normals, separations, impulses, ends;
    Contacts(hid_t group, const std::string& path)
        : bodies(group, path, "bodies", {2}),
          shapes(group, path, "shapes", {2}),
          points(group, path, "points", {3}),
          normals(group, path, "normals", {3}),
          separations(group, path, "separations", {}),
          impulses(group, path, "impulses", {kImpulseColumns}),
          ends(group, path, "ends", {}) {}
  };

  std::string path;
  Hdf5Handle file;
  int version = 0, stepsPerFrame = 1, substeps = 1, environments = 0;
  double dt = 0;
  std::string json;
  Scene scene;
  std::vector<std::string> names;
  std::vector<double> times;
  std::optional<Rows> poses, positions, rotations, velocities, asleep;
  std::optional<Joints> joints;
  std::optional<Contacts> contacts;

  explicit Impl(const std::string& from) : path(from), file(opened(from)) {
    version = versionOf(file, path);
    dt = numberAttribute(file, path, "dt_s");
    stepsPerFrame = static_cast<int>(numberAttribute(file, path, "steps_per_frame"));
    const Hdf5Handle settings(H5Gopen2(file, "settings", H5P_DEFAULT), H5Gclose, path, "find 'settings'");
    substeps = std::max(1, static_cast<int>(numberAttribute(settings, path, "substeps")));
    if (version > 1) environments = static_cast<int>(numberAttribute(file, path, "environments"));
    json = sceneText(file, path, version);
    scene = parseScene(json, path + ": its scene");
    names = texts(file, path, "names");
    if (names.size() != scene.bodies.size()) throw InvalidInput(path, "'names' are not as many as the bodies of its scene");
    openSets();
    readTimes();
  }

  void openSets() {
    const hsize_t bodies = names.size();
    const auto open = [&](const char* name, std::optional<Rows>& rows, const std::vector<hsize_t>& rowSize) {
      rows.emplace(file, path, name, rowSize);
    };
    if (version == 1 || has(file, "poses")) {
      open("poses", poses, {bodies, kPoseColumns});
    } else {
      open("positions", positions, {bodies, kPositionColumns});
      open("rotations", rotations, {bodies, kRotationColumns});
    }
    if (has(file, "velocities")) open("velocities", velocities, {bodies, kVelocityColumns});
    if (has(file, "asleep")) open("asleep", asleep, {bodies});
    const auto group = [&](const char* name) { return Hdf5Handle(H5Gopen2(file, name, H5P_DEFAULT), H5Gclose, path, "read a group"); };
    if (has(file, "joints")) joints.emplace(group("joints"), path, scene.joints.size());
    if (has(file, "contacts")) contacts.emplace(group("contacts"), path);
  }

  // Of the frames that are whole: a run that was killed may have left more of one data set than of another.
  void readTimes() {
    const Rows set(file, path, "times", {});
    hsize_t whole = set.count();
    for (const auto* rows : {&poses, &positions, &rotations, &velocities, &asleep}) {
      if (*rows) whole = std::min(whole, (*rows)->count());
    }
    if (joints) whole = std::min({whole, joints->errors.count(), joints->loads.count(), joints->broken.count()});
    if (contacts) whole = std::min(whole, framesWithContacts());
    if (version == 1 && whole != set.count()) throw InvalidInput(path, "'poses' and 'velocities' do not fit 'times'");
    times = set.read<double>(0, whole);
    for (size_t i = 0; i < times.size(); ++i) {
      if (!std::isfinite(times[i]) || (i > 0 && times[i] < times[i - 1])) throw InvalidInput(path, "'times' do not grow");
    }
  }
  hsize_t framesWithContacts() const {
    const Contacts& c = *contacts;
    const hsize_t rows =
        std::min({c.bodies.count(), c.shapes.count(), c.points.count(), c.normals.count(), c.separations.count(), c.impulses.count()});
    const std::vector<int64_t> ends = c.ends.read<int64_t>(0, c.ends.count());
    if (!std::is_sorted(ends.begin(), ends.end()) || (!ends.empty() && ends[0] < 0)) throw InvalidInput(path, "'contacts/ends' do not grow");
    return static_cast<hsize_t>(std::upper_bound(ends.begin(), ends.end(), static_cast<int64_t>(rows)) - ends.begin());
  }

  std::vector<Posed> posesOf(size_t frame) const {
    const size_t bodies = names.size();
    std::vector<Posed> result(bodies);
    if (poses) {
      const std::vector<double> values = poses->read<double>(frame, 1);
      for (size_t i = 0; i < bodies; ++i) {
        const double* v = values.data() + i * kPoseColumns;
        result[i] = {{v[0], v[1], v[2]}, {v[3], v[4], v[5], v[6]}};
      }
    } else {
      const std::vector<float> p = positions->read<float>(frame, 1);
      const std::vector<int16_t> q = rotations->read<int16_t>(frame, 1);
      for (size_t i = 0; i < bodies; ++i) {
        const int16_t* r = q.data() + i * kRotationColumns;
        const double x = r[0], y = r[1], z = r[2], w = r[3], norm = std::sqrt(x * x + y * y + z * z + w * w);
        result[i] = {vectorAt(p, i * kPositionColumns), {x / norm, y / norm, z / norm, w / norm}};
      }
    }
    for (size_t i = 0; i < bodies; ++i) requirePose(result[i], frame, i);
    return result;
  }
  void requirePose(const Posed& pose, size_t frame, size_t body) const {
    const Quatd q = pose.q;
    const double norm = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    if (std::isfinite(pose.p.x + pose.p.y + pose.p.z) && std::abs(norm - 1) < 1e-3) return;
    throw InvalidInput(path, "frame " + std::to_string(frame) + " has no pose of body '" + names[body] + "': " + kDamaged);
  }

  std::vector<BodyState> statesOf(size_t frame) const {
    const std::vector<Posed> at = posesOf(frame);
    std::vector<double> v;
    if (velocities) v = velocities->read<double>(frame, 1);
    std::vector<BodyState> states(at.size(), BodyState{{}, {0, 0, 0}, {0, 0, 0}});
    for (size_t i = 0; i < at.size(); ++i) {
      states[i].pose = at[i];
      if (v.empty()) continue;
      const double* of = v.data() + i * kVelocityColumns;
      states[i].linearVelocity = {of[0], of[1], of[2]};
      states[i].angularVelocity = {of[3], of[4], of[5]};
    }
    return states;
  }

  std::vector<RecordedJoint> jointsOf(size_t frame) const {
    const std::vector<float> errors = joints->errors.read<float>(frame, 1), loads = joints->loads.read<float>(frame, 1);
    const std::vector<unsigned char> broken = joints->broken.read<unsigned char>(frame, 1);
    std::vector<RecordedJoint> result;
    for (size_t i = 0; i < broken.size(); ++i) {
      result.push_back({errors[2 * i], errors[2 * i + 1], vectorAt(loads, 6 * i), vectorAt(loads, 6 * i + 3), broken[i] != 0});
    }
    return result;
  }

  std::vector<RecordedContact> contactsOf(size_t frame) const {
    const Contacts& c = *contacts;
    const std::vector<int64_t> ends = frame > 0 ? c.ends.read<int64_t>(frame - 1, 2) : c.ends.read<int64_t>(frame, 1);
    const auto first = static_cast<hsize_t>(frame > 0 ? ends[0] : 0), rows = static_cast<hsize_t>(ends.back()) - first;
    const std::vector<int32_t> bodies = c.bodies.read<int32_t>(first, rows), shapes = c.shapes.read<int32_t>(first, rows);
    const std::vector<float> points = c.points.read<float>(first, rows), normals = c.normals.read<float>(first, rows),
                             separations = c.separations.read<float>(first, rows), impulses = c.impulses.read<float>(first, rows);
    std::vector<RecordedContact> result;
    result.reserve(rows);
    for (size_t i = 0; i < rows; ++i) {
      for (const int32_t body : {bodies[2 * i], bodies[2 * i + 1]}) {
        if (body < 0 || static_cast<size_t>(body) >= names.size()) throw InvalidInput(path, "'contacts/bodies' names a body that there is not");
      }
      RecordedContact& contact = result.emplace_back();
      contact.bodyA = bodies[2 * i];
      contact.bodyB = bodies[2 * i + 1];
      contact.shapeA = shapes[2 * i];
      contact.shapeB = shapes[2 * i + 1];
      contact.point = vectorAt(points, 3 * i);
      contact.normal = vectorAt(normals, 3 * i);
      contact.separation = separations[i];
      contact.normalImpulse = impulses[4 * i];
      contact.frictionImpulse = vectorAt(impulses, 4 * i + 1);
    }
    return result;
  }
};

RecordingReader::RecordingReader(const std::string& path) : impl_(std::make_unique<Impl>(path)) {}
RecordingReader::~RecordingReader() = default;
RecordingReader::RecordingReader(RecordingReader&&) noexcept = default;
RecordingReader& RecordingReader::operator=(RecordingReader&&) noexcept = default;

const std::string& RecordingReader::path() const { return impl_->path; }
const Scene& RecordingReader::scene() const { return impl_->scene; }
const std::string& RecordingReader::sceneJson() const { return impl_->json; }
const std::vector<std::string>& RecordingReader::names() const { return impl_->names; }
double RecordingReader::dt() const { return impl_->dt; }
int RecordingReader::stepsPerFrame() const { return impl_->stepsPerFrame; }
int RecordingReader::substeps() const { return impl_->substeps; }
int RecordingReader::environments() const { return impl_->environments; }
bool RecordingReader::hasVelocities() const { return impl_->velocities.has_value(); }
bool RecordingReader::hasSleep() const { return impl_->asleep.has_value(); }
bool RecordingReader::hasJoints() const { return impl_->joints.has_value(); }
bool RecordingReader::hasContacts() const { return impl_->contacts.has_value(); }
size_t RecordingReader::frameCount() const { return impl_->times.size(); }
double RecordingReader::time(size_t frame) const { return impl_->times.at(frame); }

size_t RecordingReader::frameAt(double time) const {
  const std::vector<double>& times = impl_->times;
  const auto later = static_cast<size_t>(std::upper_bound(times.begin(), times.end(), time) - times.begin());
  return later > 0 ? later - 1 : 0;
}

RecordedFrame RecordingReader::frame(size_t frame) const {
  RecordedFrame result;
  result.time = impl_->times.at(frame);
  result.states = impl_->statesOf(frame);
  if (impl_->asleep) result.asleep = impl_->asleep->read<unsigned char>(frame, 1);
  if (impl_->joints) result.joints = impl_->jointsOf(frame);
  if (impl_->contacts) result.contacts = impl_->contactsOf(frame);
  return result;
}

bool isNamedRecording(const std::string& path) {
  std::filesystem::path name(path);
  if (inSmallLetters(name.extension().string()) == ".partial") name = name.stem();
  const std::string ending = inSmallLetters(name.extension().string());
  return ending == ".h5" || ending == ".hdf5";
}

}  // namespace cairn::v0
