"use strict";
// The two ends of a connection between Linux and Wine: each frame is its kind, its length and its bytes. Runs on both.

const HEADER_BYTES = 5;

/** What goes to the side that runs the program, and what comes back. */
const KINDS = { start: 0, stdin: 1, stdinEnd: 2, kill: 3, stdout: 4, stderr: 5, exit: 6 };

function frame(kind, data = "") {
  const bytes = Buffer.from(data);
  const header = Buffer.alloc(HEADER_BYTES);
  header[0] = kind;
  header.writeUInt32LE(bytes.length, 1);
  return Buffer.concat([header, bytes]);
}

/** Calls `onFrame(kind, bytes)` for each whole frame that a socket gets. */
function readFrames(socket, onFrame) {
  let rest = Buffer.alloc(0);
  socket.on("data", (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= HEADER_BYTES) {
      const end = HEADER_BYTES + rest.readUInt32LE(1);
      if (rest.length < end) return;
      const kind = rest[0];
      const bytes = rest.subarray(HEADER_BYTES, end);
      rest = rest.subarray(end);
      onFrame(kind, bytes);
    }
  });
}

/**
 * Joins a process to a socket: its output and its exit go there. @returns what to do with the frames for it.
 */
function joinProcess(child, socket) {
  child.stdout.on("data", (chunk) => socket.write(frame(KINDS.stdout, chunk)));
  child.stderr.on("data", (chunk) => socket.write(frame(KINDS.stderr, chunk)));
  child.stdin.on("error", () => undefined); // it need not read its input
  child.once("error", (error) => {
    socket.write(frame(KINDS.stderr, `${error.message}\n`));
    socket.end(frame(KINDS.exit, "127"));
  });
  return {
    [KINDS.stdin]: (bytes) => child.stdin.write(bytes),
    [KINDS.stdinEnd]: () => child.stdin.end(),
  };
}

module.exports = { KINDS, frame, readFrames, joinProcess };
