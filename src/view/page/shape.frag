#version 300 es
precision highp float;
precision highp sampler2DShadow;

in vec3 world;
in vec3 worldNormal;
in vec3 local;
in vec4 colour;
in vec3 shadowPlace;

uniform sampler2DShadow shadows;
uniform vec3 eye;
uniform vec3 up;
uniform vec3 sun;         // unit, towards it
uniform vec3 skyLight;
uniform vec3 groundLight;
uniform vec3 sunLight;
uniform float shadowTexel;
uniform float opacity;    // below one for glass
uniform float pattern;    // how much round shapes show how they turn
uniform vec3 accent;      // of what is chosen

out vec4 pixel;

float lit(float slope) {
  if (any(lessThan(shadowPlace, vec3(0.0))) || any(greaterThan(shadowPlace, vec3(1.0)))) return 1.0;
  float depth = shadowPlace.z - 0.0006 - 0.0016 * (1.0 - slope), sum = 0.0;
  for (int x = -1; x <= 1; ++x) {
    for (int y = -1; y <= 1; ++y) sum += texture(shadows, vec3(shadowPlace.xy + shadowTexel * vec2(x, y), depth));
  }
  return sum / 9.0;
}

void main() {
  vec3 n = normalize(gl_FrontFacing ? worldNormal : -worldNormal);
  vec3 toEye = normalize(eye - world);
  vec3 albedo = pow(colour.rgb, vec3(2.2));
  if (pattern > 0.0) {
    vec3 side = smoothstep(-1.0, 1.0, local / max(fwidth(local), vec3(1e-4))) * 2.0 - 1.0;
    albedo *= 1.0 + pattern * side.x * side.y * side.z;
  }
  float facing = dot(n, sun);
  float light = max(facing, 0.0);
  if (light > 0.0) light *= lit(light);
  vec3 shade = mix(groundLight, skyLight, 0.5 + 0.5 * dot(n, up)) + sunLight * light;
  float shine = pow(max(dot(n, normalize(sun + toEye)), 0.0), 40.0) * 0.10 * step(0.001, light);
  vec3 result = albedo * shade + shine * sunLight;
  if (colour.a > 0.5) {
    float rim = 1.0 - max(dot(n, toEye), 0.0);
    result = mix(result, pow(accent, vec3(2.2)), 0.30 + 0.55 * rim * rim);
  }
  result = pow(clamp(result, 0.0, 1.0), vec3(1.0 / 2.2));
  pixel = vec4(result * opacity, opacity);
}
