"use strict";
// Where the page looks from: an eye that goes round a target, up against gravity.

const TANGENT = 0.36;  // of half the vertical angle of view

class Camera {
  constructor(scene) {
    this.up = scene.up;
    [this.east, this.north] = sidesOf(this.up);
    this.target = [0, 0, 0];
    this.distance = 10;
    this.azimuth = -1.06;
    this.elevation = 0.3;
    this.aspect = 1.6;
    this.size = 1;  // of what there is to see [m]
    this.update();
  }

  update() {
    const round = add(scaled(this.east, Math.sin(this.azimuth)), scaled(this.north, Math.cos(this.azimuth)));
    this.back = unit(add(scaled(round, Math.cos(this.elevation)), scaled(this.up, Math.sin(this.elevation))));
    this.right = unit(cross(this.up, this.back), this.east);
    this.above = cross(this.back, this.right);
    this.eye = add(this.target, scaled(this.back, this.distance));
    const near = Math.max(this.distance * 0.01, (this.distance - 3 * this.size) * 0.5);
    this.near = near;
    this.far = near + this.distance + 30 * this.size;
    this.view = viewMatrix(this.right, this.above, this.back, this.eye);
    this.matrix = product(perspective(TANGENT, this.aspect, this.near, this.far), this.view);
  }

  turn(dx, dy) {
    this.azimuth -= dx;
    this.elevation = clamp(this.elevation + dy, -1.5, 1.55);
    this.update();
  }

  // By this part of the picture's height.
  pan(dx, dy) {
    const height = 2 * TANGENT * this.distance;
    this.target = add(this.target, add(scaled(this.right, -dx * height), scaled(this.above, dy * height)));
    this.update();
  }

  zoom(factor) {
    this.distance = clamp(this.distance * factor, 0.02 * this.size, 40 * this.size);
    this.update();
  }

  // The ray through a point of the picture, from -1 to 1 along both sides.
  ray(x, y) {
    const direction = add(scaled(this.back, -1), add(scaled(this.right, x * TANGENT * this.aspect), scaled(this.above, y * TANGENT)));
    return { origin: this.eye, direction: unit(direction) };
  }

  // Balls {p, r} fill most of the picture, but for the few that lie furthest out where there are many. `places` are in it in any case.
  frame(balls, places = []) {
    if (balls.length === 0) return;
    this.update();
    const reach = (direction) => Math.max(...places.map((p) => dot(p, direction)),
      quantile(balls.map((ball) => dot(ball.p, direction) + ball.r * norm(direction)), balls.length > 50 ? 0.997 : 1));
    const span = (axis) => [(reach(axis) - reach(scaled(axis, -1))) / 2, (reach(axis) + reach(scaled(axis, -1))) / 2];
    const spans = [this.east, this.up, this.north].map(span);
    this.size = Math.max(norm(spans.map((s) => s[1])), 1e-6);
    // A plane through the eye bounds the picture on each side; the eye is where two opposite ones hold all balls.
    const fit = (axis, tangent) => {
      const high = reach(sub(axis, scaled(this.back, -tangent))), low = reach(sub(scaled(axis, -1), scaled(this.back, -tangent)));
      return [(high - low) / 2, (high + low) / (2 * tangent)];
    };
    const room = 0.76, raised = 0.035;  // of the picture's height: time and buttons lie below
    const [x, byWidth] = fit(this.right, room * TANGENT * this.aspect), [y, byHeight] = fit(this.above, room * TANGENT);
    const back = Math.max(byWidth, byHeight);
    const depth = (reach(this.back) - reach(scaled(this.back, -1))) / 2;
    this.distance = Math.max(back - depth, 1e-3 * this.size);
    const height = 2 * TANGENT * this.distance;
    this.target = add(add(scaled(this.right, x), scaled(this.above, y - raised * height)), scaled(this.back, depth));
    this.update();
  }
}
