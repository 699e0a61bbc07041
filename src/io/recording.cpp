// Single writer, multiple readers (SWMR) is what HDF5 calls the way this file is written: whenever the program ends, what is on disk is a file that
// can be read. All objects are there before the first frame, and after that data sets only grow. Times come last: a frame whose time is there is
// whole.
#include "src/io/recording.hpp"

#include "src/io/growing_set.hpp"
#include "src/io/hdf5_handle.hpp"
#include "src/io/recording_layout.hpp"
#include "src/io/report_json.hpp"

#include <cairn/error.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>

namespace cairn::v0 {
namespace {

using namespace recordings;
using Clock = std::chrono::steady_clock;

constexpr size_t kTimesAChunk = 512, kContactsAChunk = 2048;
constexpr double kSecondsBetweenFlushes = 1, kFractionBetweenFlushes = 0.01;

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

// Compressed, as what grows is: a million names, and the scene of a million bodies, are as large as many frames.
void writeOnce(hid_t file, const std::string& path, const char* name, hid_t type, hsize_t count, size_t bytesEach, const void* data) {
  const Hdf5Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose, path, "make a space");
  const Hdf5Handle properties = compressed(path, {std::clamp<hsize_t>(kChunkBytes / bytesEach, 1, std::max<hsize_t>(count, 1))});
  const Hdf5Handle set(H5Dcreate2(file, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT), H5Dclose, path, "make a data set");
  if (count > 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0) throw InvalidInput(path, kWritingFailed);
}

void writeNames(hid_t file, const std::string& path, const char* name, const std::vector<std::string>& values) {
  size_t size = 1;
  for (const std::string& value : values) size = std::max(size, value.size());
  std::string padded(size * values.size(), '\0');
  for (size_t i = 0; i < values.size(); ++i) values[i].copy(&padded[i * size], size);
  const Hdf5Handle type = stringType(path, size);
  H5Tset_strpad(type, H5T_STR_NULLPAD);
  writeOnce(file, path, name, type, values.size(), size, padded.data());
}

double packed(double component) { return std::round(component * kRotationScale); }

std::array<double, kVelocityColumns> velocityOf(const BodyState& s) {
  const Vec3d v = s.linearVelocity, w = s.angularVelocity;
  return {v.x, v.y, v.z, w.x, w.y, w.z};
}

struct Joints {
  GrowingSet<float> errors, loads;
  GrowingSet<unsigned char> broken;

  Joints(hid_t group, const std::string& path, hsize_t count)
      : errors(group, path, "errors", {count, kJointErrorColumns}),
        loads(group, path, "loads", {count, kJointLoadColumns}),
        broken(group, path, "broken", {count}) {}
  void add(const World& world) {
    for (const JointState& s : world.jointStates()) {
      errors.add<2>({s.error, s.angularError});
      loads.add<6>({s.force.x, s.force.y, s.force.z, s.torque.x, s.torque.y, s.torque.z});
      broken.add<1>({s.broken ? 1.0 : 0.0});
    }
  }
  void flush() {
    errors.flush();
    loads.flush();
    broken.flush();
  }
};

// Contacts of all frames one behind the other, and where those of each frame end.
struct Contacts {
  GrowingSet<int32_t> bodies, shapes;
  GrowingSet<float> points, normals, separations, impulses;
  GrowingSet<int64_t> ends;
  int64_t count = 0;

  Contacts(hid_t group, const std::string& path)
      : bodies(group, path, "bodies", {2}, kContactsAChunk),
        shapes(group, path, "shapes", {2}, kContactsAChunk),
        points(group, path, "points", {3}, kContactsAChunk),
        normals(group, path, "normals", {3}, kContactsAChunk),
        separations(group, path, "separations", {}, kContactsAChunk),
        impulses(group, path, "impulses", {kImpulseColumns}, kContactsAChunk),
        ends(group, path, "ends", {}, kTimesAChunk) {}
  void add(const World& world) {
    const std::vector<Contact> contacts = world.contacts();
    for (const Contact& c : contacts) {
      bodies.add<2>({double(c.bodyA.index), double(c.bodyB.index)});
      shapes.add<2>({double(c.shapeA), double(c.shapeB)});
      points.add<3>({c.point.x, c.point.y, c.point.z});
      normals.add<3>({c.normal.x, c.normal.y, c.normal.z});
      separations.add<1>({c.separation});
      impulses.add<4>({c.normalImpulse, c.frictionImpulse.x, c.frictionImpulse.y, c.frictionImpulse.z});
    }
    count += static_cast<int64_t>(contacts.size());
    ends.add({count});
  }
  void flush() {
    bodies.flush();
    shapes.flush();
    for (GrowingSet<float>* set : {&points, &normals, &separations, &impulses}) set->flush();
    ends.flush();
  }
};

}  // namespace

struct Recording::Impl {
  std::string path, partial;
  RecordingSettings settings;
  std::optional<Hdf5Handle> file;
  std::optional<GrowingSet<double>> times, poses, exactVelocities;
  std::optional<GrowingSet<float>> positions, velocities;
  std::optional<GrowingSet<int16_t>> rotations;
  std::optional<GrowingSet<unsigned char>> asleep;
  std::optional<Joints> joints;
  std::optional<Contacts> contacts;
  Clock::time_point begin = Clock::now(), flushed = begin;

  ~Impl() {
    if (!file) return;
    close();
    std::remove(partial.c_str());
  }

