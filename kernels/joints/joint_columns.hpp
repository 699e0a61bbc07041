// The direct solve of joints on the CPU: the factor's columns and substitution, for one thread at a time, and impulses on bodies, with code
// for each CPU level in joint_columns_cpu.cpp. What it computes is what joint_factor.hpp and joint_substitution.hpp say, operation by operation:
// blocks of point joints, three numbers at a time.
#pragma once

#include "kernels/joints/column_packs.hpp"
#include "kernels/joints/joint_substitution.hpp"
#include "kernels/runtime/cpu_passes.hpp"

namespace cairn::v0 {

// Arrays that are read four numbers at a time, of which the last may lie behind the end, have room for so many more.
constexpr size_t kSystemSpare = 1;

// All columns of the factor, in the order in which they lie in memory.
template <class T> struct FactorColumns {
  const FactorBlock<T>* factor;
  void onCpu(const TeamLoop& team) const;
};
// Forward and back substitution, in the same order and in the reverse.
template <class T> struct SubstituteColumns {
  const SystemView* view;
  void onCpu(const TeamLoop& team) const;
};
// Impulses on all bodies.
template <class T> struct ApplyToBodies {
  const ApplyImpulses<T>* body;
  void onCpu(const TeamLoop& team) const;
};
template <class T> using SystemPassesIn = CpuPassList<FactorColumns<T>, SubstituteColumns<T>, ApplyToBodies<T>>;
using SystemPasses = JoinCpuPasses<SystemPassesIn<float>, SystemPassesIn<double>, CpuPassList<StoreColumnPacks>>::List;

}  // namespace cairn::v0
