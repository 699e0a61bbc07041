// Contact problems as input: what does not fit is named, in memory and in files.
#include "src/io/hdf5_handle.hpp"
#include "tests/problems/problems.hpp"
#include "tests/support/expect.hpp"

#include <cairn/contact_problem.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>

namespace cairn {
namespace {

using test::messageOf;
using test::pointProblem;

std::string reasonOf(const ContactProblem& problem) {
  return messageOf([&] { validate(problem, "p"); });
}

TEST(ContactProblemInput, WhatDoesNotFitIsNamed) {
  const ContactProblem good = pointProblem({-1, 0, 0}, 0.5);
  EXPECT_EQ(reasonOf(good), "accepted");
  ContactProblem bad = good;
  bad.friction[0] = -0.1;
  EXPECT_EQ(reasonOf(bad), "p/mu/0: must be a finite number >= 0, is -0.1");
  bad = good;
  bad.q.pop_back();
  EXPECT_EQ(reasonOf(bad), "p/q: has 2 entries, must have 3 (3 a contact)");
  bad = good;
  bad.q[1] = std::nan("");
  EXPECT_EQ(reasonOf(bad), "p/q/1: must be a finite number, is nan");
  bad = good;
  bad.W.values[1] = 0.2;
  EXPECT_EQ(reasonOf(bad).substr(0, 40), "p/W: must be symmetric, but entries diff");
  bad = good;
  bad.W.values[1] = bad.W.values[3] = 3;
  EXPECT_EQ(reasonOf(bad), "p/W: must be positive semidefinite, but has a negative eigenvalue");
  bad = good;
  bad.W.values[4] = 0;
  EXPECT_EQ(reasonOf(bad), "p/W: diagonal entry 1 must be > 0, is 0");
  bad = good;
  bad.W.column[0] = 1;
  EXPECT_EQ(reasonOf(bad), "p/W/col/0: must be from 0 to 0, is 1");
  bad = good;
  bad.W.rowStart = {0, 2};
  EXPECT_EQ(reasonOf(bad), "p/W/col: has 1 entries, must have 2 (the last row_ptr)");
}

std::string readingOf(const std::string& text, const char* name = "cairn_bad_problem.json") {
  const std::string path = testing::TempDir() + "/" + name;
  std::ofstream(path, std::ios::binary) << text;
  const std::string message = messageOf([&] { readContactProblem(path); });
  std::filesystem::remove(path);
  return message == "accepted" ? message : message.substr(path.size());
}

TEST(ContactProblemInput, BadFilesAreRefusedWithFileFieldAndReason) {
  const std::string good =
      R"({"format": "fc3d-local-1", "n_contacts": 1, "mu": [0.5], "q": [-1, 0, 0],
          "W": {"n_block_rows": 1, "block_size": 3, "row_ptr": [0, 1], "col": [0], "blocks": [1, 0, 0, 0, 1, 0, 0, 0, 1]}})";
  EXPECT_EQ(readingOf(good), "accepted");
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return readingOf(text);
  };
  EXPECT_EQ(readingOf(good.substr(0, 60)).substr(0, 2), ":1") << "cut off";
  EXPECT_EQ(with("fc3d-local-1", "fc3d-local-9"), ": /format: must be 'fc3d-local-1' or 'fc3d-global-1', is 'fc3d-local-9'");
  EXPECT_EQ(with("\"q\": [-1, 0, 0],", ""), ": /q: is missing");
  EXPECT_EQ(with("[-1, 0, 0]", "[-1, 0]"), ": /q: has 2 entries, must have 3 (3 a contact)");
  EXPECT_EQ(with("[-1, 0, 0]", "[-1, 0, \"x\"]"), ": /q/2: must be a number, is \"x\"");
  EXPECT_EQ(with("[0.5]", "[-0.5]"), ": /mu/0: must be a finite number >= 0, is -0.5");
  EXPECT_EQ(with("\"n_contacts\": 1", "\"n_contacts\": 2"), ": /mu: has 1 entries, must have 2 (n_contacts)");
  EXPECT_EQ(with("[1, 0, 0, 0, 1, 0, 0, 0, 1]", "[1, 0, 0, 0, 1]"), ": /W/blocks: has 5 entries, must have 9 (9 a block)");
  EXPECT_EQ(with("[1, 0, 0, 0, 1, 0, 0, 0, 1]", "[1, 0, 0, 0, -1, 0, 0, 0, 1]"), ": /W: diagonal entry 1 must be > 0, is -1");
  EXPECT_EQ(readingOf("not HDF5 at all", "cairn_bad_problem.hdf5"), ": is no HDF5 file, or is cut off");
  EXPECT_EQ(readingOf(good, "cairn_bad_problem.txt"), ": must end in .json, .hdf5 or .h5");
  EXPECT_THROW(readContactProblem("/nowhere/problem.json"), InvalidInput);
  EXPECT_THROW(writeContactProblem(pointProblem({-1, 0, 0}, 0.5), "/nowhere/problem.json"), InvalidInput);
  EXPECT_THROW(writeContactProblem(pointProblem({-1, 0, 0}, 0.5), "/nowhere/problem.hdf5"), InvalidInput);
}

