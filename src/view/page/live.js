"use strict";
// A World that runs while one looks: frames come from the server that the page is from, as fast as this page takes them.

class Live {
  constructor(scene, onFrame, onState) {
    this.reader = new FrameReader(scene);
    this.onFrame = onFrame;
    this.onState = onState;
    this.frame = null;
    this.state = { paused: true, connected: false, words: "connecting" };
    this.socket = new WebSocket(`ws://${location.host}/stream`);
    this.socket.binaryType = "arraybuffer";
    this.socket.onmessage = (message) => this.receive(message.data);
    this.socket.onclose = (event) => this.change({ connected: false, words: event.reason || "the server has gone" });
    this.socket.onopen = () => this.change({ connected: true, words: "" });
  }

  change(what) {
    Object.assign(this.state, what);
    this.onState(this.state);
  }

  receive(data) {
    if (typeof data === "string") {
      this.change(JSON.parse(data));
      return;
    }
    this.reader.open(data);
    this.frame = this.reader.next(this.frame);
    this.onFrame(this.frame);
    this.send({ do: "seen" });  // the next one may come
  }

  send(message) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }
  pause(paused) { this.send({ do: paused ? "pause" : "go" }); }
  step() { this.send({ do: "step" }); }
  reset() { this.send({ do: "reset" }); }
  speed(factor) { this.send({ do: "speed", factor }); }
  // A spring from a point of the body, in its frame, to a place of the world.
  pull(body, anchor, to) { this.send({ do: "pull", body, anchor, to }); }
  letGo() { this.send({ do: "let_go" }); }
}
