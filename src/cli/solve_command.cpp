// cairn solve: a contact problem from a file.
#include "src/cli/commands.hpp"
#include "src/cli/options.hpp"
#include "src/cli/output_file.hpp"
#include "src/cli/progress.hpp"
#include "src/cli/setting_options.hpp"
#include "src/io/report_json.hpp"
#include "src/problems/solver_settings.hpp"

#include <cairn/contact_problem.hpp>
#include <cairn/error.hpp>

#include <fmt/format.h>

#include <cmath>

namespace cairn::cli {
namespace {

struct SolveOptions {
  std::string problem, json, output;
  ContactSolverSettings settings;
};

void print(const SolveOptions& options, const ContactProblem& problem, const ContactSolveResult& result) {
  fmt::print("{}: {} contacts, {} form\n", options.problem, problem.contacts(), problem.form == ContactProblem::Form::Local ? "local" : "global");
  fmt::print("  status            {} by {}\n", nameOf(result.status), nameOf(result.solver));
  if (result.status == SolveStatus::PolygonSolved) {
    fmt::print("                    with a friction polygon of {} directions; the residual is the cone's, above the tolerance of {}\n",
               options.settings.directions, options.settings.tolerance);
  }
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
    requireEnding("--output", options.output, kProblemEndings);
    requireWritable("--output", options.output);
  }
  ContactSolveResult result;
  {
    Progress progress(options.problem);
    options.settings.progress = [&](long iteration, double residual) {
      progress.sayAtTimes([&] {
        if (std::isnan(residual)) return fmt::format("{} pivots", iteration);
        return fmt::format("{} iterations, residual {:.2e}", iteration, residual);
      });
    };
    namingOptions([&] { result = solve(problem, options.settings); });
  }
  if (options.json != "-") print(options, problem, result);
  if (json.wanted()) json.write(document(options, problem, result).dump(2));
  if (!options.output.empty()) {
    problem.reference = result.solution;
    writeContactProblem(problem, options.output);
  }
  return result.status == SolveStatus::Solved || result.status == SolveStatus::PolygonSolved ? 0 : 1;
}

}  // namespace

void addSolve(CLI::App& app, int& exitStatus) {
  CLI::App* command = app.add_subcommand("solve", "Solve a contact problem from a file");
  auto options = std::make_shared<SolveOptions>();
  command->add_option("problem", options->problem, "A .json problem, or FCLib's .hdf5 or .h5")->type_name("PROBLEM")->required();
  command->add_option("--json", options->json, "Result as JSON; - for standard output")->type_name("FILE");
  command->add_option("--output", options->output, "The problem with this solution, as .json, .hdf5 or .h5")->type_name("FILE");
  for (const ContactSolverSetting& row : contactSolverSettings()) addSetting(*command, row, options->settings);
  command->callback([options, &exitStatus] { exitStatus = run(*options); });
}

}  // namespace cairn::cli
