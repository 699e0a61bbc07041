"use strict";
// What is drawn over the bodies: lines and points. And which walls are glass.

class Lines {
  constructor() {
    this.data = new Float32Array(10 * 1024);
    this.count = 0;
    this.behind = 0.28;  // how much those behind something shine through
  }
  clear() { this.count = 0; }
  // From a to b, `width` pixels wide; a point where a is b.
  add(a, b, colour, width) {
    if (10 * (this.count + 1) > this.data.length) {
      const larger = new Float32Array(2 * this.data.length);
      larger.set(this.data);
      this.data = larger;
    }
    const d = this.data, at = 10 * this.count++;
    d[at] = a[0]; d[at + 1] = a[1]; d[at + 2] = a[2];
    d[at + 3] = b[0]; d[at + 4] = b[1]; d[at + 5] = b[2];
    d[at + 6] = colour[0]; d[at + 7] = colour[1]; d[at + 8] = colour[2]; d[at + 9] = width;
  }
  box(low, high, colour, width) {
    const corner = (k) => [k & 1 ? high[0] : low[0], k & 2 ? high[1] : low[1], k & 4 ? high[2] : low[2]];
    for (let k = 0; k < 8; ++k) {
      for (const bit of [1, 2, 4]) if (!(k & bit)) this.add(corner(k), corner(k | bit), colour, width);
    }
  }
}

const LAYERS = {
  contacts: { text: "Contacts", key: "c", on: false },
  normals: { text: "Forces of contacts", key: "n", on: false },
  joints: { text: "Joints", key: "j", on: true },
  bounds: { text: "Bounds", key: "b", on: false },
  walls: { text: "Walls in front as glass", key: "w", on: true },
};

const AXES = [[0.86, 0.29, 0.27], [0.35, 0.66, 0.3], [0.28, 0.48, 0.88]];
const BROKEN = [0.9, 0.16, 0.2];
const CONTACT = [0.95, 0.45, 0.13];

class Overlay {
  constructor(scene) {
    this.scene = scene;
    this.largestForce = 0;
    this.forceScale = 1;
  }

  draw(lines, state) {
    const { frame, layers, chosen, colouring, position, rotation } = state;
    lines.clear();
    if (frame.contacts !== undefined) {
      const all = layers.contacts || layers.normals;
      if (all || chosen >= 0) this.contacts(lines, frame.contacts, all ? -1 : chosen, layers, colouring.mode === "graph");
    }
    const poseAt = (i) => ({ p: vectorAt(position, i), q: quaternionAt(rotation, i) });
    if (layers.joints) this.joints(lines, frame.joints, poseAt);
    if (layers.bounds) this.bounds(lines, poseAt, colouring.rgb);
  }

  // Points, and arrows along their normals as long as the forces are large.
  contacts(lines, contacts, only, layers, byGraph) {
    let largest = 0;
    for (const byte of contacts.force) largest = Math.max(largest, byte);
    this.largestForce = Math.max(largest, this.largestForce - 0.25);  // follows slowly: lengths do not flicker
    const longest = 2.2 * this.scene.bodySize * this.forceScale, strongest = forceOf(this.largestForce) || 1;
    for (let k = 0; k < contacts.count; ++k) {
      if (only >= 0 && contacts.a[k] !== only && contacts.b[k] !== only) continue;
      const colour = byGraph && contacts.colour[k] > 0 ? byNumber(contacts.colour[k] - 1, 0.12) : CONTACT;
      const point = vectorAt(contacts.point, k), force = forceOf(contacts.force[k]);
      lines.add(point, point, colour, force > 0 ? 7 : 4);
      if ((layers.normals || only >= 0) && force > 0) {
        const tip = add(point, scaled(vectorAt(contacts.normal, k), (longest * force) / strongest));
        lines.add(point, tip, colour, 2.2);
      }
    }
  }

