#version 300 es
precision highp float;
precision highp sampler2D;

layout(location = 0) in vec4 position;  // of size one; w: half heights
layout(location = 1) in vec3 normal;
layout(location = 2) in uint shape;

uniform sampler2D shapes;  // three texels a shape: place in the body and body; turn; half sizes and half height
uniform sampler2D bodies;  // three texels a body: place; turn; colour and whether it is chosen
uniform mat4 matrix;
uniform mat4 shadowMatrix;

out vec3 world;
out vec3 worldNormal;
out vec3 local;
out vec4 colour;
flat out uint body;
out vec3 shadowPlace;

vec4 texelOf(sampler2D from, int k) {
  int width = textureSize(from, 0).x;
  return texelFetch(from, ivec2(k % width, k / width), 0);
}
vec3 turned(vec4 q, vec3 v) {
  vec3 t = 2.0 * cross(q.xyz, v);
  return v + q.w * t + cross(q.xyz, t);
}

void main() {
  int first = 3 * int(shape);
  vec4 place = texelOf(shapes, first), turn = texelOf(shapes, first + 1), size = texelOf(shapes, first + 2);
  int at = 3 * int(place.w);
  vec4 bodyPlace = texelOf(bodies, at), bodyTurn = texelOf(bodies, at + 1);
  vec3 p = position.xyz * size.xyz + vec3(0.0, position.w * size.w, 0.0);
  local = position.xyz;
  world = bodyPlace.xyz + turned(bodyTurn, place.xyz + turned(turn, p));
  worldNormal = turned(bodyTurn, turned(turn, normal / size.xyz));
  colour = texelOf(bodies, at + 2);
  body = uint(place.w);
  shadowPlace = (shadowMatrix * vec4(world, 1.0)).xyz * 0.5 + 0.5;
  gl_Position = matrix * vec4(world, 1.0);
}
