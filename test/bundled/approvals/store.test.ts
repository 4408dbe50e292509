import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RuleBook } from "../../../agent/bundled/approvals/rule-book.ts";
import { temporaryFolder } from "../../support/run-tool.ts";

let folder: string;
let path: string;
let warnings: string[];

beforeEach(async () => {
  folder = await temporaryFolder();
  path = join(folder, "agent", "approvals.json");
  warnings = [];
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const book = (workspace = "/ws") => new RuleBook({ path, workspace, warn: (text) => warnings.push(text) });
const npm = { tool: "bash", pattern: "npm run *", text: "bash npm run *" };
const content = () => JSON.parse(readFileSync(path, "utf8"));
const write = (text: string) => {
  mkdirSync(join(folder, "agent"), { recursive: true });
  writeFileSync(path, text);
};

describe("the store of rules", () => {
  it("keeps rules for the session in memory", async () => {
    const rules = book();
    await rules.add({ ...npm, scope: "session" });
    expect(await rules.applying()).toMatchObject([{ scope: "session", text: "bash npm run *", uses: 0 }]);
    expect(existsSync(path)).toBe(false);
    rules.forgetSession();
    expect(await rules.all()).toEqual([]);
  });

  it("keeps the others in a private file of versioned JSON, and leaves no other file", async () => {
    await book().add({ ...npm, scope: "workspace" });
    await book().add({ ...npm, scope: "always" });
    const rule = { id: expect.any(String), createdAt: expect.any(Number), uses: 0, ...npm };
    expect(content()).toEqual({
      version: 1,
      rules: [
        { ...rule, scope: "workspace", workspace: "/ws" },
        { ...rule, scope: "always" },
      ],
    });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, "agent")).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(folder, "agent"))).toEqual(["approvals.json"]);
  });

  it("applies a workspace rule there only, and lists it everywhere", async () => {
    await book().add({ ...npm, scope: "workspace" });
    expect(await book().applying()).toHaveLength(1);
    expect(await book("/other").applying()).toEqual([]);
    expect(await book("/other").all()).toMatchObject([{ workspace: "/ws" }]);
  });

  it("loses no rule when many agents add one at once", async () => {
    const texts = Array.from({ length: 20 }, (_, index) => `bash ${index}`);
    await Promise.all(texts.map((text) => book().add({ tool: "bash", pattern: text, text, scope: "always" })));
    expect((await book().all()).map(({ text }) => text).sort()).toEqual([...texts].sort());
    expect(warnings).toEqual([]);
  });

  it("sees what other agents add and remove", async () => {
    const [one, two] = [book(), book()];
    await one.add({ ...npm, scope: "always" });
    const [rule] = await two.applying();
    expect(rule?.text).toBe("bash npm run *");
    expect(await one.remove(rule?.id ?? "")).toBe(true);
    expect(await two.applying()).toEqual([]);
    expect(await two.remove(rule?.id ?? "")).toBe(false);
  });

  it("counts uses, and saves them at the end without losing those of another agent", async () => {
    const [one, two] = [book(), book()];
    await one.add({ ...npm, scope: "always" });
    one.use(await one.applying());
    one.use(await one.applying());
    two.use(await two.applying());
    expect(content().rules[0].uses).toBe(0);
    expect((await one.all())[0]).toMatchObject({ uses: 2, lastUsedAt: expect.any(Number) });
    await one.close();
    await two.close();
    expect(content().rules[0]).toMatchObject({ uses: 3, lastUsedAt: expect.any(Number) });
    expect((await one.all())[0]?.uses).toBe(3);
  });

  it("does not restore a removed rule by counting its uses", async () => {
    const rules = book();
    await rules.add({ ...npm, scope: "always" });
    const applying = await rules.applying();
    rules.use(applying);
    await rules.remove(applying[0]?.id ?? "");
    await rules.close();
    expect(content().rules).toEqual([]);
  });

  it.each([
    ["no JSON", "{ broken"],
    ["another version", '{"version":2,"rules":[]}'],
    ["a rule without a tool", '{"version":1,"rules":[{"id":"a","scope":"always","text":"x","createdAt":1,"uses":0}]}'],
    [
      "a rule of a session",
      '{"version":1,"rules":[{"id":"a","scope":"session","tool":"bash","text":"x","createdAt":1,"uses":0}]}',
    ],
    [
      "a rule for one workspace that names none",
      '{"version":1,"rules":[{"id":"a","scope":"workspace","tool":"bash","text":"x","createdAt":1,"uses":0}]}',
    ],
    ["an empty file", ""],
  ])("has no rules and leaves the file alone when it contains %s", async (_what, text) => {
    write(text);
    const rules = book();
    expect(await rules.applying()).toEqual([]);
    await expect(rules.all()).rejects.toThrow(
      /^The approval rules in .* can't be read \(.*\)\. Repair or remove the file\.$/,
    );
    await rules.add({ ...npm, scope: "always" });
    expect(readFileSync(path, "utf8")).toBe(text);
    expect(await rules.applying()).toMatchObject([{ scope: "session", text: "bash npm run *" }]);
    expect(warnings).toHaveLength(2);
    await rules.applying();
    expect(warnings).toHaveLength(2);
    await expect(rules.remove("a")).rejects.toThrow("can't be read");
  });

  it("reads a file again after a repair", async () => {
    write("{ broken");
    const rules = book();
    await rules.applying();
    rmSync(path);
    await rules.add({ ...npm, scope: "always" });
    expect(await rules.applying()).toMatchObject([{ scope: "always" }]);
  });

  it("takes over an abandoned lock, and waits for a held one", async () => {
    mkdirSync(join(folder, "agent"));
    const lock = `${path}.lock`;
    writeFileSync(lock, "");
    utimesSync(lock, new Date(0), new Date(0));
    await book().add({ ...npm, scope: "always" });
    expect(content().rules).toHaveLength(1);
    writeFileSync(lock, "");
    const adding = book().add({ ...npm, scope: "always" });
    rmSync(lock);
    await adding;
    expect(content().rules).toHaveLength(2);
  });

  it("keeps a rule for the session when the file is a folder", async () => {
    mkdirSync(path, { recursive: true });
    const rules = book();
    await rules.add({ ...npm, scope: "always" });
    expect(await rules.applying()).toMatchObject([{ scope: "session" }]);
    expect(warnings[0]).toContain("can't be read (EISDIR: illegal operation on a directory, read). Repair or remove");
    expect(warnings[0]).toContain('"bash npm run *" applies to this session only.');
  });
});
