#version 300 es
precision highp float;
precision highp sampler2DShadow;

in vec3 world;
in vec3 shadowPlace;
out vec4 pixel;

// include: ground.glsl

void main() { pixel = vec4(mix(groundAt(world, shadowPlace), background, farAway(world)), 1.0); }
