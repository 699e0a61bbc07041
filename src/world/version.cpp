#include <cairn/version.hpp>

namespace cairn::v0 {

const char* version() { return CAIRN_VERSION_STRING; }

}  // namespace cairn::v0
