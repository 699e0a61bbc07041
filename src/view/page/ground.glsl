// The ground under a scene, with a grid of its own that goes over into the background with the distance.

uniform vec3 background;
uniform vec3 ground;
uniform vec3 line;
uniform vec3 east;        // with north, the directions of the grid: unit, level
uniform vec3 north;
uniform vec3 gridOrigin;
uniform float gridStep;   // [m]
uniform vec3 middle;      // of the scene
uniform float reach;      // from the middle, where all is background [m]
uniform float shadowDepth;
uniform sampler2DShadow shadows;
uniform float shadowTexel;

// How much of the sun comes through, from 0 to 1, with soft edges.
float sunAt(vec3 place, float less, int wide) {
  if (any(lessThan(place, vec3(0.0))) || any(greaterThan(place, vec3(1.0)))) return 1.0;
  float sum = 0.0;
  for (int x = -wide; x <= wide; ++x) {
    for (int y = -wide; y <= wide; ++y) sum += texture(shadows, vec3(place.xy + shadowTexel * vec2(x, y), place.z - less));
  }
  return sum / float((2 * wide + 1) * (2 * wide + 1));
}

float gridLines(vec2 along, float step) {
  vec2 at = along / step;
  vec2 width = max(fwidth(at), vec2(1e-6));
  vec2 off = abs(fract(at - 0.5) - 0.5) / width;
  vec2 on = (1.0 - smoothstep(0.4, 1.4, off)) * clamp(0.35 / width, 0.0, 1.0);
  return max(on.x, on.y);
}

float farAway(vec3 world) { return smoothstep(0.2, 1.0, length(world - middle) / reach); }

vec3 groundAt(vec3 world, vec3 shadowPlace) {
  vec2 along = vec2(dot(world - gridOrigin, east), dot(world - gridOrigin, north));
  float grid = max(0.4 * gridLines(along, gridStep), 0.85 * gridLines(along, 10.0 * gridStep));
  float light = mix(1.0 - shadowDepth, 1.0, sunAt(shadowPlace, 0.0008, 2));
  return mix(ground, line, grid) * light;
}
