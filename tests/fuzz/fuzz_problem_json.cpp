// The reader of contact problems: any text is refused with InvalidInput in one line, or is a problem that is written and read back to the same text.
// Valid ones of a few contacts are solved.
#include "src/io/contact_problem_json.hpp"

#include <cairn/error.hpp>

#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cairn;
  try {
    const ContactProblem problem = parseContactProblem(std::string(reinterpret_cast<const char*>(data), size), "fuzz.json");
    validate(problem, "fuzz.json");
    const std::string text = contactProblemJson(problem);
    if (contactProblemJson(parseContactProblem(text, "again.json")) != text) std::abort();
    if (problem.contacts() > 8) return 0;
    ContactSolverSettings settings;
    settings.backend = Backend::Cpu;
    settings.threads = 1;
    settings.maxIterations = 20;
    solve(problem, settings);
  } catch (const InvalidInput& error) {
    if (std::string(error.what()).find('\n') != std::string::npos) std::abort();
  }
  return 0;
}
