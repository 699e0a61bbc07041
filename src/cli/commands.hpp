// The commands of the program. Each adds itself to the parser; its callback returns through `exitStatus`: 0, or 1 if a check failed.
#pragma once

#include <CLI/CLI.hpp>

namespace cairn::cli {

void addRun(CLI::App& app, int& exitStatus);
void addFilmCommand(CLI::App& app, int& exitStatus);
void addPictureCommand(CLI::App& app, int& exitStatus);
void addBench(CLI::App& app, int& exitStatus);
void addSolve(CLI::App& app, int& exitStatus);
void addView(CLI::App& app, int& exitStatus);
void addMesh(CLI::App& app, int& exitStatus);
void addVerify(CLI::App& app, int& exitStatus);
void addExport(CLI::App& app, int& exitStatus);
void addPlot(CLI::App& app, int& exitStatus);
void addPaper(CLI::App& app, int& exitStatus);
void addScenes(CLI::App& app, int& exitStatus);
void addSettingsList(CLI::App& app, int& exitStatus);
void addCompletion(CLI::App& app, int& exitStatus);
void addManual(CLI::App& app, int& exitStatus);

}  // namespace cairn::cli
