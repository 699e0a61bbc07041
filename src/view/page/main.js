"use strict";
// The page itself: time, input, and one picture after the other where something has changed.

const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4];

class App {
  constructor(scene) {
    this.scene = scene;
    this.canvas = byId("canvas");
    this.renderer = new Renderer(this.canvas, scene);
    this.camera = new Camera(scene);
    this.colouring = new Colouring(scene);
    this.overlay = new Overlay(scene);
    this.lines = new Lines();
    this.layers = Object.fromEntries(Object.entries(LAYERS).map(([name, layer]) => [name, layer.on]));
    this.chosen = -1;
    this.following = false;
    this.playing = false;
    this.speed = 1;
    this.at = 0;  // where in the frames, in between too
    this.frame = null;
    this.pull = null;  // {body, anchor, depth} of the spring
    this.stale = true;
    this.framed = false;
    this.pictures = 0;
    this.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    this.setTheme(this.theme);
    byId("title").textContent = scene.title;
    this.store = new FrameStore(scene, document.querySelectorAll("script.frames"), () => this.redraw());
    if (scene.live) this.startLive();
    this.setUpPanel();
    new Pointer(this);
    addEventListener("keydown", (event) => this.key(event));
    addEventListener("resize", () => this.redraw());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => this.setTheme(event.matches ? "dark" : "light"));
    this.last = performance.now();
    requestAnimationFrame((now) => this.tick(now));
  }

  startLive() {
    byId("scrub").hidden = true;
    byId("back").hidden = true;
    byId("reset").hidden = false;
    this.live = new Live(this.scene, (frame) => {
      this.frame = frame;
      this.redraw();
    }, (state) => {
      this.setPlaying(state.connected && !state.paused);
      const words = state.words || "";
      byId("message").hidden = words === "";
      byId("message").textContent = words;
      if (state.factor !== undefined) this.showSpeed(state.factor);
      for (const id of ["play", "forward", "reset", "speed"]) byId(id).disabled = !state.connected;
    });
  }

  setUpPanel() {
    const scene = this.scene;
    for (const option of byId("colours").options) {
      const missing = this.colouring.missing(option.value);
      option.disabled = missing !== "";
      if (missing) option.title = missing;
    }
    byId("colours").onchange = (event) => this.setColours(event.target.value);
    const there = { contacts: scene.channels.contacts, normals: scene.channels.contacts, joints: scene.joints.length > 0, bounds: true,
      walls: this.renderer.still.walls.length > 0 || this.renderer.kinds.some((kind) => kind.mayContain) };
    for (const [name, layer] of Object.entries(LAYERS)) {
      const label = document.createElement("label");
      label.innerHTML = `<input type="checkbox" id="layer-${name}"> ${layer.text} <kbd>${layer.key}</kbd>`;
      label.hidden = !there[name];
      const box = label.querySelector("input");
      box.checked = this.layers[name];
      box.onchange = () => this.setLayer(name, box.checked);
      byId("layers").append(label);
    }
    showKeys();
    byId("scrub").max = Math.max(0, this.store.count - 1);
    byId("scrub").oninput = (event) => {
      this.setPlaying(false);
      this.goTo(Number(event.target.value));
    };
    byId("play").onclick = () => this.toggle();
    byId("back").onclick = () => this.stepBy(-1);
    byId("forward").onclick = () => this.stepBy(1);
    byId("reset").onclick = () => this.toStart();
    byId("speed").onchange = (event) => this.setSpeed(Number(event.target.value));
    byId("frame-all").onclick = () => this.frameAll();
    byId("theme").onclick = () => this.setTheme(this.theme === "light" ? "dark" : "light");
    byId("help-button").onclick = () => byId("help").showModal();
    byId("info").onclick = (event) => {
      if (event.target.dataset.body !== undefined) this.choose(Number(event.target.dataset.body));
      if (event.target.dataset.close !== undefined) this.choose(-1);
    };
  }

  redraw() { this.stale = true; }

  setTheme(theme) {
    this.theme = theme;
    document.documentElement.dataset.theme = theme;
    this.redraw();
  }
  setColours(mode) {
    if (this.colouring.missing(mode) !== "") return;
    this.colouring.mode = byId("colours").value = mode;
    this.redraw();
  }
  setLayer(name, on) {
    this.layers[name] = byId(`layer-${name}`).checked = on;
    this.redraw();
  }
  setPlaying(playing) {
    this.playing = playing;
    document.body.classList.toggle("playing", playing);
    byId("play").setAttribute("aria-label", playing ? "Pause" : "Play");
    byId("forward").disabled = this.live !== undefined && playing;
  }
  toggle() {
    if (this.live) {
      this.live.pause(this.playing);
      return;
    }
    if (!this.playing && this.at >= this.store.count - 1) this.at = 0;
    this.setPlaying(!this.playing && this.store.count > 1);
    this.redraw();
  }
  setSpeed(factor) {
    this.showSpeed(factor);
    if (this.live) this.live.speed(factor);
  }
  showSpeed(factor) {
    this.speed = factor;
    byId("speed").value = String(factor);
  }
  goTo(at) {
    this.at = clamp(at, 0, Math.max(0, this.store.count - 1));
    this.redraw();
  }
  stepBy(frames) {
    if (this.live) {
      if (frames > 0) this.live.step();
      return;
    }
    this.setPlaying(false);
    this.goTo(Math.round(this.at) + frames);
  }
  toStart() {
    if (this.live) this.live.reset(); else this.goTo(0);
  }
  choose(body) {
    this.chosen = body;
    if (body < 0) this.following = false;
    this.redraw();
  }

  whatIsSeen() {
    const scene = this.scene, still = (i) => scene.bodies[i].type === "static";
    const all = [...scene.bodies.keys()].filter((i) => scene.bodies[i].reach > 0);
    const list = all.some((i) => !still(i)) ? all.filter((i) => !still(i)) : all;
    const balls = list.map((i) => ({ p: vectorAt(this.frame.position, i), r: scene.bodies[i].reach }));
    // What is no larger than all of them may be what they fall into: its place shall be seen.
    const size = balls.reduce((most, ball) => Math.max(most, norm(sub(ball.p, balls[0].p)) + ball.r), 0);
    const places = all.filter((i) => still(i) && scene.bodies[i].reach < size).map((i) => vectorAt(this.frame.position, i));
    return [balls, places];
  }

  frameAll() {
    if (this.frame === null) return;
    if (this.chosen >= 0) {
      const size = this.camera.size;
      this.camera.frame([{ p: vectorAt(this.frame.position, this.chosen), r: 3 * Math.max(this.scene.bodies[this.chosen].reach, 0.3 * this.scene.bodySize) }]);
      this.camera.size = size;
      this.camera.update();
    } else {
      this.camera.frame(...this.whatIsSeen());
    }
    this.redraw();
  }

  // The frame on either side of where time is, and how far it is from the one to the other; null while they are being read.
  between() {
    if (this.live) return this.frame === null ? null : { a: this.frame, b: this.frame, f: 0 };
    const first = Math.min(Math.floor(this.at), this.store.count - 1), a = this.store.at(first);
    this.store.work(first);
    if (a === null) return null;
    const b = this.at > first ? this.store.at(first + 1) : a;
    if (b === null) return null;
    return { a, b, f: this.at - first };
  }

  tick(now) {
    requestAnimationFrame((later) => this.tick(later));
    const seconds = Math.min((now - this.last) / 1000, 0.1);
    this.last = now;
    if (this.playing && !this.live && this.frame !== null) {
      const wanted = this.at + (seconds * this.speed) / this.scene.frameTime;
      this.goTo(wanted);
      if (wanted >= this.store.count - 1) this.setPlaying(false);
    }
    if (!this.stale) return;
    const pair = this.between();
    if (pair === null) return;
    this.stale = false;
    this.show(pair);
  }

  show({ a, b, f }) {
    const { position, rotation } = f > 0 ? blended(a, b, f) : a;
    this.frame = f > 0.5 ? b : a;
    if (!this.framed) {
      this.framed = true;
      this.camera.aspect = this.canvas.clientWidth / Math.max(1, this.canvas.clientHeight);
      this.camera.frame(...this.whatIsSeen());
    }
    if (this.following && this.chosen >= 0) {
      const place = vectorAt(position, this.chosen);
      if (this.lastPlace) this.camera.target = add(this.camera.target, sub(place, this.lastPlace));
      this.lastPlace = place;
    } else {
      this.lastPlace = null;
    }
    // Where only the eye has moved, bodies and their colours are as they were.
    const seen = { frame: this.frame, f, mode: this.colouring.mode, chosen: this.chosen };
    if (seen.frame !== this.seen?.frame || seen.mode !== this.seen.mode) this.rgb = this.colouring.update(this.frame);
    if (Object.keys(seen).some((name) => seen[name] !== this.seen?.[name])) {
      this.renderer.setBodies(position, rotation, this.rgb, this.chosen);
      this.around = this.surroundings(position);
    }
    this.seen = seen;
    this.overlay.draw(this.lines, { frame: this.frame, layers: this.layers, chosen: this.chosen, colouring: this.colouring, position, rotation });
    if (this.pull?.to) {
      const from = add(vectorAt(position, this.pull.body), turned(quaternionAt(rotation, this.pull.body), this.pull.anchor));
      this.lines.add(from, this.pull.to, THEMES[this.theme].accent, 3);
      this.lines.add(this.pull.to, this.pull.to, THEMES[this.theme].accent, 9);
    }
    this.renderer.draw(this.camera, this.theme, this.layers, this.lines, this.around);
    this.words(a, b);
    ++this.pictures;
  }

  // Where what moves is: the shadow's map covers it.
  surroundings(position) {
    const list = this.scene.dynamic.length > 0 ? this.scene.dynamic : [...this.scene.bodies.keys()];
    const stride = Math.max(1, Math.ceil(list.length / 500)), some = list.filter((_, k) => k % stride === 0);
    const spans = [0, 1, 2].map((axis) => {
      const along = some.map((i) => position[3 * i + axis]);
      return [quantile(along, 0.01), quantile(along, 0.99)];
    });
    const middle = spans.map(([low, high]) => (low + high) / 2), half = spans.map(([low, high]) => (high - low) / 2 + this.scene.bodySize);
    const reach = norm(spans.map(([low, high]) => (high - low) / 2)) + 3 * this.scene.bodySize;
    // In steps, so that the shadow's edges do not crawl while bodies move.
    return { middle, half, reach: 1.2 ** Math.ceil(Math.log(reach) / Math.log(1.2)) };
  }

  words(a, b) {
    const frame = this.frame, scene = this.scene;
    if (!this.live) byId("scrub").value = this.at;
    const number = Math.round(this.at) + 1;
    byId("time").textContent = this.live ? `${frame.time.toFixed(2)} s` : `${(a.time + (b.time - a.time) * (this.at - Math.floor(this.at))).toFixed(2)} s · ${number} / ${this.store.count}`;
    byId("status").textContent = statusOf(scene, frame);
    const legend = this.colouring.legend();
    byId("legend").hidden = legend === "";
    if (byId("legend").innerHTML !== legend) byId("legend").innerHTML = legend;
    byId("info").hidden = this.chosen < 0;
    if (this.chosen < 0) return;
    const number0 = Math.round(this.at);
    const neighbour = this.live ? null : this.store.at(number0 > 0 ? number0 - 1 : Math.min(1, this.store.count - 1));
    const swatch = `<span class="swatch" style="background:${css(vectorAt(this.colouring.rgb, this.chosen))};width:12px;height:12px;border-radius:3px;flex:none"></span>`;
    const html = `<h3>${swatch}${escaped(scene.bodies[this.chosen].name)}<button data-close title="Choose nothing (esc)" aria-label="Close">×</button></h3>` +
      infoOf(scene, frame, neighbour === frame ? null : neighbour, this.chosen);
    if (byId("info").innerHTML !== html) byId("info").innerHTML = html;
  }

  // Choosing, at a point of the canvas [CSS pixels].
  pickAt(x, y) {
    if (this.frame === null) return null;
    return this.renderer.pick(this.camera, x, y);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
    if (event.target instanceof HTMLSelectElement || (event.target instanceof HTMLButtonElement && event.key === " ")) return;
    const layer = Object.entries(LAYERS).find(([, l]) => l.key === event.key);
    const actions = {
      " ": () => this.toggle(), ",": () => this.stepBy(-1), ".": () => this.stepBy(1), ArrowLeft: () => this.stepBy(-1), ArrowRight: () => this.stepBy(1),
      Home: () => this.goTo(0), End: () => this.goTo(this.store.count - 1), "?": () => byId("help").showModal(), Escape: () => this.choose(-1),
      f: () => this.frameAll(), r: () => this.toStart(), t: () => this.setTheme(this.theme === "light" ? "dark" : "light"),
      g: () => { this.following = !this.following && this.chosen >= 0; this.redraw(); },
      "-": () => this.setSpeed(SPEEDS[Math.max(0, SPEEDS.indexOf(this.speed) - 1)]),
      "+": () => this.setSpeed(SPEEDS[Math.min(SPEEDS.length - 1, SPEEDS.indexOf(this.speed) + 1)]),
      "[": () => { this.overlay.forceScale /= 1.3; this.redraw(); }, "]": () => { this.overlay.forceScale *= 1.3; this.redraw(); },
    };
    actions["="] = actions["+"];
    let action = actions[event.key];
    if (layer !== undefined && !byId(`layer-${layer[0]}`).closest("label").hidden) action = () => this.setLayer(layer[0], !this.layers[layer[0]]);
    if (/^[1-6]$/.test(event.key)) action = () => this.setColours(MODES[Number(event.key) - 1]);
    if (action === undefined) return;
    action();
    event.preventDefault();
  }
}

