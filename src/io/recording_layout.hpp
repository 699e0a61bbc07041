// What the writer and the reader of recordings share: names, shapes and precision of what is in one. For users: docs/recordings.md.
#pragma once

#include <hdf5.h>

#include <cstdint>

namespace cairn::v0::recordings {

constexpr int kVersion = 2;
constexpr const char* kFormat = "cairn-recording-";  // the version follows
// Version 1 had /poses and /velocities alone, as doubles, and its texts as strings of any length.

constexpr int kPoseColumns = 7;      // x y z qx qy qz qw, of an exact recording
constexpr int kPositionColumns = 3;  // x y z
constexpr int kRotationColumns = 4;  // qx qy qz qw, as parts of kRotationScale
constexpr int kVelocityColumns = 6;  // v, w
constexpr int kJointErrorColumns = 2;
constexpr int kJointLoadColumns = 6;      // force, torque
constexpr int kImpulseColumns = 4;        // along the normal, then the friction's vector
constexpr double kRotationScale = 32767;  // a rotation is off by less than 4e-5 rad

// How numbers are stored: little-endian, whatever machine writes them.
template <class T> hid_t storedType();
template <> inline hid_t storedType<double>() { return H5T_IEEE_F64LE; }
template <> inline hid_t storedType<float>() { return H5T_IEEE_F32LE; }
template <> inline hid_t storedType<int64_t>() { return H5T_STD_I64LE; }
template <> inline hid_t storedType<int32_t>() { return H5T_STD_I32LE; }
template <> inline hid_t storedType<int16_t>() { return H5T_STD_I16LE; }
template <> inline hid_t storedType<unsigned char>() { return H5T_STD_U8LE; }

template <class T> hid_t memoryType();
template <> inline hid_t memoryType<double>() { return H5T_NATIVE_DOUBLE; }
template <> inline hid_t memoryType<float>() { return H5T_NATIVE_FLOAT; }
template <> inline hid_t memoryType<int64_t>() { return H5T_NATIVE_INT64; }
template <> inline hid_t memoryType<int32_t>() { return H5T_NATIVE_INT32; }
template <> inline hid_t memoryType<int16_t>() { return H5T_NATIVE_INT16; }
template <> inline hid_t memoryType<unsigned char>() { return H5T_NATIVE_UINT8; }

}  // namespace cairn::v0::recordings
