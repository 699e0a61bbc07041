#include "src/view/live_message.hpp"

#include "src/io/scene_json.hpp"

#include <cairn/error.hpp>

#include <fmt/format.h>

namespace cairn::v0 {
namespace {

Vec3d vectorOf(const nlohmann::json& list) {
  if (!list.is_array() || list.size() != 3) throw InvalidInput("message", "has a place that is not three numbers");
  return {list[0].get<double>(), list[1].get<double>(), list[2].get<double>()};
}

}  // namespace

bool saysSeen(const std::string& message) { return message == R"({"do":"seen"})"; }

void obey(LiveWorld& world, const std::string& message) {
  const nlohmann::json json = parseStrictJson(message, "message");
  const std::string what = json.at("do").get<std::string>();
  if (what == "pause" || what == "go") {
    world.pause(what == "pause");
  } else if (what == "step") {
    if (!world.paused()) world.pause(true);
    world.stepOnce();
  } else if (what == "reset") {
    world.reset();
  } else if (what == "speed") {
    world.setSpeed(json.at("factor").get<double>());
  } else if (what == "pull") {
    world.pull(json.at("body").get<int>(), vectorOf(json.at("anchor")), vectorOf(json.at("to")));
  } else if (what == "let_go") {
    world.letGo();
  } else {
    throw InvalidInput("message", "asks for something unknown");
  }
}

std::string stateMessage(const LiveWorld& world, const std::string& words) {
  return fmt::format(R"({{"paused":{},"factor":{},"words":{}}})", world.paused(), world.speed(), nlohmann::json(words).dump());
}

bool isOwnHost(const std::string& host, int port) { return host == fmt::format("127.0.0.1:{}", port) || host == fmt::format("localhost:{}", port); }

bool isOwnOrigin(const std::string& origin, int port) {
  constexpr char kScheme[] = "http://";
  return origin.rfind(kScheme, 0) == 0 && isOwnHost(origin.substr(sizeof kScheme - 1), port);
}

}  // namespace cairn::v0