// Between two frames: places along the line, turns along the shorter way.
function blended(a, b, f) {
  const position = new Float32Array(a.position.length), rotation = new Float32Array(a.rotation.length);
  for (let k = 0; k < position.length; ++k) position[k] = a.position[k] + f * (b.position[k] - a.position[k]);
  for (let k = 0; k < rotation.length; k += 4) {
    const p = a.rotation, q = b.rotation;
    const sign = p[k] * q[k] + p[k + 1] * q[k + 1] + p[k + 2] * q[k + 2] + p[k + 3] * q[k + 3] < 0 ? -f : f;
    let sum = 0;
    for (let c = k; c < k + 4; ++c) sum += (rotation[c] = (1 - f) * p[c] + sign * q[c]) ** 2;
    const scale = 1 / Math.sqrt(sum);
    for (let c = k; c < k + 4; ++c) rotation[c] *= scale;
  }
  return { position, rotation };
}

// Mouse, pen and fingers on the canvas.
class Pointer {
  constructor(app) {
    this.app = app;
    this.down = new Map();
    const canvas = app.canvas;
    canvas.addEventListener("pointerdown", (event) => this.press(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.release(event));
    canvas.addEventListener("pointercancel", (event) => this.release(event));
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("wheel", (event) => {
      app.camera.zoom(Math.exp(clamp(event.deltaY * (event.deltaMode === 1 ? 20 : 1), -300, 300) * 0.0012));
      app.redraw();
      event.preventDefault();
    }, { passive: false });
  }

  press(event) {
    const { app } = this, canvas = app.canvas;
    canvas.setPointerCapture(event.pointerId);
    canvas.focus();
    this.down.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.moved = 0;
    canvas.classList.add("dragging");
    if (app.live && (event.ctrlKey || event.metaKey) && event.button === 0) this.startPull(event);
  }

  startPull(event) {
    const { app } = this, hit = app.pickAt(event.offsetX, event.offsetY);
    if (hit === null || app.scene.bodies[hit.body].type !== "dynamic") return;
    const q = quaternionAt(app.frame.rotation, hit.body), from = sub(hit.point, vectorAt(app.frame.position, hit.body));
    app.pull = { body: hit.body, anchor: turned([-q[0], -q[1], -q[2], q[3]], from), depth: dot(sub(app.camera.eye, hit.point), app.camera.back) };
    this.movePull(event);
  }
  movePull(event) {
    const { app } = this, ray = app.camera.ray((2 * event.offsetX) / app.canvas.clientWidth - 1, 1 - (2 * event.offsetY) / app.canvas.clientHeight);
    app.pull.to = add(ray.origin, scaled(ray.direction, app.pull.depth / -dot(ray.direction, app.camera.back)));
    app.live.pull(app.pull.body, app.pull.anchor, add(app.pull.to, app.scene.origin));
    app.redraw();
  }

  move(event) {
    const before = this.down.get(event.pointerId), { app } = this;
    if (before === undefined) return;
    const dx = event.clientX - before.x, dy = event.clientY - before.y, height = app.canvas.clientHeight;
    this.moved += Math.abs(dx) + Math.abs(dy);
    if (app.pull) {
      this.movePull(event);
    } else if (this.down.size === 2) {
      const other = [...this.down].find(([id]) => id !== event.pointerId)[1];
      const was = Math.hypot(before.x - other.x, before.y - other.y), is = Math.hypot(event.clientX - other.x, event.clientY - other.y);
      app.camera.pan(dx / 2 / height, dy / 2 / height);
      if (is > 1) app.camera.zoom(was / is);
    } else if (event.shiftKey || event.buttons & 6) {
      app.camera.pan(dx / height, dy / height);
    } else {
      app.camera.turn((4 * dx) / height, (4 * dy) / height);
    }
    this.down.set(event.pointerId, { x: event.clientX, y: event.clientY });
    app.redraw();
  }

  release(event) {
    const { app } = this;
    if (!this.down.delete(event.pointerId)) return;
    if (this.down.size === 0) app.canvas.classList.remove("dragging");
    if (app.pull) {
      app.pull = null;
      app.live.letGo();
      app.redraw();
    } else if (this.moved < 4 && event.button === 0 && event.type === "pointerup") {
      app.choose(app.pickAt(event.offsetX, event.offsetY)?.body ?? -1);
    }
  }
}

// What goes wrong is said on the page.
function fail(error) {
  byId("message").hidden = false;
  byId("message").textContent = String(error.message ?? error);
}

inflated(byId("scene").textContent)
  .then((buffer) => { window.cairn = new App(new Scene(JSON.parse(new TextDecoder().decode(buffer)))); })
  .catch((error) => { fail(error); throw error; });
