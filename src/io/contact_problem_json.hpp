// Contact problems as JSON, the forms "fc3d-local-1" and "fc3d-global-1" (docs/contact-problems.md).
#pragma once

#include <cairn/contact_problem.hpp>

#include <string>

namespace cairn::v0 {

// Neither validated nor symmetrised yet. Throws InvalidInput with "source: /pointer" for what is missing or of a wrong type.
ContactProblem parseContactProblem(const std::string& text, const std::string& source);
std::string contactProblemJson(const ContactProblem& problem);

}  // namespace cairn::v0
