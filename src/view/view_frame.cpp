#include "src/view/view_frame.hpp"

#include <algorithm>
#include <numeric>

namespace cairn::v0 {
namespace {

// Sets of bodies, each known by its smallest.
class Sets {
 public:
  explicit Sets(size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0); }
  int of(int i) {
    while (parent_[static_cast<size_t>(i)] != i) {
      int& above = parent_[static_cast<size_t>(i)];
      above = parent_[static_cast<size_t>(above)];
      i = above;
    }
    return i;
  }
  void join(int a, int b) {
    const int first = of(a), second = of(b);
    parent_[static_cast<size_t>(std::max(first, second))] = std::min(first, second);
  }

 private:
  std::vector<int> parent_;
};

}  // namespace

void addContacts(const Scene& scene, std::vector<ViewContact> contacts, size_t most, ViewFrame& frame) {
  const size_t bodies = scene.bodies.size();
  const auto dynamic = [&](int body) { return scene.bodies[static_cast<size_t>(body)].type == BodyType::Dynamic; };
  Sets sets(bodies);
  const auto join = [&](int a, int b) {
    if (dynamic(a) && dynamic(b)) sets.join(a, b);
  };
  frame.forces.assign(bodies, 0);
  for (const ViewContact& c : contacts) {
    frame.forces[static_cast<size_t>(c.bodyA)] += c.force;
    frame.forces[static_cast<size_t>(c.bodyB)] += c.force;
    join(c.bodyA, c.bodyB);
  }
  for (size_t k = 0; k < frame.joints.size(); ++k) {
    if (!frame.joints[k].broken) join(scene.joints[k].bodyA, scene.joints[k].bodyB);
  }
  for (int i = 0; i < static_cast<int>(bodies); ++i) frame.islands.push_back(dynamic(i) ? sets.of(i) : -1);

  frame.contactCount = contacts.size();
  if (contacts.size() > most) {
    const auto last = contacts.begin() + static_cast<ptrdiff_t>(most);
    std::nth_element(contacts.begin(), last, contacts.end(), [](const ViewContact& x, const ViewContact& y) { return x.force > y.force; });
    contacts.erase(last, contacts.end());
  }
  std::stable_sort(contacts.begin(), contacts.end(), [](const ViewContact& x, const ViewContact& y) { return x.bodyA < y.bodyA; });
  frame.contacts = std::move(contacts);
}

}  // namespace cairn::v0
