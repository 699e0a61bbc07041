// Contacts within assemblies that nothing else is near.
//
// In: candidate pairs with their manifolds from the narrow phase, velocities, assemblies. Out: which pairs have a manifold after all.
//
// Margins cover what each shape moves within the step, whoever moves along with it: of a person that falls each limb has a contact with each other,
// decimetres apart, though none comes nearer to any. That is as it should be where something may be in the way, since who stops is met by who does
// not. Where nothing is (no body of the assembly is in a candidate pair with another assembly's, whose bounds hold all of its way), an assembly is
// what it would be at rest in a frame that moves along: its bodies have contacts as far ahead as they come towards each other.
//
// Deterministic: assemblies are marked with ones by atomic or; a pair is left out by what its own two bodies do.
//
// Memory: 4 bytes a body.
#include "kernels/collide/lone_assemblies.hpp"

#include "kernels/collide/swept_contact.hpp"
#include "kernels/runtime/launch.hpp"

namespace cairn::v0 {
namespace {

// Joints may bring two bodies together faster than they were as the step began, by this factor, before a contact comes a step late.
constexpr double kHastened = 2;

template <class T> struct FindCompany {
  PairView pairs;
  const ShapeRecord<T>* shapes;
  const BodyConstants<T>* constants;
  Assemblies assemblies;

  CAIRN_HD void mark(int body) const {
    const bool joined = assemblies.jointOffsets[body + 1] > assemblies.jointOffsets[body];
    if (joined) atomicOrInt(assemblies.accompanied + assemblies.of[body], 1);
  }
  CAIRN_HD void operator()(int i) const {
    const int a = shapes[pairs.shapeA[i]].body, b = shapes[pairs.shapeB[i]].body;
    const bool move = (constants[a].flags & constants[b].flags & kBodyDynamic) != 0;
    if (a == b || (move && assemblies.of[a] == assemblies.of[b])) return;
    mark(a);
    mark(b);
  }
};

template <class T> struct LeaveOutDistant {
  PairView pairs;
  const ShapeRecord<T>* shapes;
  SweptBodies<T> bodies;
  Assemblies assemblies;
  const Manifold<T>* pairManifolds;
  int* found;

  CAIRN_HD void operator()(int i) const {
    const int a = pairs.shapeA[i], b = pairs.shapeB[i];
    if (found[i] != 1 || (bodies.bounds[a].fast | bodies.bounds[b].fast) == 0) return;
    const ShapeRecord<T>& recordA = shapes[a];
    const ShapeRecord<T>& recordB = shapes[b];
    const int assembly = assemblies.of[recordA.body];
    if (assembly != assemblies.of[recordB.body] || assemblies.accompanied[assembly] != 0) return;
    const T near = bodies.envelope + T(kHastened) * wayTogether(bodies, recordA, recordB);
    const Manifold<T>& m = pairManifolds[i];
    for (int p = 0; p < m.pointCount; ++p) {
      if (m.points[p].separation <= near) return;
    }
    found[i] = 0;
  }
};

}  // namespace

template <class T>
void findCompany(Queue& queue, const PairView& pairs, const ShapeRecord<T>* shapes, const SweptBodies<T>& bodies, const Assemblies& assemblies) {
  forEach(queue, "narrow_phase/company", pairs.pairsFound, pairs.pairCount, FindCompany<T>{pairs, shapes, bodies.constants, assemblies});
}

template <class T> void leaveOutDistant(Queue& queue, const PairView& pairs, const ShapeRecord<T>* shapes, const SweptBodies<T>& bodies,
                                        const Assemblies& assemblies, const Manifold<T>* pairManifolds, int* found) {
  forEach(queue, "narrow_phase/distant", pairs.pairsFound, pairs.pairCount,
          LeaveOutDistant<T>{pairs, shapes, bodies, assemblies, pairManifolds, found});
}

#define CAIRN_INSTANTIATE(T)                                                                                           \
  template void findCompany(Queue&, const PairView&, const ShapeRecord<T>*, const SweptBodies<T>&, const Assemblies&); \
  template void leaveOutDistant(Queue&, const PairView&, const ShapeRecord<T>*, const SweptBodies<T>&, const Assemblies&, const Manifold<T>*, int*);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
