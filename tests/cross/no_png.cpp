// Pictures as height fields where the machine that is tested has no libpng: no test there names one.
#include "src/io/grey_image.hpp"

#include <cairn/error.hpp>

namespace cairn::v0 {

GreyImage readGreyPng(const std::string& path, int64_t) { throw InvalidInput(path, "cannot be read without libpng"); }

}  // namespace cairn::v0
