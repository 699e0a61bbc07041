#include "src/io/ffmpeg.hpp"

#include <cairn/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

extern char** environ;

namespace cairn::v0 {
namespace {

using Words = std::vector<std::string>;

// Encoders of each kind of file, and how they are asked for good pictures of flat colours with sharp edges.
// Colours of displays, and said so: players guess otherwise.
const Words kColours{
    "-vf", "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p", "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"};

struct Encoding {
  const char *ending, *container, *encoder;
  Words options;
};
const std::vector<Encoding>& encodings() {
  static const std::vector<Encoding> all{
      {".mp4", "mp4", "libx264", {"-crf", "18", "-preset", "medium", "-movflags", "+faststart"}},
      {".webm", "webm", "libvpx-vp9", {"-crf", "28", "-b:v", "0", "-row-mt", "1", "-cpu-used", "4", "-deadline", "good"}},
      // A palette for each picture: one for all of them would have ffmpeg hold the whole film in memory.
      {".gif", "gif", "gif", {"-filter_complex", "split[a][b];[a]palettegen=stats_mode=single[p];[b][p]paletteuse=new=1:dither=bayer:bayer_scale=4"}},
  };
  return all;
}

const Encoding& encodingOf(const std::string& ending) {
  for (const Encoding& encoding : encodings()) {
    if (ending == encoding.ending) return encoding;
  }
  throw InvalidInput(ending, "is no ending of a film");
}

// Starts ffmpeg; -1 if that cannot be done. `input` is closed in the parent by whoever has made it.
pid_t start(const Words& words, int input, int messages) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  if (input >= 0) {
    posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  } else {
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  }
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&files, messages, STDERR_FILENO);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  pid_t process = -1;
  const int error = posix_spawnp(&process, words[0].c_str(), &files, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  return error == 0 ? process : -1;
}

int exitStatus(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string lastLine(std::FILE* messages) {
  std::string line, last;
  std::rewind(messages);
  for (int c = 0; (c = std::fgetc(messages)) != EOF;) {
    if (c != '\n') {
      line += static_cast<char>(c);
    } else if (!line.empty()) {
      last.swap(line);
      line.clear();
    }
  }
  return line.empty() ? last : line;
}

Words withEncoding(Words words, const Encoding& encoding) {
  words.insert(words.end(), encoding.options.begin(), encoding.options.end());
  words.insert(words.end(), {"-c:v", encoding.encoder});
  if (encoding.container != std::string("gif")) words.insert(words.end(), kColours.begin(), kColours.end());
  return words;
}

}  // namespace

// Has it make a film of one picture: whether an encoder is there, and takes the options, is known for certain then.
void requireFfmpeg(const std::string& place, const std::string& ending) {
  const Encoding& encoding = encodingOf(ending);
  std::FILE* messages = std::tmpfile();
  if (messages == nullptr) throw InvalidInput(place, "there is no room for temporary files");
  Words words = withEncoding({"ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "color=size=64x64:duration=0.04"}, encoding);
  words.insert(words.end(), {"-f", "null", "-"});
  const pid_t process = start(words, -1, fileno(messages));
  const int status = process < 0 ? 127 : exitStatus(process);
  const std::string line = lastLine(messages);
  std::fclose(messages);
  if (status == 0) return;
  const char* const instead = "a film that ends in .png needs no other program";
  if (status == 127)
    throw InvalidInput(place, fmt::format("{} films are made by the program ffmpeg, which is not here: install it, or {}", ending, instead));
  throw InvalidInput(place, fmt::format("the ffmpeg that is here makes no {} films with {} ({}): {}", ending, encoding.encoder, line, instead));
}

FfmpegFilm::FfmpegFilm(const std::string& path, const std::string& ending, const FilmFormat& format)
    : path_(path), partial_(path + ".partial"), messages_(std::tmpfile()) {
  const Encoding& encoding = encodingOf(ending);
  int ends[2] = {-1, -1};
  // A pipe would have the program end by a signal where ffmpeg has ended.
  if (messages_ == nullptr || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) throw InvalidInput(path, "ffmpeg cannot be started");
  Words words = withEncoding({"ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-video_size",
                              fmt::format("{}x{}", format.width, format.height), "-framerate", std::to_string(format.fps), "-i", "pipe:0"},
                             encoding);
  words.insert(words.end(), {"-f", encoding.container, "file:" + partial_});
  process_ = start(words, ends[0], fileno(messages_));
  close(ends[0]);
  pictures_ = ends[1];
  if (process_ < 0) {
    close(pictures_);
    std::fclose(messages_);
    throw InvalidInput(path, "ffmpeg cannot be started");
  }
}

FfmpegFilm::~FfmpegFilm() {
  if (process_ >= 0) {
    end();
    std::remove(partial_.c_str());
  }
  std::fclose(messages_);
}

int FfmpegFilm::end() {
  close(pictures_);
  const int status = exitStatus(process_);
  process_ = -1;
  return status;
}

void FfmpegFilm::fail() {
  const std::string line = lastLine(messages_);
  std::remove(partial_.c_str());
  throw InvalidInput(path_, "ffmpeg could not write it" + (line.empty() ? std::string() : ": " + line));
}

void FfmpegFilm::add(const Picture& picture) {
  for (size_t sent = 0; sent < picture.rgb.size();) {
    const ssize_t now = send(pictures_, picture.rgb.data() + sent, picture.rgb.size() - sent, MSG_NOSIGNAL);
    if (now < 0 && errno == EINTR) continue;
    if (now < 0) {
      end();
      fail();
    }
    sent += static_cast<size_t>(now);
  }
}

void FfmpegFilm::finish() {
  if (end() != 0 || std::rename(partial_.c_str(), path_.c_str()) != 0) fail();
}

}  // namespace cairn::v0
