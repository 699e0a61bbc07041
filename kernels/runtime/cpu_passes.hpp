// How code of one CPU level (cpu_level.hpp) is called from code for every processor.
//
// The linker keeps one of all inline functions of a name, and must not keep one for a processor that is not there. So a level's files are compiled
// with another name for the namespace cairn, and so for all that they make of the library's headers: cairn_avx2, cairn_avx512
// (cmake/CairnCpuLevels.cmake). Types of two levels are alike, but strangers to the compiler, hence the void pointers: a pass is a struct of views
// and scalars with `void onCpu(const TeamLoop&) const`, one of a list that every level has in the same order, and is called by its place there.
#pragma once

#include "kernels/runtime/cpu_level.hpp"
#include "kernels/runtime/thread_team.hpp"

#include <type_traits>

namespace cairn::v0 {

// The threads of a queue, for code that knows their class by another name.
struct TeamLoop {
  using Piece = void (*)(const void* body, int64_t begin, int64_t end);

  void* team;
  int threads;
  void (*runPieces)(void* team, int64_t count, Piece piece, const void* body);

  // As ThreadTeam::run.
  template <class Body> void run(int64_t count, const Body& body) const {
    runPieces(
        team, count, [](const void* of, int64_t begin, int64_t end) { (*static_cast<const Body*>(of))(begin, end); }, &body);
  }
};

using CpuPass = void (*)(const void* pass, const void* teamLoop);

template <class... Passes> struct CpuPassList {
  template <class Pass> static constexpr int placeOf() {
    static_assert((std::is_same<Pass, Passes>::value || ...), "no pass of this list");
    int place = 0;
    (void)((std::is_same<Pass, Passes>::value || (++place, false)) || ...);
    return place;
  }

  // As this file's level has it.
  static CpuPass at(int place) {
    static constexpr CpuPass passes[] = {&onCpu<Passes>...};
    return passes[place];
  }

 private:
  template <class Pass> static void onCpu(const void* pass, const void* teamLoop) {
    static_cast<const Pass*>(pass)->onCpu(*static_cast<const TeamLoop*>(teamLoop));
  }
};

template <class... Lists> struct JoinCpuPasses;
template <class... Passes> struct JoinCpuPasses<CpuPassList<Passes...>> { using List = CpuPassList<Passes...>; };
template <class... First, class... Second, class... Rest> struct JoinCpuPasses<CpuPassList<First...>, CpuPassList<Second...>, Rest...> {
  using List = typename JoinCpuPasses<CpuPassList<First..., Second...>, Rest...>::List;
};

// The pass on the queue's threads; `passAt` is the list's at the process's level.
template <class List, class Pass> void runOnCpu(CpuPass (*passAt)(int place), ThreadTeam& team, const Pass& pass) {
  const auto runPieces = [](void* of, int64_t count, TeamLoop::Piece piece, const void* body) {
    static_cast<ThreadTeam*>(of)->run(count, [piece, body](int64_t begin, int64_t end) { piece(body, begin, end); });
  };
  const TeamLoop loop{&team, team.threads(), runPieces};
  passAt(List::template placeOf<Pass>())(&pass, &loop);
}

}  // namespace cairn::v0

// CAIRN_CPU_PASSES(name), outside of all namespaces, declares `CpuPass name(int place)`, which a *_cpu.cpp file defines at each level, and nameHere,
// the process's.
#if CAIRN_CPU_LEVELS > 1
#define CAIRN_CPU_PASSES(name)                                                             \
  namespace cairn_avx2::v0 {                                                               \
  cairn::CpuPass name(int place);                                                          \
  }                                                                                        \
  namespace cairn_avx512::v0 {                                                             \
  cairn::CpuPass name(int place);                                                          \
  }                                                                                        \
  namespace cairn::v0 {                                                                    \
  CpuPass name(int place);                                                                 \
  inline CpuPass name##Here(int place) {                                                   \
    CpuPass (*const levels[])(int) = {name, cairn_avx2::v0::name, cairn_avx512::v0::name}; \
    return levels[static_cast<int>(cpuLevel())](place);                                    \
  }                                                                                        \
  }
#else
#define CAIRN_CPU_PASSES(name)                                 \
  namespace cairn::v0 {                                        \
  CpuPass name(int place);                                     \
  inline CpuPass name##Here(int place) { return name(place); } \
  }
#endif
