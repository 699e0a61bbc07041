// The velocities that belong to a problem's impulses.
#pragma once

#include "src/problems/contact_matrices.hpp"

namespace cairn::v0 {

// u = W r + q in the local form, u = H^T v + w in the global one.
std::vector<double> relativeVelocities(const ContactProblem& problem, const ContactSolution& solution);

// Keeps the factor of M, so that many impulses cost one factorization. The problem must outlive it.
class SolutionVelocities {
 public:
  explicit SolutionVelocities(const ContactProblem& problem);
  // Sets u, and in the global form v, from r.
  void complete(ContactSolution& solution) const;

 private:
  const ContactProblem& problem_;
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factor_;  // of M; empty for a local problem
};

}  // namespace cairn::v0
