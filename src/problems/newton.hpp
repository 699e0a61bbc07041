// A semismooth Newton method for contact problems whose W is dense enough to factorise: finishes where sweeps stall.
#pragma once

#include <cairn/contact_problem.hpp>

#include <functional>

namespace cairn::v0 {

// Solves F(r) = 0 for the function of Alart and Curnier ("A mixed formulation for frictional contact problems prone to Newton like solution methods",
// 1991), F_n = r_n - max(0, x_n), F_t = r_t - P(x_t) with x = r - rho u and P the projection on the disk of radius mu max(0, x_n), by damped
// Gauss-Newton steps (J^T J + nu) dr = -J^T F (Levenberg-Marquardt: W may be rank deficient), from r. In double, on the CPU, dense: n^3 for n = 3
// contacts. `goOn` sees the iterate after each step and ends the method by returning false. Returns the number of steps.
long newtonSteps(const ContactProblem& local, std::vector<double>& r, long maxSteps, const std::function<bool(const std::vector<double>& r)>& goOn);

}  // namespace cairn::v0
