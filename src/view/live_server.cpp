#include "src/view/live_server.hpp"

#include "src/view/frame_encoder.hpp"
#include "src/view/live_message.hpp"
#include "src/view/view_page.hpp"

#include <cairn/error.hpp>

#include <fmt/format.h>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>

#include <csignal>
#include <deque>
#include <set>

namespace cairn::v0 {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using tcp = asio::ip::tcp;

constexpr size_t kMostPages = 4;
constexpr size_t kMostMessage = 4096;  // bytes of what a page may send at once
constexpr size_t kMostWaiting = 16;    // words to a page that have not been sent: it has gone to sleep, and is let go
constexpr auto kPatience = std::chrono::seconds(30);

class Stream;

// What the streams of all pages share. Everything runs on one thread, between the World's steps.
struct Service {
  LiveWorld& world;
  ViewDescription description;
  std::string page;
  int port = 0;
  std::string words;  // what is to be said, about a World that cannot go on
  bool changed = true;
  std::set<std::shared_ptr<Stream>> streams;

  void tellAll();
};

// A page that watches. One frame is on the way to it at a time, so memory does not grow however slowly it reads.
class Stream : public std::enable_shared_from_this<Stream> {
 public:
  Stream(tcp::socket socket, Service& service)
      : socket_(std::move(socket)), service_(service), encoder_(service.description.units, service.description.channels) {}

  void start(const http::request<http::string_body>& request) {
    socket_.set_option(websocket::stream_base::timeout::suggested(beast::role_type::server));
    socket_.read_message_max(kMostMessage);
    socket_.async_accept(request, [self = shared_from_this()](beast::error_code error) {
      if (error) return;
      self->service_.streams.insert(self);
      self->tell(stateMessage(self->service_.world, self->service_.words));
      self->read();
    });
  }

  bool wantsFrame() const { return seen_ && waiting_.empty() && !sending_; }
  void show(const ViewFrame& frame) {
    frame_ = encoder_.encode(frame, first_);
    first_ = seen_ = false;
    send(frame_, true);
  }
  void tell(std::string words) {
    if (waiting_.size() >= kMostWaiting) return end();
    waiting_.push_back(std::move(words));
    sendWords();
  }
  void end() {
    service_.streams.erase(shared_from_this());
    beast::error_code ignored;
    beast::get_lowest_layer(socket_).socket().close(ignored);
  }

 private:
  void read() {
    socket_.async_read(buffer_, [self = shared_from_this()](beast::error_code error, size_t) {
      if (error) return self->end();
      const std::string message = beast::buffers_to_string(self->buffer_.data());
      self->buffer_.clear();
      if (saysSeen(message)) {
        self->seen_ = true;
        return self->read();
      }
      try {
        obey(self->service_.world, message);
      } catch (const std::exception&) {
        return self->end();  // no page of ours asks for that
      }
      self->service_.words.clear();
      self->service_.changed = true;
      self->service_.tellAll();
      self->read();
    });
  }
  void sendWords() {
    if (sending_ || waiting_.empty()) return;
    text_ = std::move(waiting_.front());
    waiting_.pop_front();
    send(text_, false);
  }
  void send(const std::string& bytes, bool binary) {
    sending_ = true;
    socket_.binary(binary);
    socket_.async_write(asio::buffer(bytes), [self = shared_from_this()](beast::error_code error, size_t) {
      self->sending_ = false;
      if (error) return self->end();
      self->sendWords();
    });
  }

  websocket::stream<beast::tcp_stream> socket_;
  Service& service_;
  FrameEncoder encoder_;
  beast::flat_buffer buffer_;
  std::string frame_, text_;
  std::deque<std::string> waiting_;
  bool first_ = true, seen_ = true, sending_ = false;
};

void Service::tellAll() {
  const std::set<std::shared_ptr<Stream>> all = streams;  // one that has gone is taken out meanwhile
  for (const std::shared_ptr<Stream>& stream : all) stream->tell(stateMessage(world, words));
}

// A request: the page, or a stream.
class Visit : public std::enable_shared_from_this<Visit> {
 public:
  Visit(tcp::socket socket, Service& service) : socket_(std::move(socket)), service_(service) { parser_.body_limit(kMostMessage); }

  void start() {
    socket_.expires_after(kPatience);
    http::async_read(socket_, buffer_, parser_, [self = shared_from_this()](beast::error_code error, size_t) {
      if (!error) self->answer();
    });
  }

