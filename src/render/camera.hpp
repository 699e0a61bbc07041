// Where pictures are taken from, and how a user says so.
#pragma once

#include <cairn/scene.hpp>

#include <optional>
#include <string>

namespace cairn::v0 {

// A pinhole camera.
struct Camera {
  Vec3d eye, right, up, forward;  // [m]; unit axes
  double tangent = 0.35;          // of half the vertical angle of view
};

// What is asked of a camera. Without an eye it looks from an angle, and stands as near as has in the picture what moves.
struct CameraChoice {
  std::optional<Vec3d> eye, target;  // [m]
  std::optional<Vec3d> up;           // none: against gravity
  double fov = 38;                   // vertical angle of view [degrees], 1 to 170
  // Of the eye as the target sees it [degrees]: about the vertical, from z where that is y (none: kAngle, or from nearer its end for a long row);
  // above the horizon.
  std::optional<double> angle;
  double elevation = 18;
  std::optional<double> distance;  // of eye and target [m], > 0
  double period = 0;               // of an orbit about the target [s], > 0; 0: it stands still
};

constexpr double kOrbitPeriod = 12;  // [s]
constexpr double kAngle = 29;        // [degrees]

// "eye=x,y,z,target=x,y,z,up=x,y,z,fov=degrees", or "orbit=seconds,angle=degrees,elevation=degrees,distance=metres,target=x,y,z,fov=degrees", all of
// them optional; "orbit" alone has a period of its own. Throws InvalidInput, whose place is given, for everything else.
CameraChoice parseCamera(const std::string& place, const std::string& text);

// Unit axes from an eye that looks at a target; `up` is made perpendicular. Throws InvalidInput where eye and target are one point, or `up` is along
// the view.
Camera lookAt(Vec3d eye, Vec3d target, Vec3d up, double fov);

// The shortest turn from y to this unit vector.
Quatd turnFromY(Vec3d vertical);

// Against gravity; y where there is none.
Vec3d verticalOf(const Scene& scene);

}  // namespace cairn::v0
