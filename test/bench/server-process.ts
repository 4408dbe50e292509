import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** The scripted model server, running. */
export interface ModelServer {
  /** The base URL under which every answer has this many characters. */
  baseUrl(chars: number): string;
  /** The base URL under which a file is asked for so many times before the answer. */
  turnsUrl(turns: number): string;
  stop(): Promise<void>;
}

/** Starts the model server as a process of its own, so that its work is not counted. */
export async function startModelServer(): Promise<ModelServer> {
  const script = fileURLToPath(new URL("model-server.ts", import.meta.url));
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", script], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const [port] = await Promise.race([
    once(createInterface({ input: child.stdout }), "line"),
    exited.then(() => Promise.reject(new Error("The model server ended before it listened."))),
  ]);
  return {
    baseUrl: (chars) => `http://127.0.0.1:${port}/${chars}`,
    turnsUrl: (turns) => `http://127.0.0.1:${port}/turns-${turns}`,
    async stop() {
      child.stdin.end();
      await exited;
    },
  };
}
