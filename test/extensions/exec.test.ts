import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { exec } from "../../agent/extensions/exec.ts";
import { isRunning } from "../support/process-state.ts";

const cwd = mkdtempSync(join(tmpdir(), "tiller-exec-"));
const node = (code: string, options: object = {}) => exec(process.execPath, ["-e", code], { cwd, ...options });

process.once("exit", () => rmSync(cwd, { recursive: true, force: true }));

describe("pi.exec()", () => {
  it("returns a program's output and exit code, without a shell", async () => {
    const code = 'process.stdout.write("out " + process.argv[1]); process.stderr.write("err"); process.exitCode = 3;';
    const result = await exec(process.execPath, ["-e", code, "$HOME; ls"], { cwd });
    expect(result).toEqual({ stdout: "out $HOME; ls", stderr: "err", code: 3, killed: false });
  });

  it("gives a program empty input", async () => {
    expect(await exec("cat", [], { cwd })).toEqual({ stdout: "", stderr: "", code: 0, killed: false });
  });

  it("never rejects: a program that cannot be started has code 1 and a reason", async () => {
    const missing = await exec("no-such-program-here", [], { cwd });
    expect(missing).toMatchObject({ stdout: "", code: 1, killed: false });
    expect(missing.stderr).toContain("ENOENT");
    expect(await exec("true", [], { cwd: "/no/such/folder" })).toMatchObject({ code: 1 });
    expect(await exec("a\0b", [], { cwd })).toMatchObject({ code: 1, killed: false });
  });

  it("ends a slow program with its child processes, even when it resists", async () => {
    const result = await node(
      `process.on("SIGTERM", () => {});
       const child = require("node:child_process").spawn("sleep", ["60"]);
       require("node:fs").writeFileSync("pid", String(child.pid));
       setInterval(() => {}, 1000);`,
      { timeout: 400 },
    );
    expect(result).toMatchObject({ code: 0, killed: true });
    expect(isRunning(Number(readFileSync(join(cwd, "pid"), "utf8")))).toBe(false);
  });

  it("ends a program when its signal aborts, and starts none when it has aborted already", async () => {
    const controller = new AbortController();
    const running = node("setInterval(() => {}, 1000)", { signal: controller.signal });
    controller.abort();
    expect(await running).toMatchObject({ code: 0, killed: true });
    expect(await node("process.stdout.write('ran')", { signal: controller.signal })).toMatchObject({
      stdout: "",
      code: 0,
      killed: true,
    });
  });

  it("reports no success when something else ends a program", async () => {
    expect(await node("process.kill(process.pid, 'SIGKILL')")).toMatchObject({ code: 1, killed: false });
  });

  it("ends a program that prints more than 16 MiB", async () => {
    const result = await node(
      "const chunk = 'x'.repeat(1e6); const go = () => { while (process.stdout.write(chunk)); process.stdout.once('drain', go); }; go();",
    );
    expect(result.killed).toBe(true);
    expect(result.stdout.length).toBeGreaterThan(10_000_000);
    expect(result.stdout.length).toBeLessThanOrEqual(16 * 1024 * 1024);
  });

  it("does not wait for a background process that holds the output open", async () => {
    const before = performance.now();
    expect(await exec("sh", ["-c", "sleep 20 & echo done"], { cwd })).toMatchObject({ stdout: "done\n", code: 0 });
    expect(performance.now() - before).toBeLessThan(10_000);
  });
});