  void make(const Scene& scene, const World& world) {
    const std::string json = writeScene(scene);  // which may refuse, before there is a file
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);  // what SWMR needs, and not more
    const hid_t made = H5Fcreate(partial.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
    if (made < 0) throw InvalidInput(path, "cannot be written");
    file.emplace(made, H5Fclose);
    describe(world);
    writeOnce(made, path, "scene", storedType<unsigned char>(), json.size(), 1, json.data());
    std::vector<std::string> names;
    for (const BodyId body : world.bodies()) names.push_back(world.bodyName(body));
    writeNames(made, path, "names", names);
    makeSets(world);
    if (H5Fstart_swmr_write(made) < 0) throw InvalidInput(path, "HDF5 cannot have it read while it is written: is this a disk of the network?");
  }
  void describe(const World& world) const {
    writeAttribute(*file, path, "format", kFormat + std::to_string(kVersion));
    writeAttribute(*file, path, "device", world.deviceName());
    writeAttribute(*file, path, "dt_s", world.settings().dt);
    writeAttribute(*file, path, "steps_per_frame", static_cast<double>(settings.stepsPerFrame));
    writeAttribute(*file, path, "environments", static_cast<double>(world.environmentCount()));
    const Hdf5Handle group(H5Gcreate2(*file, "settings", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose, path, "make a group");
    const Json values = settingsJson(world.settings());
    for (const auto& [name, value] : values.items()) writeAttribute(group, path, name, value);
  }
  void makeSets(const World& world) {
    const auto bodies = static_cast<hsize_t>(world.bodyCount()), jointCount = static_cast<hsize_t>(world.jointCount());
    if (settings.exact) {
      poses.emplace(*file, path, "poses", std::vector<hsize_t>{bodies, kPoseColumns});
      if (settings.velocities) exactVelocities.emplace(*file, path, "velocities", std::vector<hsize_t>{bodies, kVelocityColumns});
    } else {
      positions.emplace(*file, path, "positions", std::vector<hsize_t>{bodies, kPositionColumns});
      rotations.emplace(*file, path, "rotations", std::vector<hsize_t>{bodies, kRotationColumns});
      if (settings.velocities) velocities.emplace(*file, path, "velocities", std::vector<hsize_t>{bodies, kVelocityColumns});
    }
    if (settings.sleep) asleep.emplace(*file, path, "asleep", std::vector<hsize_t>{bodies});
    const auto group = [&](const char* name) {
      return Hdf5Handle(H5Gcreate2(*file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose, path, "make a group");
    };
    if (settings.joints) {
      const Hdf5Handle of = group("joints");
      std::vector<std::string> names;
      for (const JointId joint : world.joints()) names.push_back(world.jointName(joint));
      writeNames(of, path, "names", names);
      joints.emplace(of, path, jointCount);
    }
    if (settings.contacts) contacts.emplace(group("contacts"), path);
    times.emplace(*file, path, "times", std::vector<hsize_t>{}, kTimesAChunk);
  }

  // False if something could not be written.
  bool close() {
    const auto closeAll = [](auto&... sets) { (sets.reset(), ...); };
    closeAll(times, poses, exactVelocities, positions, velocities, rotations, asleep, joints, contacts);
    bool ok = true;
    if (file) ok = H5Fflush(*file, H5F_SCOPE_GLOBAL) >= 0;
    file.reset();
    return ok;
  }
  void flush() {
    const auto flushAll = [](auto&... sets) { ((sets ? sets->flush() : void()), ...); };
    flushAll(poses, exactVelocities, positions, velocities, rotations, asleep, joints, contacts);
    times->flush();  // last: a frame whose time is there is whole
    flushed = Clock::now();
  }
  bool isTimeToFlush() const {
    const Clock::time_point now = Clock::now();
    const auto seconds = [&](Clock::time_point since) { return std::chrono::duration<double>(now - since).count(); };
    return seconds(flushed) >= std::max(kSecondsBetweenFlushes, kFractionBetweenFlushes * seconds(begin));
  }

  void addBodies(const World& world) {
    for (const BodyState& s : world.states()) {
      const Vec3d p = s.pose.p;
      const Quatd q = s.pose.q;
      if (poses) poses->add<kPoseColumns>({p.x, p.y, p.z, q.x, q.y, q.z, q.w});
      if (positions) positions->add<kPositionColumns>({p.x, p.y, p.z});
      if (rotations) rotations->add<kRotationColumns>({packed(q.x), packed(q.y), packed(q.z), packed(q.w)});
      if (exactVelocities) exactVelocities->add(velocityOf(s));
      if (velocities) velocities->add(velocityOf(s));
    }
    if (asleep) asleep->add(world.asleep());
  }
};

Recording::Recording(const std::string& path, const Scene& scene, const World& world, const RecordingSettings& settings)
    : impl_(std::make_unique<Impl>()) {
  silenceHdf5();
  impl_->path = path;
  impl_->partial = path + ".partial";
  impl_->settings = settings;
  impl_->make(scene, world);
}

Recording::~Recording() = default;

void Recording::add(double time, const World& world) {
  impl_->addBodies(world);
  if (impl_->joints) impl_->joints->add(world);
  if (impl_->contacts) impl_->contacts->add(world);
  impl_->times->add<1>({time});
  if (impl_->isTimeToFlush()) impl_->flush();
}

void Recording::finish() {
  impl_->flush();
  if (!impl_->close() || std::rename(impl_->partial.c_str(), impl_->path.c_str()) != 0) {
    std::remove(impl_->partial.c_str());
    throw InvalidInput(impl_->path, kWritingFailed);
  }
}

}  // namespace cairn::v0