// What cannot be written leaves what was there before, and nothing beside it.
TEST(ContactProblemInput, FilesAppearWholeOrNotAtAll) {
  for (const char* ending : {".json", ".hdf5"}) {
    const std::string path = testing::TempDir() + "/cairn_kept_problem" + ending, partial = path + ".partial";
    writeContactProblem(pointProblem({-1, 0, 0}, 0.5), path);
    EXPECT_FALSE(std::filesystem::exists(partial));
    std::filesystem::create_directories(partial);
    EXPECT_EQ(messageOf([&] { writeContactProblem(pointProblem({-2, 0, 0}, 0.5), path); }), path + ": cannot be written");
    EXPECT_EQ(readContactProblem(path).f, pointProblem({-1, 0, 0}, 0.5).f) << ending;
    std::filesystem::remove(partial);
    std::filesystem::remove(path);
  }
}

// What reading says of a file of one contact, without its name, after a change.
std::string messageAfter(const std::function<void(hid_t)>& change) {
  const std::string path = testing::TempDir() + "/cairn_changed_problem.hdf5";
  writeContactProblem(pointProblem({-1, 0, 0}, 0.5), path);
  {
    const Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    change(file);
  }
  const std::string message = messageOf([&] { readContactProblem(path); });
  std::filesystem::remove(path);
  return message == "accepted" ? message : message.substr(path.size());
}

// Numbers of entries and of lines are only numbers in the file: no memory is asked for before they have been compared with what is stored.
TEST(ContactProblemInput, FilesThatSayTheyHoldMoreThanTheyStoreAreRefused) {
  EXPECT_EQ(messageAfter([](hid_t) {}), "accepted");
  EXPECT_EQ(messageAfter([](hid_t file) {
              const int lines = 2000000000;
              const Hdf5Handle set(H5Dopen2(file, "fclib_local/W/m", H5P_DEFAULT), H5Dclose);
              ASSERT_GE(H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &lines), 0);
            }),
            ": /fclib_local/W: is 2000000000 x 3, but the vectors are for 3 x 3");
  EXPECT_EQ(messageAfter([](hid_t file) {
              const hsize_t count = hsize_t(1) << 40;
              H5Ldelete(file, "fclib_local/vectors/mu", H5P_DEFAULT);
              const Hdf5Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
              const Hdf5Handle set(H5Dcreate2(file, "fclib_local/vectors/mu", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                                   H5Dclose);
              ASSERT_GE(set, 0);
            }),
            ": /fclib_local/vectors/mu: says that it has 1099511627776 entries, but does not store them");
}

TEST(ContactProblemInput, VectorsThatAreNoWholeNumberOfContactsAreRefused) {
  EXPECT_EQ(messageAfter([](hid_t file) {
              const std::array<double, 4> values{};
              const hsize_t count = values.size();
              H5Ldelete(file, "fclib_local/vectors/q", H5P_DEFAULT);
              const Hdf5Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
              const Hdf5Handle set(H5Dcreate2(file, "fclib_local/vectors/q", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
              ASSERT_GE(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
            }),
            ": /fclib_local/vectors/q: must hold 3 numbers a contact, but holds 4");
}

}  // namespace
}  // namespace cairn
