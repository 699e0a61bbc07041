#include "tests/device/streams.hpp"

#include "tests/device/arena.hpp"
#include "tests/device/capture.hpp"
#include "tests/device/device.hpp"
#include "tests/device/errors.hpp"
#include "tests/device/reports.hpp"
#include "tests/device/settings.hpp"

#include <chrono>
#include <map>
#include <set>
#include <vector>

namespace emulated {
namespace {

std::map<uint64_t, std::unique_ptr<CUstream_st>>& streams() {
  static std::map<uint64_t, std::unique_ptr<CUstream_st>> all;
  return all;
}
uint64_t lastSerial = 0, lastStream = 0;
thread_local int chosenDevice = 0;
thread_local std::vector<std::string> openRanges;
std::string lastLabel = "the start";
long timedEventsRecorded = 0;

CUstream_st* makeStream(int device, bool legacy, bool blocking) {
  const uint64_t id = ++lastStream;
  streams()[id].reset(new CUstream_st{id, device, legacy, blocking, false, {}, nullptr});
  return streams()[id].get();
}

CUstream_st* legacyStream(int device) {
  static CUstream_st* made[kMaxDevices] = {};
  if (made[device] == nullptr) made[device] = makeStream(device, true, true);
  return made[device];
}

// What has to run before an operation of this stream because of the legacy stream, which waits for blocking streams and they for it.
void runImplicitDependencies(const CUstream_st& stream, uint64_t serial) {
  if (!stream.blocking) return;
  if (!stream.legacy) return runUntil(legacyStream(stream.device), serial);
  for (const auto& [id, other] : streams()) {
    if (other->blocking && !other->legacy && other->device == stream.device) runUntil(other.get(), serial);
  }
}

void forgetDestroyed() {
  for (auto it = streams().begin(); it != streams().end();) {
    it = it->second->destroyed && it->second->pending.empty() ? streams().erase(it) : std::next(it);
  }
}

}  // namespace

int currentDevice() { return chosenDevice; }
long timedEvents() { return timedEventsRecorded; }
cudaStream_t resolved(cudaStream_t stream) { return stream == nullptr ? legacyStream(chosenDevice) : stream; }
int deviceOfStream(cudaStream_t stream) { return resolved(stream)->device; }
uint64_t idOf(cudaStream_t stream) { return resolved(stream)->id; }

cudaStream_t streamOfId(uint64_t id) {
  const auto found = streams().find(id);
  return found == streams().end() ? nullptr : found->second.get();
}

bool isStream(cudaStream_t stream) {
  if (stream == nullptr) return true;
  for (const auto& [id, each] : streams()) {
    if (each.get() == stream) return !each->destroyed;
  }
  return false;
}

std::string labelOfLaunch() {
  lastLabel = openRanges.empty() ? "a launch without a label" : openRanges.back();
  return lastLabel;
}
const std::string& labelOfLastLaunch() { return lastLabel; }
std::string labelOf(const char* what) { return std::string(what) + " after " + lastLabel; }

cudaError_t enqueue(cudaStream_t stream, Operation operation) {
  if (!isStream(stream)) return fail(cudaErrorInvalidResourceHandle);
  CUstream_st* const where = resolved(stream);
  if (where->capture != nullptr) return addToCapture(*where, std::move(operation));
  if (const cudaError_t error = refusedBesideCapture(*where)) return fail(error);
  where->pending.push_back({++lastSerial, std::move(operation)});
  return cudaSuccess;
}

void runUntil(cudaStream_t stream, uint64_t serial) {
  std::deque<Pending>& pending = stream->pending;
  if (pending.empty() || pending.front().serial > serial) return;
  const OpenArena open;
  while (!pending.empty() && pending.front().serial <= serial) {
    const Pending next = std::move(pending.front());
    pending.pop_front();
    runImplicitDependencies(*stream, next.serial);
    if (lastingError() != cudaSuccess) continue;
    currentPlace().label = next.operation.label;
    failForGood(next.operation.run());
  }
}

void runAll(int device) {
  for (const auto& [id, stream] : streams()) {
    if (stream->device == device) runUntil(stream.get(), kAllWork);
  }
  forgetDestroyed();
}

cudaError_t waitFor(cudaStream_t stream) {
  runUntil(resolved(stream), kAllWork);
  return fail(lastingError());
}

void dropAllWork() {
  for (const auto& [id, stream] : streams()) stream->pending.clear();
  forgetDestroyed();
}

}  // namespace emulated

using namespace emulated;

int nvtxRangePushA(const char* name) {
  openRanges.emplace_back(name);
  return static_cast<int>(openRanges.size()) - 1;
}
int nvtxRangePop() {
  if (openRanges.empty()) return -1;
  openRanges.pop_back();
  return static_cast<int>(openRanges.size());
}

cudaError_t cudaGetDevice(int* device) {
  if (settings().devices == 0) return fail(cudaErrorNoDevice);
  *device = chosenDevice;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  if (settings().devices == 0) return fail(cudaErrorNoDevice);
  if (device < 0 || device >= settings().devices) return fail(cudaErrorInvalidDevice);
  chosenDevice = device;
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
  const ApiCall call;
  if (call.error != cudaSuccess) return call.error;
  if (const cudaError_t error = refusedWhileCapturing()) return fail(error);
  runAll(chosenDevice);
  return fail(lastingError());
}

