// Mistakes that only Python can make.
#pragma once

#include <cairn/error.hpp>

namespace cairn::python {

// A World that was closed is asked for something.
struct ClosedWorld : Error {
  ClosedWorld() : Error("World: it was closed") {}
};

}  // namespace cairn::python
