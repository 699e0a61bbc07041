#include <cairn/version.hpp>

namespace cairn {

const char* version() { return CAIRN_VERSION_STRING; }

}  // namespace cairn
