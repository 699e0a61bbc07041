// Frames of a recording.
#pragma once

#include "src/io/recording_reader.hpp"
#include "src/view/view_frame.hpp"

namespace cairn::v0 {

class RecordedFrames {
 public:
  // Of each frame so many contacts at most, if they were recorded.
  RecordedFrames(const RecordingReader& recording, int mostContacts);

  const ViewChannels& channels() const { return channels_; }
  ViewFrame read(size_t number) const;

 private:
  const RecordingReader& recording_;
  ViewChannels channels_;
  size_t mostContacts_;
  double substep_ = 0;  // [s]
};

}  // namespace cairn::v0
