"use strict";
// Words beside the picture: what is chosen, what the colours mean, which keys there are.

const byId = (id) => document.getElementById(id);
const escaped = (text) => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

const KEYS = [
  ["drag", "turn (right button or shift: move; wheel: nearer, further)"],
  ["one, two fingers", "turn; move and zoom"],
  ["click", "choose a body; beside all: none"],
  ["ctrl + drag", "pull a body by a spring (live)"],
  ["space", "play, pause"],
  [", .", "a frame back, on (left, right as well)"],
  ["home end", "first, last frame"],
  ["- +", "slower, faster"],
  ["1 ... 6", "colours: body, speed, force, island, graph, sleep"],
  ["c n j b w", "contacts, forces of contacts, joints, bounds, glass walls"],
  ["[ ]", "shorter, longer arrows"],
  ["f", "look at everything; at the chosen body, if there is one"],
  ["g", "go along with the chosen body"],
  ["t", "light, dark"],
  ["r", "back to the start"],
  ["esc", "choose nothing"],
  ["?", "these keys"],
];

const MODES = ["body", "speed", "force", "island", "graph", "sleep"];

const three = (v) => v.map((x) => x.toFixed(3)).join(", ");

function showKeys() {
  byId("keys").innerHTML = KEYS.map(([keys, text]) => `<dt>${keys.split(" ").map((k) => (k.length > 1 && !/^(space|home|end|esc|ctrl)$/.test(k) ? k : `<kbd>${escaped(k)}</kbd>`)).join(" ")}</dt><dd>${text}</dd>`).join("");
}

// The angular velocity between two frames [rad/s]; null: there is no other frame.
function spinBetween(before, after, i) {
  const seconds = after.time - before.time;
  if (!(seconds > 0)) return null;
  const q = quaternionAt(before.rotation, i);
  const turn = times(quaternionAt(after.rotation, i), [-q[0], -q[1], -q[2], q[3]]);
  const sine = norm(turn), angle = 2 * Math.atan2(sine, Math.abs(turn[3])) * Math.sign(turn[3] || 1);
  return sine < 1e-9 ? [0, 0, 0] : scaled(turn, angle / sine / seconds);
}

function shapeWords(shape, scene) {
  const [x, y, z] = shape.size.map(si);
  const words = {
    sphere: `r ${x} m`, capsule: `r ${x} m, half height ${si(shape.halfHeight)} m`, box: `${si(2 * shape.size[0])} x ${si(2 * shape.size[1])} x ${si(2 * shape.size[2])} m`,
    ellipsoid: `semi-axes ${x}, ${y}, ${z} m`, cylinder: `r ${x} m, half height ${y} m`, cone: `r ${x} m, half height ${y} m`,
  }[shape.type] ?? (shape.surface >= 0 ? `${scene.surfaces[shape.surface].triangles.length / 3} triangles` : "");
  return `${shape.type}${shape.sensor ? " (sensor)" : ""}${words ? `, ${words}` : ""}`;
}

const row = (name, value) => `<tr><td>${name}</td><td>${value}</td></tr>`;

