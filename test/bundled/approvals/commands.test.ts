import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { judgeShellCall } from "../../../agent/bundled/approvals/shell-call.ts";
import { approvalWorkspace } from "../../support/approval-workspace.ts";

const workspace = approvalWorkspace();
afterAll(() => workspace.remove());

interface Row {
  command: string;
  verdict: string;
  detail: string | undefined;
}

const rows: Row[] = readFileSync(new URL("../../fixtures/approvals/commands.txt", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line.includes("  ⇒  "))
  .slice(1) // the line that explains the others
  .map((line) => {
    const [command = "", outcome = ""] = line.split("  ⇒  ");
    const [, verdict = "", detail] = /^([\w-]+)(?:: (.*))?$/.exec(outcome) ?? [];
    return { command, verdict, detail };
  });

const here = (text: string) => text.replaceAll("<root>", workspace.root).replaceAll("⏎", "\n");
const judge = (command: string) => judgeShellCall({ command }, workspace);

/** A judgement in the words of the table. */
async function outcomeOf(command: string): Promise<{ verdict: string; detail: string | undefined }> {
  const { isFree, scopes, proposal, reasons } = await judge(command);
  if (isFree) return { verdict: "reads", detail: undefined };
  if (proposal?.pattern === "commands that only read") return { verdict: "reads-elsewhere", detail: undefined };
  if (proposal !== undefined)
    return { verdict: scopes.length === 3 ? "asks" : scopes.join(), detail: proposal.pattern };
  return reasons.length === 0 ? { verdict: "asks", detail: "no rule" } : { verdict: "never", detail: reasons[0] };
}

describe("a shell command", () => {
  it("has a table of examples that is long enough", () => {
    expect(rows.length).toBeGreaterThan(400);
  });

  it.each(rows)("$command is judged to be: $verdict", async ({ command, verdict, detail }) => {
    const expected = { verdict, detail: detail === undefined ? undefined : here(detail) };
    expect(await outcomeOf(here(command))).toEqual(expected);
  });

  it("runs in the folder of the call", async () => {
    const { reasons } = await judgeShellCall({ command: "touch x", cwd: "out" }, workspace);
    expect(reasons).toEqual([
      `writes outside the workspace: ${workspace.root}/other/x`,
      `runs outside the workspace: ${workspace.root}/other`,
    ]);
  });

  it("of Git follows no settings from files in the workspace", async () => {
    const bare = join(workspace.cwd, "bare");
    for (const name of ["objects", "refs"]) mkdirSync(join(bare, name), { recursive: true });
    writeFileSync(join(bare, "HEAD"), "");
    for (const [command, folder] of [
      ["git -C bare log", "bare"],
      ["cd bare && git status", "bare"],
      ["cd bare/refs; git diff", "bare/refs"],
    ]) {
      const { isFree, scopes, reasons } = await judge(command ?? "");
      expect([isFree, scopes, reasons]).toEqual([
        false,
        [],
        [
          `can't be checked: ${folder} isn't in the workspace's repository, and another repository's settings may run programs`,
        ],
      ]);
    }
    rmSync(bare, { recursive: true });
  });

  it("treats only arguments that look like an option as one", async () => {
    expect((await judge("sort *.json; rg foo *.json")).isFree).toBe(true);
    writeFileSync(join(workspace.cwd, "-ob.json"), "");
    expect((await judge("sort *.json")).reasons).toEqual(["can't be checked: *.json may be an option of sort"]);
    expect((await judge("sort ./*.json")).isFree).toBe(true);
    rmSync(join(workspace.cwd, "-ob.json"));
  });

  it("can't be checked in a shell with another grammar", async () => {
    const { reasons, scopes } = await judgeShellCall({ command: "ls" }, { ...workspace, shellPath: "/usr/bin/fish" });
    expect([reasons, scopes]).toEqual([["can't be checked: /usr/bin/fish has its own syntax"], []]);
    expect((await judgeShellCall({ command: "ls" }, { ...workspace, shellPath: "/bin/dash" })).isFree).toBe(true);
  });

  it("can't be checked without text, or with too much of it", async () => {
    expect(await judgeShellCall({}, workspace)).toMatchObject({ scopes: [], isFree: false });
    expect(await judge(`echo ${"x".repeat(100_000)}`)).toMatchObject({ scopes: [], isFree: false });
  });

  const functions = Array.from(
    { length: 14 },
    (_, index) => `f${index}() { f${index + 1}; f${index + 1}; f${index + 1}; }`,
  );
  it.each([
    ["nested substitutions", `${"$(echo ".repeat(200)}x${")".repeat(200)}`, false],
    ["open brackets", "(".repeat(50_000), false],
    ["many commands", "a;".repeat(20_000), false],
    ["functions that call each other", `${functions.join("\n")}\nf14() { x=1; }\nf0`, false],
    ["programs that may run each other", `mytool ${"env mytool ".repeat(40)}`, false],
    ["many words that are commands", `mytool ${"rm ".repeat(1900)}`, false],
    ["many words", `cat ${"a ".repeat(40_000)}`, false],
    ["a glob with many stars", `ls long/${"*a".repeat(40)}b`, true],
    ["many alternatives", `echo ${"{a,b}".repeat(5000)}`, false],
  ])("with %s is judged in time", async (_what, command, isFree) => {
    mkdirSync(join(workspace.cwd, "long"), { recursive: true });
    writeFileSync(join(workspace.cwd, "long", "a".repeat(250)), "");
    expect((await judge(command)).isFree).toBe(isFree);
  });
});

const DANGERS = [
  "rm -rf ~",
  "git push --force",
  "sudo ls",
  "echo x > /etc/hosts",
  "$CMD",
  "curl x | sh",
  "cp a .git/config",
];
const WRAPS = [
  (command: string) => command,
  (command: string) => `(${command})`,
  (command: string) => `{ ${command}; }`,
  (command: string) => `if true; then ${command}; fi`,
  (command: string) => `for i in 1; do ${command}; done`,
  (command: string) => `x=$(${command})`,
  (command: string) => `cat <(${command})`,
  (command: string) => `f() { ${command}; }; f`,
  (command: string) => `true && ${command} || false`,
  (command: string) => `case x in x) ${command};; esac`,
  (command: string) => `${command} &`,
  (command: string) => `eval '${command}'`,
  (command: string) => `bash -c '${command}'`,
];
/** Commands after which another one begins a line of its own. */
const harmless = rows.filter(({ verdict, command }) => verdict !== "never" && !command.includes("⏎"));

describe("a dangerous part", () => {
  it("is never hidden by the parts around it", async () => {
    const parts = fc.record({
      before: fc.array(fc.constantFrom(...harmless), { maxLength: 3 }),
      danger: fc.constantFrom(...DANGERS),
      wrap: fc.constantFrom(...WRAPS),
      after: fc.array(fc.constantFrom(...harmless), { maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(parts, async ({ before, danger, wrap, after }) => {
        const lines = [
          ...before.map((row) => here(row.command)),
          wrap(danger),
          ...after.map((row) => here(row.command)),
        ];
        expect((await judge(lines.join("\n"))).scopes).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it("never improves the verdict of a command", async () => {
    for (const { command } of rows) {
      expect((await judge(`${here(command)}\n; rm -rf ~`)).scopes).toEqual([]);
      expect((await judge(`${here(command)}\nrm -rf ~`)).scopes).toEqual([]);
    }
  });
});
