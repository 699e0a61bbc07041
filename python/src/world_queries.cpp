#include "python/src/world_queries.hpp"

#include "python/src/definitions.hpp"
#include "python/src/results.hpp"

#include <nanobind/stl/vector.h>

#include <limits>

namespace cairn::python {
namespace {

using Rows = InputArray<double, 2>;
using Numbers = InputArray<double, 1>;
using Environments = InputArray<int32_t, 1>;

Vec3d vectorAt(const Rows& rows, size_t i) {
  const double* const row = rows.data() + 3 * i;
  return {row[0], row[1], row[2]};
}
Posed poseAt(const Rows& positions, const Rows& orientations, size_t i) {
  const double* const q = orientations.data() + 4 * i;
  return {vectorAt(positions, i), {q[0], q[1], q[2], q[3]}};
}

// None, or (category, mask, group).
std::optional<CollisionFilter> toFilter(nb::handle value) {
  if (value.is_none()) return std::nullopt;
  const Place place("collision");
  if (PySequence_Check(value.ptr()) == 0 || nb::len(value) != 3) place.refuse("None or a CollisionFilter", value);
  const auto whole = [&](int at, const char* name, long low, long high) { return toWhole(nb::object(value[at]), Place(place, name), low, high); };
  constexpr long kMost = std::numeric_limits<uint32_t>::max();
  return CollisionFilter{static_cast<uint32_t>(whole(0, "category", 0, kMost)), static_cast<uint32_t>(whole(1, "mask", 0, kMost)),
                         static_cast<int32_t>(whole(2, "group", std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()))};
}

// What all queries of a call have in common, and the body that each is to ignore: one for all, one each, or none; the
// environment that each sees: one each, or all.
struct Filters {
  std::optional<CollisionFilter> collision;
  std::vector<BodyId> ignored;
  Environments environments;

  Filters(nb::handle filter, std::vector<BodyId> bodies, const Environments& seen)
      : collision(toFilter(filter)), ignored(std::move(bodies)), environments(seen) {}
  QueryFilter at(size_t i) const {
    return {collision, ignored.empty() ? BodyId{} : ignored[ignored.size() == 1 ? 0 : i], environments.size() == 0 ? -1 : environments.data()[i]};
  }
};

std::vector<Ray> raysOf(const Rows& origins, const Rows& directions, const Numbers& ends, const Filters& filters) {
  std::vector<Ray> rays(origins.shape(0));
  for (size_t i = 0; i < rays.size(); ++i) rays[i] = {vectorAt(origins, i), vectorAt(directions, i), ends.data()[i], filters.at(i)};
  return rays;
}

// The shapes of a call: one for all queries, or one each.
struct Shapes {
  std::vector<ShapeDef> shapes;

  explicit Shapes(nb::sequence given) {
    long i = 0;
    for (const nb::handle shape : given) shapes.push_back(toShapeDef(shape, Place(Place("shapes"), i++)));
  }
  const ShapeDef& at(size_t i) const { return shapes[shapes.size() == 1 ? 0 : i]; }
};

struct CastArguments {
  Shapes shapes;
  Rows positions, orientations, directions;
  Numbers ends;
  Filters filters;

  std::vector<ShapeCast> casts() const {
    std::vector<ShapeCast> out(positions.shape(0));
    for (size_t i = 0; i < out.size(); ++i)
      out[i] = {shapes.at(i), poseAt(positions, orientations, i), vectorAt(directions, i), ends.data()[i], filters.at(i)};
    return out;
  }
};

template <class Arrays> nb::tuple withOffsets(Arrays&& arrays, const std::vector<size_t>& offsets) {
  std::vector<int64_t> places(offsets.begin(), offsets.end());
  return nb::make_tuple(arrays.release(), toArray(places));
}

}  // namespace

void bindQueries(nb::class_<SharedWorld>& world) {
  world
      .def(
          "cast_rays",
          [](SharedWorld& shared, const Rows& origins, const Rows& directions, const Numbers& ends, nb::handle collision, std::vector<BodyId> ignored,
             const Environments& environments) {
            const Filters filters(collision, std::move(ignored), environments);
            return shared.use([&](World& w) { return RayHitArrays(w.castRays(raysOf(origins, directions, ends, filters))); }).release();
          },
          nb::arg("origins"), nb::arg("directions"), nb::arg("max_distances"), nb::arg("collision").none(), nb::arg("ignored"),
          nb::arg("environments"))
      .def(
          "cast_rays_all",
          [](SharedWorld& shared, const Rows& origins, const Rows& directions, const Numbers& ends, nb::handle collision, std::vector<BodyId> ignored,
             const Environments& environments) {
            const Filters filters(collision, std::move(ignored), environments);
            const QueryHits<RayHit> all = shared.use([&](World& w) { return w.castRaysAll(raysOf(origins, directions, ends, filters)); });
            return withOffsets(RayHitArrays(all.hits), all.offsets);
          },
          nb::arg("origins"), nb::arg("directions"), nb::arg("max_distances"), nb::arg("collision").none(), nb::arg("ignored"),
          nb::arg("environments"))
      .def(
          "cast_shapes",
          [](SharedWorld& shared, nb::sequence shapes, const Rows& positions, const Rows& orientations, const Rows& directions, const Numbers& ends,
             nb::handle collision, std::vector<BodyId> ignored, const Environments& environments) {
            const CastArguments arguments{Shapes(shapes), positions, orientations,
                                          directions,     ends,      Filters(collision, std::move(ignored), environments)};
            return shared.use([&](World& w) { return ShapeHitArrays(w.castShapes(arguments.casts())); }).release();
          },
          nb::arg("shapes"), nb::arg("positions"), nb::arg("orientations"), nb::arg("directions"), nb::arg("max_distances"),
          nb::arg("collision").none(), nb::arg("ignored"), nb::arg("environments"))
      .def(
          "cast_shapes_all",
          [](SharedWorld& shared, nb::sequence shapes, const Rows& positions, const Rows& orientations, const Rows& directions, const Numbers& ends,
             nb::handle collision, std::vector<BodyId> ignored, const Environments& environments) {
            const CastArguments arguments{Shapes(shapes), positions, orientations,
                                          directions,     ends,      Filters(collision, std::move(ignored), environments)};
            const QueryHits<ShapeHit> all = shared.use([&](World& w) { return w.castShapesAll(arguments.casts()); });
            return withOffsets(ShapeHitArrays(all.hits), all.offsets);
          },
          nb::arg("shapes"), nb::arg("positions"), nb::arg("orientations"), nb::arg("directions"), nb::arg("max_distances"),
          nb::arg("collision").none(), nb::arg("ignored"), nb::arg("environments"))
      .def(
          "overlap_shapes",
          [](SharedWorld& shared, nb::sequence given, const Rows& positions, const Rows& orientations, nb::handle collision,
             std::vector<BodyId> ignored, const Environments& environments) {
            const Shapes shapes(given);
            const Filters filters(collision, std::move(ignored), environments);
            const QueryHits<Overlap> all = shared.use([&](World& w) {
              std::vector<OverlapQuery> queries(positions.shape(0));
              for (size_t i = 0; i < queries.size(); ++i) queries[i] = {shapes.at(i), poseAt(positions, orientations, i), filters.at(i)};
              return w.overlapShapes(queries);
            });
            return withOffsets(OverlapArrays(all.hits), all.offsets);
          },
          nb::arg("shapes"), nb::arg("positions"), nb::arg("orientations"), nb::arg("collision").none(), nb::arg("ignored"), nb::arg("environments"));
}

}  // namespace cairn::python
