import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { killAllShells } from "../../agent/tools/session-processes.ts";
import { runShell, type ShellCommand } from "../../agent/tools/shell.ts";
import { temporaryFolder } from "../support/run-tool.ts";

async function shell(command: string, parts: Partial<ShellCommand> = {}) {
  let output = "";
  const cwd = parts.cwd ?? (await temporaryFolder());
  const exit = await runShell({
    command,
    cwd,
    env: process.env,
    shell: {},
    signal: new AbortController().signal,
    ...parts,
    onData(chunk) {
      output += chunk.toString();
      return parts.onData?.(chunk);
    },
  });
  return { ...exit, output };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const gone = (pid: number) => vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 5000 });

describe("runShell", () => {
  it("returns the exit code", async () => {
    expect(await shell("exit 7")).toEqual({ exitCode: 7, reason: "exit", output: "" });
  });

  it("does not wait for a background process that keeps the pipe open", async () => {
    const startedAt = performance.now();
    const { output, exitCode } = await shell("sleep 60 & echo $!");
    expect(exitCode).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(5000);
    expect(isAlive(Number(output))).toBe(true);
    await killAllShells();
    await gone(Number(output));
  });

  it("does not wait for a background process that keeps writing", async () => {
    const { output, exitCode } = await shell("while :; do echo x; sleep 0.02; done & echo $!");
    expect(exitCode).toBe(0);
    await killAllShells();
    await gone(Number(/\d+/.exec(output)?.[0]));
  });

  it("ends background processes when the command is aborted", async () => {
    const abort = new AbortController();
    const { output, ...exit } = await shell("sleep 60 & echo $!; wait", {
      signal: abort.signal,
      onData: () => abort.abort(),
    });
    expect(exit).toEqual({ exitCode: null, reason: "aborted" });
    await gone(Number(output));
  });

  it("kills programs that ignore the request to end", async () => {
    const abort = new AbortController();
    const command = "trap '' TERM; echo $$; while :; do sleep 0.1; done";
    const { output, reason } = await shell(command, { signal: abort.signal, onData: () => abort.abort() });
    expect(reason).toBe("aborted");
    await gone(Number(output));
  });

  it("ends even if its output is not read", async () => {
    const abort = new AbortController();
    const onData = () => {
      abort.abort();
      return new Promise<void>(() => undefined);
    };
    expect((await shell("yes", { signal: abort.signal, onData })).reason).toBe("aborted");
  });

  it("starts nothing when it is already aborted", async () => {
    const folder = await temporaryFolder();
    expect((await shell("touch made", { cwd: folder, signal: AbortSignal.abort() })).reason).toBe("aborted");
    await expect(readFile(join(folder, "made"))).rejects.toThrow("ENOENT");
  });

  it("names a missing shell", async () => {
    await expect(shell("true", { shell: { shellPath: "/no/such/shell" } })).rejects.toThrow(
      "Shell not found: /no/such/shell. Correct shellPath in the settings, or remove it to use bash.",
    );
  });
});
