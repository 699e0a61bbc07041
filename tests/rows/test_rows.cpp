// Rows: their layout and every number in them, against dense J M^-1 J^T by Eigen.
#include "src/rows/rows.hpp"
#include "tests/runtime/on_each_target.hpp"
#include "tests/support/random_contacts.hpp"

#include <Eigen/Dense>

#include <algorithm>

namespace cairn {
namespace {

using test::RandomProblem;

Eigen::Vector3d eigen(Vec3<double> a) { return {a.x, a.y, a.z}; }
template <class T> Eigen::Vector3d eigen(Vec3<T> a) { return eigen(convert<double>(a)); }
template <class T> Eigen::Matrix3d eigen(const Sym3<T>& m) {
  Eigen::Matrix3d out;
  out << m.xx, m.xy, m.xz, m.xy, m.yy, m.yz, m.xz, m.yz, m.zz;
  return out;
}

using Jacobian = Eigen::Matrix<double, Eigen::Dynamic, 12>;
using Dense12 = Eigen::Matrix<double, 12, 12>;

// Velocity of B's point against A's along d, from (vA, wA, vB, wB).
template <class T> Eigen::Matrix<double, 1, 12> row(const ManifoldPoint<T>& point, const Eigen::Vector3d& d) {
  Eigen::Matrix<double, 1, 12> j;
  j << -d.transpose(), -eigen(point.rA).cross(d).transpose(), d.transpose(), eigen(point.rB).cross(d).transpose();
  return j;
}

// Rows of a problem, downloaded.
template <class T> struct DownloadedRows {
  RowView<T> view;
  std::vector<T> fields;
  std::vector<int> manifolds, tilePoints, tileOffsets, tileLanes;

  DownloadedRows(Queue& queue, const RowView<T>& rows) : view(rows) {
    const auto tiles = static_cast<size_t>(rows.tileCount);
    const auto fetch = [&queue](auto& to, const auto* from, size_t count) {
      to.resize(count);
      downloadBytes(queue, to.data(), from, count * sizeof(to[0]));
    };
    fetch(manifolds, rows.manifold, tiles * kTileLanes);
    fetch(tilePoints, rows.tilePoints, tiles);
    fetch(tileOffsets, rows.tileOffsets, tiles + 1);
    fetch(tileLanes, rows.tileLanes, tiles);
    fetch(fields, rows.fields, static_cast<size_t>(tileOffsets.back()) * kTileLanes);
    view.fields = fields.data();
    view.manifold = manifolds.data();
    view.tilePoints = tilePoints.data();
    view.tileOffsets = tileOffsets.data();
    view.tileLanes = tileLanes.data();
  }
  bool inOverflow(int slot) const { return slot / kTileLanes >= view.tileCount - view.overflowTiles; }
  int slots() const { return view.tileCount * kTileLanes; }
  // Three fields as a vector.
  Eigen::Vector3d vector(int slot, int field) const {
    const SlotFields<T> lane(view, slot);
    return {double(lane.get(field)), double(lane.get(field + 1)), double(lane.get(field + 2))};
  }
};

class RowsTest : public test::OnEachTarget {
 protected:
  template <class T> DownloadedRows<T> prepared(const RandomProblem<T>& problem, int maxColours, const std::vector<T>& partCounts) {
    Buffer<BodyVelocity<T>> velocities;
    Buffer<BodyInertia<T>> inertias;
    Buffer<BodyConstants<T>> constants;
    Buffer<Manifold<T>> manifolds;
    Buffer<ManifoldImpulse<T>> warmStart;
    Buffer<T> parts;
    Buffer<ConstraintBodies> constraints;
    Buffer<uint32_t> priorities;
    velocities.upload(queue, problem.velocities);
    inertias.upload(queue, problem.inertias);
    constants.upload(queue, problem.constants);
    manifolds.upload(queue, problem.manifolds);
    warmStart.upload(queue, problem.warmStart);
    parts.upload(queue, partCounts);
    constraints.resize(queue, problem.manifolds.size());
    priorities.resize(queue, problem.manifolds.size());
    const int count = static_cast<int>(problem.manifolds.size());
    describeConstraints(queue, {manifolds.data(), nullptr, count}, constants.data(), constraints.data(), priorities.data());
    PrimitiveScratch scratch;
    ContactGraph graph;
    Rows<T> rows;
    const int bodies = static_cast<int>(problem.velocities.size());
    const GraphView colours = graph.update(queue, scratch, {constraints.data(), priorities.data(), count, bodies}, maxColours);
    const RowView<T> view = rows.build(queue, scratch, {manifolds.data(), nullptr, count}, constraints.data(), colours);
    // Lanes without a manifold are left as they are, and downloaded with the others.
    int places = 0;
    downloadBytes(queue, &places, view.tileOffsets + view.tileCount, sizeof places);
    fillBytes(queue, view.fields, 0, static_cast<size_t>(places) * kTileLanes * sizeof(T));
    prepareRows(queue, view, manifolds.data(), warmStart.data(), {velocities.data(), inertias.data(), parts.data()});
    return DownloadedRows<T>(queue, view);
  }

