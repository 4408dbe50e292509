"use strict";
// Runs in Wine, for as long as the tests do: starts a program for each connection. Programs that Linux starts get pipes of Linux, which
// Node for Windows refuses; those that this one starts get pipes of Windows.
const { spawn } = require("node:child_process");
const { writeFileSync } = require("node:fs");
const net = require("node:net");
const { join } = require("node:path");
const { KINDS, frame, joinProcess, readFrames } = require("./frames.cjs");

const [portFile] = process.argv.slice(2);
const PRELOAD = join(__dirname, "preload.cjs");

const server = net.createServer((socket) => {
  let child;
  let handlers = {};
  readFrames(socket, (kind, bytes) => {
    if (kind === KINDS.start) {
      child = start(JSON.parse(bytes.toString()), socket);
      handlers = joinProcess(child, socket);
    } else if (kind === KINDS.kill) {
      child?.kill();
    } else {
      handlers[kind]?.(bytes);
    }
  });
  socket.on("error", () => undefined);
  // Whoever stands for it was killed.
  socket.on("close", () => child?.kill());
});

/** Starts a program that has its own Node, which takes options only from the environment, or else this Node. */
function start({ program, args, cwd, env }, socket) {
  const [file, before, option] =
    program === undefined
      ? [process.execPath, ["--require", PRELOAD], ""]
      : [program, [], ` --require ${JSON.stringify(PRELOAD)}`];
  const child = spawn(file, [...before, ...args], {
    cwd,
    // Wine has no title for a program without a console, and Node would end where it needs one.
    env: { ...process.env, NODE_OPTIONS: `--title=node${option}`, ...env },
    windowsHide: true,
  });
  child.once("close", (code) => socket.end(frame(KINDS.exit, String(code ?? 1))));
  return child;
}

server.listen(0, "127.0.0.1", () => writeFileSync(portFile, String(server.address().port)));
