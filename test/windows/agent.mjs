// Stands in for the built agent: starts it on Windows, through the hub in Wine, and is what the tests see of it. Paths of Linux in the
// command line and the environment become those of Windows, and back in what it prints.
import net from "node:net";
import { fileURLToPath } from "node:url";
import framing from "./frames.cjs";
import { lineWithLinuxPaths, toWindows } from "./paths.ts";

const { KINDS, frame, readFrames } = framing;
const BUILT_AGENT = fileURLToPath(new URL("../../dist/agent/cli.js", import.meta.url));
const LINE_FEED = 0x0a;

const windows = (text) => (/^\/[^/\s]/.test(text) ? toWindows(text) : text);

/** Windows has its own names for some variables. The PATH keeps what a test has put there. */
function environment() {
  const { HOME = "/tmp", PATH = "", ...rest } = process.env;
  const own = PATH.split(":").filter((folder) => folder.startsWith("/tmp/"));
  return {
    ...Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, windows(value)])),
    USERPROFILE: toWindows(HOME),
    APPDATA: toWindows(`${HOME}/AppData/Roaming`),
    LOCALAPPDATA: toWindows(`${HOME}/AppData/Local`),
    TEMP: toWindows("/tmp"),
    TMP: toWindows("/tmp"),
    PATH: [...own.map(toWindows), process.env.TILLER_WINDOWS_PATH].join(";"),
  };
}

/** Passes whole lines on. */
class Lines {
  #partial = [];
  #write;

  constructor(write) {
    this.#write = write;
  }

  push(bytes) {
    let from = 0;
    for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, from)) {
      this.#partial.push(bytes.subarray(from, end));
      this.#pass("\n");
      from = end + 1;
    }
    if (from < bytes.length) this.#partial.push(bytes.subarray(from));
  }

  end() {
    if (this.#partial.length > 0) this.#pass("");
  }

  #pass(ending) {
    const line = Buffer.concat(this.#partial.splice(0));
    const text = line.toString();
    const turned = lineWithLinuxPaths(text);
    this.#write(Buffer.concat([turned === text ? line : Buffer.from(turned), Buffer.from(ending)]));
  }
}

const socket = net.connect(Number(process.env.TILLER_WINDOWS_HUB), "127.0.0.1");
const stdout = new Lines((bytes) => process.stdout.write(bytes));
const stderr = new Lines((bytes) => process.stderr.write(bytes));
/** Path of the agent as one file, if that is what is tested. */
const program = process.env.TILLER_WINDOWS_PROGRAM;
let exitCode;

socket.write(
  frame(
    KINDS.start,
    JSON.stringify({
      ...(program === undefined ? {} : { program: toWindows(program) }),
      args: [...(program === undefined ? [...process.execArgv, BUILT_AGENT] : []), ...process.argv.slice(2)].map(
        windows,
      ),
      cwd: toWindows(process.cwd()),
      env: environment(),
    }),
  ),
);
process.stdin.on("data", (bytes) => {
  if (!socket.write(frame(KINDS.stdin, bytes))) {
    process.stdin.pause();
    socket.once("drain", () => process.stdin.resume());
  }
});
process.stdin.on("end", () => socket.write(frame(KINDS.stdinEnd)));
process.stdout.on("error", () => socket.destroy());
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) {
  process.once(signal, () => {
    socket.write(frame(KINDS.kill));
    socket.once("close", () => process.kill(process.pid, signal));
  });
}

readFrames(socket, (kind, bytes) => {
  if (kind === KINDS.stdout) stdout.push(bytes);
  else if (kind === KINDS.stderr) stderr.push(bytes);
  else if (kind === KINDS.exit) exitCode = Number(bytes.toString());
});
socket.on("error", (error) => console.error(`The hub in Wine: ${error.message}`));
socket.on("close", () => {
  stdout.end();
  stderr.end();
  process.stdin.destroy();
  process.exitCode = exitCode ?? 1;
});
