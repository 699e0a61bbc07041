// cairn solve: a contact problem from a file.
#include "src/cli/commands.hpp"
#include "src/cli/options.hpp"
#include "src/problems/problem_enum_names.hpp"

#include <cairn/contact_problem.hpp>
#include <cairn/error.hpp>

#include <fmt/format.h>

namespace cairn::cli {
namespace {

struct SolveOptions {
  std::string problem, json, output;
  ContactSolverSettings settings;
};

template <class Enum> void addEnum(CLI::App& command, const std::string& name, Enum& value, const std::string& help) {
  command
      .add_option_function<std::string>(
          name, [&value, name](const std::string& text) { value = enumFromName<Enum>(text, name); }, help + ": " + nameList<Enum>())
      ->default_str(nameOf(value));
}

void print(const std::string& path, const ContactProblem& problem, const ContactSolveResult& result) {
  fmt::print("{}: {} contacts, {} form\n", path, problem.contacts(), problem.form == ContactProblem::Form::Local ? "local" : "global");
  fmt::print("  status            {} by {}\n", nameOf(result.status), nameOf(result.solver));
  fmt::print("  residual          {:.3e}\n", result.residual.etaSic);
  fmt::print("  residual_scaled   {:.3e}\n", result.residual.etaScl);
  fmt::print("  iterations        {}\n", result.iterations);
  fmt::print("  time              {:.4g} ms\n", result.milliseconds);
  fmt::print("  contacts          {} open, {} sticking, {} sliding\n", result.residual.open, result.residual.sticking, result.residual.sliding);
}

Json document(const SolveOptions& options, const ContactProblem& problem, const ContactSolveResult& result) {
  Json out = documentJson("solve");
  out.update(Json{{"problem", options.problem},
                  {"contacts", problem.contacts()},
                  {"solver", nameOf(result.solver)},
                  {"status", nameOf(result.status)},
                  {"residual", result.residual.etaSic},
                  {"residual_scaled", result.residual.etaScl},
                  {"tolerance", options.settings.tolerance},
                  {"iterations", result.iterations},
                  {"time_ms", result.milliseconds},
                  {"open", result.residual.open},
                  {"sticking", result.residual.sticking},
                  {"sliding", result.residual.sliding},
                  {"impulses_n_s", result.solution.r},
                  {"velocities_m_s", result.solution.u}});
  return out;
}

int run(SolveOptions& options) {
  ContactProblem problem = readContactProblem(options.problem);
  requireDistinct({{"PROBLEM", options.problem}, {"--json", options.json}, {"--output", options.output}});
  const OutputFile json("--json", options.json);
  if (!options.output.empty()) {
    requireProblemFile("--output", options.output);
    requireWritable("--output", options.output);
  }
  ContactSolveResult result;
  {
    Progress progress(options.problem);
    options.settings.progress = [&](long iteration, double residual) {
      progress.sayAtTimes([&] { return fmt::format("{} iterations, residual {:.2e}", iteration, residual); });
    };
    namingOptions([&] { result = solve(problem, options.settings); });
  }
  if (options.json != "-") print(options.problem, problem, result);
  if (json.wanted()) json.write(document(options, problem, result).dump(2));
  if (!options.output.empty()) {
    problem.reference = result.solution;
    writeContactProblem(problem, options.output);
  }
  return result.status == SolveStatus::Solved ? 0 : 1;
}

}  // namespace

void addSolve(CLI::App& app, int& exitStatus) {
  CLI::App* command = app.add_subcommand("solve", "Solve a contact problem from a file");
  auto options = std::make_shared<SolveOptions>();
  ContactSolverSettings& s = options->settings;
  command->add_option("problem", options->problem, "A .json problem, or FCLib's .hdf5 or .h5")->required();
  command->add_option("--json", options->json, "Result as JSON; - for standard output");
  command->add_option("--output", options->output, "The problem with this solution, as .json, .hdf5 or .h5");
  addEnum(*command, "--solver", s.solver, "Method");
  command->add_option("--tolerance", s.tolerance, "Of the residual")->capture_default_str();
  command->add_option("--max-iterations", s.maxIterations, "Most sweeps, steps or pivots")->capture_default_str();
  command->add_option("--time-limit", s.timeLimit, "[s]")->capture_default_str();
  addEnum(*command, "--backend", s.backend, "Where sweeps run");
  command->add_option("--threads", s.threads, "CPU threads, 0: all")->capture_default_str();
  addEnum(*command, "--precision", s.precision, "Of the sweeps");
  command->add_option("--directions", s.directions, "Lemke: directions of the friction polygon")->capture_default_str();
  command->add_flag("--force", s.force, "Lemke: also beyond 60 contacts");
  command->callback([options, &exitStatus] { exitStatus = run(*options); });
}

}  // namespace cairn::cli
