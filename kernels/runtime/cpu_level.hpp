// Levels of the CPU: instruction sets that the files with packs of lanes (*_cpu.cpp) are compiled for, and the one that this process works with. All
// else is compiled for every processor of the architecture. The bits are the same at every level.
#pragma once

#include <cairn/export.hpp>

namespace cairn::v0 {

enum class CpuLevel { Baseline, Avx2, Avx512 };
constexpr int kCpuLevels = 3;

// "baseline", "avx2", "avx512": as CAIRN_CPU in the environment names them.
const char* cpuLevelName(CpuLevel level);

// Whether this build has code for the level and the processor runs it.
bool cpuLevelRuns(CpuLevel level);

// The one that is asked for by its name, or without a name (null or empty) the fastest that runs. Throws InvalidInput for a name that is none, and
// for a level that does not run here.
CpuLevel chosenCpuLevel(const char* asked);

// The process's: chosenCpuLevel of the variable CAIRN_CPU as it was at the first call.
CpuLevel cpuLevel();

}  // namespace cairn::v0
