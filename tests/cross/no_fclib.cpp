// FCLib's files where the machine that is tested has no HDF5: no test there names one.
#include "src/io/contact_problem_hdf5.hpp"

#include <cairn/error.hpp>

namespace cairn::v0 {

ContactProblem readFclib(const std::string& path) { throw InvalidInput(path, "cannot be read without HDF5"); }
void writeFclib(const ContactProblem&, const std::string& path) { throw InvalidInput(path, "cannot be written without HDF5"); }

}  // namespace cairn::v0
