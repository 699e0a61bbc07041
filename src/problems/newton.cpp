#include "src/problems/newton.hpp"

#include "src/problems/contact_matrices.hpp"

#include <cassert>
#include <cmath>

namespace cairn::v0 {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Evaluation {
  VectorXd f;
  double merit = 0;
};

class AlartCurnier {
 public:
  explicit AlartCurnier(const ContactProblem& local)
      : problem_(local), W_(toEigen(local.W)), q_(vectorOf(local.q)), contacts_(local.contacts()), rho_(VectorXd(contacts_)) {
    for (int i = 0; i < contacts_; ++i) {
      const double trace = W_(3 * i, 3 * i) + W_(3 * i + 1, 3 * i + 1) + W_(3 * i + 2, 3 * i + 2);
      rho_[i] = 3 / trace;
    }
  }

  Evaluation evaluate(const VectorXd& r) const {
    Evaluation out;
    out.f = VectorXd(r.size());
    const VectorXd u = W_ * r + q_;
    for (int i = 0; i < contacts_; ++i) {
      const Eigen::Vector3d x = r.segment<3>(3 * i) - rho_[i] * u.segment<3>(3 * i);
      const double radius = mu(i) * std::max(0.0, x[0]), length = x.tail<2>().norm();
      out.f[3 * i] = r[3 * i] - std::max(0.0, x[0]);
      out.f.segment<2>(3 * i + 1) = r.segment<2>(3 * i + 1) - (length > radius ? radius / length : 1.0) * x.tail<2>();
    }
    out.f = scaled(out.f);
    out.merit = 0.5 * out.f.squaredNorm();
    return out;
  }

  MatrixXd jacobian(const VectorXd& r) const {
    const VectorXd u = W_ * r + q_;
    MatrixXd J(r.size(), r.size());
    for (int i = 0; i < contacts_; ++i) {
      const Eigen::Vector3d x = r.segment<3>(3 * i) - rho_[i] * u.segment<3>(3 * i);
      const Eigen::Matrix3d slope = projectionSlope(x, mu(i));
      J.middleRows<3>(3 * i) = rho_[i] * slope * W_.middleRows<3>(3 * i);
      J.block<3, 3>(3 * i, 3 * i) += Eigen::Matrix3d::Identity() - slope;
      J.middleRows<3>(3 * i) /= rho_[i];
    }
    return J;
  }

 private:
  double mu(int i) const { return problem_.friction[static_cast<size_t>(i)]; }
  // Velocities: comparable between contacts whatever their masses.
  VectorXd scaled(VectorXd f) const {
    for (int i = 0; i < contacts_; ++i) f.segment<3>(3 * i) /= rho_[i];
    return f;
  }

  // One element of the generalized derivative of x -> (max(0, x_n), P(x_t)).
  static Eigen::Matrix3d projectionSlope(const Eigen::Vector3d& x, double mu) {
    Eigen::Matrix3d slope = Eigen::Matrix3d::Zero();
    if (x[0] <= 0) return slope;
    slope(0, 0) = 1;
    const double radius = mu * x[0], length = x.tail<2>().norm();
    if (length <= radius) {
      slope(1, 1) = slope(2, 2) = 1;
      return slope;
    }
    const Eigen::Vector2d direction = x.tail<2>() / length;
    slope.block<2, 1>(1, 0) = mu * direction;
    slope.block<2, 2>(1, 1) = radius / length * (Eigen::Matrix2d::Identity() - direction * direction.transpose());
    return slope;
  }

  const ContactProblem& problem_;
  MatrixXd W_;
  VectorXd q_;
  int contacts_;
  VectorXd rho_;
};

constexpr double kSmallestDamping = 1e-14;  // of the mean diagonal of J^T J
constexpr int kMaxAttempts = 12;            // with ever larger damping, before a point counts as stationary

}  // namespace

long newtonSteps(const ContactProblem& local, std::vector<double>& start, long maxSteps,
                 const std::function<bool(const std::vector<double>& r)>& goOn) {
  assert(local.form == ContactProblem::Form::Local && start.size() == 3 * local.friction.size());
  const AlartCurnier map(local);
  VectorXd r = vectorOf(start);
  Evaluation now = map.evaluate(r);
  double damping = 1e-6;
  for (long step = 1; step <= maxSteps; ++step) {
    const MatrixXd J = map.jacobian(r);
    const MatrixXd normal = J.transpose() * J;
    const VectorXd gradient = J.transpose() * now.f;
    const double unit = normal.diagonal().mean();
    bool improved = false;
    for (int attempt = 0; attempt < kMaxAttempts && !improved; ++attempt) {
      MatrixXd damped = normal;
      damped.diagonal().array() += damping * unit;
      const VectorXd next = r - damped.ldlt().solve(gradient);
      const Evaluation trial = map.evaluate(next);
      improved = trial.merit < now.merit;
      if (improved) {
        r = next;
        now = trial;
        damping = std::max(damping / 10, kSmallestDamping);
      } else {
        damping *= 10;
      }
    }
    start.assign(r.data(), r.data() + r.size());
    if (!goOn(start) || !improved) return step;
  }
  return maxSteps;
}

}  // namespace cairn::v0