// --- streams ---------------------------------------------------------------------------------------------------

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  const ApiCall call;
  if (call.error != cudaSuccess) return call.error;
  if (settings().devices == 0) return fail(cudaErrorNoDevice);
  if (isFailingRequest()) return fail(cudaErrorMemoryAllocation);
  *stream = makeStream(chosenDevice, false, (flags & cudaStreamNonBlocking) == 0);
  return cudaSuccess;
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithFlags(stream, cudaStreamDefault); }

// The work of a destroyed stream is still done, when somebody waits for the device.
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  const ApiCall call;
  if (stream == nullptr || !isStream(stream)) return fail(cudaErrorInvalidResourceHandle);
  if (stream->capture != nullptr) abandonCapture(*stream);
  stream->destroyed = true;
  forgetDestroyed();
  return call.error;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  const ApiCall call;
  if (call.error != cudaSuccess) return call.error;
  if (!isStream(stream)) return fail(cudaErrorInvalidResourceHandle);
  if (const cudaError_t error = refusedOnCapturing(*resolved(stream))) return fail(error);
  return waitFor(stream);
}

// Each question has one more operation done: who asks again and again gets an answer.
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  const ApiCall call;
  if (call.error != cudaSuccess) return call.error;
  if (!isStream(stream)) return fail(cudaErrorInvalidResourceHandle);
  CUstream_st& asked = *resolved(stream);
  if (const cudaError_t error = refusedOnCapturing(asked)) return fail(error);
  if (asked.pending.empty()) return fail(lastingError());
  runUntil(&asked, asked.pending.front().serial);
  return lastingError() != cudaSuccess ? fail(lastingError()) : cudaErrorNotReady;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  const ApiCall call;
  if (call.error != cudaSuccess) return call.error;
  if (!isStream(stream) || event == nullptr) return fail(cudaErrorInvalidResourceHandle);
  const std::shared_ptr<EventState>& state = event->state;
  if (const std::shared_ptr<Capture> capture = state->capture.lock()) return fail(joinCapture(*resolved(stream), capture, state->stream));
  if (resolved(stream)->capture != nullptr) return fail(invalidateCapture(*resolved(stream)->capture, cudaErrorStreamCaptureIsolation));
  if (state->recorded == 0) return cudaSuccess;
  return enqueue(stream, {labelOf("wait for an event"), [source = state->stream, serial = state->recorded] {
                            if (const cudaStream_t other = streamOfId(source)) runUntil(other, serial);
                            return cudaSuccess;
                          }});
}

// --- events ----------------------------------------------------------------------------------------------------

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  const ApiCall call;
  if (call.error != cudaSuccess) return call.error;
  if (isFailingRequest()) return fail(cudaErrorMemoryAllocation);
  auto state = std::make_shared<EventState>();
  state->device = chosenDevice;
  state->timed = (flags & cudaEventDisableTiming) == 0;
  *event = new CUevent_st{std::move(state)};
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  const ApiCall call;
  delete event;
  return call.error;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const ApiCall call;
  if (call.error != cudaSuccess) return call.error;
  if (event == nullptr || !isStream(stream)) return fail(cudaErrorInvalidResourceHandle);
  CUstream_st& where = *resolved(stream);
  EventState& state = *event->state;
  if (state.device != where.device) return fail(cudaErrorInvalidResourceHandle);
  if (where.capture != nullptr) {
    state.capture = where.capture;
    state.stream = where.id;
    return cudaSuccess;
  }
  state.capture.reset();
  if (state.timed) ++timedEventsRecorded;
  const uint64_t serial = lastSerial + 1;  // that the operation will get
  const cudaError_t status =
      enqueue(stream, {labelOf("event"), [kept = event->state, serial] {
                         kept->done = serial;
                         kept->milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
                         return cudaSuccess;
                       }});
  if (status != cudaSuccess) return status;
  state.stream = where.id;
  state.recorded = serial;
  return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  const ApiCall call;
  if (call.error != cudaSuccess) return call.error;
  if (event == nullptr) return fail(cudaErrorInvalidResourceHandle);
  if (const auto capture = event->state->capture.lock()) return fail(invalidateCapture(*capture, cudaErrorCapturedEvent));
  if (const cudaStream_t stream = streamOfId(event->state->stream)) runUntil(stream, event->state->recorded);
  return fail(lastingError());
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  const ApiCall call;
  if (call.error != cudaSuccess) return call.error;
  if (event == nullptr) return fail(cudaErrorInvalidResourceHandle);
  EventState& state = *event->state;
  if (const auto capture = state.capture.lock()) return fail(invalidateCapture(*capture, cudaErrorCapturedEvent));
  const cudaStream_t stream = streamOfId(state.stream);
  if (state.done == state.recorded || stream == nullptr || stream->pending.empty()) return fail(lastingError());
  runUntil(stream, stream->pending.front().serial);
  return lastingError() != cudaSuccess ? fail(lastingError()) : cudaErrorNotReady;
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  const ApiCall call;
  if (call.error != cudaSuccess) return call.error;
  for (const cudaEvent_t event : {start, end}) {
    if (event == nullptr || !event->state->timed || event->state->recorded == 0) return fail(cudaErrorInvalidResourceHandle);
    if (event->state->done != event->state->recorded) return fail(cudaErrorNotReady);
  }
  *milliseconds = static_cast<float>(end->state->milliseconds - start->state->milliseconds);
  return cudaSuccess;
}
