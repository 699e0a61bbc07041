#include "src/io/contact_problem_hdf5.hpp"

#include "src/io/hdf5_handle.hpp"
#include "src/problems/contact_matrices.hpp"

#include <cairn/error.hpp>

#include <fmt/format.h>

#include <cstdio>
#include <limits>

namespace cairn::v0 {
namespace {

// --- reading ---------------------------------------------------------------------------------------------------

constexpr double kMostCompression = 1100;  // HDF5's deflate makes numbers up to 1032 times smaller

class FclibReader {
 public:
  explicit FclibReader(const std::string& path) : path_(path), file_(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose) {
    if (file_ < 0) throw InvalidInput(path, "is no HDF5 file, or is cut off");
  }

  ContactProblem read() const {
    const bool local = has("fclib_local"), global = has("fclib_global");
    if (has("fclib_global_rolling")) fail("fclib_global_rolling", "rolling friction is not supported");
    if (local == global) fail("", "must have one of the groups fclib_local and fclib_global");
    ContactProblem problem;
    problem.form = local ? ContactProblem::Form::Local : ContactProblem::Form::Global;
    const std::string root = local ? "fclib_local" : "fclib_global";
    const int dimension = whole(root + "/spacedim");
    if (dimension != 2 && dimension != 3) fail(root + "/spacedim", fmt::format("must be 2 or 3, is {}", dimension));
    problem.friction = numbers(root + "/vectors/mu");
    if (local) {
      for (const char* equality : {"V", "R"}) {
        if (has(root + "/" + equality)) fail(root + "/" + equality, "equality constraints are not supported");
      }
      const std::vector<double> q = vectors(root + "/vectors/q", dimension);
      problem.q = embedded(q, dimension);
      const EigenSparse W = matrix(root + "/W", q.size(), q.size());
      problem.W = toBlocks(dimension == 3 ? W : embeddedSquare(W));
    } else {
      if (has(root + "/G")) fail(root + "/G", "equality constraints are not supported");
      problem.f = numbers(root + "/vectors/f");
      const std::vector<double> w = vectors(root + "/vectors/w", dimension);
      problem.w = embedded(w, dimension);
      problem.M = fromEigen(completed(matrix(root + "/M", problem.f.size(), problem.f.size())));
      const EigenSparse H = matrix(root + "/H", problem.f.size(), w.size());
      problem.H = fromEigen(dimension == 3 ? H : embeddedColumns(H));
    }
    readSolution(problem, dimension);
    return problem;
  }

 private:
  [[noreturn]] void fail(const std::string& object, const std::string& reason) const { throw InvalidInput(path_ + ": /" + object, reason); }

  // Each part of the name in turn: H5Lexists wants all but the last to be there.
  bool has(const std::string& name) const {
    for (size_t slash = name.find('/');; slash = name.find('/', slash + 1)) {
      if (H5Lexists(file_, name.substr(0, slash).c_str(), H5P_DEFAULT) <= 0) return false;
      if (slash == std::string::npos) return true;
    }
  }
  template <class T> std::vector<T> data(const std::string& name, hid_t type, H5T_class_t kind, const char* what) const {
    if (!has(name)) fail(name, "is missing");
    const Hdf5Handle set(H5Dopen2(file_, name.c_str(), H5P_DEFAULT), H5Dclose);
    if (set < 0) fail(name, "must be a data set");
    const Hdf5Handle stored(H5Dget_type(set), H5Tclose), space(H5Dget_space(set), H5Sclose);
    if (H5Tget_class(stored) != kind) fail(name, fmt::format("must hold {}", what));
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    // A file may say that it has more than any memory holds, and store nothing of it.
    if (count > 0 && static_cast<double>(count) * static_cast<double>(H5Tget_size(stored)) > kMostCompression * double(H5Dget_storage_size(set))) {
      fail(name, fmt::format("says that it has {} entries, but does not store them", count));
    }
    std::vector<T> values(count > 0 ? static_cast<size_t>(count) : 0);
    if (count < 0 || (count > 0 && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)) fail(name, "cannot be read");
    return values;
  }
  std::vector<double> numbers(const std::string& name) const { return data<double>(name, H5T_NATIVE_DOUBLE, H5T_FLOAT, "floating-point numbers"); }
  std::vector<int> wholes(const std::string& name) const { return data<int>(name, H5T_NATIVE_INT, H5T_INTEGER, "whole numbers"); }
  int whole(const std::string& name) const {
    const std::vector<int> values = wholes(name);
    if (values.size() != 1) fail(name, "must be one whole number");
    return values[0];
  }