  // Both frames, a line from one to the other where the joint is off, and thin ones from the bodies.
  joints(lines, joints, poseAt) {
    const length = 0.45 * this.scene.bodySize;
    this.scene.joints.forEach((joint, k) => {
      const bodyA = poseAt(joint.a), bodyB = poseAt(joint.b), a = composed(bodyA, joint.frameA), b = composed(bodyB, joint.frameB);
      const broken = joints !== undefined && joints.broken[k] !== 0;
      if (broken) {
        const [x, y] = [[1, 1, 0], [1, -1, 0]].map((v) => scaled(turned(a.q, v), 0.5 * length));
        lines.add(sub(a.p, x), add(a.p, x), BROKEN, 3);
        lines.add(sub(a.p, y), add(a.p, y), BROKEN, 3);
        return;
      }
      const off = joints === undefined ? 0 : clamp((joints.error[k] / this.scene.bodySize) * 50, 0, 1);
      const colour = add(scaled(BROKEN, off), scaled(COLOURS.none, 1 - off));
      if (this.scene.bodies[joint.a].type !== "static") lines.add(bodyA.p, a.p, colour, 1.4);
      if (this.scene.bodies[joint.b].type !== "static") lines.add(bodyB.p, b.p, colour, 1.4);
      AXES.forEach((axis, n) => {
        const along = [0, 0, 0];
        along[n] = length;
        lines.add(a.p, add(a.p, turned(a.q, along)), axis, 2.6);
        lines.add(b.p, add(b.p, turned(b.q, scaled(along, 0.7))), scaled(add(axis, [1, 1, 1]), 0.5), 1.6);
      });
      if (joint.type === "distance" || off > 0.02) lines.add(a.p, b.p, joint.type === "distance" ? colour : BROKEN, 2.4);
    });
  }

  bounds(lines, poseAt, rgb) {
    for (const body of this.scene.bodies) {
      if (body.type === "static") continue;
      let low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
      for (const shape of body.shapes) {
        const box = worldBox(this.scene, shape, composed(poseAt(shape.body), shape.pose));
        low = low.map((x, k) => Math.min(x, box.low[k]));
        high = high.map((x, k) => Math.max(x, box.high[k]));
      }
      if (body.shapes.length > 0) lines.box(low, high, vectorAt(rgb, body.shapes[0].body), 1.2);
    }
  }
}

// Boxes that do not move, and hide many of the bodies that do: they are shown as glass, and keep their edges.
const MOST_WALLS = 400;
const MOST_SAMPLES = 160;
const HIDDEN = 0.12;  // of the bodies

class Still {
  constructor(scene) {
    this.scene = scene;
    const large = (shape) => Math.max(...shape.size) > 2 * scene.bodySize;
    this.walls = scene.shapes.filter((shape) => shape.type === "box" && scene.bodies[shape.body].type === "static" && large(shape)).slice(0, MOST_WALLS);
    const stride = Math.max(1, Math.ceil(scene.dynamic.length / MOST_SAMPLES));
    this.samples = scene.dynamic.filter((_, k) => k % stride === 0);
  }

  poseOf(shape, position, rotation) {
    return composed({ p: vectorAt(position, shape.body), q: quaternionAt(rotation, shape.body) }, shape.pose);
  }

  hiding(camera, position, rotation) {
    const found = new Set();
    for (const wall of this.walls) {
      const pose = this.poseOf(wall, position, rotation), back = [-pose.q[0], -pose.q[1], -pose.q[2], pose.q[3]];
      const eye = turned(back, sub(camera.eye, pose.p));
      let hidden = 0;
      for (const i of this.samples) {
        const to = turned(back, sub(vectorAt(position, i), pose.p));
        let enter = 0, leave = 1;
        for (let k = 0; k < 3; ++k) {
          const step = to[k] - eye[k] || 1e-12, a = (-wall.size[k] - eye[k]) / step, b = (wall.size[k] - eye[k]) / step;
          enter = Math.max(enter, Math.min(a, b));
          leave = Math.min(leave, Math.max(a, b));
        }
        if (enter < leave && enter < 0.999) ++hidden;
      }
      if (hidden > HIDDEN * this.samples.length) found.add(wall);
    }
    return found;
  }

  outline(lines, shape, position, rotation, colour) {
    const pose = this.poseOf(shape, position, rotation);
    const corner = (k) => add(pose.p, turned(pose.q, shape.size.map((half, axis) => (k & (1 << axis) ? half : -half))));
    for (let k = 0; k < 8; ++k) {
      for (const bit of [1, 2, 4]) if (!(k & bit)) lines.add(corner(k), corner(k | bit), colour, 1.3);
    }
  }
}
