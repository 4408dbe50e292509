import { spawn } from "node:child_process";
import net from "node:net";
import framing from "./frames.cjs";
import { linuxPathsIn, toLinux } from "./paths.ts";

const { KINDS, frame, joinProcess, readFrames } = framing;
const SIGNAL_CODE = 128;

/** Runs the bash of this machine for the `bash.exe` in Wine. The commands end when that is killed. Resolves to its port and its end. */
export async function startBashServer() {
  const sockets = new Set();
  const groups = new Set();
  const server = net.createServer((socket) => {
    let child;
    let handlers = {};
    let hasExited = false;
    readFrames(socket, (kind, bytes) => {
      if (kind !== KINDS.start) return handlers[kind]?.(bytes);
      child = start(JSON.parse(bytes.toString()));
      handlers = joinProcess(child, socket);
      if (child.pid !== undefined) groups.add(child.pid);
      child.once("exit", (code, signal) => {
        hasExited = true;
        // What runs on in the background holds the pipes.
        setTimeout(
          () => socket.end(frame(KINDS.exit, String(code ?? SIGNAL_CODE + (signal === "SIGKILL" ? 9 : 15)))),
          50,
        );
      });
    });
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => {
      sockets.delete(socket);
      if (!hasExited && child?.pid !== undefined) killGroup(child.pid);
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: server.address().port,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      for (const group of groups) killGroup(group);
    },
  };
}

/** The environment is that of the command on Windows, with the programs and folders of this machine. */
function start({ args, cwd, env }) {
  const { Path, PATH = Path, USERPROFILE = "", ...rest } = env;
  const own = (PATH ?? "").split(";").flatMap((folder) => (/^Z:/i.test(folder) ? [toLinux(folder)] : []));
  return spawn("/bin/bash", args.map(linuxPathsIn), {
    cwd: toLinux(cwd),
    env: {
      ...Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, toLinux(value)])),
      HOME: toLinux(USERPROFILE),
      PATH: [...own, process.env.PATH].join(":"),
    },
    detached: true,
  });
}

function killGroup(group) {
  try {
    process.kill(-group, "SIGKILL");
  } catch {
    // nobody is left of it
  }
}
