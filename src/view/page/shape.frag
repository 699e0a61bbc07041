#version 300 es
precision highp float;
precision highp sampler2DShadow;

in vec3 world;
in vec3 worldNormal;
in vec3 local;
in vec4 colour;           // its last: 1: chosen; 0.5: what everything lies on; 0: others
in vec3 shadowPlace;

uniform vec3 sun;         // unit, towards it
uniform vec3 skyLight;
uniform vec3 groundLight;
uniform vec3 sunLight;
uniform float opacity;    // below one for glass
uniform float pattern;    // how much round shapes show how they turn
uniform vec3 accent;      // of what is chosen

out vec4 pixel;

// include: ground.glsl
// include: open.glsl

void main() {
  if (isLeftOut(world, worldNormal)) discard;
  vec3 n = normalize(gl_FrontFacing ? worldNormal : -worldNormal);
  vec3 toEye = normalize(eye - world);
  vec3 albedo = pow(colour.rgb, vec3(2.2));
  if (pattern > 0.0) {
    vec3 side = smoothstep(-1.0, 1.0, local / max(fwidth(local), vec3(1e-4))) * 2.0 - 1.0;
    albedo *= 1.0 + pattern * side.x * side.y * side.z;
  }
  float light = max(dot(n, sun), 0.0);
  if (light > 0.0) light *= sunAt(shadowPlace, 0.0006 + 0.0016 * (1.0 - light), 1);
  vec3 shade = mix(groundLight, skyLight, 0.5 + 0.5 * dot(n, up)) + sunLight * light;
  float shine = pow(max(dot(n, normalize(sun + toEye)), 0.0), 40.0) * 0.10 * step(0.001, light);
  vec3 result = albedo * shade + shine * sunLight;
  if (colour.a > 0.9) {
    float rim = 1.0 - max(dot(n, toEye), 0.0);
    result = mix(result, pow(accent, vec3(2.2)), 0.30 + 0.55 * rim * rim);
  }
  result = pow(clamp(result, 0.0, 1.0), vec3(1.0 / 2.2));
  if (colour.a > 0.4 && colour.a < 0.6) {
    // Level parts look as a half-space does; the others have its colour the more the more level they are.
    float level = smoothstep(0.6, 0.98, dot(n, up));
    float slope = clamp(dot(n, sun) / max(dot(up, sun), 0.1), 0.0, 1.3);
    if (level > 0.0) result = mix(result, groundAt(world, shadowPlace) * mix(0.45, 1.0, slope), level);
    result = mix(result, background, farAway(world));
  }
  pixel = vec4(result * opacity, opacity);
}
