"use strict";
// Reads frames as src/view/frame_encoder.hpp lays them out. A reader has the state of the last frame, since frames are differences.

const STEADY = 4;

class FrameReader {
  constructor(scene) {
    this.scene = scene;
    this.count = scene.bodies.length;
    const n = this.count;
    this.position = new Int32Array(3 * n);
    this.positionStep = new Int32Array(3 * n);
    this.turn = new Int32Array(3 * n);
    this.turnStep = new Int32Array(3 * n);
    this.velocity = new Int32Array(3 * n);
    this.largest = new Uint8Array(n).fill(3);
    this.forces = new Uint8Array(n);
    this.islands = new Int32Array(n);
    this.colours = new Uint8Array(n);
    this.changed = new Int32Array(n);
    this.turned = new Uint8Array(n);
  }

  // Frames from here on are those of these bytes.
  open(buffer, at = 0) {
    this.bytes = new Uint8Array(buffer);
    this.view = new DataView(buffer);
    this.at = at;
  }
  get done() { return this.at >= this.bytes.length; }

  varint() {
    let value = 0, factor = 1, byte;
    do {
      byte = this.bytes[this.at++];
      value += (byte & 127) * factor;
      factor *= 128;
    } while (byte > 127);
    return value;
  }
  signed() {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
  // Most differences are a byte, and no call.
  small() {
    const byte = this.bytes[this.at];
    if (byte > 127) return this.signed();
    ++this.at;
    return (byte >> 1) ^ -(byte & 1);
  }

  // The bodies of a mask into `changed`; how many they are.
  mask() {
    let found = 0;
    for (let first = 0; first < this.count; first += 8) {
      let byte = this.bytes[this.at++];
      for (let i = first; byte !== 0; ++i, byte >>= 1) if (byte & 1) this.changed[found++] = i;
    }
    return found;
  }

  reset() {
    for (const array of [this.position, this.positionStep, this.turn, this.turnStep, this.velocity, this.forces, this.islands, this.colours]) array.fill(0);
    this.largest.fill(3);
  }

  next(before = null) {
    const key = this.bytes[this.at++] === 1;
    if (key) this.reset();
    const frame = { time: this.view.getFloat64(this.at, true) };
    this.at += 8;
    this.readBodies(frame, key ? null : before);
    const channels = this.scene.channels;
    if (channels.asleep) {
      frame.asleep = new Uint8Array(this.count);
      const found = this.mask();
      for (let k = 0; k < found; ++k) frame.asleep[this.changed[k]] = 1;
    }
    if (channels.forces) frame.forces = this.readBytes(this.forces);
    if (channels.islands) {
      const found = this.mask();
      for (let k = 0; k < found; ++k) this.islands[this.changed[k]] += this.signed();
      frame.islands = this.islands.slice();
    }
    if (channels.colours) frame.colours = this.readBytes(this.colours);
    if (channels.joints) frame.joints = this.readJoints(this.scene.joints.length);
    if (channels.contacts) frame.contacts = this.readContacts(frame);
    return frame;
  }

  readBytes(into) {
    const found = this.mask();
    for (let k = 0; k < found; ++k) into[this.changed[k]] = this.bytes[this.at++];
    return into.slice();
  }

  // Bodies that have not moved do not step on from where they are expected either.
  readBodies(frame, before) {
    const found = this.mask(), list = this.changed.slice(0, found), moved = new Uint8Array(this.count);
    for (let k = 0; k < found; ++k) moved[list[k]] = 1;
    for (let i = 0; i < this.count; ++i) {
      if (moved[i]) continue;
      for (let a = 3 * i; a < 3 * i + 3; ++a) this.positionStep[a] = this.turnStep[a] = 0;
    }
    for (let axis = 0; axis < 3; ++axis) {
      for (let k = 0; k < found; ++k) this.move(this.position, this.positionStep, 3 * list[k] + axis);
    }
    for (let k = 0; k < found; ++k) {
      const byte = this.bytes[this.at++];
      this.largest[list[k]] = byte & 3;
      this.turned[k] = byte & 4;
    }
    for (let axis = 0; axis < 3; ++axis) {
      for (let k = 0; k < found; ++k) {
        const a = 3 * list[k] + axis;
        if (this.turned[k] !== 0) {
          this.turn[a] = this.small();
          this.turnStep[a] = 0;
        } else {
          this.move(this.turn, this.turnStep, a);
        }
      }
    }
    for (let axis = 0; axis < 3; ++axis) {
      for (let k = 0; k < found; ++k) this.velocity[3 * list[k] + axis] += this.small();
    }
    if (before === null) {  // behind a key frame bodies are expected where they are
      this.positionStep.fill(0);
      this.turnStep.fill(0);
    }
    frame.position = before !== null ? before.position.slice() : new Float32Array(3 * this.count);
    frame.rotation = before !== null ? before.rotation.slice() : new Float32Array(4 * this.count);
    frame.velocity = before !== null ? before.velocity.slice() : new Float32Array(3 * this.count);
    const units = this.scene.units;
    const write = (i) => {
      for (let a = 3 * i; a < 3 * i + 3; ++a) {
        frame.position[a] = this.position[a] * units.length;
        frame.velocity[a] = this.velocity[a] * units.speed;
      }
      let rest = 1, at = 3 * i;
      for (let c = 0; c < 4; ++c) {
        if (c === this.largest[i]) continue;
        const value = this.turn[at++] * units.quaternion;
        frame.rotation[4 * i + c] = value;
        rest -= value * value;
      }
      frame.rotation[4 * i + this.largest[i]] = Math.sqrt(Math.max(rest, 0));
    };
    if (before !== null) {
      for (let k = 0; k < found; ++k) write(list[k]);
    } else {
      for (let i = 0; i < this.count; ++i) write(i);
    }
  }

  move(values, steps, a) {
    const expected = values[a] + (steps[a] > STEADY || steps[a] < -STEADY ? steps[a] : 0);
    const now = expected + this.small();
    steps[a] = now - values[a];
    values[a] = now;
  }

  take(count) {
    const slice = this.bytes.subarray(this.at, this.at + count);
    this.at += count;
    return slice;
  }

  readJoints(count) {
    const joints = { broken: this.take(count).slice() };
    const bits = new Uint32Array(count), numbers = new Float32Array(bits.buffer);
    for (const name of ["error", "angularError", "force"]) {
      const high = this.take(count), low = this.take(count);
      for (let k = 0; k < count; ++k) bits[k] = (high[k] << 24) | (low[k] << 16);
      joints[name] = numbers.slice();
    }
    return joints;
  }

  readContacts(frame) {
    const all = this.varint(), count = this.varint();
    const contacts = { all, count, a: new Int32Array(count), b: new Int32Array(count), point: new Float32Array(3 * count),
      normal: new Float32Array(3 * count) };
    let last = 0;
    for (let k = 0; k < count; ++k) contacts.a[k] = last += this.varint();
    for (let k = 0; k < count; ++k) contacts.b[k] = contacts.a[k] + this.signed();
    for (let axis = 0; axis < 3; ++axis) {
      for (let k = 0; k < count; ++k) {
        contacts.point[3 * k + axis] = (this.position[3 * contacts.a[k] + axis] + this.signed()) * this.scene.units.length;
      }
    }
    const us = this.take(count), vs = this.take(count);
    for (let k = 0; k < count; ++k) {
      let u = (us[k] - 127.5) / 127, v = (vs[k] - 127.5) / 127;
      const y = 1 - Math.abs(u) - Math.abs(v);
      if (y < 0) [u, v] = [(1 - Math.abs(v)) * (u < 0 ? -1 : 1), (1 - Math.abs(u)) * (v < 0 ? -1 : 1)];
      const length = Math.hypot(u, y, v);
      contacts.normal.set([u / length, y / length, v / length], 3 * k);
    }
    contacts.force = this.take(count).slice();
    contacts.colour = this.take(count).slice();
    return contacts;
  }
}

// The newtons behind a byte.
const forceOf = (byte) => (byte === 0 ? 0 : 2 ** ((byte - 128) / 6));
