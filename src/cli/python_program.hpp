// Python, where its packages do what the program does not: plots, and files of USD.
#pragma once

#include <string>
#include <vector>

namespace cairn::cli {

// The first Python that has the module: the first on the path need not be the one that the system's packages are for. Empty: none.
std::string pythonWith(const std::string& module);

// Runs a program with the text at its standard input. Empty if its exit status is 0; else the last line of its errors, or that it failed.
std::string runQuietly(const std::vector<std::string>& words, const std::string& input = {});

}  // namespace cairn::cli
