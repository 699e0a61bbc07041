// cairn scenes: what there is to run.
#include "src/cli/commands.hpp"
#include "src/io/report_json.hpp"

#include <cairn/scene.hpp>

#include <fmt/format.h>

namespace cairn::cli {
namespace {

void list() {
  for (const SceneGenerator& generator : sceneGenerators()) {
    fmt::print("{}\n  {}\n", generator.name, generator.summary);
    for (const SceneParameter& parameter : generator.parameters) {
      fmt::print("    {:14} {} ({}; default {})\n", parameter.name, parameter.meaning, parameter.range, parameter.defaultValue);
    }
  }
  fmt::print("\nUse NAME:parameter=value,... or the path of a JSON file (docs/scene-format.md).\n");
}

void listJson() {
  Json json = Json::array();
  for (const SceneGenerator& generator : sceneGenerators()) {
    Json parameters = Json::array();
    for (const SceneParameter& parameter : generator.parameters) {
      parameters.push_back(
          {{"name", parameter.name}, {"meaning", parameter.meaning}, {"default", parameter.defaultValue}, {"range", parameter.range}});
    }
    json.push_back({{"name", generator.name}, {"summary", generator.summary}, {"parameters", parameters}});
  }
  fmt::print("{}\n", json.dump(2));
}

}  // namespace

void addScenes(CLI::App& app, int&) {
  CLI::App* command = app.add_subcommand("scenes", "Scene generators and their parameters");
  auto asJson = std::make_shared<bool>(false);
  command->add_flag("--json", *asJson, "As JSON");
  command->callback([asJson] { *asJson ? listJson() : list(); });
}

}  // namespace cairn::cli
