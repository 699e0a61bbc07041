"use strict";
// What the page knows of the scene before any frame, as src/view/view_scene.cpp writes it. Places in the page are measured from the scene's `origin`.

const SHAPE_TEXELS = 3;  // of a shape, beside what its body has

class Scene {
  constructor(json) {
    Object.assign(this, json);
    this.up = unit(scaled(this.gravity, -1));
    this.dynamic = [];
    this.shapes = [];
    this.bodies.forEach((body, number) => {
      if (body.type === "dynamic") this.dynamic.push(number);
      body.shapes = body.shapes.map((row) => {
        const shape = { body: number, type: row[0], pose: poseOf(row.slice(1, 8)), size: row.slice(8, 11), halfHeight: row[11], surface: row[12],
          sensor: row[13] === 1, number: this.shapes.length };
        this.shapes.push(shape);
        return shape;
      });
      body.joints = [];
    });
    this.joints.forEach((joint, number) => {
      joint.frameA = poseOf(joint.frameA);
      joint.frameB = poseOf(joint.frameB);
      this.bodies[joint.a].joints.push(number);
      this.bodies[joint.b].joints.push(number);
    });
    for (const surface of this.surfaces) {
      surface.vertices = new Float32Array(bytesOf(surface.vertices).buffer);
      surface.triangles = new Int32Array(bytesOf(surface.triangles).buffer);
      surface.bounds = boundsOf(surface.vertices);
    }
    for (const body of this.bodies) body.reach = Math.max(0, ...body.shapes.map((shape) => this.reachOf(shape)));
    this.hasStill = this.bodies.some((body) => body.type === "static" && body.reach > 0);
    const reaches = (this.dynamic.length > 0 ? this.dynamic : this.bodies.keys());
    this.bodySize = quantile([...reaches].map((i) => this.bodies[i].reach), 0.5) || 1;
  }

  // Half the sides of a box about the shape's origin that holds it, and where its middle is.
  boxOf(shape) {
    if (shape.surface >= 0) return this.surfaces[shape.surface].bounds;
    return { middle: [0, 0, 0], half: [shape.size[0], shape.size[1] + shape.halfHeight, shape.size[2]] };
  }

  reachOf(shape) {
    if (shape.type === "half_space") return 0;
    const box = this.boxOf(shape);
    return norm(shape.pose.p) + norm(box.middle) + (shape.type === "sphere" ? shape.size[0] : norm(box.half));
  }

  // What the renderer's vertex shader looks up for each shape.
  shapeTexels(width) {
    const rows = Math.max(1, Math.ceil((this.shapes.length * SHAPE_TEXELS) / width));
    const data = new Float32Array(4 * width * rows);
    this.shapes.forEach((shape, k) => data.set([...shape.pose.p, shape.body, ...shape.pose.q, ...shape.size, shape.halfHeight], 4 * SHAPE_TEXELS * k));
    return { data, rows };
  }
}

function bytesOf(base64) {
  const text = atob(base64), bytes = new Uint8Array(text.length);
  for (let k = 0; k < text.length; ++k) bytes[k] = text.charCodeAt(k);
  return bytes;
}

function boundsOf(vertices) {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  vertices.forEach((x, k) => {
    low[k % 3] = Math.min(low[k % 3], x);
    high[k % 3] = Math.max(high[k % 3], x);
  });
  return { middle: scaled(add(low, high), 0.5), half: scaled(sub(high, low), 0.5) };
}

// The shape's bounds along the axes of the world in a pose of it: exact for all but surfaces, whose boxes are turned.
function worldBox(scene, shape, pose) {
  const axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map((axis) => turned(pose.q, axis));  // of the shape
  const [a, b, c] = shape.size, h = shape.halfHeight;
  let middle = pose.p, half;
  const along = (k) => axes.map((axis) => axis[k]);
  switch (shape.type) {
    case "sphere":
    case "capsule":
      half = [0, 1, 2].map((k) => a + h * Math.abs(axes[1][k]));
      break;
    case "ellipsoid":
      half = [0, 1, 2].map((k) => Math.hypot(a * along(k)[0], b * along(k)[1], c * along(k)[2]));
      break;
    case "cylinder":
      half = [0, 1, 2].map((k) => b * Math.abs(axes[1][k]) + a * Math.sqrt(Math.max(0, 1 - axes[1][k] ** 2)));
      break;
    case "cone": {
      const disc = [0, 1, 2].map((k) => a * Math.sqrt(Math.max(0, 1 - axes[1][k] ** 2)));
      const high = [0, 1, 2].map((k) => Math.max(b * axes[1][k], -b * axes[1][k] + disc[k]));
      const low = [0, 1, 2].map((k) => Math.min(b * axes[1][k], -b * axes[1][k] - disc[k]));
      middle = add(pose.p, scaled(add(high, low), 0.5));
      half = scaled(sub(high, low), 0.5);
      break;
    }
    default: {
      const box = scene.boxOf(shape);
      middle = add(pose.p, turned(pose.q, box.middle));
      half = [0, 1, 2].map((k) => box.half[0] * Math.abs(axes[0][k]) + box.half[1] * Math.abs(axes[1][k]) + box.half[2] * Math.abs(axes[2][k]));
    }
  }
  return { low: sub(middle, half), high: add(middle, half) };
}

// How far a box with half these sides reaches from its middle along a direction.
const reachOfBox = (half, direction) => half.reduce((sum, side, k) => sum + side * Math.abs(direction[k]), 0);
