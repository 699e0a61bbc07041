"use strict";
// Draws a frame: one call for each kind of triangles. Where bodies are, how they lie and their colours are in a texture, what their shapes are in another,
// and the numbers of the shapes to be drawn are the instances.

const TEXTURE_WIDTH = 1024;
const SHADOW_SIZE = 2048;
const MOST_EDGES = 3000;           // of an outline
const LEVEL_PIXELS = [150, 28];  // shapes smaller than these take a coarser kind

const THEMES = {
  light: { background: [0.933, 0.941, 0.953], ground: [0.875, 0.885, 0.9], line: [0.66, 0.69, 0.73], sky: [0.58, 0.62, 0.68], below: [0.29, 0.27, 0.26],
    sun: [0.62, 0.58, 0.52], shadow: 0.32, accent: [0.15, 0.45, 0.95], edge: [0.35, 0.39, 0.45] },
  dark: { background: [0.086, 0.098, 0.118], ground: [0.14, 0.155, 0.18], line: [0.27, 0.3, 0.345], sky: [0.36, 0.4, 0.47], below: [0.13, 0.125, 0.125],
    sun: [0.6, 0.56, 0.5], shadow: 0.55, accent: [0.45, 0.72, 1.0], edge: [0.55, 0.6, 0.68] },
};

// A shader's text, with those that it includes.
const sourceOf = (name) => byId(name).textContent.trim().replace(/^\/\/ include: (\S+)$/gm, (_, other) => sourceOf(other));

class Renderer {
  constructor(canvas, scene) {
    const gl = canvas.getContext("webgl2", { antialias: true, alpha: false, powerPreference: "high-performance" });
    if (gl === null) throw new Error("This page needs WebGL 2, which this browser does not give it.");
    this.gl = gl;
    this.canvas = canvas;
    this.scene = scene;
    this.programs = {
      shape: this.program("shape.vert", "shape.frag"), pick: this.program("shape.vert", "pick.frag"), shadow: this.program("shape.vert", "shadow.frag"),
      plane: this.program("plane.vert", "plane.frag"), line: this.program("line.vert", "line.frag"),
    };
    const texels = scene.shapeTexels(TEXTURE_WIDTH);
    this.shapeTexture = this.floatTexture(texels.rows, texels.data);
    this.bodyRows = Math.max(1, Math.ceil((3 * scene.bodies.length) / TEXTURE_WIDTH));
    this.bodyData = new Float32Array(4 * TEXTURE_WIDTH * this.bodyRows);
    this.bodyTexture = this.floatTexture(this.bodyRows, this.bodyData);
    this.kinds = [];
    for (const [name, kind] of kindsOf(scene)) {
      const shapes = scene.shapes.filter((shape) => shape.kind === name);
      this.kinds.push({ name, round: kind.round, twoSided: kind.twoSided, levels: kind.levels.map((level) => this.mesh(level)), shapes,
        edges: kind.edges, mayContain: kind.mesh && shapes.every((shape) => scene.bodies[shape.body].type !== "dynamic") });
    }
    this.planes = scene.shapes.filter((shape) => shape.type === "half_space");
    this.emptyArray = gl.createVertexArray();
    this.lineArray = this.makeLineArray();
    this.shadow = this.makeShadow();
    const [east, north] = sidesOf(scene.up);
    this.sun = unit(add(scene.up, add(scaled(east, -0.42), scaled(north, -0.5))));
    this.pickBuffer = null;
    this.still = new Still(scene);
    this.isGround = Float32Array.from(scene.bodies, (body) => (body.type === "static" && body.reach > 4 * scene.bodySize ? 0.5 : 0));
  }

  program(vertex, fragment) {
    const gl = this.gl, program = gl.createProgram();
    for (const [name, type] of [[vertex, gl.VERTEX_SHADER], [fragment, gl.FRAGMENT_SHADER]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, sourceOf(name));
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(`${name}: ${gl.getShaderInfoLog(shader)}`);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(`${vertex}: ${gl.getProgramInfoLog(program)}`);
    const at = {};
    for (let k = 0; k < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); ++k) {
      const name = gl.getActiveUniform(program, k).name;
      at[name] = gl.getUniformLocation(program, name);
    }
    return { program, at };
  }

