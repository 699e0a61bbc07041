#version 300 es
precision highp float;
precision highp sampler2DShadow;

in vec3 world;
in vec2 along;
in vec3 shadowPlace;

uniform sampler2DShadow shadows;
uniform float shadowTexel;
uniform vec3 background;
uniform vec3 ground;
uniform vec3 line;
uniform vec2 gridOrigin;
uniform float gridStep;   // [m]
uniform float reach;      // from the middle, where the plane has gone over into the background [m]
uniform float shadowDepth;

out vec4 pixel;

float lines(float step) {
  vec2 at = (along + gridOrigin) / step;
  vec2 width = max(fwidth(at), vec2(1e-6));
  vec2 off = abs(fract(at - 0.5) - 0.5) / width;
  vec2 on = (1.0 - smoothstep(0.4, 1.4, off)) * clamp(0.35 / width, 0.0, 1.0);
  return max(on.x, on.y);
}

void main() {
  float fade = 1.0 - smoothstep(0.25, 1.0, length(along) / reach);
  float light = 1.0;
  if (all(greaterThan(shadowPlace, vec3(0.0))) && all(lessThan(shadowPlace, vec3(1.0)))) {
    float sum = 0.0;
    for (int x = -2; x <= 2; ++x) {
      for (int y = -2; y <= 2; ++y) sum += texture(shadows, vec3(shadowPlace.xy + shadowTexel * vec2(x, y), shadowPlace.z - 0.0006));
    }
    light = mix(1.0 - shadowDepth, 1.0, sum / 25.0);
  }
  float grid = max(0.45 * lines(gridStep), 0.9 * lines(10.0 * gridStep));
  vec3 colour = mix(ground, line, grid) * light;
  pixel = vec4(mix(background, colour, fade), 1.0);
}
