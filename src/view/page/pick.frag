#version 300 es
precision highp float;
precision highp int;

in vec3 world;
in vec3 worldNormal;
flat in uint body;

layout(location = 0) out vec4 which;
layout(location = 1) out vec4 depth;

// include: open.glsl

void main() {
  if (isLeftOut(world, worldNormal)) discard;
  uint k = body + 1u;
  which = vec4(float(k & 255u), float((k >> 8) & 255u), float((k >> 16) & 255u), 255.0) / 255.0;
  uint z = uint(gl_FragCoord.z * 16777215.0);
  depth = vec4(float(z & 255u), float((z >> 8) & 255u), float((z >> 16) & 255u), 255.0) / 255.0;
}
