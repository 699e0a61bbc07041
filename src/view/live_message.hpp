// What a page may ask of a World that runs.
#pragma once

#include "src/view/live_world.hpp"

#include <string>

namespace cairn::v0 {

// Does what a message says: {"do": "pause" | "go" | "step" | "reset" | "speed" | "pull" | "let_go"}. Throws InvalidInput, or an exception of the JSON
// library, for whatever else; nothing has happened then.
void obey(LiveWorld& world, const std::string& message);
// Whether the message only says that the last frame has been seen.
bool saysSeen(const std::string& message);
// What the pages are told: {"paused": ..., "factor": ..., "words": ...}.
std::string stateMessage(const LiveWorld& world, const std::string& words);

// Whether a request was meant for the server of this port: its Host is a name of the loopback address with that port; and its Origin, which a browser
// adds to what pages ask for, is a page of this server. Empty: there is none.
bool isOwnHost(const std::string& host, int port);
bool isOwnOrigin(const std::string& origin, int port);

}  // namespace cairn::v0
