// A test that may change what devices there are and what they can do, and that may break them.
#pragma once

#include "tests/device/device.hpp"
#include "tests/device/include/cuda_runtime.h"

#include <gtest/gtest.h>

#include <string>

namespace emulated {

class EmulatedDevices : public ::testing::Test {
 protected:
  void SetUp() override { saved_ = settings(); }
  void TearDown() override {
    settings() = saved_;
    resetDevices();
    cudaSetDevice(0);
    cudaGetLastError();
  }

 private:
  Settings saved_;
};

// What is thrown as an Error, in words; "" if nothing is.
template <class Error, class Action> std::string messageOf(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace emulated
