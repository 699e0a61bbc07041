#version 300 es
precision highp float;

uniform vec3 middle;
uniform vec3 sideA;
uniform vec3 sideB;
uniform mat4 matrix;
uniform mat4 shadowMatrix;

out vec3 world;
out vec2 along;  // [m] from the middle
out vec3 shadowPlace;

void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
  world = middle + corner.x * sideA + corner.y * sideB;
  along = corner * vec2(length(sideA), length(sideB));
  shadowPlace = (shadowMatrix * vec4(world, 1.0)).xyz * 0.5 + 0.5;
  gl_Position = matrix * vec4(world, 1.0);
}
