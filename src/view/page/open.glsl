// Containers that are one mesh are open towards the eye, as pictures have them (src/render/open_mesh.hpp): their walls between it and what moves.

uniform float opened;       // 1: without these walls; -1: they alone; 0: all
uniform vec3 eye;
uniform vec3 up;
uniform vec3 bodiesMiddle;  // of a box around what moves, with sides along the axes
uniform vec3 bodiesHalf;
uniform float bodiesLow;    // along `up`: what is below hides nothing [m]

bool isBefore(vec3 place, vec3 normal) {
  float side = dot(place - bodiesMiddle, normal);
  vec3 outward = side < 0.0 ? -normal : normal;
  return abs(dot(normal, up)) <= 0.5 && dot(place, up) > bodiesLow && abs(side) > 0.55 * length(bodiesHalf * normal) && dot(eye - place, outward) > 0.0;
}
bool isLeftOut(vec3 place, vec3 normal) { return opened != 0.0 && isBefore(place, normalize(normal)) == (opened > 0.0); }