  // Values of uniforms by their names: those that the program has not are left out.
  use(program, values) {
    const gl = this.gl;
    gl.useProgram(program.program);
    for (const [name, value] of Object.entries(values)) {
      const at = program.at[name];
      if (at === undefined) continue;
      if (typeof value === "number") gl.uniform1f(at, value);
      else if (value.length === 2) gl.uniform2fv(at, value);
      else if (value.length === 3) gl.uniform3fv(at, value);
      else gl.uniformMatrix4fv(at, false, value);
    }
    const units = { shapes: [0, this.shapeTexture], bodies: [1, this.bodyTexture], shadows: [2, this.shadow.texture] };
    for (const [name, [unitNumber, texture]] of Object.entries(units)) {
      if (program.at[name] === undefined) continue;
      gl.activeTexture(gl.TEXTURE0 + unitNumber);
      gl.bindTexture(gl.TEXTURE_2D, texture);
      gl.uniform1i(program.at[name], unitNumber);
    }
  }

  floatTexture(rows, data) {
    const gl = this.gl, texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA32F, TEXTURE_WIDTH, rows);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, TEXTURE_WIDTH, rows, gl.RGBA, gl.FLOAT, data);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    return texture;
  }

  mesh(triangles) {
    const gl = this.gl, array = gl.createVertexArray();
    gl.bindVertexArray(array);
    const attribute = (place, data, size) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, size, gl.FLOAT, false, 0, 0);
    };
    attribute(0, triangles.positions, 4);
    attribute(1, triangles.normals, 3);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, triangles.corners, gl.STATIC_DRAW);
    const instances = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, instances);
    gl.enableVertexAttribArray(2);
    gl.vertexAttribIPointer(2, 1, gl.UNSIGNED_INT, 0, 0);
    gl.vertexAttribDivisor(2, 1);
    gl.bindVertexArray(null);
    return { array, instances, corners: triangles.corners.length };
  }

  makeLineArray() {
    const gl = this.gl, array = gl.createVertexArray(), buffer = gl.createBuffer();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    for (const [place, size, offset] of [[0, 3, 0], [1, 3, 12], [2, 4, 24]]) {
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, size, gl.FLOAT, false, 40, offset);
      gl.vertexAttribDivisor(place, 1);
    }
    gl.bindVertexArray(null);
    return { array, buffer };
  }

  makeShadow() {
    const gl = this.gl, texture = gl.createTexture(), buffer = gl.createFramebuffer();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, SHADOW_SIZE, SHADOW_SIZE);
    for (const [name, value] of [["MIN_FILTER", gl.LINEAR], ["MAG_FILTER", gl.LINEAR], ["WRAP_S", gl.CLAMP_TO_EDGE], ["WRAP_T", gl.CLAMP_TO_EDGE],
      ["COMPARE_MODE", gl.COMPARE_REF_TO_TEXTURE], ["COMPARE_FUNC", gl.LEQUAL]]) gl.texParameteri(gl.TEXTURE_2D, gl[`TEXTURE_${name}`], value);
    gl.bindFramebuffer(gl.FRAMEBUFFER, buffer);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, texture, 0);
    gl.drawBuffers([gl.NONE]);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return { texture, buffer, matrix: new Float32Array(16), fresh: false };
  }

  // What is drawn from now on: places and turns of bodies, their colours, and the chosen one, -1: none.
  setBodies(position, rotation, rgb, chosen) {
    const data = this.bodyData;
    for (let i = 0; i < this.scene.bodies.length; ++i) {
      const at = 12 * i, p = 3 * i, q = 4 * i;
      data[at] = position[p]; data[at + 1] = position[p + 1]; data[at + 2] = position[p + 2];
      data[at + 4] = rotation[q]; data[at + 5] = rotation[q + 1]; data[at + 6] = rotation[q + 2]; data[at + 7] = rotation[q + 3];
      data[at + 8] = rgb[p]; data[at + 9] = rgb[p + 1]; data[at + 10] = rgb[p + 2]; data[at + 11] = this.isGround[i] || (i === chosen ? 1 : 0);
    }
    const gl = this.gl;
    gl.bindTexture(gl.TEXTURE_2D, this.bodyTexture);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, TEXTURE_WIDTH, this.bodyRows, gl.RGBA, gl.FLOAT, data);
    this.position = position;
    this.rotation = rotation;
    this.shadow.fresh = false;
  }

  resize() {
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const width = Math.max(1, Math.round(this.canvas.clientWidth * ratio)), height = Math.max(1, Math.round(this.canvas.clientHeight * ratio));
    if (this.canvas.width === width && this.canvas.height === height) return;
    this.canvas.width = width;
    this.canvas.height = height;
  }

  outline(lines, kind, colour) {
    if (typeof kind.edges === "function") kind.edges = kind.edges();
    if (kind.edges.length > MOST_EDGES) return;
    for (const shape of kind.shapes) {
      const pose = composed({ p: vectorAt(this.position, shape.body), q: quaternionAt(this.rotation, shape.body) }, shape.pose);
      for (const ends of kind.edges) lines.add(...ends.map((p) => add(pose.p, turned(pose.q, p))), colour, 1.3);
    }
  }

  // Whether it has something on each side of what moves.
  standsAround(shape, around) {
    const pose = composed({ p: vectorAt(this.position, shape.body), q: quaternionAt(this.rotation, shape.body) }, shape.pose);
    const box = worldBox(this.scene, shape, pose);
    return sidesOf(this.scene.up).flatMap((side) => [side, scaled(side, -1)]).every((side) => {
      const furthest = side.reduce((sum, x, k) => sum + Math.max(x * (box.low[k] - around.middle[k]), x * (box.high[k] - around.middle[k])), 0);
      return furthest >= 0.8 * reachOfBox(around.half, side);
    });
  }

  // Shapes into what is solid, fine or coarse, and what is glass.
  sort(camera, layers, around) {
    const pixels = this.canvas.height / (2 * TANGENT);
    const glassWalls = layers.walls ? this.still.hiding(camera, this.position, this.rotation) : new Set();
    this.lists = this.kinds.map((kind) => {
      const list = { kind, levels: kind.levels.map(() => []), glass: [] };
      list.opened = layers.walls && kind.mayContain && kind.shapes.some((shape) => this.standsAround(shape, around));
      for (const shape of kind.shapes) {
        const i = shape.body, p = this.position;
        if (shape.sensor || glassWalls.has(shape)) {
          list.glass.push(shape.number);
          continue;
        }
        let level = 0;
        if (kind.levels.length > 1) {
          const dx = p[3 * i] - camera.eye[0], dy = p[3 * i + 1] - camera.eye[1], dz = p[3 * i + 2] - camera.eye[2];
          const size = Math.max(shape.size[0], shape.size[1], shape.size[2]) + shape.halfHeight;
          const wide = (2 * size * pixels) / Math.sqrt(dx * dx + dy * dy + dz * dz);
          level = wide < LEVEL_PIXELS[1] ? 2 : wide < LEVEL_PIXELS[0] ? 1 : 0;
        }
        list.levels[level].push(shape.number);
      }
      return list;
    });
    return glassWalls;
  }

  drawShapes(mesh, numbers) {
    if (numbers.length === 0) return;
    const gl = this.gl;
    gl.bindVertexArray(mesh.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, mesh.instances);
    gl.bufferData(gl.ARRAY_BUFFER, Uint32Array.from(numbers), gl.STREAM_DRAW);
    gl.drawElementsInstanced(gl.TRIANGLES, mesh.corners, gl.UNSIGNED_INT, 0, numbers.length);
  }

  // `least`: no level finer than this one, where there are several.
  drawSolid(program, least = 0) {
    const gl = this.gl;
    for (const { kind, levels, opened } of this.lists) {
      gl.uniform1f(program.at.opened, opened ? 1 : 0);
      if (kind.twoSided) gl.disable(gl.CULL_FACE); else gl.enable(gl.CULL_FACE);
      if (program.at.pattern !== undefined) gl.uniform1f(program.at.pattern, kind.round ? 0.1 : 0);
      levels.forEach((numbers, k) => this.drawShapes(kind.levels[Math.min(Math.max(k, least), kind.levels.length - 1)], numbers));
    }
    gl.enable(gl.CULL_FACE);
  }

  // From the sun, of what moves and what it lies on.
  drawShadow(opening, { middle, reach }) {
    const gl = this.gl, [a, b] = sidesOf(this.sun);
    const view = viewMatrix(a, b, this.sun, middle);
    this.shadow.matrix = product(orthographic(reach, -4 * reach, 4 * reach), view);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadow.buffer);
    gl.viewport(0, 0, SHADOW_SIZE, SHADOW_SIZE);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(1.5, 3);
    this.use(this.programs.shadow, { ...opening, matrix: this.shadow.matrix, shadowMatrix: this.shadow.matrix });
    this.drawSolid(this.programs.shadow, 1);
    gl.disable(gl.POLYGON_OFFSET_FILL);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    this.shadow.fresh = true;
  }

  draw(camera, themeName, layers, lines, around) {
    const gl = this.gl, theme = THEMES[themeName];
    this.resize();
    camera.aspect = this.canvas.width / this.canvas.height;
    camera.update();
    const glassWalls = this.sort(camera, layers, around), half = reachOfBox(around.half, this.scene.up);
    // Walls end a little above what the lowest body lies on.
    this.opening = { eye: camera.eye, up: this.scene.up, bodiesMiddle: around.middle, bodiesHalf: around.half,
      bodiesLow: dot(around.middle, this.scene.up) - 0.97 * half };
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.disable(gl.BLEND);
    gl.depthMask(true);
    this.drawShadow(this.opening, around);
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(...theme.background, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const light = { matrix: camera.matrix, shadowMatrix: this.shadow.matrix, shadowTexel: 1 / SHADOW_SIZE, shadowOffset: (3 * around.reach) / SHADOW_SIZE };
    const [east, north] = sidesOf(this.scene.up), gridStep = 10 ** Math.floor(Math.log10(Math.max(camera.distance, 1e-6) / 3));
    // The grid is that of the world's coordinates.
    Object.assign(light, { east, north, gridStep, middle: around.middle, reach: Math.max(9 * around.reach, 2.5 * camera.distance), background: theme.background,
      ground: theme.ground, line: theme.line, shadowDepth: theme.shadow, gridOrigin: scaled(this.scene.origin, -1) });
    const shading = { ...light, ...this.opening, sun: this.sun, skyLight: theme.sky, groundLight: theme.below, sunLight: theme.sun,
      accent: theme.accent, opacity: 1, pattern: 0 };
    this.use(this.programs.shape, shading);
    this.drawSolid(this.programs.shape);
    this.drawPlanes(camera, light, around);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.depthMask(false);
    this.use(this.programs.shape, { ...shading, opacity: 0.1 });
    for (const { kind, glass, opened, levels } of this.lists) {
      gl.uniform1f(this.programs.shape.at.opened, opened ? -1 : 0);
      this.drawShapes(kind.levels[0], opened ? levels[0] : glass);
    }
    for (const { kind, opened } of this.lists) if (opened) this.outline(lines, kind, theme.edge);
    for (const shape of glassWalls) this.still.outline(lines, shape, this.position, this.rotation, theme.edge);
    this.drawLines(camera, lines);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }

  // Half-spaces are seen from their open side; those that stand only as far as there is something.
  drawPlanes(camera, light, around) {
    const gl = this.gl;
    gl.disable(gl.CULL_FACE);
    for (const shape of this.planes) {
      const pose = composed({ p: vectorAt(this.position, shape.body), q: quaternionAt(this.rotation, shape.body) }, shape.pose);
      const normal = turned(pose.q, [0, 1, 0]);
      if (dot(sub(camera.eye, pose.p), normal) <= 0) continue;
      const reach = dot(normal, this.scene.up) > 0.5 ? light.reach : 1.6 * around.reach;
      const foot = sub(around.middle, scaled(normal, dot(sub(around.middle, pose.p), normal)));
      const sideA = scaled(turned(pose.q, [1, 0, 0]), reach), sideB = scaled(turned(pose.q, [0, 0, 1]), reach);
      this.use(this.programs.plane, { ...light, corner: sub(foot, add(sideA, sideB)), sideA: scaled(sideA, 2), sideB: scaled(sideB, 2) });
      gl.bindVertexArray(this.emptyArray);
      gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    }
    gl.enable(gl.CULL_FACE);
  }

  // What lies behind something shines through a little.
  drawLines(camera, lines) {
    if (lines.count === 0) return;
    const gl = this.gl;
    gl.disable(gl.CULL_FACE);
    gl.bindVertexArray(this.lineArray.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.lineArray.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, lines.data.subarray(0, 10 * lines.count), gl.STREAM_DRAW);
    for (const [test, opacity] of [[gl.GREATER, lines.behind], [gl.LEQUAL, 1]]) {
      gl.depthFunc(test);
      this.use(this.programs.line, { matrix: camera.matrix, size: [this.canvas.width, this.canvas.height], nearer: 1e-5, opacity });
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, lines.count);
    }
    gl.depthFunc(gl.LEQUAL);
    gl.enable(gl.CULL_FACE);
  }

  // What is seen at a point of the picture [CSS pixels]: {body, point}; null: none.
  pick(camera, x, y) {
    const gl = this.gl, ratio = this.canvas.width / this.canvas.clientWidth;
    const px = clamp(Math.floor(x * ratio), 0, this.canvas.width - 1), py = clamp(this.canvas.height - 1 - Math.floor(y * ratio), 0, this.canvas.height - 1);
    this.makePickBuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.pickBuffer.buffer);
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.enable(gl.SCISSOR_TEST);
    gl.scissor(px, py, 1, 1);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    this.use(this.programs.pick, { ...this.opening, matrix: camera.matrix, shadowMatrix: this.shadow.matrix });
    this.drawSolid(this.programs.pick);
    const bytes = new Uint8Array(4);
    const read = (attachment) => {
      gl.readBuffer(attachment);
      gl.readPixels(px, py, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
      return bytes[0] + 256 * bytes[1] + 65536 * bytes[2];
    };
    const body = read(gl.COLOR_ATTACHMENT0) - 1, z = read(gl.COLOR_ATTACHMENT1) / 16777215;
    gl.readBuffer(gl.COLOR_ATTACHMENT0);
    gl.disable(gl.SCISSOR_TEST);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    if (body < 0) return null;
    const depth = (2 * camera.near * camera.far) / (camera.far + camera.near - (2 * z - 1) * (camera.far - camera.near));
    const ray = camera.ray((2 * (px + 0.5)) / this.canvas.width - 1, (2 * (py + 0.5)) / this.canvas.height - 1);
    return { body, point: add(ray.origin, scaled(ray.direction, depth / -dot(ray.direction, camera.back))) };
  }

  makePickBuffer() {
    const gl = this.gl, { width, height } = this.canvas;
    if (this.pickBuffer?.width === width && this.pickBuffer?.height === height) return;
    if (this.pickBuffer !== null) {
      gl.deleteFramebuffer(this.pickBuffer.buffer);
      this.pickBuffer.rooms.forEach((room) => gl.deleteRenderbuffer(room));
    }
    const buffer = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, buffer);
    const rooms = [[gl.COLOR_ATTACHMENT0, gl.RGBA8], [gl.COLOR_ATTACHMENT1, gl.RGBA8], [gl.DEPTH_ATTACHMENT, gl.DEPTH_COMPONENT24]].map(([place, format]) => {
      const room = gl.createRenderbuffer();
      gl.bindRenderbuffer(gl.RENDERBUFFER, room);
      gl.renderbufferStorage(gl.RENDERBUFFER, format, width, height);
      gl.framebufferRenderbuffer(gl.FRAMEBUFFER, place, gl.RENDERBUFFER, room);
      return room;
    });
    gl.drawBuffers([gl.COLOR_ATTACHMENT0, gl.COLOR_ATTACHMENT1]);
    this.pickBuffer = { buffer, rooms, width, height };
  }
}
