import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { Places } from "../../../agent/bundled/approvals/places.ts";
import { approvalWorkspace } from "../../support/approval-workspace.ts";

const workspace = approvalWorkspace();
afterAll(() => workspace.remove());
const { root, cwd, home, agentDir } = workspace;

const links: [string, string][] = [
  ["notes.txt", join(home, ".ssh/id_rsa")],
  ["stdin", "/proc/self/fd/0"],
  ["config.txt", ".env"],
  ["own", "/proc/self/cwd"],
];
for (const [name, target] of links) symlinkSync(target, join(cwd, name));
mkdirSync(join(home, ".ssh"));
writeFileSync(join(cwd, ".env"), "KEY=1");

const places = (options: { denyRead?: string[]; advertised?: () => string[] } = {}) =>
  new Places({ cwd, agentDir, home, temporary: [join(root, "tmp")], ...options });
const at = (path: string) => (path.startsWith("/") ? path.replace("<root>", root) : `${cwd}/${path}`);

describe("a place", () => {
  it.each(["/dev/null", "/dev/zero", "/dev/full"])("%s keeps nothing", (path) => {
    expect(places().locate(path).kind).toBe("device");
  });

  it.each([
    "/dev/stdin",
    "/dev/stdout",
    "/dev/stderr",
    "/dev/tty",
    "/dev/fd/3",
    "/dev/fd/3/../x",
    "/proc/self/fd/0",
    "/proc/thread-self/fd/1",
    `/proc/${process.pid}/cwd/a.ts`,
    "/proc/self/cwd/../../../../../../../../../..<root>/ws/a.ts",
    "stdin",
    "own/a.ts",
  ])("%s is outside the workspace, and no device that keeps nothing", (path) => {
    expect(places().locate(path.replace("<root>", root).replace(/^(?!\/)/, `${cwd}/`)).kind).toBe("outside");
  });
});

