"use strict";
// The program of two files that Wine lacks, told apart by the name it is started under. `bash.exe` stands in for Git's: it hands its command
// line to the bash of this machine. `taskkill.exe` knows /T, with which Wine's own fails.
const { execFileSync } = require("node:child_process");
const { readFileSync } = require("node:fs");
const net = require("node:net");
const { basename, dirname, join } = require("node:path");
const { KINDS, frame, readFrames } = require("./frames.cjs");

/** The file beside `bash.exe` that names the port at which bash is. */
const PORT_FILE = "port.txt";

if (/^taskkill/i.test(basename(process.execPath))) killTree();
else runBash();

function runBash() {
  const port = Number(readFileSync(join(dirname(process.execPath), PORT_FILE), "utf8"));
  const socket = net.connect(port, "127.0.0.1");
  const { argv, env } = process;
  socket.write(frame(KINDS.start, JSON.stringify({ args: argv.slice(2), cwd: process.cwd(), env })));
  process.stdin.on("data", (bytes) => socket.write(frame(KINDS.stdin, bytes)));
  process.stdin.on("end", () => socket.write(frame(KINDS.stdinEnd)));
  process.stdin.on("error", () => socket.write(frame(KINDS.stdinEnd)));
  readFrames(socket, (kind, bytes) => {
    if (kind === KINDS.stdout) process.stdout.write(bytes);
    else if (kind === KINDS.stderr) process.stderr.write(bytes);
    else if (kind === KINDS.exit) process.exitCode = Number(bytes.toString());
  });
  socket.on("error", () => process.exit(1));
  socket.on("close", () => process.stdin.destroy());
}

function killTree() {
  const pid = Number(process.argv[process.argv.findIndex((word) => /^\/pid$/i.test(word)) + 1]);
  const isTree = process.argv.some((word) => /^\/t$/i.test(word));
  const listed = execFileSync("wmic", ["process", "get", "ParentProcessId,ProcessId"]).toString("utf16le");
  const pairs = listed.split("\n").map((line) => line.trim().split(/\s+/).map(Number));
  const members = [pid];
  for (const parent of members) {
    if (isTree) members.push(...pairs.flatMap(([of, child]) => (of === parent && child > 0 ? [child] : [])));
  }
  for (const member of members.reverse()) {
    try {
      process.kill(member);
    } catch {
      process.exitCode = 128; // as taskkill says that there is no such process
    }
  }
}
