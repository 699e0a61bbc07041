"use strict";
// The frames of a page: pieces of text, inflated and read when they are needed, and forgotten when others are.

const MOST_BYTES = 256e6;  // that frames in memory may take
const READING_MS = 4;      // of each picture that reading may take

async function inflated(text) {
  const packed = await fetch("data:application/octet-stream;base64," + text.trim());
  return new Response(packed.body.pipeThrough(new DecompressionStream("deflate"))).arrayBuffer();
}

class FrameStore {
  constructor(scene, tags, onReady) {
    this.scene = scene;
    this.onReady = onReady;
    let first = 0;
    this.pieces = [...tags].map((tag) => {
      const piece = { tag, first, count: Number(tag.dataset.count), frames: null, reader: null, loading: false, used: 0 };
      first += piece.count;
      return piece;
    });
    this.count = first;
    this.clock = 0;
    this.mostPieces = Math.max(3, Math.floor(MOST_BYTES / (50 * Math.max(1, scene.bodies.length) * (this.pieces[0]?.count ?? 1))));
  }

  pieceOf(frame) {
    let low = 0, high = this.pieces.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.pieces[middle].first <= frame) low = middle; else high = middle - 1;
    }
    return this.pieces[low];
  }

  // The frame, or null while it is still being read.
  at(frame) {
    const piece = this.pieceOf(frame);
    piece.used = ++this.clock;
    this.load(piece);
    return piece.frames?.[frame - piece.first] ?? null;
  }

  load(piece) {
    if (piece.frames !== null || piece.loading) return;
    piece.loading = true;
    inflated(piece.tag.textContent).then((buffer) => {
      piece.reader = new FrameReader(this.scene);
      piece.reader.open(buffer);
      piece.frames = [];
      piece.loading = false;
      this.onReady();
    });
  }

  // Reads on where something waits: the piece of this frame at once, up to the frame, and the piece behind it bit by bit. Called once a picture.
  work(frame) {
    const piece = this.pieceOf(frame), following = this.pieces[this.pieces.indexOf(piece) + 1];
    const end = performance.now() + READING_MS;
    this.read(piece, () => piece.frames.length <= frame - piece.first + 1);
    this.read(piece, () => performance.now() < end);
    if (following !== undefined) {
      following.used = Math.max(following.used, piece.used - 0.5);
      this.load(following);
      this.read(following, () => performance.now() < end);
    }
    this.forget();
  }

  read(piece, wanted) {
    while (piece.reader !== null && wanted()) {
      piece.frames.push(piece.reader.next(piece.frames[piece.frames.length - 1] ?? null));
      if (piece.reader.done) piece.reader = null;
    }
  }

  forget() {
    const held = this.pieces.filter((piece) => piece.frames !== null);
    if (held.length <= this.mostPieces) return;
    held.sort((a, b) => a.used - b.used);
    for (const piece of held.slice(0, held.length - this.mostPieces)) piece.frames = piece.reader = null;
  }
}
