// Films and pictures of runs and recordings, by the program.
#include "src/io/ffmpeg.hpp"
#include "src/io/recording_reader.hpp"
#include "tests/cli/program.hpp"

#include <cairn/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>

namespace {

namespace fs = std::filesystem;
using cairn::test::Program;
using cairn::test::program;
using cairn::test::readFile;
using cairn::test::Result;

class Films : public Program {
 protected:
  // A recording of seven frames, 0.2 s long.
  std::string record(const std::string& more = "") {
    const Result result = run("run tower:height=2 --backend cpu --steps 12 --record-every 2 --record " + file("t.h5") + more);
    EXPECT_EQ(result.status, 0) << result.error;
    return file("t.h5");
  }
  void expectRefused(const std::string& arguments, const std::string& words) {
    const size_t before = filesLeft();
    const Result result = run(arguments);
    EXPECT_EQ(result.status, 2) << arguments;
    EXPECT_EQ(result.out, "") << arguments;
    EXPECT_EQ(std::count(result.error.begin(), result.error.end(), '\n'), 1) << result.error;
    EXPECT_NE(result.error.find(words), std::string::npos) << arguments << ": " << result.error;
    EXPECT_EQ(filesLeft(), before) << arguments;
  }
};

uint32_t picturesOf(const std::string& path) {
  const std::string bytes = readFile(path);
  const size_t at = bytes.find("acTL");
  return at == std::string::npos ? 0 : static_cast<unsigned char>(bytes[at + 7]);
}

const std::string kSmall = " --size 48x32";

TEST_F(Films, ARunIsFilmedAndItsBitsStayTheSame) {
  const std::string common = "run tower:height=2 --backend cpu --steps 12 --report -";
  const Result filmed = run(common + kSmall + " --fps 20 --film " + file("f.png") + " --frames " + file("frames"));
  ASSERT_EQ(filmed.status, 0) << filmed.error;
  EXPECT_EQ(filmed.error, "");
  EXPECT_EQ(picturesOf(file("f.png")), 5u);  // 0.2 s, both ends
  EXPECT_EQ(std::distance(fs::directory_iterator(file("frames")), fs::directory_iterator{}), 5);
  EXPECT_EQ(filesLeft(), 2u);
  const auto hashIn = [](const std::string& report) { return report.substr(report.find("state_hash"), 40); };
  EXPECT_EQ(hashIn(run(common).out), hashIn(filmed.out));
  // Four times as slow, and from another speed's beginning to its end.
  ASSERT_EQ(run("run tower:height=2 --backend cpu --steps 12 --fps 20 --film-speed 1/4 --film " + file("slow.png") + kSmall).status, 0);
  EXPECT_EQ(picturesOf(file("slow.png")), 17u);
}

TEST_F(Films, ARecordingIsFilmedAndPictured) {
  const std::string recording = file("t.h5");
  std::ofstream(file("fall.json")) << R"({"bodies": [{"position": [0, 5, 0], "shapes": [{"type": "sphere", "radius": 0.5}]}]})";
  ASSERT_EQ(run("run " + file("fall.json") + " --backend cpu --steps 12 --record-every 2 --record " + recording).status, 0);
  const Result film = run("film " + recording + " --backend cpu --fps 20 --out " + file("f.png") + kSmall);
  ASSERT_EQ(film.status, 0) << film.error;
  EXPECT_EQ(film.out + film.error, "");
  EXPECT_EQ(picturesOf(file("f.png")), 5u);
  ASSERT_EQ(run("film " + recording + " --backend cpu --fps 20 --from 0.05 --to 0.1 --speed 0.5 --out " + file("part.png") + kSmall).status, 0);
  EXPECT_EQ(picturesOf(file("part.png")), 3u);
  const Result picture = run("picture " + recording + " --backend cpu --time 0.1 --camera eye=0,3,12 --out " + file("p.png") + kSmall);
  ASSERT_EQ(picture.status, 0) << picture.error;
  ASSERT_EQ(run("picture " + recording + " --backend cpu --camera eye=0,3,12 --out " + file("end.png") + kSmall).status, 0);
  EXPECT_NE(readFile(file("p.png")), readFile(file("end.png")));
}

// What is drawn from a recording to the bit is what the run itself draws.
TEST_F(Films, APictureOfARecordingIsThatOfTheRun) {
  ASSERT_EQ(run("run tower:height=2 --backend cpu --steps 9 --record-with exact --record " + file("t.h5") + " --picture " + file("run.png") + kSmall)
                .status,
            0);
  ASSERT_EQ(run("picture " + file("t.h5") + " --backend cpu --out " + file("recording.png") + kSmall).status, 0);
  EXPECT_EQ(readFile(file("run.png")), readFile(file("recording.png")));
}

// Speeds and forces are the run's, and so are their colours.
TEST_F(Films, RecordingsHaveTheColoursOfWhatTheyHold) {
  const std::string recording = file("t.h5");
  for (const std::string by : {"speed", "force", "island"}) {
    ASSERT_EQ(run("run tower:height=3 --backend cpu --steps 9 --record-with exact,velocities,contacts --record " + recording + " --colour-by " + by +
                  " --picture " + file("run.png") + kSmall)
                  .status,
              0);
    ASSERT_EQ(run("picture " + recording + " --backend cpu --colour-by " + by + " --out " + file("recording.png") + kSmall).status, 0);
    EXPECT_EQ(readFile(file("run.png")), readFile(file("recording.png"))) << by;
  }
  // A film's pictures share one scale: that of the fastest moment, whichever is drawn.
  ASSERT_EQ(run("film " + recording + " --backend cpu --fps 20 --colour-by speed --frames " + file("whole") + kSmall).status, 0);
  EXPECT_EQ(std::distance(fs::directory_iterator(file("whole")), fs::directory_iterator{}), 4);
  expectRefused("picture " + recording + " --colour-by asleep --out " + file("p.png"), "--record-with sleep");
  expectRefused("film " + recording + " --colour-by graph --out " + file("f.png"), "does not have the graph");
  const std::string plain = record();
  expectRefused("film " + plain + " --colour-by speed --out " + file("f.png"), "--record-with velocities");
  expectRefused("film " + plain + " --colour-by force --out " + file("f.png"), "--record-with contacts");
}

TEST_F(Films, WhatIsRecordedIsChosen) {
  record(" --record-with velocities,contacts --record-with joints,sleep");
  const cairn::RecordingReader recording(file("t.h5"));
  EXPECT_TRUE(recording.hasVelocities() && recording.hasContacts() && recording.hasJoints() && recording.hasSleep());
  EXPECT_EQ(recording.frame(3).contacts.size(), 8u);
}

TEST_F(Films, BadInputIsRefusedBeforeAnythingIsWritten) {
  const std::string recording = record();
  std::ofstream(file("text.h5")) << "no HDF5";
  fs::copy_file(recording, file("cut.h5"));
  fs::resize_file(file("cut.h5"), fs::file_size(recording) * 3 / 4);
  const std::string film = "film " + recording + " --out " + file("f.png");
  for (const std::string& broken : {file("text.h5"), file("cut.h5"), file("none.h5")}) {
    expectRefused("film " + broken + " --out " + file("f.png"), broken);
    expectRefused("picture " + broken + " --out " + file("p.png"), broken);
  }
  expectRefused("film " + recording, "--out");
  expectRefused("film " + recording + " --out " + file("f.avi"), ".mp4, .webm, .gif or .png");
  expectRefused("film " + recording + " --out /nonexistent/f.png", "cannot be written");
  expectRefused("film " + recording + " --frames /dev/null/frames", "not a directory");
  expectRefused(film + " --fps 0", "--fps");
  expectRefused(film + " --fps 1000", "--fps");
  expectRefused(film + " --speed 0", "--speed");
  expectRefused(film + " --speed nan", "--speed");
  expectRefused(film + " --size 0x10", "--size");
  expectRefused(film + " --to 7", "from 0 to 0.2 s");
  expectRefused(film + " --from 0.2 --to 0.1", "--to");
  expectRefused("film " + recording + " --size 47x32 --out " + file("f.mp4"), "even");
  expectRefused("film " + recording + " --fps 60 --out " + file("f.gif"), "at most 50");
  expectRefused("picture " + recording + " --time 0.3 --out " + file("p.png"), "from 0 to 0.2 s");
  expectRefused("picture " + recording + " --time -1 --out " + file("p.png"), "from 0 to 0.2 s");
  expectRefused("picture " + recording + " --time nan --out " + file("p.png"), "--time");
  expectRefused("picture " + recording + " --out " + file("p.jpg"), ".png");
  expectRefused("run tower --film " + file("f.avi"), ".mp4, .webm, .gif or .png");
  expectRefused("run tower --film " + file("f.png") + " --picture " + file("f.png"), "--film");
  expectRefused("run tower --record-with contacts", "needs --record");
  expectRefused("run tower --record " + file("x.h5") + " --record-with colours", "--record-with colours");
  fs::create_directory(file("frames"));
  std::ofstream(file("frames/frame-000000.png")) << "of an earlier film";
  expectRefused("run tower --frames " + file("frames"), "holds pictures");
}

TEST_F(Films, WithoutFfmpegAnotherEndingIsNamed) {
  const std::string recording = record();
  const std::string paths = getenv("PATH");
  setenv("PATH", file("empty").c_str(), 1);
  const std::string words = "ffmpeg, which is not here: install it, or a film that ends in .png needs no other program";
  expectRefused("run tower --film " + file("f.mp4"), words);
  expectRefused("film " + recording + " --out " + file("f.gif"), words);
  setenv("PATH", paths.c_str(), 1);
}

// Killed while it writes: what it has written until then is there, and can be filmed.
TEST_F(Films, AKilledRunLeavesARecordingAndAFilm) {
  const std::string partial = file("t.h5.partial"), film = file("f.png.partial");
  const std::string command = program() + " run tower:height=2 --backend cpu --steps 1000000 --record " + file("t.h5") + " --film " + file("f.png") +
                              " --size 8x8 >/dev/null 2>&1 & echo $! >" + file("pid");
  ASSERT_EQ(std::system(command.c_str()), 0);
  const pid_t process = std::stoi(readFile(file("pid")));
  size_t frames = 0;
  for (int k = 0; k < 300 && frames < 2; ++k) {  // the first second of frames may take half a minute on a busy machine
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    try {
      frames = cairn::RecordingReader(partial).frameCount();  // while it is written
    } catch (const cairn::InvalidInput&) {
      frames = 0;  // it is not there yet
    }
  }
  kill(process, SIGKILL);
  ASSERT_GE(frames, 2u);
  const cairn::RecordingReader left(partial);
  EXPECT_GE(left.frameCount(), frames);
  for (size_t i = 0; i < left.frameCount(); i += 100) EXPECT_NEAR(left.frame(i).states[1].pose.p.y, 0.5, 0.01);
  EXPECT_EQ(run("picture " + partial + " --backend cpu --time " + std::to_string(left.time(1)) + " --out " + file("p.png") + kSmall).status, 0);
  EXPECT_NE(readFile(film).find("IEND"), std::string::npos);
  EXPECT_FALSE(fs::exists(file("t.h5")) || fs::exists(file("f.png")));
}

}  // namespace
