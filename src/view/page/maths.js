"use strict";
// Vectors are arrays of three, quaternions [x, y, z, w], matrices Float32Arrays of sixteen by columns.

const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const scaled = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const norm = (a) => Math.hypot(a[0], a[1], a[2]);
const unit = (a, otherwise = [0, 1, 0]) => {
  const n = norm(a);
  return n > 1e-30 ? scaled(a, 1 / n) : otherwise;
};
const clamp = (x, low, high) => Math.min(high, Math.max(low, x));
const vectorAt = (array, i) => [array[3 * i], array[3 * i + 1], array[3 * i + 2]];
const quaternionAt = (array, i) => [array[4 * i], array[4 * i + 1], array[4 * i + 2], array[4 * i + 3]];

function turned(q, v) {
  const t = scaled(cross(q, v), 2);
  return add(add(v, scaled(t, q[3])), cross(q, t));
}

const times = (a, b) => [
  a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
  a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
  a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
  a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
];

// A pose is {p, q}: first b, then a.
const composed = (a, b) => ({ p: add(a.p, turned(a.q, b.p)), q: times(a.q, b.q) });
const poseOf = (seven) => ({ p: seven.slice(0, 3), q: seven.slice(3, 7) });

// Two unit vectors that are normal to this one and to each other.
function sidesOf(axis) {
  const other = Math.abs(axis[0]) < 0.9 ? [1, 0, 0] : [0, 0, 1];
  const first = unit(cross(axis, other));
  return [first, cross(first, axis)];
}

function product(a, b) {
  const out = new Float32Array(16);
  for (let column = 0; column < 4; ++column) {
    for (let row = 0; row < 4; ++row) {
      let sum = 0;
      for (let k = 0; k < 4; ++k) sum += a[4 * k + row] * b[4 * column + k];
      out[4 * column + row] = sum;
    }
  }
  return out;
}

// What looks from the eye along -back.
function viewMatrix(right, up, back, eye) {
  return new Float32Array([right[0], up[0], back[0], 0, right[1], up[1], back[1], 0, right[2], up[2], back[2], 0,
    -dot(right, eye), -dot(up, eye), -dot(back, eye), 1]);
}

function perspective(tangent, aspect, near, far) {
  const f = 1 / tangent;
  return new Float32Array([f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, (2 * far * near) / (near - far), 0]);
}

function orthographic(half, near, far) {
  return new Float32Array([1 / half, 0, 0, 0, 0, 1 / half, 0, 0, 0, 0, -2 / (far - near), 0, 0, 0, -(far + near) / (far - near), 1]);
}

// The value below which this fraction of the numbers lies.
function quantile(numbers, fraction) {
  if (numbers.length === 0) return 0;
  const sorted = Float64Array.from(numbers).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(fraction * sorted.length))];
}
