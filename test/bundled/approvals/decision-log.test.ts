import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { decisionList } from "../../../agent/bundled/approvals/decision-list.ts";
import { DecisionLog, readDecisions } from "../../../agent/bundled/approvals/decision-log.ts";
import { decisionText } from "../../../agent/bundled/approvals/decision-text.ts";
import type { LoggedDecision } from "../../../agent/protocol/approvals.ts";
import { bashTool } from "../../../agent/tools/bash.ts";
import { temporaryFolder } from "../../support/run-tool.ts";

let folder: string;
let path: string;
let warnings: string[];

beforeEach(async () => {
  folder = await temporaryFolder();
  path = join(folder, "agent", "approvals.log");
  warnings = [];
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const log = (maxBytes?: number) =>
  new DecisionLog({ path, warn: (text) => warnings.push(text), ...(maxBytes && { maxBytes }) });
const decision = (what: string): LoggedDecision => ({
  time: "2026-11-21T03:00:00.000Z",
  session: "s-1",
  workspace: "/ws",
  tool: "bash",
  what,
  decision: "allowed",
  by: "rule",
  mode: "confirm",
  rules: ["bash npm run *"],
});
const whats = async (limit = 100) => (await readDecisions(path, limit)).map(({ what }) => what);

describe("the log of decisions", () => {
  it("is a private file of JSON lines, the newest last", async () => {
    const one = log();
    one.add(decision("first"));
    one.add(decision("second"));
    await one.close();
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual([decision("first"), decision("second")]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, "agent")).mode & 0o777).toBe(0o700);
  });

  it("becomes private when others could read it", async () => {
    mkdirSync(join(folder, "agent"));
    writeFileSync(path, "", { mode: 0o644 });
    chmodSync(path, 0o644);
    const one = log();
    one.add(decision("first"));
    await one.close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("keeps one older file when it is full, and is read across both, the newest first", async () => {
    const one = log(1000);
    for (let number = 1; number <= 30; number += 1) {
      one.add(decision(`call ${number}`));
      await one.close();
    }
    expect(statSync(path).size + statSync(`${path}.1`).size).toBeLessThan(2600);
    expect(existsSync(`${path}.2`)).toBe(false);
    expect((await whats(3))[0]).toBe("call 30");
    const all = await whats();
    expect(all.length).toBeGreaterThan(4);
    expect(all).toEqual(Array.from(all, (_, at) => `call ${30 - at}`));
  });

  it("takes the lines of several agents", async () => {
    const logs = [log(), log(), log()];
    for (const one of logs) for (let number = 0; number < 20; number += 1) one.add(decision("x"));
    await Promise.all(logs.map((one) => one.close()));
    expect(await whats()).toHaveLength(60);
  });

  it("tells the user once when it can't be written, and fails nothing", async () => {
    mkdirSync(path, { recursive: true });
    const one = log();
    one.add(decision("first"));
    await one.close();
    one.add(decision("second"));
    await one.close();
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/^The log of approvals can't be written: EISDIR/);
  });

  it("leaves out lines that are no decisions", async () => {
    mkdirSync(join(folder, "agent"));
    writeFileSync(path, `{"time":1}\nnonsense\n${JSON.stringify(decision("kept"))}\n{"tool":"ba`);
    expect(await whats()).toEqual(["kept"]);
  });

  it("is empty before the first decision", async () => {
    expect(await readDecisions(path, 10)).toEqual([]);
    expect(await decisionList(join(folder, "agent"), "")).toBe("Nothing has been allowed or denied yet.");
  });
});

describe("the list of decisions for people", () => {
  it("has a line for each, without characters that a terminal obeys, and can be searched", async () => {
    const one = log();
    one.add({ ...decision("npm run build"), workspace: "/ws\u001b[2J" });
    one.add({ ...decision("rm -rf dist"), decision: "denied", by: "user", rules: undefined });
    await one.close();
    expect(await decisionList(join(folder, "agent"), "")).toBe(
      [
        "2026-11-21 03:00:00 denied by you: bash rm -rf dist [/ws]",
        "2026-11-21 03:00:00 allowed by a rule (bash npm run *): bash npm run build [/ws [2J]",
      ].join("\n"),
    );
    expect(await decisionList(join(folder, "agent"), "DIST")).toContain("rm -rf dist");
    expect(await decisionList(join(folder, "agent"), "nowhere")).toBe('No decision matches "nowhere".');
  });
});

describe("the words for a call in the log", () => {
  const words = (command: string, secrets: string[] = []) => decisionText(secrets)(bashTool, { command });

  it.each([
    "curl -H 'Authorization: Bearer PLANTED-s3cret' https://x.example",
    "curl -u me:PLANTED-s3cret https://x.example",
    "curl --user 'me:PLANTED-s3cret' https://x.example",
    "curl https://me:PLANTED-s3cret@x.example",
    "curl 'https://x.example/?token=PLANTED-s3cret'",
    "mytool --password PLANTED-s3cret",
    "mytool --password='PLANTED-s3cret and more PLANTED-s3cret'",
    "mytool --api-key=PLANTED-s3cret run",
    'mytool --token "PLANTED-s3cret"',
    "PGPASSWORD=PLANTED-s3cret psql",
    "export GITHUB_PAT=PLANTED-s3cret",
    "export my_token=PLANTED-s3cret; deploy",
    "sshpass -p PLANTED-s3cret ssh host",
    "mysql -u root -pPLANTED-s3cret db",
    "redis-cli -a PLANTED-s3cret ping",
    `curl -d '{"password": "PLANTED-s3cret"}' https://x.example`,
    `curl -d "{\\"client_secret\\":\\"PLANTED-s3cret\\"}" https://x.example`,
    "echo sk-ant-PLANTED-s3cret",
    "git clone https://ghp_PLANTEDs3cretPLANTEDs3cret@github.com/a/b",
    "cat > key <<E\n-----BEGIN RSA PRIVATE KEY-----\nPLANTED-s3cret\n-----END RSA PRIVATE KEY-----\nE",
    `true ${"x ".repeat(1990)}--password PLANTED-s3cret`,
  ])("have no secret: %s", (command) => {
    expect(words(command)).not.toMatch(/PLANTED|s3cret/);
  });

  it("have no secret that the agent knows, whatever it looks like", () => {
    expect(words("deploy plain-words-only", ["plain-words-only"])).toBe("deploy [redacted]");
  });

  it("are the whole command on one line of bounded length", () => {
    expect(words("npm run build\nnpm test")).toBe("npm run build npm test");
    expect(words(`echo ${"a".repeat(5000)} end`)).toHaveLength(4);
    expect(words(`echo ${"a ".repeat(5000)}`)).toHaveLength(401);
  });

  it("leave harmless words as they are", () => {
    const command = "git commit -m 'add tokens' && npm run build -- --watch && sort -u names.txt";
    expect(words(command)).toBe(command);
  });
});
