import { readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { CallJudgement } from "../../../agent/bundled/approvals/judgement.ts";
import { judgePathCall } from "../../../agent/bundled/approvals/path-call.ts";
import { Places } from "../../../agent/bundled/approvals/places.ts";
import { judgeShellCall } from "../../../agent/bundled/approvals/shell-call.ts";
import { judgeToolCall } from "../../../agent/bundled/approvals/tool-call.ts";
import type { ApprovalRule } from "../../../agent/protocol/approvals.ts";
import { BUILTIN_PATHS } from "../../../agent/tools/builtin-paths.ts";
import { anyTool } from "../../../agent/tools/tool.ts";
import { toSlashes } from "../../../agent/util/paths.ts";
import { approvalWorkspace } from "../../support/approval-workspace.ts";

const workspace = approvalWorkspace();
afterAll(() => workspace.remove());

const table = (name: string) =>
  readFileSync(new URL(`../../fixtures/approvals/${name}`, import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line.includes("  ⇒  "))
    .slice(1)
    .map((line) => line.replaceAll("⏎", "\n").replaceAll("<root>", workspace.root).split("  ⇒  "));

const rows = table("rules.txt").map(([pattern = "", command = "", answer = ""]) => ({ pattern, command, answer }));
const commands = table("commands.txt").map(([command = ""]) => command);

const rule = (fields: Partial<ApprovalRule>): ApprovalRule => ({
  id: "r",
  scope: "always",
  tool: "bash",
  text: "",
  createdAt: 1,
  uses: 0,
  ...fields,
});
const shell = (command: string) => judgeShellCall({ command }, workspace);
const judgeFileCall = (tool: "edit" | "write", path: string, cwd: string, places: Places) => {
  const named = BUILTIN_PATHS[tool].map(({ access }) => ({ path, access }));
  const isAddress = async () => false;
  return judgePathCall({ tool, origin: "builtin", named, isChanging: true, isEdit: true, isAddress }, cwd, places);
};
const file = (path: string, tool: "edit" | "write" = "edit") =>
  judgeFileCall(tool, path, workspace.cwd, workspace.places);
const isAllowed = (judgement: CallJudgement, rules: ApprovalRule[]) => judgement.allowedBy(rules) !== undefined;

describe("a rule for commands", () => {
  it("has a table of examples that is long enough", () => {
    expect(rows.length).toBeGreaterThan(100);
  });

  it.each([
    ["git stash *", "git stash drop"],
    ["git stash *", "git stash clear"],
    ["git switch *", "git switch --discard-changes main"],
    ["git commit *", "git commit --amend --no-edit"],
    ["kubectl get *", "kubectl get secret db -o yaml"],
    ["kubectl get *", "kubectl get -A pods,secrets"],
    ["kubectl describe *", "kubectl describe secrets/db"],
  ])("doesn't allow by its * what a question would warn of: %s, %s", async (pattern, command) => {
    const judged = await shell(command);
    expect(isAllowed(judged, [rule({ pattern })])).toBe(false);
    expect(judged.proposal?.pattern).toBe(command);
    expect(isAllowed(judged, [rule({ pattern: command })])).toBe(true);
    expect(judged.propose(pattern)).toBe(`${pattern}: write out what does harm, instead of *`);
  });

  it("allows with its * what only looks like a secret of a cluster", async () => {
    for (const command of ["kubectl get pods -n secretariat", "kubectl get pods -l app=secret-manager"]) {
      expect(isAllowed(await shell(command), [rule({ pattern: "kubectl get *" })])).toBe(true);
    }
  });

  it("allows with its * what its words warn of themselves", async () => {
    expect(isAllowed(await shell("npm publish --tag next"), [rule({ pattern: "npm publish *" })])).toBe(true);
    expect(isAllowed(await shell("git commit --amend -m x"), [rule({ pattern: "git commit --amend *" })])).toBe(true);
  });

  it.each(rows)("$pattern lets $command run: $answer", async ({ pattern, command, answer }) => {
    expect(isAllowed(await shell(command), [rule({ pattern })]) ? "yes" : "no").toBe(answer);
  });

  it("that was proposed allows every equal call", async () => {
    let proposed = 0;
    for (const command of commands) {
      const { proposal, scopes } = await shell(command);
      if (proposal === undefined) continue;
      proposed++;
      const [scope = "session"] = scopes;
      expect([command, isAllowed(await shell(command), [rule({ ...proposal, scope })])]).toEqual([command, true]);
    }
    expect(proposed).toBeGreaterThan(150);
  });

  it.each(["mytool 'a\nb'", "mytool a\u202eb", `mytool ${"x".repeat(300)}`])(
    "is not proposed for %j",
    async (command) => {
      expect((await shell(command)).proposal).toBeUndefined();
    },
  );

  it("can be one of several that together allow a command", async () => {
    const judgement = await shell("npm run x && mytool a");
    const npm = rule({ id: "npm", pattern: "npm run *" });
    const mytool = rule({ id: "mytool", pattern: "mytool a" });
    expect(judgement.allowedBy([npm])).toBeUndefined();
    expect(judgement.allowedBy([rule({ id: "other", pattern: "x" }), npm, mytool])).toEqual([npm, mytool]);
  });

  it("for temporary files is only for the session", async () => {
    const judgement = await shell(`touch ${workspace.root}/tmp/x`);
    const pattern = judgement.proposal?.pattern;
    expect(judgement.scopes).toEqual(["session"]);
    expect(isAllowed(judgement, [rule({ pattern, scope: "always" })])).toBe(false);
    expect(isAllowed(judgement, [rule({ pattern, scope: "session" })])).toBe(true);
  });

  it.each([
    ["npm *", "npm *: it would allow any command"],
    ["rm *", "rm *: it would allow any command"],
    ["* run build", "* run build: start it with the name of a command"],
    ["npm install", "npm install: doesn't match this command"],
    ["npm run (", "npm run (: isn't a list of commands"],
    ["npm run x | cat", "npm run x | cat: separate commands with ;"],
    ["npm run $X", "npm run $X: use only words, quotes, and *"],
    ["npm run x > y", "npm run x > y: write an output file as a part of its own, such as > out.txt"],
    ["sudo npm run *", "sudo npm run *: Tiller always asks before this call: runs with different permissions"],
    ["npm run *; rm -rf /", "npm run *; rm -rf /: Tiller always asks before this call: deletes /"],
    ["commands that only read", "commands that only read: this command changes something"],
    ["", ": enter a pattern on one line"],
    ["npm run *\nls", "npm run *\nls: enter a pattern on one line"],
  ])("cannot be changed to %j", async (pattern, problem) => {
    expect((await shell("npm run build")).propose(pattern)).toBe(problem);
  });

  it.each(["npm run build", "npm run b*", " npm run * ", "npm run *; git commit *"])(
    "can be changed to %j",
    async (wish) => {
      const pattern = wish.trim();
      expect((await shell("npm run build")).propose(wish)).toEqual({
        tool: "bash",
        pattern,
        text: `bash ${pattern}`,
        covers: expect.stringMatching(/^Covers /),
      });
    },
  );
});

describe("a rule for files", () => {
  it.each([
    ["src/a.ts", "src/**"],
    ["./src/../src/deep/b.ts", "src/**"],
    ["package.json", "package.json"],
    ["@package.json", "package.json"],
    ["new file.md", "new file.md"],
    ["[id]/page.tsx", "\\[id\\]/**"],
    ["a(b).ts", "a\\(b\\).ts"],
  ])("for %s is proposed as %s and allows the equal call", async (path, pattern) => {
    const judgement = await file(path);
    expect(judgement).toMatchObject({
      isFree: true,
      reasons: [],
      proposal: { tool: "edit", pattern, text: `edit ${pattern}` },
    });
    expect(isAllowed(await file(path), [rule({ tool: "edit", pattern })])).toBe(true);
    expect(isAllowed(await file(path, "write"), [rule({ tool: "edit", pattern })])).toBe(false);
  });

  it.each([
    ["src/**", "src/deep/x.ts", true],
    ["src/*.ts", "src/a.ts", true],
    ["src/*.ts", "src/deep/a.ts", false],
    ["**", "a/b/c", true],
    ["**/*.md", "docs/x.md", true],
    ["src/**", "other/src/a.ts", false],
    ["**", "../x", false],
    ["**", "out/x", false],
    ["**", ".env", false],
    ["**", "src/.git/config", false],
    [".vscode/**", ".vscode/tasks.json", false],
    ["/etc/*", "/etc/hosts", false],
  ])("%s allows an edit of %s: %s", async (pattern, path, answer) => {
    expect(isAllowed(await file(path), [rule({ tool: "edit", pattern })])).toBe(answer);
  });

  it.each([
    ["/etc/hosts", "writes outside the workspace: /etc/hosts"],
    ["../x", "writes outside the workspace: <root>/x"],
    ["~/.bashrc", /^(changes a protected file|writes outside the workspace): .*\.bashrc$/],
    ["out/x", "writes outside the workspace: <root>/other/x"],
    ["dangling", "writes outside the workspace: <root>/other/new.txt"],
    [".env.local", "changes a protected file: .env.local"],
    [".GIT/hooks/x", "changes a protected file: .GIT/hooks/x"],
    ["sub/.claude/settings.json", "changes a protected file: sub/.claude/settings.json"],
    [".github/hooks/own.json", "changes a protected file: .github/hooks/own.json"],
    ["<root>/home/.tiller/agent/settings.json", "changes a protected file: <root>/home/.tiller/agent/settings.json"],
  ])("for %s cannot be saved", async (path, reason) => {
    const { scopes, isFree, reasons } = await file(path.replace("<root>", workspace.root), "write");
    expect([scopes, isFree]).toEqual([[], false]);
    expect(reasons[0]).toMatch(typeof reason === "string" ? reason.replace("<root>", workspace.root) : reason);
  });

  it.each(["a\nb", "new\u202efile.ts", "src\u0007/x"])(
    "is not proposed for %j, which has invisible characters",
    async (path) => {
      const { scopes, proposal } = await file(path, "write");
      expect([scopes, proposal]).toEqual([[], undefined]);
    },
  );

  it.each([
    [".ssh/authorized_keys", []],
    [".config/git/config", []],
    ["Library/LaunchAgents/x.plist", []],
    ["notes.md", ["session", "workspace", "always"]],
  ])("in the home folder as workspace protects hidden files: %s", async (path, scopes) => {
    const { home, agentDir } = workspace;
    const places = new Places({ cwd: home, agentDir, home, temporary: [] });
    expect((await judgeFileCall("write", path, home, places)).scopes).toEqual(scopes);
  });

  it("treats other folders of the workspace like the main one", async () => {
    const { root, cwd, home, agentDir } = workspace;
    const other = join(root, "other");
    const places = new Places({ cwd, others: [other], agentDir, home, temporary: [] });
    const inOther = await judgeFileCall("write", join(other, "src/a.ts"), cwd, places);
    expect(inOther).toMatchObject({ isFree: true, scopes: ["session", "workspace", "always"], reasons: [] });
    expect(inOther.proposal?.pattern).toBe(`${toSlashes(realpathSync(other))}/src/**`);
    expect(inOther.propose("/**")).toContain("start it in the workspace");
    expect(inOther.propose(`${toSlashes(realpathSync(other))}/**/*.ts`)).toMatchObject({ tool: "write" });
    expect((await judgeFileCall("write", join(other, ".git/config"), cwd, places)).scopes).toEqual([]);
    expect((await judgeFileCall("write", join(other, ".env"), cwd, places)).scopes).toEqual([]);
    expect((await judgeFileCall("write", join(root, "third/a.ts"), cwd, places)).isFree).toBe(false);
    expect(places.isVital(realpathSync(other))).toBe(true);
    expect(places.isVital(realpathSync(root))).toBe(true);
  });

  it("for the whole disk as workspace protects system files", async () => {
    const { home, agentDir } = workspace;
    const places = new Places({ cwd: "/", agentDir, home, temporary: [] });
    expect((await judgeFileCall("write", "/etc/hosts", "/", places)).scopes).toEqual([]);
    expect((await judgeFileCall("write", "/project/a.ts", "/", places)).isFree).toBe(true);
  });

  it.each([
    ".git\u200c/config",
    ".git./config",
    ".git::$INDEX_ALLOCATION/config",
    "a.code-workspace",
    ".env.",
    "a\u2028b",
  ])("does not cover %j", async (path) => {
    expect((await file(path)).scopes).toEqual([]);
  });

  it("for temporary files is only for the session", async () => {
    const path = `${workspace.root}/tmp/x.txt`;
    const judgement = await file(path);
    expect(judgement).toMatchObject({ isFree: false, scopes: ["session"], proposal: { pattern: path } });
    expect(isAllowed(judgement, [rule({ tool: "edit", pattern: path, scope: "session" })])).toBe(true);
    expect(isAllowed(judgement, [rule({ tool: "edit", pattern: path })])).toBe(false);
  });

  it.each([
    ["docs/**", "docs/**: doesn't match src/a.ts"],
    ["../**", '../**: ".." leads out of the workspace'],
    ["/src/**", "/src/**: start it in the workspace, such as src/**"],
    ["!src/x", "!src/x: a rule can only allow, not exclude"],
    ["", ": enter a glob on one line"],
  ])("cannot be changed to %j", async (pattern, problem) => {
    expect((await file("src/a.ts")).propose(pattern)).toBe(problem);
  });

  it("can be changed to another glob that matches", async () => {
    expect((await file("src/a.ts")).propose("**/*.ts")).toEqual({
      tool: "edit",
      pattern: "**/*.ts",
      text: "edit **/*.ts",
      covers: "Covers calls of edit for every path that matches **/*.ts.",
    });
  });
});

describe("a rule for another tool", () => {
  const tool = (origin: "host" | "extension") =>
    judgeToolCall(
      anyTool({
        name: "format",
        label: "format",
        description: "",
        origin,
        concurrency: "shared",
        isReadOnly: false,
        parameters: {},
        parse: () => ({ ok: true, input: {} }),
        summarize: () => "",
        run: async () => ({ content: [] }),
      }),
    );

  it("is its name, and does not cover a tool of another owner with the same name", () => {
    const { proposal } = tool("host");
    expect(proposal).toMatchObject({ tool: "format", text: "host tool format" });
    expect(isAllowed(tool("host"), [rule({ ...proposal })])).toBe(true);
    expect(isAllowed(tool("extension"), [rule({ ...proposal })])).toBe(false);
  });

  it("of an extension or an MCP server holds in one workspace, since another may have a tool of the same name", () => {
    const { scopes, proposal } = tool("extension");
    expect(scopes).toEqual(["session", "workspace"]);
    expect(isAllowed(tool("extension"), [rule({ ...proposal, scope: "workspace" })])).toBe(true);
    expect(isAllowed(tool("extension"), [rule({ ...proposal, scope: "always" })])).toBe(false);
  });
});

describe("the words of a rule", () => {
  const words = async (command: string) => (await shell(command)).proposal?.covers;

  it("say which commands it covers", async () => {
    expect(await words("npm run build")).toBe("Covers every command that begins with “npm run”, whatever follows.");
    expect(await words("mytool --fix")).toBe("Covers exactly “mytool --fix”.");
    expect(await words("mytool 'two words'")).toBe("Covers exactly “mytool 'two words'”.");
    expect(await words("npm run x && mytool --fix > out.log")).toBe(
      "Covers every command that begins with “npm run”, whatever follows; writing to out.log; and exactly “mytool --fix”.",
    );
    expect(await words("cat /etc/hostname")).toBe(
      "Covers every command that changes nothing, also outside the workspace.",
    );
  });

  it("say what the user changed", async () => {
    const changed = (await shell("npm run test:unit")).propose("npm run test:*");
    expect(changed).toMatchObject({ covers: "Covers exactly “npm run test:*”, with any letters for the *." });
  });

  it("say which files it covers", async () => {
    const covers = async (path: string) => (await file(path)).proposal?.covers;
    expect(await covers("src/a.ts")).toBe("Covers calls of edit for everything in src.");
    expect(await covers("README.md")).toBe("Covers calls of edit for README.md.");
    expect((await file("src/a.ts")).propose("src/*.ts")).toMatchObject({
      covers: "Covers calls of edit for every path that matches src/*.ts.",
    });
  });

  it("say that a tool's arguments make no difference", () => {
    const tool = {
      name: "deploy",
      origin: "extension" as const,
      approval: undefined,
      command: undefined,
      subject: undefined,
    };
    expect(judgeToolCall(tool).proposal?.covers).toBe("Covers every call of deploy, whatever its arguments.");
  });
});
