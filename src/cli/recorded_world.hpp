// A World that is put to where a recording has its bodies, to be looked at.
#pragma once

#include "src/io/recording_reader.hpp"
#include "src/render/appearance.hpp"

#include <CLI/CLI.hpp>

#include <string>

namespace cairn::cli {

class RecordedWorld {
 public:
  // Throws InvalidInput for what is no recording, and for one without a frame.
  RecordedWorld(const std::string& path, const WorldSettings& settings);
  const RecordingReader& recording() const { return recording_; }
  const World& world() const { return world_; }
  // The time again. Throws InvalidInput, which names the option, if the recording does not reach so far.
  double requireTime(const std::string& option, double time) const;
  // Throws InvalidInput, which names --colour-by, if what it takes was not recorded.
  void requireColours(ColourBy by) const;
  // Of the last frame at this time or before.
  BodyNumbers numbersAt(double time, ColourBy by) const { return numbersOfFrame(recording_.frameAt(soonAfter(time)), by); }
  BodyNumbers numbersOfFrame(size_t frame, ColourBy by) const;
  // Where the bodies are at this time; between two frames they are taken to move evenly.
  void goTo(double time);

 private:
  double soonAfter(double time) const;

  RecordingReader recording_;
  World world_;
  // The frames that were asked for last, which the next ones are likely to be between.
  struct Frame {
    size_t number = 0;
    std::vector<Posed> poses;
  };
  Frame before_, after_;
};

// An option that is a time [s].
void addSeconds(CLI::App& command, const std::string& name, double& seconds, const std::string& help);

}  // namespace cairn::cli
