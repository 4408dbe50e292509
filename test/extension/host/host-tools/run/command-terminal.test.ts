import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CommandTerminal } from "../../../../../extension/host/host-tools/run/command-terminal.ts";
import { RunOutput } from "../../../../../extension/host/host-tools/run/terminal-run.ts";
import { isRunning } from "../../../../support/process-state.ts";

let folder: string;
let terminal: CommandTerminal;
/** The output that the terminal was given, piece by piece. */
let pieces: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tiller-terminal-"));
  terminal = new CommandTerminal();
  pieces = [];
  terminal.onDidWrite((text) => pieces.push(text));
  terminal.open();
});
afterEach(async () => {
  terminal.close();
  await rm(folder, { recursive: true, force: true });
});

const shown = () => pieces.join("");

async function start(command: string, shell = "/bin/sh") {
  const output = new RunOutput(() => {});
  const env = { PATH: process.env.PATH ?? "", HERE: folder };
  const run = await terminal.run({ command, shell, cwd: folder, env }, (text) => output.add(text));
  return { ...run, output };
}

async function ended(command: string, shell?: string) {
  const run = await start(command, shell);
  const end = await run.ended;
  return { ...end, text: run.output.text() };
}

/** The process whose number the command writes into a file. */
async function pidIn(name: string): Promise<number> {
  const read = () => readFile(join(folder, name), "utf8").catch(() => "");
  await expect.poll(read).toMatch(/^\d+\n$/);
  return Number(await read());
}

const isOver = (pid: number) => expect.poll(() => isRunning(pid)).toBe(false);

