// Plots: scripts of Python with Matplotlib, which the program starts. Beside the sources they are in scripts/, installed in share/cairn.
#pragma once

#include <string>
#include <vector>

namespace cairn::cli {

inline const std::vector<std::string> kFigureEndings{".png", ".svg", ".pdf"};

// What a plot needs that is not here, as a reason: Python with Matplotlib, or the script. Empty: nothing.
std::string figureObstacle(const std::string& script);

// Starts the script with these arguments and the text at its standard input. Empty, or why there is no plot: the last line of its errors.
std::string runFigureScript(const std::string& script, const std::vector<std::string>& arguments, const std::string& input = {});

// A figure that a command writes at its end: refused before any work, and then whole or not at all. An empty path is none.
class Figure {
 public:
  // Throws InvalidInput for a path that cannot be written or ends otherwise, and where there is no Matplotlib.
  Figure(std::string option, std::string path, std::string script);
  bool wanted() const { return !path_.empty(); }
  // The script is called with the format, a path, and these arguments. Throws InvalidInput if it fails.
  void draw(const std::vector<std::string>& arguments, const std::string& input = {}) const;

 private:
  std::string option_, path_, script_;
};

}  // namespace cairn::cli