  // A CSparse struct: nz >= 0 triplets (i rows, p columns), -1 compressed columns, -2 compressed rows. Duplicates add up.
  // It may be smaller than what the vectors beside it say, which others find out, but not larger: its numbers of lines are only numbers in the file.
  EigenSparse matrix(const std::string& name, size_t mostRows, size_t mostColumns) const {
    if (!has(name)) fail(name, "is missing");
    const int m = whole(name + "/m"), n = whole(name + "/n"), nz = whole(name + "/nz");
    if (m < 0 || n < 0 || nz < -2) fail(name, fmt::format("has sizes m {}, n {} and nz {}", m, n, nz));
    if (at(m) > mostRows || at(n) > mostColumns) fail(name, fmt::format("is {} x {}, but the vectors are for {} x {}", m, n, mostRows, mostColumns));
    const std::vector<int> p = wholes(name + "/p"), i = wholes(name + "/i");
    const std::vector<double> x = numbers(name + "/x");
    std::vector<Eigen::Triplet<double>> entries;
    const auto add = [&](int row, int column, size_t k) {
      if (row < 0 || row >= m || column < 0 || column >= n) fail(name, fmt::format("entry {} is at ({}, {}) of {} x {}", k, row, column, m, n));
      entries.emplace_back(row, column, x[k]);
    };
    if (nz >= 0) {
      const auto count = static_cast<size_t>(nz);
      if (p.size() < count || i.size() < count || x.size() < count) fail(name, fmt::format("has fewer than nz = {} entries", nz));
      for (size_t k = 0; k < count; ++k) add(i[k], p[k], k);
    } else {
      const bool byColumns = nz == -1;
      checkStarts(name, p, byColumns ? n : m, std::min(i.size(), x.size()));
      for (int line = 0; line < (byColumns ? n : m); ++line) {
        for (auto k = static_cast<size_t>(p[at(line)]); k < static_cast<size_t>(p[at(line) + 1]); ++k) {
          byColumns ? add(i[k], line, k) : add(line, i[k], k);
        }
      }
    }
    EigenSparse out(m, n);
    out.setFromTriplets(entries.begin(), entries.end());
    return out;
  }
  static size_t at(int index) { return static_cast<size_t>(index); }
  void checkStarts(const std::string& name, const std::vector<int>& starts, int lines, size_t entries) const {
    if (starts.size() != at(lines) + 1) fail(name + "/p", fmt::format("has {} entries, must have {}", starts.size(), lines + 1));
    for (int line = 0; line < lines; ++line) {
      const int begin = starts[at(line)], end = starts[at(line) + 1];
      if (begin < 0 || end < begin || at(end) > entries) fail(name + "/p", "must not fall or pass the end");
    }
  }

  // Some files hold one triangle of the symmetric M without saying so.
  static EigenSparse completed(const EigenSparse& m) {
    bool lower = false, upper = false;
    for (int row = 0; row < m.outerSize(); ++row) {
      for (EigenSparse::InnerIterator it(m, row); it; ++it) {
        lower = lower || (it.value() != 0 && it.col() < row);
        upper = upper || (it.value() != 0 && it.col() > row);
      }
    }
    if (lower == upper || m.rows() != m.cols()) return m;
    EigenSparse diagonal(m.rows(), m.cols());
    for (int row = 0; row < m.rows(); ++row) diagonal.insert(row, row) = m.coeff(row, row);
    return m + EigenSparse(m.transpose()) - diagonal;
  }

  // Planar problems get a third component that stays zero.
  // So many for each contact.
  std::vector<double> vectors(const std::string& name, int dimension) const {
    std::vector<double> v = numbers(name);
    if (v.size() % size_t(dimension) != 0) fail(name, fmt::format("must hold {} numbers a contact, but holds {}", dimension, v.size()));
    return v;
  }
  static std::vector<double> embedded(const std::vector<double>& v, int dimension) {
    if (dimension == 3) return v;
    std::vector<double> out;
    for (size_t i = 0; i + 1 < v.size(); i += 2) out.insert(out.end(), {v[i], v[i + 1], 0.0});
    return out;
  }
  static EigenSparse embeddedColumns(const EigenSparse& m) {
    std::vector<Eigen::Triplet<double>> entries;
    for (int row = 0; row < m.outerSize(); ++row) {
      for (EigenSparse::InnerIterator it(m, row); it; ++it) {
        entries.emplace_back(row, static_cast<int>(it.col()) / 2 * 3 + static_cast<int>(it.col()) % 2, it.value());
      }
    }
    EigenSparse out(m.rows(), m.cols() / 2 * 3);
    out.setFromTriplets(entries.begin(), entries.end());
    return out;
  }
  static EigenSparse embeddedSquare(const EigenSparse& m) {
    EigenSparse out = EigenSparse(embeddedColumns(EigenSparse(embeddedColumns(m).transpose())).transpose());
    // The third component moves as easily as the first two do on average, and nothing pushes it.
    for (Eigen::Index i = 2; i < out.rows(); i += 3) out.coeffRef(i, i) = 0.5 * (out.coeff(i - 2, i - 2) + out.coeff(i - 1, i - 1));
    return out;
  }

