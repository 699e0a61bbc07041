// Contacts within assemblies that nothing else is near. See lone_assemblies.cu.
#pragma once

#include "kernels/collide/swept_pairs.hpp"

namespace cairn::v0 {

// Bodies that joints connect, and whether anything else may touch one of them.
struct Assemblies {
  const int* of;            // by body slot: the number that an assembly's bodies have in common, that of one of them
  const int* jointOffsets;  // CSR over the sides of joints, by body slot
  int* accompanied;         // by the number of an assembly: 1, some candidate pair is of a body of it and another
};

// `accompanied`, zero before, from all candidate pairs.
template <class T>
void findCompany(Queue& queue, const PairView& pairs, const ShapeRecord<T>* shapes, const SweptBodies<T>& bodies, const Assemblies& assemblies);

// found[i] = 0 for pairs of two bodies of a lone assembly that are fast, but not towards each other, and further apart than they come.
template <class T> void leaveOutDistant(Queue& queue, const PairView& pairs, const ShapeRecord<T>* shapes, const SweptBodies<T>& bodies,
                                        const Assemblies& assemblies, const Manifold<T>* pairManifolds, int* found);

}  // namespace cairn::v0
