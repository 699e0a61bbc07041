#version 300 es
precision highp float;

in vec3 world;
in vec3 worldNormal;

// include: open.glsl

void main() {
  if (isLeftOut(world, worldNormal)) discard;
}
