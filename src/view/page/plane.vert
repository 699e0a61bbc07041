#version 300 es
precision highp float;

uniform vec3 corner;
uniform vec3 sideA;
uniform vec3 sideB;
uniform mat4 matrix;
uniform mat4 shadowMatrix;

out vec3 world;
out vec3 shadowPlace;

void main() {
  vec2 at = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  world = corner + at.x * sideA + at.y * sideB;
  shadowPlace = (shadowMatrix * vec4(world, 1.0)).xyz * 0.5 + 0.5;
  gl_Position = matrix * vec4(world, 1.0);
}
