// Contact problems in FCLib's HDF5 layout, local and global (docs/contact-problems.md).
#pragma once

#include <cairn/contact_problem.hpp>

#include <string>

namespace cairn::v0 {

// Neither validated nor symmetrised yet, but an M of which one triangle is stored is completed. Throws InvalidInput naming file, group and reason.
ContactProblem readFclib(const std::string& path);
void writeFclib(const ContactProblem& problem, const std::string& path);

}  // namespace cairn::v0