describe("a command in its own terminal", () => {
  it.each(["/bin/sh", "/bin/bash"])("returns its output and how it ended, and shows both: %s", async (shell) => {
    const end = await ended("echo one; printf '\\033[31mtwo\\033[0m' >&2; exit 3", shell);
    expect(end).toMatchObject({ isClosed: false, exitCode: 3 });
    expect(end.text.split("\n").sort().join(" ")).toMatch(/one.*two|twoone/);
    expect(shown()).toContain("> echo one;");
    expect(shown()).toContain("one\r\n");
    expect(shown()).toContain("\u001b[31mtwo\u001b[0m");
    expect(shown()).toMatch(/\r\n\S*\[The command exited with code 3\.\]\S*\r\n$/);
  });

  it("runs in the given folder with the given environment", async () => {
    expect((await ended('pwd; echo "$HERE"; env | wc -l')).text).toMatch(
      new RegExp(`^${folder}\n${folder}\n\\s*[2-5]$`), // and what the shell itself sets
    );
  });

  it("counts a signal as shells do", async () => {
    expect(await ended("kill -9 $$")).toMatchObject({ exitCode: 137, text: "(no output)" });
  });

  it("says why it could not start, and the terminal can be used again", async () => {
    await expect(start("true", join(folder, "no-shell"))).rejects.toThrow(/no-shell couldn't be started in .*ENOENT/);
    expect(shown()).toContain("[Couldn't start the command: ");
    expect(await ended("echo again")).toMatchObject({ exitCode: 0, text: "again" });
  });

  it("is shown without the codes in it", async () => {
    await ended("true '\u001b[2J\u001b]0;x\u0007\r'\ntrue");
    expect(shown()).not.toContain("\u001b[2J");
    expect(shown()).toContain("> true '\ufffd'\r\ntrue");
  });

  it("reads typed input until end of input", async () => {
    const run = await start('read name; echo "hello $name"; cat');
    terminal.handleInput("wrold\u007f\u007f\u007f\u007forld\r");
    await expect.poll(shown).toContain("hello world\r\n");
    terminal.handleInput("more\r");
    terminal.handleInput("\u0004");
    expect(await run.ended).toMatchObject({ exitCode: 0 });
    expect(run.output.text()).toBe("hello world\nmore");
  });

  it("is the only reader, and input typed before or after is reported once", async () => {
    await ended("true");
    pieces = [];
    terminal.handleInput("l");
    expect(shown()).toContain("[Only the agent's commands run here. Open another terminal for your own.]");
    pieces = [];
    terminal.handleInput("s");
    expect(shown()).toBe("\u0007");
  });

  it("is interrupted by Ctrl+C with its child processes", async () => {
    // A shell may lose the signal while it starts a program, so the program says that it runs.
    const program = `"${process.execPath}" -e 'console.log("ready " + process.pid); setInterval(() => {}, 1e6)'`;
    const run = await start(`${program}; echo on`);
    await expect.poll(() => run.output.text()).toMatch(/^ready \d+$/);
    terminal.handleInput("\u0003");
    expect(await run.ended).toMatchObject({ exitCode: 130 });
    expect(shown()).toContain("^C");
    expect(run.output.text()).toMatch(/^ready \d+$/);
    await isOver(Number(run.output.text().slice("ready ".length)));
  });

  it("is stopped with its child processes, even those that ignore it", async () => {
    const run = await start("trap '' TERM INT; (trap '' TERM; echo go; sleep 987) & echo $! > child; sleep 986; wait");
    const child = await pidIn("child");
    await expect.poll(() => run.output.text()).toBe("go");
    run.stop();
    expect(await run.ended).toMatchObject({ isClosed: false, exitCode: 137 });
    await isOver(child);
  });

  it("ends with the terminal", async () => {
    const run = await start("echo $$ > shell; sleep 987 & echo $! > child; wait");
    const pids = [await pidIn("shell"), await pidIn("child")];
    terminal.close();
    expect(await run.ended).toEqual({ isClosed: true });
    for (const pid of pids) await isOver(pid);
    expect(await terminal.isOpenWithin(1)).toBe(false);
  });

  it("ends with its shell, and its background processes end with the terminal", async () => {
    expect(
      await ended("sleep 987 & echo $! > open; sleep 986 > closed.txt 2>&1 & echo $! > closed; echo done"),
    ).toMatchObject({
      exitCode: 0,
      text: "done",
    });
    const pids = [await pidIn("open"), await pidIn("closed")];
    expect(await ended("echo next")).toMatchObject({ text: "next" });
    expect(pids.map(isRunning)).toEqual([true, true]);
    terminal.close();
    for (const pid of pids) await isOver(pid);
  });

  it("can print 100 MB: the end is returned, and no more is shown than a terminal takes", async () => {
    const end = await ended("yes 'a line of some length' | head -c 100000000; echo; echo last");
    expect(end.exitCode).toBe(0);
    expect(end.text).toMatch(/^\[Only the end of 100000006 bytes\.\]\n/);
    expect(end.text).toMatch(/\nlast$/);
    expect(Buffer.byteLength(end.text)).toBeLessThan(15_000);
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(80_000);
    expect(shown()).toContain("[There's too much output to show all of it here.]");
    expect(shown()).toMatch(/\r\nlast\r\n.*\[The command exited with code 0\.\]/);
  });

  it("keeps characters whole that arrive in pieces", async () => {
    expect((await ended("printf '\\303'; sleep 0.2; printf '\\244'")).text).toBe("ä");
  });
});

it("a command fails when the editor does not open its terminal", async () => {
  const other = new CommandTerminal();
  expect(await other.isOpenWithin(1)).toBe(false);
  other.open();
  expect(await other.isOpenWithin(1)).toBe(true);
});

it("a command ends with the process that started it", async () => {
  const module = pathToFileURL(
    join(import.meta.dirname, "../../../../../extension/host/host-tools/run/running-command.ts"),
  ).href;
  const start = { command: "trap '' TERM; sleep 987 & echo $! > child; wait", shell: "/bin/sh", cwd: folder };
  const script = `
    const { startCommand } = await import(${JSON.stringify(module)});
    await startCommand({ ...${JSON.stringify(start)}, env: process.env }, () => {});
    process.stdin.once("data", () => process.exit());`;
  const owner = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["pipe", "ignore", "inherit"],
  });
  const child = await pidIn("child");
  owner.stdin.write("end\n");
  await once(owner, "exit");
  await isOver(child);
});
