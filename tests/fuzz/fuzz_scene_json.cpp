// The reader of scenes: any text is refused with InvalidInput in one line, or is a scene that is written and read back to the same text.
#include <cairn/error.hpp>
#include <cairn/scene.hpp>

#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cairn;
  try {
    const Scene scene = parseScene(std::string(reinterpret_cast<const char*>(data), size), "fuzz.json");
    const std::string text = writeScene(scene);
    if (writeScene(parseScene(text, "again.json")) != text) std::abort();
  } catch (const InvalidInput& error) {
    if (std::string(error.what()).find('\n') != std::string::npos) std::abort();
  }
  return 0;
}