describe("reading", () => {
  it.each([
    "src/a.ts",
    "package.json",
    ".git/config",
    ".vscode/settings.json",
    ".env.example",
    "config/.env.sample",
    ".env.local.template",
    "keys/id_rsa.pub",
    "src/credentials.ts",
    "src/secret-files.ts",
    "docs/secrets.md",
    "src/key.ts",
    "/dev/null",
    "<root>/tmp/pi-bash-1.log",
  ])("%s needs no approval", (path) => {
    expect(places().judgeReading(at(path.replace("<root>", root)))).toBeUndefined();
  });

  it.each([
    [".env", ".env"],
    [".ENV", ".ENV"],
    [".env.", ".env."],
    [".env.local", ".env.local"],
    [".env.production", ".env.production"],
    ["prod.env", "prod.env"],
    [".envrc", ".envrc"],
    ["id_rsa", "id_rsa"],
    ["deploy/id_ed25519", "deploy/id_ed25519"],
    ["certs/server.pem", "certs/server.pem"],
    ["server.key", "server.key"],
    ["a.p12", "a.p12"],
    ["a.pfx", "a.pfx"],
    [".netrc", ".netrc"],
    [".npmrc", ".npmrc"],
    [".git-credentials", ".git-credentials"],
    ["credentials", "credentials"],
    ["google-credentials.json", "google-credentials.json"],
    ["config/secrets.yml", "config/secrets.yml"],
    ["my-service-account.json", "my-service-account.json"],
    ["serviceAccountKey.json", "serviceAccountKey.json"],
    [".aws/config", ".aws/config"],
    [".ssh/known_hosts", ".ssh/known_hosts"],
    [".gnupg/pubring.kbx", ".gnupg/pubring.kbx"],
    [".docker/config.json", ".docker/config.json"],
    ["vault.kdbx", "vault.kdbx"],
    ["config.txt", ".env"],
    ["<root>/tmp/.env", "<root>/tmp/.env"],
  ])("%s asks: it may contain secrets", (path, shown) => {
    const reason = places().judgeReading(at(path.replace("<root>", root)));
    expect(reason).toBe(`reads a file that may hold secrets: ${shown.replace("<root>", root)}`);
  });

  it.each([
    ["/etc/passwd", "/etc/passwd"],
    ["../x", `${root}/x`],
    ["notes.txt", `${home}/.ssh/id_rsa`],
    [`${home}/notes.md`, `${home}/notes.md`],
    [`${agentDir}/auth.json`, `${agentDir}/auth.json`],
    [`${agentDir}/sessions/x.jsonl`, `${agentDir}/sessions/x.jsonl`],
    ["/dev/stdin", "/dev/stdin"],
    ["/proc/self/environ", "/proc/self/environ"],
  ])("%s asks: it is outside the workspace", (path, shown) => {
    expect(places().judgeReading(at(path))).toBe(`reads outside the workspace: ${shown}`);
  });

  it("asks about the agent's own folder even when the home folder is the workspace", () => {
    const inHome = new Places({ cwd: home, agentDir, home, temporary: [] });
    expect(inHome.judgeReading(join(home, "notes.md"))).toBeUndefined();
    expect(inHome.judgeReading(join(agentDir, "settings.json"))).toMatch(/^reads outside the workspace: /);
    expect(inHome.judgeReading(join(home, ".ssh/config"))).toBe("reads a file that may hold secrets: .ssh/config");
  });

  it("asks about system files when the whole disk is the workspace", () => {
    const whole = new Places({ cwd: "/", agentDir, home, temporary: [] });
    expect(whole.judgeReading("/etc/passwd")).toMatch(/^reads outside the workspace: /);
    expect(whole.judgeReading("/project/a.ts")).toBeUndefined();
  });

  it("needs no approval where the model was told to look, except for secrets there and folders that contain everything", () => {
    const skills = places({ advertised: () => [join(agentDir, "skills/pdf"), join(home, "AGENTS.md"), home] });
    expect(skills.judgeReading(join(agentDir, "skills/pdf/forms.md"))).toBeUndefined();
    expect(skills.judgeReading(join(home, "AGENTS.md"))).toBeUndefined();
    expect(skills.judgeReading(join(agentDir, "skills/pdf/.env"))).toMatch(/^reads outside the workspace: /);
    expect(skills.judgeReading(join(agentDir, "skills/other/x.md"))).toMatch(/^reads outside the workspace: /);
    expect(skills.judgeReading(join(home, "notes.md"))).toMatch(/^reads outside the workspace: /);
  });
});

describe("a rule that forbids reading", () => {
  it("applies when the whole disk is the workspace", () => {
    const whole = new Places({ cwd: "/", agentDir, home, temporary: [], denyRead: ["project/keys"] });
    expect(whole.readable("/project/keys/a.txt")).toBe(false);
    expect(whole.readable("/project/a.txt")).toBe(true);
  });

  it.each([
    ["*.sqlite", "data/users.sqlite", true],
    ["*.sqlite", "data/users.SQLITE", true],
    ["*.sqlite", "data/users.csv", false],
    ["private", "a/private/deep/x.txt", true],
    ["customers/**", "customers/a.csv", true],
    ["customers/**", "customers", true],
    ["./customers/", "customers/a.csv", true],
    ["customers/**", "src/customers/a.csv", false],
    ["~/Documents", `${home}/Documents/x.txt`, true],
    ["/etc/**", "/etc/passwd", true],
    ["id_*", "notes.txt", true],
    ["./**", "src/a.ts", true],
    ["./**", "/etc/passwd", false],
    ["~/**", `${home}/notes.md`, true],
    ["~", `${home}/notes.md`, true],
    ["/**", "/etc/passwd", true],
    ["/", "src/a.ts", true],
    ["", "src/a.ts", false],
  ])("%j applies to %s: %s", (glob, path, isForbidden) => {
    const denying = places({ denyRead: [glob] });
    expect(denying.readable(at(path))).toBe(!isForbidden);
    if (isForbidden) expect(denying.judgeReading(at(path))).toMatch(/^a rule forbids reading it: /);
  });
});
