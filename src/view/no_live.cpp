// In a build without Boost.Beast.
#include "src/view/live_server.hpp"

#include <cairn/error.hpp>

namespace cairn::v0 {

bool canServe() { return false; }

void serveLive(LiveWorld&, const ViewDescription&, const LiveSettings&) {
  throw InvalidInput("--live", "is not in this build, which has no Boost.Beast (Debian and Ubuntu: libboost-dev)");
}

}  // namespace cairn::v0
