import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { bashTool } from "../../agent/tools/bash.ts";
import type { ToolOutput } from "../../agent/tools/tool.ts";
import { runTool, temporaryFolder, textOf, toolContext } from "../support/run-tool.ts";

async function bash(args: Record<string, unknown>, parts = {}) {
  const folder = await temporaryFolder();
  vi.stubEnv("TMPDIR", folder); // files with long outputs go there
  return runTool(bashTool, args, toolContext(folder, parts));
}

afterEach(() => {
  vi.unstubAllEnvs();
});

describe("the tool bash", () => {
  it("returns stdout and stderr in the order in which they were written", async () => {
    const command = "for i in 1 2 3; do echo o$i; echo e$i >&2; done; nothing-like-it; echo end";
    expect(textOf(await bash({ command }))).toMatch(
      /^o1\ne1\no2\ne2\no3\ne3\n.*: line 1: nothing-like-it: command not found\nend$/,
    );
  });

  it("reports that there is no output", async () => {
    expect(await bash({ command: "true" })).toEqual({ content: [{ type: "text", text: "(no output)" }] });
  });

  it("fails with the output and the exit code", async () => {
    await expect(bash({ command: "echo before; exit 3" })).rejects.toThrow(/^before\n\nCommand exited with code 3$/);
  });

  it("says that a command wants a terminal when it told so before the time was over", async () => {
    const command = "echo 'Vim: Warning: Input is not from a terminal'; sleep 60";
    const running = runTool(bashTool, { command, timeout: 0.3 }, toolContext(await temporaryFolder()));
    await expect(running).rejects.toThrow("It wants a terminal, and there is none");
  });

  it("stops at the timeout and keeps the output", async () => {
    await expect(bash({ command: "echo early; sleep 60", timeout: 0.3 })).rejects.toThrow(
      /^early\n\nCommand timed out after 0\.3 seconds\. If it needs longer, give a larger timeout; /,
    );
  });

  it("has a time limit of its own, which a setting changes, and says what to do about a silent command", async () => {
    await expect(bash({ command: "sleep 60" }, { shell: { timeoutSeconds: 0.3 } })).rejects.toThrow(
      /^Command timed out after 0\.3 seconds\. It printed nothing: if it waits for input, pass that as arguments /,
    );
    expect(JSON.stringify(bashTool.parameters)).toContain("default: 120");
  });

  it("refuses a timeout that is not a finite number", () => {
    const bound = bashTool.bind({ command: "true", timeout: Number.POSITIVE_INFINITY });
    expect(bound).toEqual({
      ok: false,
      problems: ["  - timeout: Invalid timeout: must be a finite number of seconds"],
    });
  });

  it("reports an abort", async () => {
    const abort = new AbortController();
    const onUpdate = (partial: ToolOutput) => {
      if (textOf(partial).includes("ready")) abort.abort();
    };
    await expect(bash({ command: "echo ready; sleep 60" }, { signal: abort.signal, onUpdate })).rejects.toThrow(
      /^ready\n\nCommand aborted$/,
    );
  });

  it("reports that another process killed the shell", async () => {
    await expect(bash({ command: "kill -9 $$" })).rejects.toThrow("Command terminated without an exit code");
  });

  it("names a missing working directory", async () => {
    const folder = await temporaryFolder();
    const gone = join(folder, "gone");
    await expect(runTool(bashTool, { command: "true" }, toolContext(gone))).rejects.toThrow(
      `Working directory does not exist: ${gone}\nCannot execute bash commands.`,
    );
  });

  it("shows the last 2000 lines and keeps all of them in a private file", async () => {
    const output = await bash({ command: "seq 2500" });
    const [, path = ""] = /Full output: (.*pi-bash-[0-9a-f]{16}\.log)\]$/.exec(textOf(output)) ?? [];
    const lines = textOf(output).split("\n");
    expect([lines[0], lines[1999], lines[2000]]).toEqual(["501", "2500", ""]);
    expect(lines[2001]).toBe(`[Showing lines 501-2500 of 2500. Full output: ${path}]`);
    expect(output.details).toMatchObject({
      fullOutputPath: path,
      truncation: { truncated: true, truncatedBy: "lines", totalLines: 2500, outputLines: 2000, totalBytes: 11_393 },
    });
    expect((await readFile(path, "utf8")).length).toBe(11_393);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it("names the size limit when bytes cut the output", async () => {
    const output = await bash({ command: "for i in $(seq 100); do printf '%01023d\\n' $i; done" });
    expect(textOf(output)).toMatch(/\n\n\[Showing lines 51-100 of 100 \(50\.0KB limit\)\. Full output: .*\.log\]$/);
  });

  it("shows the end of a last line that is too long", async () => {
    const output = await bash({ command: "echo first; head -c 102400 /dev/zero | tr '\\0' x" });
    expect(textOf(output)).toMatch(
      /x\n\n\[Showing last 50\.0KB of line 2 \(line is 100\.0KB\)\. Full output: .*\.log\]$/,
    );
  });

  it("first sends an empty update and then the output so far", async () => {
    const updates: ToolOutput[] = [];
    await bash(
      { command: "echo one; sleep 0.3; echo two" },
      { onUpdate: (partial: ToolOutput) => updates.push(partial) },
    );
    expect(updates[0]).toEqual({ content: [], details: { truncation: null, fullOutputPath: null } });
    expect(updates.slice(1).map(textOf)).toContain("one\n");
    expect(updates.length).toBeLessThanOrEqual(5);
  });

  it("keeps colors in the details, and gives the model plain text", async () => {
    const coloredText = "\u001b[31mred\u001b[0m\n";
    const command = "printf '\\033[31mred\\033[0m\\n'; sleep 0.3";
    const updates: ToolOutput[] = [];
    const output = await bash({ command }, { onUpdate: (partial: ToolOutput) => updates.push(partial) });
    expect([textOf(output), output.details]).toEqual(["red", { coloredText }]);
    expect(updates.at(-1)).toMatchObject({ content: [{ text: "red\n" }], details: { coloredText } });
  });

  it("stops reading while the host is not ready", async () => {
    let calls = 0;
    let callsWhileBlocked = 0;
    const gate = new Promise<void>((resolve) => {
      setTimeout(() => {
        callsWhileBlocked = calls;
        resolve();
      }, 200);
    });
    const ready = () => {
      calls++;
      return gate;
    };
    const output = await bash({ command: "head -c 1000000 /dev/zero | tr '\\0' '\\n'" }, { ready });
    expect(callsWhileBlocked).toBe(1);
    expect(output.details).toMatchObject({ truncation: { totalLines: 1_000_000 } });
  });

  it("gives the command a closed stdin, the given environment and the prefix", async () => {
    const parts = { env: { TILLER_PROBE: "seen" }, shell: { commandPrefix: "prefix=set" } };
    expect(textOf(await bash({ command: "cat; echo $TILLER_PROBE $prefix" }, parts))).toBe("seen set");
  });

  it("runs in the given folder", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "here.txt"), "");
    expect(textOf(await runTool(bashTool, { command: "ls", cwd: folder }, toolContext("/")))).toBe("here.txt");
  });

  it("is summarized by the first line of the command and the number of others", () => {
    const summaries = ["git status", "cat <<E\nrm -rf /\nE", "x".repeat(300)].map((command) => {
      const bound = bashTool.bind({ command });
      return bound.ok ? bound.input.summary : "";
    });
    expect(summaries).toEqual(["git status", "cat <<E (+2 lines)", `${"x".repeat(199)}…`]);
  });
});
