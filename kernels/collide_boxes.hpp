// Box against box and half-space.
//
// Box-box by separating axes (Gottschalk, Lin and Manocha, "OBBTree", 1996) with preference for faces over edges and for A's faces over B's: a
// later axis must be better by a tolerance, so that resting boxes keep their features. A face contact clips the incident face against
// the reference face's sides (Sutherland and Hodgman, 1974); more than four points are reduced to the extremes along the face's diagonals.
// Everything about the reference face happens in its own coordinates, in which a symmetric stack stays symmetric to the bit.
#pragma once

#include "collide.hpp"

namespace cairn {

// Polygon over the reference face: x, y in the face, z the height above it; id of the vertex, and of the edge that leaves it.
template <class T> struct ClipVertex {
  T x, y, z;
  uint32_t id, edge;
};

constexpr int kClipCapacity = 8;
constexpr uint32_t kClipEdge = 4;  // edges 0..3 are the incident face's; 4..7 lie on the sides that clipped it

// Keeps what lies at sign * coordinate <= half; side is 0..3.
template <class T>
CAIRN_HD inline int clipPolygon(const ClipVertex<T>* in, int count, ClipVertex<T>* out, bool alongX, T sign, T half, uint32_t side) {
  int kept = 0;
  for (int k = 0; k < count; ++k) {
    const ClipVertex<T> a = in[k], b = in[k + 1 < count ? k + 1 : 0];
    const T da = sign * (alongX ? a.x : a.y) - half, db = sign * (alongX ? b.x : b.y) - half;
    if (da <= T(0)) {
      out[kept] = a;
      if (db > T(0) && da == T(0)) out[kept].edge = kClipEdge + side;
      ++kept;
    }
    if ((da < T(0) && db > T(0)) || (da > T(0) && db < T(0))) {
      const T f = da / (da - db);
      out[kept++] = {a.x + f * (b.x - a.x), a.y + f * (b.y - a.y), a.z + f * (b.z - a.z), 8u + a.edge * 4u + side,
                     da < T(0) ? kClipEdge + side : a.edge};
    }
    if (kept >= kClipCapacity) break;
  }
  return kept;
}

// At most four of the points: the extremes along the diagonals of the face, the deepest in any case.
template <class T> CAIRN_HD inline int reducePoints(ClipVertex<T>* v, int count, T halfX, T halfY) {
  if (count <= kMaxManifoldPoints) return count;
  const T tolerance = T(1e-4) * halfX * halfY;
  ClipVertex<T> chosen[kMaxManifoldPoints];
  bool taken[kClipCapacity];
  for (int k = 0; k < count; ++k) taken[k] = false;
  int found = 0;
  for (int corner = 0; corner < 4; ++corner) {
    const T sx = corner == 0 || corner == 3 ? T(1) : T(-1), sy = corner < 2 ? T(1) : T(-1);
    int best = -1;
    T bestReach = T(0);
    for (int k = 0; k < count; ++k) {
      if (taken[k]) continue;
      const T reach = sx * v[k].x * halfY + sy * v[k].y * halfX;  // both scaled to the face
      if (best < 0 || reach > bestReach + tolerance) {
        best = k;
        bestReach = reach;
      }
    }
    taken[best] = true;
    chosen[found++] = v[best];
  }
  int deepest = 0;
  for (int k = 1; k < count; ++k) {
    if (v[k].z < v[deepest].z) deepest = k;
  }
  if (!taken[deepest]) {
    int nearest = 0;
    T nearestDistance = T(0);
    for (int k = 0; k < found; ++k) {
      const T dx = chosen[k].x - v[deepest].x, dy = chosen[k].y - v[deepest].y;
      const T distance = dx * dx + dy * dy;
      if (k == 0 || distance < nearestDistance) {
        nearest = k;
        nearestDistance = distance;
      }
    }
    // Only if it is truly deeper: otherwise the spread counts more.
    if (v[deepest].z < chosen[nearest].z - T(1e-3) * minOf(halfX, halfY)) chosen[nearest] = v[deepest];
  }
  for (int k = 0; k < found; ++k) v[k] = chosen[k];
  return found;
}

// The face of `reference` with the outward normal sign * axis, against `other`. `flip`: the reference is B.
template <class T>
CAIRN_HD inline void collideFace(const Geometry<T>& reference, int axis, T sign, const Geometry<T>& other, T margin, bool flip, LocalManifold<T>& m) {
  const int ix = axis == 0 ? 1 : (axis == 1 ? 2 : 0), iy = axis == 0 ? 2 : (axis == 1 ? 0 : 1);
  const Vec3<T> normal = sign * axisOf(reference.r, axis), ex = axisOf(reference.r, ix), ey = axisOf(reference.r, iy);
  const T halfX = component(reference.size, ix), halfY = component(reference.size, iy), halfZ = component(reference.size, axis);

  // The incident face: the one that looks most against the normal.
  const Vec3<T> facing{dot(normal, other.r.c0), dot(normal, other.r.c1), dot(normal, other.r.c2)};
  const Vec3<T> size = absOf(facing);
  const int jz = size.x >= size.y && size.x >= size.z ? 0 : (size.y >= size.z ? 1 : 2);
  const T incidentSign = component(facing, jz) > T(0) ? T(-1) : T(1);
  const int jx = jz == 0 ? 1 : (jz == 1 ? 2 : 0), jy = jz == 0 ? 2 : (jz == 1 ? 0 : 1);
  const Vec3<T> centre = other.p + (incidentSign * component(other.size, jz)) * axisOf(other.r, jz) - reference.p;
  const Vec3<T> ax = component(other.size, jx) * axisOf(other.r, jx), ay = component(other.size, jy) * axisOf(other.r, jy);
  const T cx = dot(ex, centre), cy = dot(ey, centre), cz = dot(normal, centre) - halfZ;
  const T axX = dot(ex, ax), axY = dot(ey, ax), axZ = dot(normal, ax);
  const T ayX = dot(ex, ay), ayY = dot(ey, ay), ayZ = dot(normal, ay);

  ClipVertex<T> v[kClipCapacity], w[kClipCapacity];
  v[0] = {cx + axX + ayX, cy + axY + ayY, cz + axZ + ayZ, 0u, 0u};
  v[1] = {cx - axX + ayX, cy - axY + ayY, cz - axZ + ayZ, 1u, 1u};
  v[2] = {cx - axX - ayX, cy - axY - ayY, cz - axZ - ayZ, 2u, 2u};
  v[3] = {cx + axX - ayX, cy + axY - ayY, cz + axZ - ayZ, 3u, 3u};
  int count = clipPolygon(v, 4, w, true, T(1), halfX, 0u);
  count = clipPolygon(w, count, v, true, T(-1), halfX, 1u);
  count = clipPolygon(v, count, w, false, T(1), halfY, 2u);
  count = clipPolygon(w, count, v, false, T(-1), halfY, 3u);
  int near = 0;
  for (int k = 0; k < count; ++k) {
    if (v[k].z <= margin) v[near++] = v[k];
  }
  near = reducePoints(v, near, halfX, halfY);

  m.normal = flip ? -normal : normal;
  const uint32_t face = static_cast<uint32_t>(axis * 2 + (sign > T(0) ? 1 : 0)),
                 incident = static_cast<uint32_t>(jz * 2 + (incidentSign > T(0) ? 1 : 0));
  const uint32_t base = ((flip ? 8u : 0u) + face) << 16 | incident << 8;
  for (int k = 0; k < near; ++k) {
    const Vec3<T> position = reference.p + v[k].x * ex + v[k].y * ey + (halfZ + T(0.5) * v[k].z) * normal;
    addPoint(m, position, v[k].z, base | v[k].id);
  }
}

// The edges of A along axis i and of B along axis j that are nearest to each other; the normal points from A to B.
template <class T>
CAIRN_HD inline void collideEdges(const Geometry<T>& a, const Geometry<T>& b, int i, int j, Vec3<T> normal, T separation, LocalManifold<T>& m) {
  Vec3<T> p = a.p, q = b.p;
  uint32_t feature = 1u << 24 | static_cast<uint32_t>(i * 3 + j) << 8;
  for (int k = 0; k < 3; ++k) {
    if (k != i) {
      const bool up = dot(normal, axisOf(a.r, k)) > T(0);
      p += (up ? component(a.size, k) : -component(a.size, k)) * axisOf(a.r, k);
      feature |= (up ? 1u : 0u) << k;
    }
    if (k != j) {
      const bool up = dot(normal, axisOf(b.r, k)) < T(0);
      q += (up ? component(b.size, k) : -component(b.size, k)) * axisOf(b.r, k);
      feature |= (up ? 8u : 0u) << k;
    }
  }
  const Vec3<T> u = axisOf(a.r, i), v = axisOf(b.r, j), w = p - q;
  const T uv = dot(u, v), uw = dot(u, w), vw = dot(v, w);
  const T inverse = T(1) / (T(1) - uv * uv);  // the axis would have been passed over if they were parallel
  const Vec3<T> onA = p + ((uv * vw - uw) * inverse) * u, onB = q + ((vw - uv * uw) * inverse) * v;
  m.normal = normal;
  addPoint(m, T(0.5) * (onA + onB), separation, feature);
}

template <class T> CAIRN_HD inline void collideBoxBox(const Geometry<T>& a, const Geometry<T>& b, T margin, LocalManifold<T>& m) {
  const Vec3<T> d = b.p - a.p;
  const Vec3<T> dA = transposeTimes(a.r, d), dB = transposeTimes(b.r, d);
  const Vec3<T> ha = a.size, hb = b.size;
  const Mat3<T> c = transposeTimes(a.r, b.r);  // columns: B's axes in A's frame
  const Mat3<T> abs{absOf(c.c0), absOf(c.c1), absOf(c.c2)};

  const Vec3<T> gapA = absOf(dA) - ha - (hb.x * abs.c0 + hb.y * abs.c1 + hb.z * abs.c2);
  const int axisA = gapA.x >= gapA.y && gapA.x >= gapA.z ? 0 : (gapA.y >= gapA.z ? 1 : 2);
  const T bestA = component(gapA, axisA);
  if (!(bestA <= margin)) return;
  const Vec3<T> gapB = absOf(dB) - hb - Vec3<T>{dot(ha, abs.c0), dot(ha, abs.c1), dot(ha, abs.c2)};
  const int axisB = gapB.x >= gapB.y && gapB.x >= gapB.z ? 0 : (gapB.y >= gapB.z ? 1 : 2);
  const T bestB = component(gapB, axisB);
  if (!(bestB <= margin)) return;

  const T smallest = minOf(minOf(ha.x, minOf(ha.y, ha.z)), minOf(hb.x, minOf(hb.y, hb.z)));
  const T tolerance = T(0.004) * smallest;
  T best = bestA;
  int kind = 0;
  if (bestB > best + tolerance) {
    best = bestB;
    kind = 1;
  }

  // Edges: u = axis i of A x axis j of B, in A's frame.
  Vec3<T> edgeNormal{T(0), T(0), T(0)};
  int edgeI = 0, edgeJ = 0;
  for (int j = 0; j < 3; ++j) {
    const Vec3<T> bj = axisOf(c, j);
    for (int i = 0; i < 3; ++i) {
      const Vec3<T> u = i == 0 ? Vec3<T>{T(0), -bj.z, bj.y} : (i == 1 ? Vec3<T>{bj.z, T(0), -bj.x} : Vec3<T>{-bj.y, bj.x, T(0)});
      const T l2 = dot(u, u);
      if (l2 < T(1e-3)) continue;  // nearly parallel: the faces see to it
      const T distance = dot(u, dA);
      const T reach = dot(ha, absOf(u)) + hb.x * absOf(dot(u, c.c0)) + hb.y * absOf(dot(u, c.c1)) + hb.z * absOf(dot(u, c.c2));
      const T inverse = T(1) / squareRoot(l2);
      const T gap = (absOf(distance) - reach) * inverse;
      if (!(gap <= margin)) return;
      if (gap > best + T(2) * tolerance) {
        best = gap;
        kind = 2;
        edgeNormal = (distance < T(0) ? -inverse : inverse) * u;
        edgeI = i;
        edgeJ = j;
      }
    }
  }
  if (kind == 0) return collideFace(a, axisA, signOf(component(dA, axisA)), b, margin, false, m);
  if (kind == 1) return collideFace(b, axisB, -signOf(component(dB, axisB)), a, margin, true, m);
  collideEdges(a, b, edgeI, edgeJ, a.r * edgeNormal, best, m);
}

// The corners of the face that looks most at the half-space.
template <class T> CAIRN_HD inline void collideBoxHalfSpace(const Geometry<T>& a, const Geometry<T>& b, T margin, LocalManifold<T>& m) {
  const Vec3<T> up = b.r.c1;
  const Vec3<T> facing = transposeTimes(a.r, up);
  const Vec3<T> size = absOf(facing);
  const T height = dot(up, a.p - b.p);
  if (!(height - dot(a.size, size) <= margin)) return;
  const int z = size.x >= size.y && size.x >= size.z ? 0 : (size.y >= size.z ? 1 : 2);
  const int x = z == 0 ? 1 : (z == 1 ? 2 : 0), y = z == 0 ? 2 : (z == 1 ? 0 : 1);
  const T sign = -signOf(component(facing, z));
  m.normal = -up;
  for (int corner = 0; corner < 4; ++corner) {
    const T sx = corner == 0 || corner == 3 ? T(1) : T(-1), sy = corner < 2 ? T(1) : T(-1);
    const Vec3<T> vertex =
        (sx * component(a.size, x)) * axisOf(a.r, x) + (sy * component(a.size, y)) * axisOf(a.r, y) + (sign * component(a.size, z)) * axisOf(a.r, z);
    const T separation = height + dot(up, vertex);
    if (separation <= margin) {
      addPoint(m, a.p + vertex - (T(0.5) * separation) * up, separation, static_cast<uint32_t>((z * 2 + (sign > T(0) ? 1 : 0)) * 4 + corner));
    }
  }
}

}  // namespace cairn