// What there is to know of a body in a frame; `neighbour` is the frame before or behind it.
function infoOf(scene, frame, neighbour, i) {
  const body = scene.bodies[i], place = add(vectorAt(frame.position, i), scene.origin), velocity = vectorAt(frame.velocity, i);
  const rows = [row("type", body.type), row("number", i)];
  const shapes = new Map();
  for (const shape of body.shapes) {
    const words = shapeWords(shape, scene);
    shapes.set(words, (shapes.get(words) ?? 0) + 1);
  }
  for (const [words, count] of [...shapes].slice(0, 6)) rows.push(row("shape", `${count > 1 ? `${count} x ` : ""}${words}`));
  if (shapes.size > 6) rows.push(row("", `and ${shapes.size - 6} more kinds`));
  rows.push(row("position", `${three(place)} m`));
  if (body.type !== "static") {
    rows.push(row("velocity", `${three(velocity)} m/s`), row("speed", `${norm(velocity).toFixed(3)} m/s`));
    const spin = neighbour === null ? null : neighbour.time < frame.time ? spinBetween(neighbour, frame, i) : spinBetween(frame, neighbour, i);
    if (spin !== null) rows.push(row("turns", `${spin.map((x) => x.toFixed(2)).join(", ")} rad/s`));
  }
  if (frame.asleep !== undefined && body.type === "dynamic") rows.push(row("state", frame.asleep[i] ? "asleep" : "awake"));
  if (frame.forces !== undefined) rows.push(row("contact force", `about ${si(forceOf(frame.forces[i]))} N`));
  if (frame.islands !== undefined && frame.islands[i] >= 0) rows.push(row("island", `of ${escaped(scene.bodies[frame.islands[i]].name)}`));
  let html = `<table>${rows.join("")}</table>`;
  const link = (k) => `<button class="other" data-body="${k}">${escaped(scene.bodies[k].name)}</button>`;
  if (frame.contacts !== undefined) html += contactsOf(scene, frame.contacts, i, link);
  if (body.joints.length > 0) html += jointsOf(scene, frame.joints, body.joints, i, link);
  return html;
}

function contactsOf(scene, contacts, i, link) {
  const others = new Map();
  for (let k = 0; k < contacts.count; ++k) {
    if (contacts.a[k] !== i && contacts.b[k] !== i) continue;
    const other = contacts.a[k] === i ? contacts.b[k] : contacts.a[k], sum = others.get(other) ?? { points: 0, force: 0 };
    ++sum.points;
    sum.force += forceOf(contacts.force[k]);
    others.set(other, sum);
  }
  const few = contacts.count < contacts.all ? `, of the ${contacts.count} strongest of ${contacts.all}` : "";
  const list = [...others].sort((a, b) => b[1].force - a[1].force);
  const rows = list.slice(0, 12).map(([k, sum]) => row(link(k), `${sum.points} ${sum.points === 1 ? "point" : "points"}, ${si(sum.force)} N`));
  return `<h4>Contacts${few}</h4><table>${rows.join("") || row("none", "")}${list.length > 12 ? row("", `and ${list.length - 12} more bodies`) : ""}</table>`;
}

function jointsOf(scene, joints, numbers, i, link) {
  const rows = numbers.slice(0, 12).map((k) => {
    const joint = scene.joints[k], other = joint.a === i ? joint.b : joint.a;
    const state = joints === undefined ? "" : joints.broken[k] ? ", broken" :
      `, off by ${si(1000 * joints.error[k])} mm and ${si(1000 * joints.angularError[k])} mrad, ${si(joints.force[k])} N`;
    return row(link(other), `${escaped(joint.name)}: ${joint.type}${state}`);
  });
  return `<h4>Joints</h4><table>${rows.join("")}${numbers.length > 12 ? row("", `and ${numbers.length - 12} more`) : ""}</table>`;
}

// A line of numbers about the frame.
function statusOf(scene, frame) {
  const words = [`${scene.bodies.length} ${scene.bodies.length === 1 ? "body" : "bodies"}`];
  if (frame.contacts !== undefined) words.push(frame.contacts.count < frame.contacts.all ? `${frame.contacts.count} of ${frame.contacts.all} contacts` : `${frame.contacts.all} contacts`);
  if (frame.asleep !== undefined) words.push(`${frame.asleep.reduce((sum, x) => sum + x, 0)} asleep`);
  if (scene.joints.length > 0) words.push(`${scene.joints.length} ${scene.joints.length === 1 ? "joint" : "joints"}`);
  if (frame.joints !== undefined) {
    const broken = frame.joints.broken.reduce((sum, x) => sum + x, 0);
    if (broken > 0) words.push(`${broken} broken`);
    let worst = 0;
    frame.joints.error.forEach((x, k) => { if (frame.joints.broken[k] === 0) worst = Math.max(worst, x); });
    words.push(`off by ${si(1000 * worst)} mm at most`);
  }
  return words.join(" · ");
}
