#include "src/view/collect_frame.hpp"

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

FrameCollector::FrameCollector(const Scene& scene, const WorldSettings& settings, int mostContacts)
    : scene_(scene), mostContacts_(static_cast<size_t>(mostContacts)), colours_(scene, settings) {
  channels_.asleep = settings.sleeping;
  channels_.forces = channels_.islands = channels_.colours = true;
  channels_.joints = !scene.joints.empty();
  channels_.contacts = mostContacts > 0;
}

ViewFrame FrameCollector::collect(const World& world, double time) {
  ViewFrame frame;
  frame.time = time;
  frame.states = world.states();
  if (channels_.asleep) frame.asleep = world.asleep();
  for (const JointState& joint : channels_.joints ? world.jointStates() : std::vector<JointState>()) {
    frame.joints.push_back({joint.error, joint.angularError, length(joint.force), joint.broken});
  }
  addContacts(world, world.contacts(), frame);
  return frame;
}

void FrameCollector::addContacts(const World& world, const std::vector<Contact>& contacts, ViewFrame& frame) {
  const size_t bodies = scene_.bodies.size();
  const double substep = world.settings().dt / world.settings().substeps;
  const auto dynamic = [&](int body) { return scene_.bodies[static_cast<size_t>(body)].type == BodyType::Dynamic; };
  Sets sets(bodies);
  const auto join = [&](int a, int b) {
    if (dynamic(a) && dynamic(b)) sets.join(a, b);
  };
  frame.forces.assign(bodies, 0);
  frame.contactCount = contacts.size();
  const std::vector<int> colours = colours_.colour(contacts, frame.joints, frame.asleep, frame.colours);
  frame.contacts.reserve(contacts.size());
  for (size_t k = 0; k < contacts.size(); ++k) {
    const Contact& c = contacts[k];
    const int a = c.bodyA.index, b = c.bodyB.index;
    const double force = c.normalImpulse / substep;
    frame.forces[static_cast<size_t>(a)] += force;
    frame.forces[static_cast<size_t>(b)] += force;
    join(a, b);
    frame.contacts.push_back({a, b, c.point, c.normal, force, colours[k]});
  }
  for (size_t k = 0; k < frame.joints.size(); ++k) {
    if (!frame.joints[k].broken) join(scene_.joints[k].bodyA, scene_.joints[k].bodyB);
  }
  for (size_t i = 0; i < bodies; ++i) frame.islands.push_back(dynamic(static_cast<int>(i)) ? sets.of(static_cast<int>(i)) : -1);
  if (!channels_.contacts) frame.contacts.clear();
  if (frame.contacts.size() > mostContacts_) {
    const auto last = frame.contacts.begin() + static_cast<ptrdiff_t>(mostContacts_);
    std::nth_element(frame.contacts.begin(), last, frame.contacts.end(),
                     [](const ViewContact& x, const ViewContact& y) { return x.force > y.force; });
    frame.contacts.erase(last, frame.contacts.end());
  }
  std::stable_sort(frame.contacts.begin(), frame.contacts.end(), [](const ViewContact& x, const ViewContact& y) { return x.bodyA < y.bodyA; });
}

}  // namespace cairn::v0
