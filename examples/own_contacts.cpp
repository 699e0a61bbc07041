// Someone else's simulator: balls in an array of structs, contacts in another, and ContactSolver for what happens where they touch. The solver reads
// and writes these arrays where they lie.
#include <cairn/contact_solver.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

namespace {

constexpr float kRadius = 0.5f, kStep = 1.0f / 240, kGravity = 9.81f, kMargin = 0.02f;
constexpr int kBalls = 40, kMostContacts = 8 * kBalls;

struct Ball {
  float position[3], velocity[3], spin[3];
  float move[3];
  float inverseMass, inverseInertia[6];
};
struct Touch {
  int balls[2];
  float point[3], normal[3], gap, friction;
};

Ball ballAt(float x, float y) {
  const float inverse = 1 / (0.4f * kRadius * kRadius);
  return {{x, y, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, 1, {inverse, inverse, inverse, 0, 0, 0}};
}

void collide(const std::vector<Ball>& balls, std::vector<Touch>& touches) {
  touches.clear();
  for (int i = 0; i < kBalls; ++i) {
    const float* a = balls[static_cast<size_t>(i)].position;
    if (a[1] - kRadius < kMargin) touches.push_back({{i, -1}, {a[0], 0, a[2]}, {0, -1, 0}, a[1] - kRadius, 0.5f});
    for (int j = i + 1; j < kBalls; ++j) {
      const float* b = balls[static_cast<size_t>(j)].position;
      const float d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, distance = std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
      if (distance > 2 * kRadius + kMargin) continue;
      Touch touch{{i, j}, {}, {}, distance - 2 * kRadius, 0.5f};
      for (int k = 0; k < 3; ++k) {
        touch.normal[k] = d[k] / distance;
        touch.point[k] = a[k] + 0.5f * d[k];
      }
      touches.push_back(touch);
    }
  }
}

// A field of so many numbers within structs.
template <class T, int N, class Item> cairn::Field<T, N> field(T* first) { return {first, sizeof(Item), sizeof(T)}; }

}  // namespace

int main() {
  std::vector<Ball> balls;
  for (int i = 0; i < kBalls; ++i)
    balls.push_back(ballAt(1.02f * static_cast<float>(i % 10) + 0.25f * static_cast<float>(i / 10), 0.6f + static_cast<float>(i / 10)));
  std::vector<Touch> touches;
  touches.reserve(kMostContacts);

  cairn::WorldSettings settings;
  settings.backend = cairn::Backend::Cpu;
  settings.dt = kStep;
  settings.substeps = 1;
  settings.iterations = 8;
  cairn::ContactCapacity capacity;
  capacity.bodies = kBalls;
  capacity.contacts = kMostContacts;
  cairn::ContactSolver solver(capacity, settings);

  cairn::ContactSolverStatus status{};
  for (int step = 0; step < 960; ++step) {
    for (Ball& ball : balls) ball.velocity[1] -= kStep * kGravity;
    collide(balls, touches);

    cairn::ContactSolverCall<float> call;
    Ball& ball = balls[0];
    call.bodies.count = kBalls;
    call.bodies.position = field<const float, 3, Ball>(ball.position);
    call.bodies.linearVelocity = field<float, 3, Ball>(ball.velocity);
    call.bodies.angularVelocity = field<float, 3, Ball>(ball.spin);
    call.bodies.linearMove = field<float, 3, Ball>(ball.move);
    call.bodies.inverseMass = field<const float, 1, Ball>(&ball.inverseMass);
    call.bodies.inverseInertia = field<const float, 6, Ball>(ball.inverseInertia);
    Touch* const touch = touches.data();
    call.contacts.count = static_cast<int>(touches.size());
    if (!touches.empty()) {
      call.contacts.bodies = field<const int, 2, Touch>(touch->balls);
      call.contacts.point = field<const float, 3, Touch>(touch->point);
      call.contacts.normal = field<const float, 3, Touch>(touch->normal);
      call.contacts.separation = field<const float, 1, Touch>(&touch->gap);
      call.contacts.friction = field<const float, 1, Touch>(&touch->friction);
    }
    call.status = &status;
    call.measureResidual = true;
    solver.solve(call);
    if (status.flags != 0) {
      std::printf("refused: flags %d, %d contacts of %d\n", status.flags, status.contactsNeeded, status.contactsAvailable);
      return 1;
    }
    // Balls look the same however they are turned.
    for (Ball& moved : balls) {
      for (int k = 0; k < 3; ++k) moved.position[k] += kStep * moved.move[k];
    }
  }
  float deepest = 0;
  for (const Ball& ball : balls) deepest = std::max(deepest, kRadius - ball.position[1]);
  std::printf("%d contacts in %d colours, residual %.0e, balls at most %.1f mm in the ground\n", status.contactsNeeded, status.colours,
              static_cast<double>(status.residual), 1000 * static_cast<double>(deepest));
  return deepest < 0.005f ? 0 : 1;
}