  void readSolution(ContactProblem& problem, int dimension) const {
    if (!has("solution/r")) return;
    std::vector<double> r = embedded(vectors("solution/r", dimension), dimension);
    bool zero = true;
    for (const double value : r) zero = zero && value == 0;
    if (zero) return;  // files without a solution hold zeros
    problem.reference.r = std::move(r);
    if (has("solution/u")) problem.reference.u = embedded(vectors("solution/u", dimension), dimension);
    if (has("solution/v")) problem.reference.v = numbers("solution/v");
  }

  std::string path_;
  Hdf5Handle file_;
};

// --- writing ---------------------------------------------------------------------------------------------------

class FclibWriter {
 public:
  explicit FclibWriter(const std::string& path) : path_(path), file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose) {
    if (file_ < 0) throw InvalidInput(path, "cannot be written");
  }

  void write(const ContactProblem& problem) const {
    const bool local = problem.form == ContactProblem::Form::Local;
    const std::string root = local ? "fclib_local" : "fclib_global";
    for (const std::string& group : {root, root + "/vectors", root + "/info"}) makeGroup(group);
    wholes(root + "/spacedim", {3});
    numbers(root + "/vectors/mu", problem.friction);
    if (local) {
      matrix(root + "/W", fromEigen(toEigen(problem.W)));
      numbers(root + "/vectors/q", problem.q);
    } else {
      matrix(root + "/M", problem.M);
      matrix(root + "/H", problem.H);
      numbers(root + "/vectors/f", problem.f);
      numbers(root + "/vectors/w", problem.w);
    }
    text(root + "/info/title", problem.name);
    text(root + "/info/description", problem.source);
    text(root + "/info/math_info", "components normal, tangent 1, tangent 2");
    if (problem.reference.r.empty()) return;
    makeGroup("solution");
    numbers("solution/r", problem.reference.r);
    numbers("solution/u", problem.reference.u);
    if (!problem.reference.v.empty()) numbers("solution/v", problem.reference.v);
  }
  void flush() const { check(H5Fflush(file_, H5F_SCOPE_GLOBAL)); }

 private:
  void check(hid_t status) const {
    if (status < 0) throw InvalidInput(path_, "cannot be written");
  }
  void makeGroup(const std::string& name) const {
    const Hdf5Handle group(H5Gcreate2(file_, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
    check(group);
  }
  void data(const std::string& name, hid_t stored, hid_t memory, size_t count, const void* values) const {
    const hsize_t size = count;
    const Hdf5Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
    const Hdf5Handle set(H5Dcreate2(file_, name.c_str(), stored, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
    check(set);
    if (count > 0) check(H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
  }
  void numbers(const std::string& name, const std::vector<double>& v) const { data(name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, v.size(), v.data()); }
  void wholes(const std::string& name, const std::vector<int>& v) const { data(name, H5T_STD_I32LE, H5T_NATIVE_INT, v.size(), v.data()); }
  void text(const std::string& name, const std::string& value) const {
    const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose);
    H5Tset_size(type, value.size() + 1);
    const Hdf5Handle set(H5Dcreate2(file_, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
    check(set);
    check(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value.c_str()));
  }
  void matrix(const std::string& name, const SparseMatrix& m) const {
    makeGroup(name);
    wholes(name + "/m", {m.rows});
    wholes(name + "/n", {m.columns});
    wholes(name + "/nzmax", {static_cast<int>(m.values.size())});
    wholes(name + "/nz", {-2});
    wholes(name + "/p", m.rowStart);
    wholes(name + "/i", m.column);
    numbers(name + "/x", m.values);
  }

  std::string path_;
  Hdf5Handle file_;
};

}  // namespace

ContactProblem readFclib(const std::string& path) {
  silenceHdf5();
  return FclibReader(path).read();
}

void writeFclib(const ContactProblem& problem, const std::string& path) {
  silenceHdf5();
  try {
    const FclibWriter writer(path);
    writer.write(problem);
    writer.flush();
  } catch (...) {
    std::remove(path.c_str());
    throw;
  }
}

}  // namespace cairn::v0
