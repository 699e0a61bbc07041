"use strict";
// Colours of bodies, and the legends that say what they mean. Colours are [red, green, blue] from 0 to 1, as a screen has them.

// From Oklab's cylinder (Ottosson 2020): equally light, whatever the hue.
function oklch(lightness, chroma, hue) {
  const a = chroma * Math.cos(hue), b = chroma * Math.sin(hue);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s, -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s].map((x) => {
    const held = clamp(x, 0, 1);
    return held <= 0.0031308 ? 12.92 * held : 1.055 * held ** (1 / 2.4) - 0.055;
  });
}

const GOLDEN = 2.399963229728653;
const byNumber = (k, chroma = 0.095) => oklch(0.72 + 0.05 * (((k * 7) % 3) - 1), chroma, 0.4 + k * GOLDEN);

const COLOURS = {
  still: oklch(0.78, 0.008, 4.5),
  kinematic: oklch(0.66, 0.07, 4.4),
  none: oklch(0.7, 0.012, 4.5),
  awake: oklch(0.75, 0.13, 1.15),
  asleep: oklch(0.62, 0.06, 4.4),
  sensor: oklch(0.8, 0.12, 1.6),
};

// A scale from dark blue by green to yellow.
const SCALE = [[0.0, 0.46, 0.09, 4.75], [0.25, 0.55, 0.1, 4.3], [0.5, 0.63, 0.11, 3.2], [0.75, 0.78, 0.16, 2.3], [1, 0.92, 0.17, 1.85]];
const RAMP = Array.from({ length: 256 }, (_, k) => {
  const x = k / 255;
  let i = 0;
  while (i < SCALE.length - 2 && x > SCALE[i + 1][0]) ++i;
  const f = (x - SCALE[i][0]) / (SCALE[i + 1][0] - SCALE[i][0]), mix = (c) => SCALE[i][c] + f * (SCALE[i + 1][c] - SCALE[i][c]);
  return oklch(mix(1), mix(2), mix(3));
});
const onScale = (x) => RAMP[Math.round(255 * clamp(x, 0, 1))];
const css = (c) => `rgb(${c.map((x) => Math.round(255 * x)).join(" ")})`;

// What is below any rounding is nothing.
const si = (x) => (Math.abs(x) < 1e-9 ? "0" : Math.abs(x) >= 1e5 || Math.abs(x) < 1e-3 ? x.toExponential(1) : String(Number(x.toPrecision(3))));

class Colouring {
  constructor(scene) {
    this.scene = scene;
    this.mode = "body";
    const n = scene.bodies.length;
    this.rgb = new Float32Array(3 * n);
    this.names = scene.bodies.map((body, k) => (body.type === "static" ? COLOURS.still : body.type === "kinematic" ? COLOURS.kinematic : byNumber(k)));
    this.fastest = 0;
    this.strongest = 0;  // byte
    this.graphColours = 0;
  }

  // Why this way of colouring cannot be had; empty: it can.
  missing(mode) {
    const channel = { force: "forces", island: "islands", graph: "colours", sleep: "asleep" }[mode];
    if (channel === undefined || this.scene.channels[channel]) return "";
    return mode === "sleep" ? "the World ran without sleeping" : "the recording does not have it";
  }

  update(frame) {
    const scene = this.scene;
    if (this.mode === "speed") this.watchSpeeds(frame);
    if (this.mode === "force") for (const byte of frame.forces) this.strongest = Math.max(this.strongest, byte);
    if (this.mode === "graph") for (const byte of frame.colours) this.graphColours = Math.max(this.graphColours, byte);
    const members = new Map();
    if (this.mode === "island") for (const island of frame.islands) members.set(island, (members.get(island) ?? 0) + 1);
    for (let i = 0; i < scene.bodies.length; ++i) {
      const type = scene.bodies[i].type;
      this.rgb.set(type === "static" || (type === "kinematic" && this.mode !== "speed") ? this.names[i] : this.of(i, frame, members), 3 * i);
    }
    return this.rgb;
  }

  of(i, frame, members) {
    switch (this.mode) {
      case "speed": return onScale(Math.sqrt(norm(vectorAt(frame.velocity, i)) / (this.fastest || 1)));
      case "force": return frame.forces[i] === 0 ? COLOURS.none : onScale(1 - (this.strongest - frame.forces[i]) / 60);
      case "island": return members.get(frame.islands[i]) < 2 ? COLOURS.none : byNumber(frame.islands[i], 0.11);
      case "graph": return frame.colours[i] === 0 ? COLOURS.none : byNumber(frame.colours[i] - 1, 0.12);
      case "sleep": return frame.asleep[i] ? COLOURS.asleep : COLOURS.awake;
      default: return this.names[i];
    }
  }

  // The largest that was seen, but for the few that fly off.
  watchSpeeds(frame) {
    const speeds = this.scene.dynamic.map((i) => norm(vectorAt(frame.velocity, i)));
    const fastest = quantile(speeds, speeds.length > 50 ? 0.995 : 1);
    this.fastest = Math.max(this.fastest, fastest);
  }

  legend() {
    const scale = (low, high) => `<div class="scale" style="background:linear-gradient(90deg,${[0, 64, 128, 192, 255].map((k) => css(RAMP[k])).join(",")})"></div>
      <div class="ends"><span>${low}</span><span>${high}</span></div>`;
    const keys = (list) => list.map(([colour, text]) => `<div class="key"><span class="swatch" style="background:${css(colour)}"></span>${text}</div>`).join("");
    switch (this.mode) {
      case "speed": return scale("0", `${si(this.fastest)} m/s`);
      case "force": return scale(`${si(forceOf(Math.max(1, this.strongest - 60)))} N`, `${si(forceOf(this.strongest))} N`) + keys([[COLOURS.none, "touches nothing"]]);
      case "island": return keys([[COLOURS.none, "alone"]]) + "bodies of one colour touch or are joined";
      case "graph": return `<div>the last colour of a body's constraints</div>` +
        `<div class="row" style="justify-content:flex-start;flex-wrap:wrap;gap:4px">` +
        Array.from({ length: this.graphColours }, (_, k) => `<span class="key"><span class="swatch" style="background:${css(byNumber(k, 0.12))}"></span>${k}</span>`).join("") +
        `</div>` + keys([[COLOURS.none, "none"]]);
      case "sleep": return keys([[COLOURS.awake, "awake"], [COLOURS.asleep, "asleep"]]);
      default: return "";
    }
  }
}
