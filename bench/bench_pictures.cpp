// What a picture takes, part by part:
//   bench_pictures [SCENE [STEPS [ROUNDS [JSON]]]]
// The World is stepped and then drawn by turns in the quality of films and in that of pictures, after one of each that is not counted. On a machine
// that others use too, the processor's time says more than the clock on the wall: both are there, as medians.
#include "src/io/report_json.hpp"
#include "src/render/picture.hpp"

#include <cairn/error.hpp>
#include <cairn/world.hpp>

#include <fmt/format.h>

#include <fstream>
#include <map>

namespace {

using namespace cairn;

struct Taken {
  std::vector<double> wall, cpu;  // [s]
  size_t rays = 0;
};

int wholeNumber(const char* text, const char* what) {
  const int number = std::atoi(text);
  if (number < 1) throw InvalidInput(what, fmt::format("must be a whole number >= 1, is {}", text));
  return number;
}

int run(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "pile:count=8000,shape=mixed";
  const int steps = argc > 2 ? wholeNumber(argv[2], "STEPS") : 200, rounds = argc > 3 ? wholeNumber(argv[3], "ROUNDS") : 7;
  const Scene scene = loadScene(name);
  World world(scene);
  world.step(steps);
  Json document = documentJson("bench_pictures");
  document["scene"] = name;
  document["bodies"] = world.bodyCount();
  document["steps"] = steps;
  document["rounds"] = rounds;
  document["threads"] = world.threads();
  Json rows = Json::array();
  const std::vector<std::pair<const char*, PictureSettings>> qualities{{"film", PictureSettings().forFilm()}, {"picture", PictureSettings()}};
  std::vector<Renderer> renderers;
  std::vector<std::map<std::string, Taken>> taken(qualities.size());
  const Camera camera = frameBodies(scene, world.states(), PictureSettings().aspect());
  for (const auto& quality : qualities) renderers.emplace_back(scene, quality.second);
  for (int round = 0; round <= rounds; ++round) {
    for (size_t q = 0; q < qualities.size(); ++q) {
      std::vector<DrawPart> parts;
      renderers[q].draw(world, camera, &parts);
      if (round == 0) continue;
      DrawPart all{"all", 0, 0, 0};
      for (const DrawPart& part : parts) {
        all.wall += part.wall;
        all.cpu += part.cpu;
        all.rays += part.rays;
      }
      parts.push_back(all);
      for (const DrawPart& part : parts) {
        Taken& into = taken[q][part.name];
        into.wall.push_back(part.wall);
        into.cpu.push_back(part.cpu);
        into.rays = part.rays;
      }
    }
  }
  for (size_t q = 0; q < qualities.size(); ++q) {
    const PictureSettings& settings = qualities[q].second;
    for (const auto& [part, times] : taken[q]) {
      const double wall = quantile(times.wall, 0.5), cpu = quantile(times.cpu, 0.5);
      rows.push_back({{"quality", qualities[q].first},
                      {"width", settings.width},
                      {"height", settings.height},
                      {"part", part},
                      {"rays", times.rays},
                      {"wall_s", wall},
                      {"cpu_s", cpu}});
      fmt::print("{:8} {:6} {:9} rays {:8.3f} s {:8.3f} s of processors\n", qualities[q].first, part, times.rays, wall, cpu);
    }
  }
  document["rows"] = rows;
  if (argc > 4) std::ofstream(argv[4]) << document.dump(1) << '\n';
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_pictures: {}\n", error.what());
    return 2;
  }
}
