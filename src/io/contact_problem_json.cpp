#include "src/io/contact_problem_json.hpp"

#include "src/io/scene_json.hpp"

#include <cairn/error.hpp>

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace cairn::v0 {
namespace {

using nlohmann::json;

// One object of the file, with its path for messages. Keys that nobody asks for are allowed: files carry notes, licences and properties.
class Node {
 public:
  Node(const json& value, std::string path) : value_(value), path_(std::move(path)) {
    if (!value.is_object()) throw InvalidInput(path_, fmt::format("must be an object, is of type {}", value.type_name()));
  }

  bool has(const char* key) const { return value_.contains(key) && !value_[key].is_null(); }
  Node object(const char* key) const { return {required(key), at(key)}; }

  std::string text(const char* key) const {
    const json& value = required(key);
    if (!value.is_string()) throw InvalidInput(at(key), fmt::format("must be a string, is of type {}", value.type_name()));
    return value.get<std::string>();
  }
  std::string textOr(const char* key, const std::string& absent) const { return has(key) ? text(key) : absent; }

  int whole(const char* key, int low) const {
    const json& value = required(key);
    if (!value.is_number_integer() || value.get<int64_t>() < low || value.get<int64_t>() > std::numeric_limits<int>::max()) {
      throw InvalidInput(at(key), fmt::format("must be a whole number >= {}, is {}", low, value.dump().substr(0, 40)));
    }
    return value.get<int>();
  }
  std::vector<double> numbers(const char* key) const {
    std::vector<double> out;
    for (const json& value : array(key)) {
      if (!value.is_number()) throw InvalidInput(fmt::format("{}/{}", at(key), out.size()), "must be a number, is " + value.dump().substr(0, 40));
      out.push_back(value.get<double>());
    }
    return out;
  }
  std::vector<int> wholes(const char* key) const {
    std::vector<int> out;
    for (const json& value : array(key)) {
      if (!value.is_number_integer() || value.get<int64_t>() < 0 || value.get<int64_t>() > std::numeric_limits<int>::max()) {
        throw InvalidInput(fmt::format("{}/{}", at(key), out.size()), "must be a whole number >= 0, is " + value.dump().substr(0, 40));
      }
      out.push_back(value.get<int>());
    }
    return out;
  }
  [[noreturn]] void fail(const char* key, const std::string& why) const { throw InvalidInput(at(key), why); }

 private:
  std::string at(const char* key) const { return path_ + "/" + key; }
  const json& required(const char* key) const {
    if (!value_.contains(key)) throw InvalidInput(at(key), "is missing");
    return value_[key];
  }
  const json& array(const char* key) const {
    const json& value = required(key);
    if (!value.is_array()) throw InvalidInput(at(key), fmt::format("must be an array, is of type {}", value.type_name()));
    return value;
  }

  const json& value_;
  std::string path_;
};

SparseMatrix readSparse(const Node& node) {
  SparseMatrix m;
  const std::string type = node.text("type");
  if (type == "diagonal") {
    m.values = node.numbers("values");
    m.rows = m.columns = static_cast<int>(m.values.size());
    m.rowStart = {0};
    for (int i = 0; i < m.rows; ++i) {
      m.column.push_back(i);
      m.rowStart.push_back(i + 1);
    }
    return m;
  }
  if (type != "csr") node.fail("type", "must be 'diagonal' or 'csr', is '" + type + "'");
  m.rows = node.whole("rows", 0);
  m.columns = node.whole("cols", 0);
  m.rowStart = node.wholes("row_ptr");
  m.column = node.wholes("col");
  m.values = node.numbers("values");
  return m;
}

void readLocal(const Node& root, ContactProblem& problem) {
  problem.form = ContactProblem::Form::Local;
  problem.q = root.numbers("q");
  const Node W = root.object("W");
  if (W.whole("block_size", 1) != 3) W.fail("block_size", "must be 3");
  problem.W.blockRows = W.whole("n_block_rows", 0);
  problem.W.rowStart = W.wholes("row_ptr");
  problem.W.column = W.wholes("col");
  problem.W.values = W.numbers("blocks");
}

void readGlobal(const Node& root, ContactProblem& problem) {
  problem.form = ContactProblem::Form::Global;
  problem.f = root.numbers("f");
  problem.w = root.numbers("w");
  problem.M = readSparse(root.object("M"));
  problem.H = readSparse(root.object("H"));
  if (problem.M.rows != root.whole("n_dof", 0)) root.fail("n_dof", fmt::format("must be the rows of M, {}", problem.M.rows));
  if (root.has("dofs_per_body")) problem.dofsPerBody = root.whole("dofs_per_body", 0);
}

json sparseJson(const SparseMatrix& m) {
  return {{"type", "csr"}, {"rows", m.rows}, {"cols", m.columns}, {"row_ptr", m.rowStart}, {"col", m.column}, {"values", m.values}};
}

}  // namespace

ContactProblem parseContactProblem(const std::string& text, const std::string& source) {
  const json tree = parseStrictJson(text, source);
  const Node root(tree, source + ": ");
  ContactProblem problem;
  const std::string format = root.text("format");
  if (format != "fc3d-local-1" && format != "fc3d-global-1") {
    root.fail("format", "must be 'fc3d-local-1' or 'fc3d-global-1', is '" + format + "'");
  }
  problem.name = root.textOr("name", "");
  problem.source = root.textOr("source", "");
  if (root.has("dimension") && root.whole("dimension", 1) != 3) root.fail("dimension", "must be 3 (embed planar problems)");
  problem.friction = root.numbers("mu");
  if (root.whole("n_contacts", 0) != problem.contacts()) {
    root.fail("mu", fmt::format("has {} entries, must have {} (n_contacts)", problem.contacts(), root.whole("n_contacts", 0)));
  }
  if (format == "fc3d-local-1") {
    readLocal(root, problem);
  } else {
    readGlobal(root, problem);
  }
  if (root.has("reference")) {
    const Node reference = root.object("reference");
    problem.reference.r = reference.numbers("r");
    if (reference.has("u")) problem.reference.u = reference.numbers("u");
    if (reference.has("v")) problem.reference.v = reference.numbers("v");
  }
  return problem;
}

std::string contactProblemJson(const ContactProblem& problem) {
  const bool local = problem.form == ContactProblem::Form::Local;
  json out{{"format", local ? "fc3d-local-1" : "fc3d-global-1"},
           {"name", problem.name},
           {"source", problem.source},
           {"dimension", 3},
           {"n_contacts", problem.contacts()},
           {"component_order", {"normal", "tangent1", "tangent2"}},
           {"mu", problem.friction}};
  if (local) {
    out["q"] = problem.q;
    out["W"] = {{"n_block_rows", problem.W.blockRows}, {"block_size", 3},         {"n_blocks", problem.W.column.size()},
                {"row_ptr", problem.W.rowStart},       {"col", problem.W.column}, {"blocks", problem.W.values}};
  } else {
    out["n_dof"] = problem.M.rows;
    out["dofs_per_body"] = problem.dofsPerBody > 0 ? json(problem.dofsPerBody) : json(nullptr);
    out["f"] = problem.f;
    out["w"] = problem.w;
    out["M"] = sparseJson(problem.M);
    out["H"] = sparseJson(problem.H);
  }
  if (!problem.reference.r.empty()) {
    out["reference"] = {{"r", problem.reference.r}, {"u", problem.reference.u}};
    if (!problem.reference.v.empty()) out["reference"]["v"] = problem.reference.v;
  }
  return out.dump() + "\n";
}

}  // namespace cairn::v0
