#include "src/scene/hull_points.hpp"

#include <cstdio>
#include <memory>
#include <new>

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

namespace cairn::v0 {
namespace {

struct Closes {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

// One run of Qhull. Its errors end the run; what it has to say about them goes nowhere.
class Run {
 public:
  Run() : nowhere_(std::fopen("/dev/null", "w")) {
    if (nowhere_ == nullptr) throw std::bad_alloc();
    qh_zero(&state_, nowhere_.get());
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() {
    int held = 0, total = 0;
    qh_freeqhull(&state_, !qh_ALL);
    qh_memfreeshort(&state_, &held, &total);
  }

  bool start(std::vector<coordT>& coordinates, double coplanar) {
    char command[64];
    std::snprintf(command, sizeof command, "qhull Pp C-%.3g", coplanar);
    const int count = static_cast<int>(coordinates.size() / 3);
    return qh_new_qhull(&state_, 3, count, coordinates.data(), False, command, nullptr, nowhere_.get()) == 0;
  }

  std::vector<std::vector<int>> faces() {
    qhT* const qh = &state_;
    std::vector<std::vector<int>> all;
    facetT* facet = nullptr;
    FORALLfacets {
      std::vector<int> corners;
      vertexT *vertex = nullptr, **vertexp = nullptr;
      FOREACHvertex_(facet->vertices) corners.push_back(static_cast<int>((vertex->point - qh->first_point) / 3));
      all.push_back(std::move(corners));
    }
    return all;
  }

 private:
  std::unique_ptr<std::FILE, Closes> nowhere_;
  qhT state_{};
};

}  // namespace

std::vector<std::vector<int>> facesOfHull(const std::vector<Vec3d>& points, double coplanar) {
  std::vector<coordT> coordinates;
  coordinates.reserve(3 * points.size());
  for (const Vec3d& p : points) coordinates.insert(coordinates.end(), {p.x, p.y, p.z});
  const auto run = std::make_unique<Run>();  // large
  return run->start(coordinates, coplanar) ? run->faces() : std::vector<std::vector<int>>{};
}

}  // namespace cairn::v0
