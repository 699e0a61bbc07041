// `cairn view --live`: a server on the loopback address that shows a World while it runs.
#pragma once

#include "src/view/live_world.hpp"
#include "src/view/view_scene.hpp"

#include <functional>

namespace cairn::v0 {

struct LiveSettings {
  int port = 0;                                             // 0: one that is free
  std::function<void(const std::string& url)> onListening;  // the page's address, once it can be opened
};

// Whether this build has what a server takes.
bool canServe();

// Serves the page and its frames until the process is asked to end by SIGINT or SIGTERM. Up to four pages are served at a time, each with frames as
// fast as it says that it has seen them: a slow one leaves frames out. Requests whose Host or Origin is not this server's are refused, so that pages
// of other places cannot drive it. Throws InvalidInput if the port is taken, or in a build without Boost.Beast.
void serveLive(LiveWorld& world, const ViewDescription& description, const LiveSettings& settings);

}  // namespace cairn::v0
