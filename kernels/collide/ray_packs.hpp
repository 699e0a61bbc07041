// Rays in packs of CPU lanes. See ray_packs_cpu.cpp.
#pragma once

#include "kernels/collide/ray_cast.hpp"
#include "kernels/runtime/cpu_passes.hpp"

namespace cairn::v0 {

// Rays that lie one after the other go through the tree together.
template <class T> struct CastInPacks {
  CastBodies<T> bodies;
  const RayRecord<T>* rays;
  int count;
  RayHitRecord<T>* hits;
  // What a pack cannot do, as ray_cast.cu has it: rays by themselves, and a ray against a shape that is not plain (RayHitRecord<T>* into).
  const void* find;
  void (*oneByOne)(const void* find, int64_t begin, int64_t end);
  bool (*meets)(const void* find, int ray, int shape, void* into);
  void onCpu(const TeamLoop& team) const;
};
using CastPasses = CpuPassList<CastInPacks<float>, CastInPacks<double>>;

}  // namespace cairn::v0
