#include "src/view/view_page.hpp"

#include "src/view/packing.hpp"

#include <cairn/error.hpp>

#include <fmt/format.h>

#include <array>

namespace cairn::v0 {
namespace {

constexpr int kFramesInPiece = 40;

struct PageParts {
  std::string head, tail;  // around the frames
};

std::string sceneTag(const std::string& json) { return "<script type=\"text/plain\" id=\"scene\">" + base64(deflated(json)) + "</script>\n"; }

PageParts partsFor(const std::string& title, const std::string& json) {
  std::string page = pageSource();
  const auto fill = [&page](const std::string& place, const std::string& text) { page.replace(page.find(place), place.size(), text); };
  fill("<!-- title: -->", escapedHtml(title));
  fill("<!-- scene: -->", sceneTag(json));
  const std::string frames = "<!-- frames: -->";
  const size_t at = page.find(frames);
  return {page.substr(0, at), page.substr(at + frames.size())};
}

}  // namespace

std::string livePage(const Scene& scene, const ViewDescription& description) {
  const PageParts parts = partsFor(description.title, describeScene(scene, description));
  return parts.head + parts.tail;
}

PageFile::PageFile(std::string path, const Scene& scene, const ViewDescription& description)
    : path_(std::move(path)), partial_(path_ + ".partial"), encoder_(description.units, description.channels) {
  const PageParts parts = partsFor(description.title, describeScene(scene, description));
  rest_ = parts.tail;
  file_ = std::fopen(partial_.c_str(), "wb");
  if (file_ == nullptr) throw InvalidInput(path_, "cannot be written");
  write(parts.head);
}

PageFile::~PageFile() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  std::remove(partial_.c_str());
}

void PageFile::write(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) throw InvalidInput(path_, "writing failed: is the disk full?");
  bytes_ += text.size();
}

void PageFile::endPiece() {
  if (framesInPiece_ == 0) return;
  write(fmt::format("<script type=\"text/plain\" class=\"frames\" data-count=\"{}\">{}</script>\n", framesInPiece_, base64(deflated(piece_))));
  piece_.clear();
  framesInPiece_ = 0;
}

void PageFile::add(const ViewFrame& frame) {
  piece_ += encoder_.encode(frame, framesInPiece_ == 0);
  ++frames_;
  if (++framesInPiece_ == kFramesInPiece) endPiece();
}

void PageFile::finish() {
  endPiece();
  write(rest_);
  const bool closed = std::fclose(file_) == 0;
  file_ = nullptr;
  if (closed && std::rename(partial_.c_str(), path_.c_str()) == 0) return;
  std::remove(partial_.c_str());
  throw InvalidInput(path_, "writing failed: is the disk full?");
}

}  // namespace cairn::v0
