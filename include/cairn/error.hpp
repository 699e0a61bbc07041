// The exceptions that leave the library. Each is thrown before anything has changed.
#pragma once

#include <cairn/export.hpp>

#include <stdexcept>
#include <string>

namespace cairn {
inline namespace v0 {

// The text with \xNN for each byte that is part of no UTF-8 character, or of a control character: messages quote what users write.
CAIRN_API std::string printable(const std::string& text);

struct CAIRN_API Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A mistake of the caller's: names the place (file and JSON pointer, or the field), the value and what is allowed. The program exits with 2.
struct CAIRN_API InvalidInput : Error {
  InvalidInput(const std::string& where, const std::string& why)
      : Error(printable(where) + ": " + printable(why)), place(printable(where)), reason(printable(why)) {}
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

// A step of World::enqueueStep did not fit into the room that earlier steps had left, or met what such a step cannot do. It and all behind it have
// changed nothing; World::step takes the step whatever it needs.
struct CAIRN_API StepRefused : Error {
  StepRefused(const std::string& what, long neededItems, long availableItems)
      : Error("an enqueued step was refused: " + what + ", needed " + std::to_string(neededItems) + ", room for " + std::to_string(availableItems) +
              "; step() makes room"),
        needed(neededItems),
        available(availableItems) {}
  explicit StepRefused(const std::string& what) : Error("an enqueued step was refused: " + what + "; step() takes it") {}
  long needed = 0, available = 0;  // items; both 0 where it is not about room
};

// A step led to a state that no further step can go on from. It was refused: the state is what it was before it.
struct CAIRN_API StepUndone : Error {
  StepUndone(const std::string& what, long stepNumber, int where = -1)
      : Error(what + (where < 0 ? std::string() : ", environment " + std::to_string(where)) + " in step " + std::to_string(stepNumber) +
              "; the step was undone"),
        step(stepNumber),
        environment(where) {}
  long step;
  int environment;  // in a World of environments; else -1
};

// A body's pose or velocity became infinite or NaN.
struct CAIRN_API NonFiniteState : StepUndone {
  NonFiniteState(const std::string& name, long stepNumber, int where = -1)
      : StepUndone("body '" + name + "': pose or velocity is not finite", stepNumber, where), body(name) {}
  std::string body;
};

// A joint of bodies that turn by more than a quarter radian a substep came apart by more than half the length of its arms within one step: it cannot
// be followed any further. More substeps or a shorter step follow faster turns.
struct CAIRN_API TornJoint : StepUndone {
  TornJoint(const std::string& name, long stepNumber, int where = -1)
      : StepUndone("joint '" + name + "': its bodies turn too far in a substep, and it came apart", stepNumber, where), joint(name) {}
  std::string joint;
};

}  // namespace v0
}  // namespace cairn
