// cairn scenes: what there is to run.
#include "src/cli/commands.hpp"
#include "src/io/report_json.hpp"
#include "src/io/suggestion.hpp"
#include "src/scene/text.hpp"

#include <cairn/error.hpp>
#include <cairn/scene.hpp>

#include <fmt/format.h>

namespace cairn::cli {
namespace {

// All generators, or the one that is asked for.
std::vector<SceneGenerator> chosen(const std::string& word) {
  const std::string name = inSmallLetters(word);
  std::vector<SceneGenerator> all = sceneGenerators();
  if (name.empty()) return all;
  std::vector<std::string> names;
  for (const SceneGenerator& generator : all) {
    if (generator.name == name) return {generator};
    names.push_back(generator.name);
  }
  throw InvalidInput(word, "is no generator of scenes; " + suggestion(name, names));
}

void list(const std::vector<SceneGenerator>& generators) {
  for (const SceneGenerator& generator : generators) {
    fmt::print("{}\n  {}\n", generator.name, generator.summary);
    for (const SceneParameter& parameter : generator.parameters) {
      fmt::print("    {:14} {} ({}; default {})\n", parameter.name, parameter.meaning, parameter.range, parameter.defaultValue);
    }
  }
  fmt::print("\nUse NAME:parameter=value,... or the path of a JSON file (docs/scene-format.md).\n");
}

void listJson(const std::vector<SceneGenerator>& generators) {
  Json json = Json::array();
  for (const SceneGenerator& generator : generators) {
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
  auto name = std::make_shared<std::string>();
  command->add_option("name", *name, "Of one of them (default: all)")->type_name("NAME");
  command->add_flag("--json", *asJson, "As JSON");
  command->callback([asJson, name] { *asJson ? listJson(chosen(*name)) : list(chosen(*name)); });
}

}  // namespace cairn::cli
