#version 300 es
precision highp float;

layout(location = 0) in vec3 a;
layout(location = 1) in vec3 b;
layout(location = 2) in vec4 tint;   // colour, and its width in pixels
uniform mat4 matrix;
uniform vec2 size;                   // of the picture [pixels]
uniform float nearer;                // how much nearer than they are

out vec2 place;                      // [pixels] along the line from a, and across
flat out float len;
flat out float wide;
out vec3 colour;

void main() {
  vec4 pa = matrix * vec4(a, 1.0), pb = matrix * vec4(b, 1.0);
  float least = 1e-4 * max(abs(pa.w), abs(pb.w));
  if (pa.w < least) pa = mix(pb, pa, (pb.w - least) / (pb.w - pa.w));
  if (pb.w < least) pb = mix(pa, pb, (pa.w - least) / (pa.w - pb.w));
  vec2 sa = pa.xy / pa.w * size * 0.5, sb = pb.xy / pb.w * size * 0.5;
  vec2 way = sb - sa;
  len = length(way);
  way = len > 1e-3 ? way / len : vec2(1.0, 0.0);
  wide = 0.5 * tint.a;
  float edge = wide + 1.0;
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
  bool atB = corner.x > 0.0;
  place = vec2(atB ? len + edge : -edge, corner.y * edge);
  vec2 at = sa + way * place.x + vec2(-way.y, way.x) * place.y;
  vec4 end = atB ? pb : pa;
  colour = tint.rgb;
  gl_Position = vec4(at / (size * 0.5), end.z / end.w - nearer, 1.0);
  if (pa.w <= 0.0 || pb.w <= 0.0) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}
