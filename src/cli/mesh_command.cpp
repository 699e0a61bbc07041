// cairn mesh: what a mesh is, and what is wrong with it.
#include "src/cli/commands.hpp"
#include "src/cli/output_file.hpp"
#include "src/io/report_json.hpp"
#include "src/render/mesh_picture.hpp"

#include <cairn/error.hpp>
#include <cairn/mesh.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

namespace cairn::cli {
namespace {

struct MeshOptions {
  std::string mesh, picture, json, out;
  std::optional<double> cell;
  double weld = 0;
  std::optional<int> hull;
};

struct Answer {
  MeshReport report;
  std::optional<FieldCost> field;
  std::optional<MeshHull> hull;
};

// Whether what the integrals give is what the mesh encloses.
bool encloses(const MeshReport& r) { return r.closed && r.oriented; }

double holeLength(const MeshReport& r) {
  double sum = 0;
  for (const MeshHole& hole : r.holes) sum += hole.length;
  return sum;
}

std::string triple(Vec3d v) { return fmt::format("{:.6g}, {:.6g}, {:.6g}", v.x, v.y, v.z); }
std::string counted(long count, const char* one, const char* more) { return fmt::format("{} {}", count, count == 1 ? one : more); }

void line(const char* title, const std::string& text) { fmt::print("  {:14} {}\n", title, text); }

void printFlaws(const MeshReport& r) {
  std::vector<std::string> flaws;
  const auto add = [&](long count, const char* one, const char* more) {
    if (count > 0) flaws.push_back(counted(count, one, more));
  };
  add(r.degenerateTriangles, "degenerate triangle", "degenerate triangles");
  add(r.duplicateTriangles, "triangle that is there twice", "triangles that are there twice");
  add(r.slivers, "sliver", "slivers");
  add(r.unusedVertices, "vertex of no triangle", "vertices of no triangle");
  add(r.crowdedEdges, "edge of more than two triangles", "edges of more than two triangles");
  add(r.twistedEdges, "edge whose triangles disagree on what is outside", "edges whose triangles disagree on what is outside");
  add(r.pinchedVertices, "vertex where the surface touches itself", "vertices where the surface touches itself");
  add(r.intersectingPairs, "pair of triangles that meet", "pairs of triangles that meet");
  if (r.insideOut) flaws.emplace_back("inside out");
  if (flaws.empty()) flaws.emplace_back("none");
  for (size_t k = 0; k < flaws.size(); ++k) line(k == 0 ? "flaws" : "", flaws[k]);
}

void print(const MeshOptions& options, const Answer& answer) {
  const MeshReport& r = answer.report;
  const char* kind = r.isSolid() ? "a solid: closed, manifold, oriented, nothing meets" : r.closed ? "closed, but no solid" : "open";
  fmt::print("{}: {} triangles, {}\n", options.mesh, r.triangles, kind);
  line("vertices", fmt::format("{}, {} different", r.vertices, r.weldedVertices));
  line("parts", fmt::format("{}{}{}", r.parts, r.genus > 0 ? fmt::format(", {}", counted(r.genus, "handle", "handles")) : "",
                            r.invertedParts > 0 && !r.insideOut ? fmt::format(", {} inside out or cavities", r.invertedParts) : ""));
  if (!r.holes.empty())
    line("holes", fmt::format("{}, {} edges, {:.6g} m long", counted(long(r.holes.size()), "border", "borders"), r.boundaryEdges, holeLength(r)));
  printFlaws(r);
  line("bounds", fmt::format("[{}] to [{}] m", triple(r.low), triple(r.high)));
  line("area", fmt::format("{:.6g} m^2", r.area));
  if (encloses(r)) {
    const Sym3<double>& i = r.inertia;
    line("volume", fmt::format("{:.6g} m^3", r.volume));
    line("centre", fmt::format("[{}] m", triple(r.centre)));
    line("inertia", fmt::format("[{}, {}] m^5 (xx, yy, zz, xy, xz, yz; times the density)", triple({i.xx, i.yy, i.zz}), triple({i.xy, i.xz, i.yz})));
  } else {
    line("volume", "none: the mesh encloses nothing that all its triangles agree on");
  }
  if (answer.field) {
    const FieldCost& f = *answer.field;
    line("field",
         fmt::format("cells of {:.6g} m: {:.0f} of {:.0f} blocks of 8 x 8 x 8 cells, {:.4g} MB", f.cell, f.blocks, f.gridBlocks, f.bytes / 1e6));
  }
  if (answer.hull) {
    const MeshHull& h = *answer.hull;
    line("hull",
         fmt::format("{} corners, {:.6g} m^3: {:.2f} % less than the whole hull", h.points.size(), h.volume, 100 * (1 - h.volume / h.wholeVolume)));
    if (encloses(r) && r.volume > 0) line("", fmt::format("{:+.2f} % beside the mesh", 100 * (h.volume / r.volume - 1)));
  }
}

Json array(Vec3d v) { return Json::array({v.x, v.y, v.z}); }

Json document(const MeshOptions& options, const Answer& answer) {
  const MeshReport& r = answer.report;
  Json out = documentJson("mesh");
  out.update(Json{{"mesh", options.mesh},
                  {"weld_tolerance_m", options.weld},
                  {"vertices", r.vertices},
                  {"triangles", r.triangles},
                  {"welded_vertices", r.weldedVertices},
                  {"unused_vertices", r.unusedVertices},
                  {"degenerate_triangles", r.degenerateTriangles},
                  {"duplicate_triangles", r.duplicateTriangles},
                  {"slivers", r.slivers},
                  {"edges", r.edges},
                  {"boundary_edges", r.boundaryEdges},
                  {"crowded_edges", r.crowdedEdges},
                  {"twisted_edges", r.twistedEdges},
                  {"pinched_vertices", r.pinchedVertices},
                  {"intersecting_pairs", r.intersectingPairs},
                  {"intersecting_triangles", r.intersectingTriangles.size()},
                  {"parts", r.parts},
                  {"inverted_parts", r.invertedParts},
                  {"euler_number", r.eulerNumber}});
  out["genus"] = r.genus < 0 ? Json() : Json(r.genus);
  out.update(Json{{"closed", r.closed}, {"manifold", r.manifold}, {"oriented", r.oriented}, {"inside_out", r.insideOut}, {"solid", r.isSolid()}});
  Json holes = Json::array();
  for (const MeshHole& hole : r.holes) holes.push_back({{"edges", hole.edges}, {"length_m", hole.length}});
  out.update(Json{{"holes", std::move(holes)}, {"bounds_m", {array(r.low), array(r.high)}}, {"area_m2", r.area}});
  const Sym3<double>& i = r.inertia;
  out["volume_m3"] = encloses(r) ? Json(r.volume) : Json();
  out["centre_m"] = encloses(r) ? array(r.centre) : Json();
  out["inertia_m5"] = encloses(r) ? Json::array({i.xx, i.yy, i.zz, i.xy, i.xz, i.yz}) : Json();
  if (answer.field) {
    const FieldCost& f = *answer.field;
    out["field"] = Json{{"cell_m", f.cell}, {"blocks", f.blocks}, {"grid_blocks", f.gridBlocks}, {"bytes", f.bytes}};
  }
  if (answer.hull) {
    Json points = Json::array();
    for (const Vec3d& p : answer.hull->points) points.push_back(array(p));
    out["hull"] = Json{{"points_m", std::move(points)}, {"volume_m3", answer.hull->volume}, {"whole_volume_m3", answer.hull->wholeVolume}};
  }
  return out;
}

void run(const MeshOptions& options) {
  requireDistinct({{"MESH", options.mesh}, {"--json", options.json}, {"--picture", options.picture}, {"--out", options.out}});
  const OutputFile json("--json", options.json);
  if (!options.picture.empty()) {
    requireEnding("--picture", options.picture, kPictureEndings);
    requireWritable("--picture", options.picture);
  }
  if (!options.out.empty()) {
    requireEnding("--out", options.out, kMeshEndings);
    requireWritable("--out", options.out);
  }
  if (options.cell && !(*options.cell > 0)) throw InvalidInput("--cell", fmt::format("must be a number > 0, is {}", *options.cell));
  if (!(options.weld >= 0)) throw InvalidInput("--weld", fmt::format("must be a number >= 0, is {}", options.weld));
  const TriangleMesh mesh = loadMesh(options.mesh);
  Answer answer{inspectMesh(mesh, options.weld), {}, {}};
  if (options.cell) answer.field = fieldCost(mesh, *options.cell);
  if (options.hull) answer.hull = meshHull(mesh, *options.hull);
  if (options.json != "-") print(options, answer);
  if (!options.out.empty()) writeMesh(options.weld > 0 ? welded(mesh, options.weld) : mesh, options.out);
  if (!options.picture.empty()) writeMeshPicture(mesh, answer.report, options.picture);
  if (json.wanted()) json.write(document(options, answer).dump(2));
}

// The generators, for --help.
std::string footer() {
  std::string text = "Generators:";
  for (const SceneGenerator& generator : meshGenerators()) {
    text += fmt::format("\n  {:9} {}\n           ", generator.name, generator.summary);
    for (const SceneParameter& parameter : generator.parameters) text += fmt::format(" {}={}", parameter.name, parameter.defaultValue);
  }
  return text;
}

}  // namespace

void addMesh(CLI::App& app, int&) {
  CLI::App* command = app.add_subcommand("mesh", "What a triangle mesh is, what is wrong with it, and what it measures");
  auto options = std::make_shared<MeshOptions>();
  command->add_option("mesh", options->mesh, "An .obj or .stl file, or a generator with parameters: torus:major=1,minor=0.25")
      ->type_name("MESH")
      ->required();
  command->add_option("--weld", options->weld, "Vertices that are so near each other [m] count as one; 0: those in the same place")
      ->type_name("LENGTH")
      ->capture_default_str();
  command->add_option("--cell", options->cell, "Says what a signed distance field with cells of this size [m] needs")->type_name("LENGTH");
  command->add_option("--hull", options->hull, "Says what a convex hull of at most so many corners, 4 to 64, is")->type_name("N");
  command->add_option("--picture", options->picture, "A picture of it as .png; red: triangles that meet, green: borders, violet: the inside")
      ->type_name("FILE");
  command->add_option("--json", options->json, "What was found as JSON; - for standard output")->type_name("FILE");
  command->add_option("--out", options->out, "The mesh as .obj or .stl, welded if --weld says so")->type_name("FILE");
  command->footer(footer);
  command->callback([options] { run(*options); });
}

}  // namespace cairn::cli
