"use strict";
// Triangles of the shapes' types, about their origins and of size one: position (x, y, z, and how many half heights are added to y) and normal.

const CREASE = Math.cos((38 * Math.PI) / 180);  // edges of surfaces that are sharper stay edges

class Triangles {
  constructor() {
    this.positions = [];
    this.normals = [];
    this.corners = [];
  }
  vertex(p, normal, halfHeights = 0) {
    this.positions.push(p[0], p[1], p[2], halfHeights);
    this.normals.push(...normal);
    return this.positions.length / 4 - 1;
  }
  quad(a, b, c, d) { this.corners.push(a, b, c, a, c, d); }
  arrays() {
    return { positions: new Float32Array(this.positions), normals: new Float32Array(this.normals), corners: new Uint32Array(this.corners) };
  }
}

function boxTriangles() {
  const t = new Triangles();
  for (let axis = 0; axis < 3; ++axis) {
    for (const side of [-1, 1]) {
      const normal = [0, 0, 0], u = [0, 0, 0], v = [0, 0, 0];
      normal[axis] = side;
      u[(axis + 1) % 3] = 1;
      v[(axis + 2) % 3] = side;
      const corner = (a, b) => t.vertex(add(normal, add(scaled(u, a), scaled(v, b))), normal);
      t.quad(corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1));
    }
  }
  return t.arrays();
}

// Rows from the lower pole to the upper one; a capsule's halves are half heights apart.
function ballTriangles(around, rows, capsule) {
  const t = new Triangles(), angles = [];
  for (let row = 0; row <= rows; ++row) angles.push([-0.5 * Math.PI + (Math.PI * row) / rows, capsule ? (2 * row < rows ? -1 : 1) : 0]);
  if (capsule) angles.splice(rows / 2, 0, [0, -1]);
  const rings = angles.map(([angle, halfHeights]) => {
    const ring = [];
    for (let k = 0; k <= around; ++k) {
      const phi = (2 * Math.PI * k) / around;
      const p = [Math.cos(angle) * Math.sin(phi), Math.sin(angle), Math.cos(angle) * Math.cos(phi)];
      ring.push(t.vertex(p, p, halfHeights));
    }
    return ring;
  });
  for (let row = 0; row + 1 < rings.length; ++row) {
    for (let k = 0; k < around; ++k) t.quad(rings[row][k], rings[row][k + 1], rings[row + 1][k + 1], rings[row + 1][k]);
  }
  return t.arrays();
}

// A cylinder, or a cone with its apex above.
function roundTriangles(around, cone) {
  const t = new Triangles();
  const at = (k, y, r) => [r * Math.sin((2 * Math.PI * k) / around), y, r * Math.cos((2 * Math.PI * k) / around)];
  const disc = (y, normal) => {
    const middle = t.vertex([0, y, 0], normal);
    for (let k = 0; k < around; ++k) {
      const a = t.vertex(at(k, y, 1), normal), b = t.vertex(at(k + 1, y, 1), normal);
      t.corners.push(middle, ...(y < 0 ? [b, a] : [a, b]));
    }
  };
  const slope = cone ? 0.5 : 0;  // of a cone of height two and radius one
  for (let k = 0; k < around; ++k) {
    const outward = (j) => unit(add(at(j, 0, 1), [0, slope, 0]));
    const top = cone ? 0 : 1;
    t.quad(t.vertex(at(k, -1, 1), outward(k)), t.vertex(at(k + 1, -1, 1), outward(k + 1)),
      t.vertex(at(k + 1, 1, top), outward(cone ? k + 0.5 : k + 1)), t.vertex(at(k, 1, top), outward(cone ? k + 0.5 : k)));
  }
  disc(-1, [0, -1, 0]);
  if (!cone) disc(1, [0, 1, 0]);
  return t.arrays();
}

// A surface with normals that are smooth where it is; hulls have their faces.
function surfaceTriangles(surface) {
  const { vertices, triangles } = surface, t = new Triangles(), count = triangles.length / 3;
  const faces = [];  // normals, as long as the triangles are large
  const around = new Map();  // by place: the triangles there
  const keyOf = (v) => `${vertices[3 * v]},${vertices[3 * v + 1]},${vertices[3 * v + 2]}`;
  const keys = new Map();
  for (let k = 0; k < count; ++k) {
    const [a, b, c] = [0, 1, 2].map((corner) => vectorAt(vertices, triangles[3 * k + corner]));
    faces.push(cross(sub(b, a), sub(c, a)));
    for (let corner = 0; corner < 3; ++corner) {
      const v = triangles[3 * k + corner];
      if (!keys.has(v)) keys.set(v, keyOf(v));
      const key = keys.get(v);
      if (!around.has(key)) around.set(key, []);
      around.get(key).push(k);
    }
  }
  const units = faces.map((normal) => unit(normal));
  const crease = surface.kind === "hull" ? 0.9999 : CREASE;
  for (let k = 0; k < count; ++k) {
    for (let corner = 0; corner < 3; ++corner) {
      const v = triangles[3 * k + corner];
      let normal = [0, 0, 0];
      for (const other of around.get(keys.get(v))) if (dot(units[other], units[k]) >= crease) normal = add(normal, faces[other]);
      t.corners.push(t.vertex(vectorAt(vertices, v), unit(normal, units[k])));
    }
  }
  return t.arrays();
}

// Edges of a surface that are sharp or borders, as pairs of places: its outline.
function sharpEdges(surface) {
  const { vertices, triangles } = surface, edges = new Map();
  for (let k = 0; k < triangles.length; k += 3) {
    const corners = [0, 1, 2].map((corner) => vectorAt(vertices, triangles[k + corner]));
    const normal = unit(cross(sub(corners[1], corners[0]), sub(corners[2], corners[0])));
    for (let c = 0; c < 3; ++c) {
      const ends = [corners[c], corners[(c + 1) % 3]], key = ends.map(String).sort().join(" ");
      if (!edges.has(key)) edges.set(key, { ends, normals: [] });
      edges.get(key).normals.push(normal);
    }
  }
  return [...edges.values()].filter(({ normals }) => normals.length !== 2 || dot(...normals) < CREASE).map(({ ends }) => ends);
}

// The kinds of triangles that the scene's shapes are drawn with: of round ones a fine, a middle and a coarse one, for what is near and what is far.
function kindsOf(scene) {
  const kinds = new Map();
  const make = (name, levels, options = {}) => kinds.set(name, { levels, ...options });
  const rounds = (of) => [40, 22, 12].map(of);
  for (const shape of scene.shapes) {
    const name = shape.surface >= 0 ? `surface ${shape.surface}` : shape.type;
    shape.kind = name;
    if (kinds.has(name)) continue;
    switch (shape.type) {
      case "box": make(name, [boxTriangles()]); break;
      case "sphere":
      case "ellipsoid": make(name, rounds((around) => ballTriangles(around, 2 * Math.ceil(around / 4), false)), { round: true }); break;
      case "capsule": make(name, rounds((around) => ballTriangles(around, 2 * Math.ceil(around / 4), true)), { round: true }); break;
      case "cylinder": make(name, rounds((around) => roundTriangles(around, false)), { round: true }); break;
      case "cone": make(name, rounds((around) => roundTriangles(around, true)), { round: true }); break;
      case "half_space": break;
      default: {
        const surface = scene.surfaces[shape.surface];
        make(name, [surfaceTriangles(surface)], { twoSided: surface.twoSided, mesh: surface.kind === "mesh", edges: () => sharpEdges(surface) });
      }
    }
  }
  return kinds;
}