 private:
  void answer() {
    const http::request<http::string_body>& request = parser_.get();
    const std::string host(request[http::field::host]), origin(request[http::field::origin]), target(request.target());
    const bool stream = websocket::is_upgrade(request);
    if (!isOwnHost(host, service_.port)) return refuse(http::status::forbidden, "This server answers to its loopback address alone.");
    // A browser says where a page is from that opens a stream. Without Origin it is none.
    if (!origin.empty() ? !isOwnOrigin(origin, service_.port) : stream)
      return refuse(http::status::forbidden, "Pages of other places may not ask here.");
    if (request.method() != http::verb::get) return refuse(http::status::method_not_allowed, "There is nothing but to look.");
    if (stream && target == "/stream") {
      if (service_.streams.size() >= kMostPages) return refuse(http::status::service_unavailable, "Four pages watch already.");
      socket_.expires_never();
      std::make_shared<Stream>(socket_.release_socket(), service_)->start(request);
      return;
    }
    if (target != "/") return refuse(http::status::not_found, "There is nothing here.");
    send(http::status::ok, "text/html; charset=utf-8", service_.page);
  }
  void refuse(http::status status, const std::string& words) { send(status, "text/plain; charset=utf-8", words + "\n"); }
  void send(http::status status, const char* type, const std::string& body) {
    response_ = {status, 11};
    response_.set(http::field::content_type, type);
    response_.set(http::field::cache_control, "no-store");
    response_.set(http::field::x_frame_options, "DENY");
    response_.keep_alive(false);
    response_.body() = body;
    response_.prepare_payload();
    http::async_write(socket_, response_, [self = shared_from_this()](beast::error_code, size_t) {
      beast::error_code ignored;
      self->socket_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    });
  }

  beast::tcp_stream socket_;
  Service& service_;
  beast::flat_buffer buffer_;
  http::request_parser<http::string_body> parser_;
  http::response<http::string_body> response_;
};

void acceptNext(tcp::acceptor& acceptor, Service& service) {
  acceptor.async_accept([&acceptor, &service](beast::error_code error, tcp::socket socket) {
    if (error == asio::error::operation_aborted) return;
    if (!error) std::make_shared<Visit>(std::move(socket), service)->start();
    acceptNext(acceptor, service);
  });
}

tcp::acceptor listenAt(asio::io_context& io, int port) {
  tcp::acceptor acceptor(io);
  const tcp::endpoint here(asio::ip::address_v4::loopback(), static_cast<unsigned short>(port));
  boost::system::error_code error;
  acceptor.open(here.protocol());
  acceptor.set_option(tcp::acceptor::reuse_address(true));
  acceptor.bind(here, error);
  if (!error) acceptor.listen(tcp::acceptor::max_listen_connections, error);
  if (error) throw InvalidInput(fmt::format("--port {}", port), "cannot be listened at: " + error.message());
  return acceptor;
}

}  // namespace

bool canServe() { return true; }

void serveLive(LiveWorld& world, const ViewDescription& description, const LiveSettings& settings) {
  asio::io_context io(1);
  tcp::acceptor acceptor = listenAt(io, settings.port);
  Service service{world, description, livePage(world.scene(), description), acceptor.local_endpoint().port(), {}, true, {}};
  asio::signal_set signals(io, SIGINT, SIGTERM);
  bool ended = false;
  signals.async_wait([&ended](beast::error_code error, int) { ended = !error; });
  acceptNext(acceptor, service);
  if (settings.onListening) settings.onListening(fmt::format("http://127.0.0.1:{}/", service.port));

  while (!ended) {
    // Nobody looks: nothing happens.
    const bool watched = !service.streams.empty();
    const auto idle = watched ? world.idle(LiveWorld::Clock::now()) : std::chrono::milliseconds(200);
    io.run_one_for(idle);
    io.poll();
    if (!watched) continue;
    try {
      service.changed = world.advance(LiveWorld::Clock::now()) || service.changed;
    } catch (const Error& error) {
      world.pause(true);
      service.words = error.what();
      service.tellAll();
    }
    std::vector<std::shared_ptr<Stream>> ready;
    for (const std::shared_ptr<Stream>& stream : service.streams) {
      if (stream->wantsFrame()) ready.push_back(stream);
    }
    if (!service.changed || ready.empty()) continue;
    const ViewFrame frame = world.frame();
    for (const std::shared_ptr<Stream>& stream : ready) stream->show(frame);
    // Those that were not ready get this frame, or a later one, when they are.
    service.changed = ready.size() < service.streams.size();
  }
  const std::set<std::shared_ptr<Stream>> all = service.streams;
  for (const std::shared_ptr<Stream>& stream : all) stream->end();
}

}  // namespace cairn::v0