  template <class T> void expectDense(const RandomProblem<T>& problem, const std::vector<T>& partCounts, const DownloadedRows<T>& rows, int slot);
  template <class T> void checkAgainstDense(int maxColours);
};

// Some bodies cannot move along x or turn about y.
template <class T> RandomProblem<T> withLockedAxes(RandomProblem<T> problem) {
  for (size_t i = 0; i < problem.velocities.size(); i += 3) {
    problem.velocities[i].invMassX = T(0);
    Sym3<T>& inertia = problem.inertias[i].invInertia;
    inertia.yy = inertia.xy = inertia.yz = T(0);
  }
  return problem;
}

template <class T>
void RowsTest::expectDense(const RandomProblem<T>& problem, const std::vector<T>& partCounts, const DownloadedRows<T>& rows, int slot) {
  const double rounding = sizeof(T) == 4 ? 2e-5 : 2e-13;
  const int index = rows.manifolds[static_cast<size_t>(slot)];
  const Manifold<T>& m = problem.manifolds[static_cast<size_t>(index)];
  const SlotFields<T> lane(rows.view, slot);
  Dense12 inverseMass = Dense12::Zero();
  int at = 0;
  for (const int body : {m.bodyA, m.bodyB}) {
    const auto b = static_cast<size_t>(body);
    const double parts = rows.inOverflow(slot) ? double(partCounts[b]) : 1;
    const Eigen::Vector3d masses(problem.velocities[b].invMassX, problem.velocities[b].invMassY, problem.inertias[b].invMassZ);
    inverseMass.block<3, 3>(at, at) = parts * masses.asDiagonal().toDenseMatrix();
    inverseMass.block<3, 3>(at + 3, at + 3) = parts * eigen(problem.inertias[b].invInertia);
    at += 6;
  }
  Vec3<T> t1, t2;
  tangentFrame(m.normal, t1, t2);

  // The manifold's.
  EXPECT_EQ(rows.vector(slot, kNormalField), eigen(m.normal));
  EXPECT_LT((rows.vector(slot, kToBField) - (eigen(m.points[0].rB) - eigen(m.points[0].rA))).norm(), rounding);
  EXPECT_EQ(lane.get(kFrictionField), m.friction);
  const int tilePoints = rows.tilePoints[static_cast<size_t>(slot / kTileLanes)];
  EXPECT_EQ(lane.get(restitutionField(tilePoints)), m.restitution);
  const int points = m.pointCount;
  Jacobian normals(points, 12);
  for (int p = 0; p < m.pointCount; ++p) normals.row(p) = row(m.points[p], eigen(m.normal));
  const Eigen::MatrixXd coupled = normals * inverseMass * normals.transpose();
  // A simultaneous step of this length on the diagonal's scale converges, and is not shorter than the bound by row sums makes it.
  Eigen::MatrixXd scaled = coupled;
  for (int p = 0; p < m.pointCount; ++p) scaled.row(p) /= coupled(p, p);
  const double step = double(lane.get(kBlockStepField)), radius = scaled.eigenvalues().cwiseAbs().maxCoeff();
  EXPECT_LT(step * radius, 2);
  EXPECT_NEAR(step, std::min(1.0, 1.8 / scaled.cwiseAbs().rowwise().sum().maxCoeff()), 10 * rounding);

  // Its points'.
  for (int p = 0; p < m.pointCount; ++p) {
    const int base = kManifoldFields + p * kPointFields;
    EXPECT_EQ(rows.vector(slot, base + kPointRA), eigen(m.points[p].rA));
    EXPECT_EQ(lane.get(separationField(tilePoints, p)), m.points[p].separation);
    EXPECT_EQ(lane.get(base + kPointBias), T(0));
    EXPECT_EQ(rows.vector(slot, base + kPointImpulse), eigen(problem.warmStart[static_cast<size_t>(index)].points[p]));
    EXPECT_NEAR(double(lane.get(base + kPointNormalMass)) * coupled(p, p), 1, rounding);
  }

  // The tangential block of all its points is the mean of theirs.
  Jacobian tangents(2 * points, 12);
  for (int p = 0; p < points; ++p) {
    tangents.row(2 * p) = row(m.points[p], eigen(t1));
    tangents.row(2 * p + 1) = row(m.points[p], eigen(t2));
  }
  const Eigen::MatrixXd coupledTangents = tangents * inverseMass * tangents.transpose();
  Eigen::Matrix2d mean = Eigen::Matrix2d::Zero();
  for (int p = 0; p < points; ++p) mean += coupledTangents.block<2, 2>(2 * p, 2 * p) / points;
  const Eigen::Vector2d eigenvalues = mean.selfadjointView<Eigen::Lower>().eigenvalues();
  ASSERT_GT(eigenvalues(0), 1e-3 * eigenvalues(1));
  const double inMean = rounding * eigenvalues(1) / eigenvalues(0);
  const Eigen::Vector3d inverse = rows.vector(slot, kTangentField);
  Eigen::Matrix2d block;
  block << inverse(0), inverse(1), inverse(1), inverse(2);
  EXPECT_LT((block * mean - Eigen::Matrix2d::Identity()).norm(), inMean);
  EXPECT_NEAR(double(lane.get(kTangentField + 3)) * eigenvalues(1), 1, rounding);
  // A simultaneous step of all points by it converges, by the inverse and by its step alone, and is no shorter than the bound makes it.
  double most = 1;
  Eigen::MatrixXd scaledTangents(2 * points, 2 * points);
  for (int p = 0; p < points; ++p) {
    most = std::max(most, (block * coupledTangents.block<2, 2>(2 * p, 2 * p)).eigenvalues().cwiseAbs().maxCoeff());
    scaledTangents.middleRows(2 * p, 2) = block * coupledTangents.middleRows(2 * p, 2);
  }
  const double frictionStep = double(lane.get(kFrictionStepField));
  EXPECT_LT(frictionStep * scaledTangents.eigenvalues().cwiseAbs().maxCoeff(), 2);
  EXPECT_LT(frictionStep * double(lane.get(kTangentField + 3)) * coupledTangents.eigenvalues().cwiseAbs().maxCoeff(), 2);
  EXPECT_NEAR(frictionStep, points == 1 ? 1 : std::min(0.8, 1.8 / most) / points, 10 * inMean);
}

template <class T> void RowsTest::checkAgainstDense(int maxColours) {
  const RandomProblem<T> problem = withLockedAxes(RandomProblem<T>(120, 700, 31));
  std::vector<T> partCounts;
  for (size_t i = 0; i < problem.velocities.size(); ++i) partCounts.push_back(T(1 + i % 5));
  const DownloadedRows<T> rows = prepared(problem, maxColours, partCounts);
  std::vector<int> seen(problem.manifolds.size(), 0);
  for (int slot = 0; slot < rows.slots(); ++slot) {
    const int index = rows.manifolds[static_cast<size_t>(slot)];
    if (index < 0) continue;
    SCOPED_TRACE("manifold " + std::to_string(index) + ", lane " + std::to_string(slot));
    ++seen[static_cast<size_t>(index)];
    expectDense(problem, partCounts, rows, slot);
    // What other lanes of the tile have and this one does not: no mass, so no impulse.
    const SlotFields<T> lane(rows.view, slot);
    for (int p = problem.manifolds[static_cast<size_t>(index)].pointCount; p < rows.tilePoints[static_cast<size_t>(slot / kTileLanes)]; ++p) {
      EXPECT_EQ(lane.get(kManifoldFields + p * kPointFields + kPointNormalMass), T(0));
    }
    if (HasFailure()) return;
  }
  EXPECT_EQ(seen, std::vector<int>(problem.manifolds.size(), 1));
  EXPECT_EQ(rows.view.overflowTiles > 0, maxColours < 64);
}

TEST_P(RowsTest, AreThoseOfTheDenseProblem) {
  checkAgainstDense<float>(64);
  checkAgainstDense<double>(64);
}

// For overflow constraints a body counts as so many parts, each with its share of the mass.
TEST_P(RowsTest, OfTheOverflowAreThoseOfTheBodiesParts) {
  checkAgainstDense<float>(3);
  checkAgainstDense<double>(0);
}

// Locked axes can leave the normal, or the tangents, without any mobility.
TEST_P(RowsTest, APointThatNothingCanMoveHasNoMass) {
  RandomProblem<double> problem(2, 1, 5);
  for (size_t i = 0; i < 2; ++i) {
    problem.inertias[i].invInertia = {0, 0, 0, 0, 0, 0};
    problem.velocities[i].invMassX = problem.velocities[i].invMassY = 0;
    problem.inertias[i].invMassZ = i == 0 ? 0 : 0.5;
  }
  for (const bool normalMoves : {false, true}) {
    problem.manifolds[0].normal = normalMoves ? Vec3<double>{0, 0, 1} : Vec3<double>{0, 1, 0};
    const DownloadedRows<double> rows = prepared<double>(problem, 64, {1, 1});
    const int slot = static_cast<int>(std::find(rows.manifolds.begin(), rows.manifolds.end(), 0) - rows.manifolds.begin());
    ASSERT_LT(slot, rows.slots());
    const SlotFields<double> lane(rows.view, slot);
    for (int p = 0; p < problem.manifolds[0].pointCount; ++p) {
      EXPECT_EQ(lane.get(kManifoldFields + p * kPointFields + kPointNormalMass), normalMoves ? 2 : 0);
    }
    // Along z alone, or not at all: a block without an inverse is replaced by its step.
    EXPECT_NEAR(lane.get(kTangentField + 3), normalMoves ? 0 : 2, 1e-15);
    EXPECT_EQ(lane.get(kTangentField), lane.get(kTangentField + 3));
    EXPECT_EQ(lane.get(kTangentField + 1), 0);
  }
}

// A layout that is kept is the one that would be made, and one manifold with other points is enough for another.
TEST(Rows, LayoutIsKeptWhileManifoldsHaveTheirPoints) {
  RandomProblem<float> problem(60, 200, 8);
  Queue queue = makeCpuQueue(1);
  PrimitiveScratch scratch;
  ContactGraph graph;
  Rows<float> kept;
  const auto layoutOf = [&](Rows<float>& rows) {
    const int count = static_cast<int>(problem.manifolds.size());
    const ManifoldView<float> manifolds{problem.manifolds.data(), nullptr, count};
    std::vector<ConstraintBodies> constraints(problem.manifolds.size());
    std::vector<uint32_t> priorities(problem.manifolds.size());
    describeConstraints(queue, manifolds, problem.constants.data(), constraints.data(), priorities.data());
    const GraphView colours =
        graph.update(queue, scratch, {constraints.data(), priorities.data(), count, static_cast<int>(problem.velocities.size())}, 64);
    const RowView<float> view = rows.build(queue, scratch, manifolds, constraints.data(), colours);
    std::vector<int> numbers(view.manifold, view.manifold + view.tileCount * kTileLanes);
    for (const int* from : {view.tilePoints, view.tileOffsets, view.tileLanes}) numbers.insert(numbers.end(), from, from + view.tileCount);
    return numbers;
  };
  const std::vector<int> first = layoutOf(kept);
  EXPECT_EQ(layoutOf(kept), first);
  problem.manifolds[5].pointCount = problem.manifolds[5].pointCount == 1 ? 2 : 1;
  Rows<float> fresh;
  const std::vector<int> second = layoutOf(kept);
  EXPECT_NE(second, first);
  EXPECT_EQ(second, layoutOf(fresh));
}

CAIRN_INSTANTIATE_TARGETS(RowsTest);

}  // namespace
}  // namespace cairn
