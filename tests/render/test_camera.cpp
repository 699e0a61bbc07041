#include "src/render/camera.hpp"
#include "src/render/framing.hpp"
#include "src/render/picture.hpp"

#include <cairn/cairn.hpp>

#include <gtest/gtest.h>

namespace cairn {
namespace {

std::string refusal(const std::string& text) {
  try {
    parseCamera("--camera", text);
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

TEST(Camera, IsReadFromText) {
  const CameraChoice given = parseCamera("--camera", "eye=1,2.5,-3,target=0,1e-1,0,up=0,0,1,fov=50");
  EXPECT_EQ(given.eye->y, 2.5);
  EXPECT_EQ(given.eye->z, -3);
  EXPECT_EQ(given.target->y, 0.1);
  EXPECT_EQ(given.up->z, 1);
  EXPECT_EQ(given.fov, 50);
  EXPECT_EQ(given.period, 0);
  EXPECT_EQ(parseCamera("--camera", "orbit").period, kOrbitPeriod);
  const CameraChoice orbit = parseCamera("--camera", "target=0,1,0,orbit=8,elevation=-5,distance=20");
  EXPECT_EQ(orbit.period, 8);
  EXPECT_EQ(orbit.elevation, -5);
  EXPECT_EQ(*orbit.distance, 20);
  EXPECT_FALSE(orbit.eye);
}

TEST(Camera, RefusesWhatItCannotReadInOneLine) {
  const char* const keys = "eye, target, up, fov, orbit, angle, elevation, distance";
  EXPECT_EQ(refusal(""), "--camera: '' is none of " + std::string(keys));
  EXPECT_EQ(refusal("front"), "--camera: 'front' is none of " + std::string(keys));
  EXPECT_EQ(refusal("fov=30,zoom=2"), "--camera: 'zoom' is none of " + std::string(keys));
  EXPECT_EQ(refusal("eye=1,2"), "--camera: 'eye' must be x,y,z, is '1,2'");
  EXPECT_EQ(refusal("eye=1,2,3,4"), "--camera: 'eye' must be x,y,z, is '1,2,3,4'");
  EXPECT_EQ(refusal("eye=1,2,3m"), "--camera: 'eye' must be numbers of at most 1e9 in size, is '1,2,3m'");
  EXPECT_EQ(refusal("target=1,2,nan"), "--camera: 'target' must be x,y,z, is '1,2'");
  EXPECT_EQ(refusal("fov=0.5"), "--camera: 'fov' must be an angle from 1 to 170 degrees, is '0.5'");
  EXPECT_EQ(refusal("fov"), "--camera: 'fov' must be an angle from 1 to 170 degrees, is ''");
  EXPECT_EQ(refusal("orbit=0"), "--camera: 'orbit' must be a period in seconds, > 0, is '0'");
  EXPECT_EQ(refusal("distance=-1"), "--camera: 'distance' must be a distance in metres, > 0, is '-1'");
  EXPECT_EQ(refusal("fov=30,fov=40"), "--camera: 'fov' is there twice");
  EXPECT_EQ(refusal("eye=1,2,3,orbit"), "--camera: 'orbit' cannot be given with 'eye'");
  EXPECT_EQ(refusal("eye=1,2,3,target=1,2,3"), "--camera: 'eye' and 'target' must not be the same point");
  EXPECT_EQ(refusal("up=0,0,0"), "--camera: 'up' must not be zero");
}

TEST(Camera, StandsWhereItIsTold) {
  const Scene scene = loadScene("tower:height=3");
  const std::vector<BodyState> states = World(scene).states();
  const Camera camera = frameBodies(scene, states, 1.5, parseCamera("--camera", "eye=0,2,10,target=0,2,0,fov=90"));
  EXPECT_NEAR(length(camera.forward - Vec3d{0, 0, -1}), 0, 1e-12);
  EXPECT_NEAR(length(camera.right - Vec3d{1, 0, 0}), 0, 1e-12);
  EXPECT_NEAR(length(camera.up - Vec3d{0, 1, 0}), 0, 1e-12);
  EXPECT_NEAR(camera.tangent, 1, 1e-12);
  const Camera tilted = frameBodies(scene, states, 1.5, parseCamera("--camera", "eye=0,2,10,target=0,2,0,up=1,0,0"));
  EXPECT_NEAR(length(tilted.up - Vec3d{1, 0, 0}), 0, 1e-12);
  EXPECT_THROW(frameBodies(scene, states, 1.5, parseCamera("--camera", "eye=0,9,0,target=0,2,0")), InvalidInput);
}

TEST(Camera, AnOrbitKeepsItsDistanceAndComesRound) {
  const Scene scene = loadScene("wall:width=8,height=4");
  Framing framing(scene);
  framing.add(World(scene).states());
  const CameraChoice choice = parseCamera("--camera", "orbit=4,target=0,1,0,elevation=30");
  const Camera start = framing.camera(choice, 1.5, 0), quarter = framing.camera(choice, 1.5, 1), end = framing.camera(choice, 1.5, 4);
  EXPECT_NEAR(length(start.eye - end.eye), 0, 1e-9);
  EXPECT_NEAR(start.eye.y, quarter.eye.y, 1e-9);
  EXPECT_NEAR(start.eye.y - 1, 0.5 * length(start.eye - Vec3d{0, 1, 0}), 1e-9);
  EXPECT_NEAR(dot(start.right, quarter.right), 0, 1e-9);
}

TEST(Camera, SizesAreReadAndRefused) {
  PictureSettings settings;
  parseSize("--size", "640x360", settings);
  EXPECT_EQ(settings.width, 640);
  EXPECT_EQ(settings.height, 360);
  for (const char* text : {"", "640", "640x", "x360", "640x360x2", "0x4", "640x99999", "-640x360", "640 x 360"}) {
    EXPECT_THROW(parseSize("--size", text, settings), InvalidInput) << text;
  }
}

}  // namespace
}  // namespace cairn
