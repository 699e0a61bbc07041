// The exceptions that leave the library. Each is thrown before anything has changed.
#pragma once

#include <cairn/export.hpp>

#include <stdexcept>
#include <string>

namespace cairn {

struct CAIRN_API Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A mistake of the caller's: names the place (file and JSON pointer, or the field), the value and what is allowed. The program exits with 2.
struct CAIRN_API InvalidInput : Error {
  InvalidInput(const std::string& where, const std::string& why) : Error(where + ": " + why), place(where), reason(why) {}
  std::string place;
  std::string reason;
};

// The device failed, or there is none: names the last launch label and the runtime's message.
struct CAIRN_API DeviceError : Error {
  using Error::Error;
};

// Memory for a step could not be had; the state is what it was before the step.
struct CAIRN_API CapacityError : Error {
  CapacityError(const std::string& what, size_t needed, size_t available)
      : Error(what + ": needed " + std::to_string(needed) + " bytes, available " + std::to_string(available)),
        neededBytes(needed),
        availableBytes(available) {}
  size_t neededBytes;
  size_t availableBytes;
};

// A body's pose or velocity became infinite or NaN. The step was refused: the state is what it was before it.
struct CAIRN_API NonFiniteState : Error {
  NonFiniteState(const std::string& name, long stepNumber)
      : Error("body '" + name + "': pose or velocity is not finite in step " + std::to_string(stepNumber) + "; the step was undone"),
        body(name),
        step(stepNumber) {}
  std::string body;
  long step;
};

}  // namespace cairn
