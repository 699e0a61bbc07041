#version 300 es
precision highp float;

in vec2 place;
flat in float len;
flat in float wide;
in vec3 colour;
uniform float opacity;
out vec4 pixel;

void main() {
  float off = length(vec2(place.x - clamp(place.x, 0.0, len), place.y));
  float cover = clamp(wide + 0.5 - off, 0.0, 1.0) * opacity;
  if (cover <= 0.0) discard;
  pixel = vec4(colour * cover, cover);
}
