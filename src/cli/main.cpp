// The program `cairn`. Exit status 0; 1: ran, but a check failed; 2: bad input, one line that names place and reason.
#include "kernels/runtime/cpu_level.hpp"
#include "src/cli/arguments.hpp"
#include "src/cli/commands.hpp"

#include <cairn/error.hpp>
#include <cairn/version.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <new>
#include <string>
#include <vector>

namespace {

constexpr int kCheckFailed = 1;
constexpr int kBadInput = 2;

int refuse(const std::string& message) {
  std::string line = message;
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  line = cairn::printable(line);
  fmt::print(stderr, "cairn: {}\n", line);
  return kBadInput;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Rigid bodies in frictional contact, the same to the bit on CPU and GPU", "cairn");
  app.set_version_flag("-v,--version",
                       [] { return fmt::format("cairn {}, CPU code: {}", cairn::version(), cairn::cpuLevelName(cairn::cpuLevel())); });
  app.require_subcommand(1);
  int exitStatus = 0;
  cairn::cli::addRun(app, exitStatus);
  cairn::cli::addFilmCommand(app, exitStatus);
  cairn::cli::addPictureCommand(app, exitStatus);
  cairn::cli::addBench(app, exitStatus);
  cairn::cli::addSolve(app, exitStatus);
  cairn::cli::addView(app, exitStatus);
  cairn::cli::addMesh(app, exitStatus);
  cairn::cli::addVerify(app, exitStatus);
  cairn::cli::addExport(app, exitStatus);
  cairn::cli::addPlot(app, exitStatus);
  cairn::cli::addPaper(app, exitStatus);
  cairn::cli::addScenes(app, exitStatus);
  cairn::cli::addSettingsList(app, exitStatus);
  cairn::cli::addCompletion(app, exitStatus);
  cairn::cli::addManual(app, exitStatus);
  try {
    std::vector<std::string> arguments = cairn::cli::withoutSynonyms({argv + 1, argv + argc});
    cairn::cli::requireKnown(app, arguments);
    std::reverse(arguments.begin(), arguments.end());  // as the parser takes them
    app.parse(arguments);
    return exitStatus;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    return refuse(cairn::cli::messageOf(error, app));
  } catch (const cairn::StepUndone& error) {
    refuse(error.what());
    return kCheckFailed;
  } catch (const cairn::Error& error) {
    return refuse(error.what());
  } catch (const std::bad_alloc&) {
    return refuse("out of memory");
  } catch (const std::exception& error) {
    return refuse(error.what());
  }
}
