import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CommandPreview } from "../../agent/protocol/previews.ts";
import { answer, questionAbout } from "../support/approval-agent.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { AgentUnderTest, asRecord, type Frame } from "../support/spawn-agent.ts";

let model: ScriptedModel;
let cwd: string;
let agent: AgentUnderTest;

beforeEach(async () => {
  model = await ScriptedModel.start();
  cwd = mkdtempSync(join(tmpdir(), "tiller-previewed-"));
  writeFileSync(join(cwd, "a.txt"), "one\ntwo\n");
  mkdirSync(join(cwd, "docs/deep"), { recursive: true });
  writeFileSync(join(cwd, "docs/deep/b.txt"), "b\n");
  agent = new AgentUnderTest({
    cwd,
    modelUrl: model.url,
    args: ["--no-session", "--tools", "bash", "--permission-mode", "confirm"],
  });
});

afterEach(async () => {
  await agent.dispose();
  await model.stop();
  rmSync(cwd, { recursive: true, force: true });
});

const path = (name: string) => join(cwd, name);
const preview = async (command: string) => CommandPreview.parse(await agent.call("preview_command", { command }));
const apply = ({ previewId }: CommandPreview) => agent.call("apply_preview", { previewId });
const runs = (command: string) =>
  execFileSync("ps", ["ax", "-o", "args"], { encoding: "utf8" }).split("\n").includes(command);
const kinds = ({ changes }: CommandPreview) =>
  changes.map((one) => `${one.change} ${one.type} ${one.path.replace(`${cwd}/`, "")}`).toSorted();

describe("a preview", () => {
  it("shows what a command would do, and does it when it is applied", async () => {
    const shown = await preview(
      "echo three >> a.txt && rm -r docs && mkdir new && echo n > new/n.txt && ln -s n.txt new/l && echo done",
    );
    expect(shown).toMatchObject({ output: "done", exitCode: 0, changeCount: 7 });
    expect(kinds(shown)).toEqual([
      "changed file a.txt",
      "created file new/n.txt",
      "created folder new",
      "created link new/l",
      "deleted file docs/deep/b.txt",
      "deleted folder docs",
      "deleted folder docs/deep",
    ]);
    expect(shown.changes.find((one) => one.path === path("a.txt"))?.patch).toContain("+three");
    expect(readFileSync(path("a.txt"), "utf8")).toBe("one\ntwo\n");
    expect(readdirSync(cwd).toSorted()).toEqual(["a.txt", "docs"]);
    await apply(shown);
    expect(readFileSync(path("a.txt"), "utf8")).toBe("one\ntwo\nthree\n");
    expect(readdirSync(cwd).toSorted()).toEqual(["a.txt", "new"]);
    expect(readlinkSync(path("new/l"))).toBe("n.txt");
    expect(readFileSync(path("new/l"), "utf8")).toBe("n\n");
  });

  it("tells of nothing that the command left in the background, which has ended", async () => {
    const shown = await preview("sleep 97531 & echo started");
    expect(shown.output).toBe("started");
  });

  it("shows what a script of npm changes, without npm's logs", async () => {
    writeFileSync(path("package.json"), '{ "scripts": { "build": "echo built > out.txt" } }');
    const shown = kinds(await preview("npm run build"));
    expect(shown).toContain("created file out.txt");
    expect(shown.join("\n")).not.toContain("_logs");
  });

  it("can be discarded, and then can't be applied", async () => {
    const shown = await preview("rm a.txt");
    await agent.call("discard_preview", { previewId: shown.previewId });
    expect(await agent.request("apply_preview", { previewId: shown.previewId })).toMatchObject({ success: false });
    expect(existsSync(path("a.txt"))).toBe(true);
  });

  it("follows modes, replaced kinds and folders that are emptied and filled again", async () => {
    mkdirSync(path("gone"));
    writeFileSync(path("gone/old.txt"), "old\n");
    writeFileSync(path("becomes"), "a file\n");
    const shown = await preview(
      "chmod 700 a.txt; rm -r gone && mkdir gone && echo new > gone/new.txt; rm becomes && mkdir becomes; mv docs papers; touch papers",
    );
    expect(kinds(shown)).toEqual([
      "changed file a.txt",
      "changed folder becomes",
      "created file gone/new.txt",
      "created file papers/deep/b.txt",
      "created folder papers",
      "created folder papers/deep",
      "deleted file docs/deep/b.txt",
      "deleted file gone/old.txt",
      "deleted folder docs",
      "deleted folder docs/deep",
    ]);
    await apply(shown);
    expect(lstatSync(path("a.txt")).mode & 0o777).toBe(0o700);
    expect(readdirSync(path("gone"))).toEqual(["new.txt"]);
    expect(lstatSync(path("becomes")).isDirectory()).toBe(true);
    expect(readFileSync(path("papers/deep/b.txt"), "utf8")).toBe("b\n");
    expect(existsSync(path("docs"))).toBe(false);
  });

  it("covers the home directory, and reaches no network", async () => {
    const name = `.tiller-preview-${process.pid}`;
    const shown = await preview(`echo x > ~/${name}; echo ~; exec 3<>/dev/tcp/127.0.0.1/${new URL(model.url).port}`);
    expect(shown.exitCode).not.toBe(0);
    expect(shown.output).toContain("Connection refused");
    const inHome = join(shown.output.split("\n")[0] ?? "", name);
    expect(shown.changes).toMatchObject([{ path: inHome, change: "created" }]);
    expect(existsSync(inHome)).toBe(false);
  });

  it("is not applied over what somebody has changed since", async () => {
    const shown = await preview("echo mine > a.txt; echo new > c.txt");
    writeFileSync(path("a.txt"), "theirs\n");
    expect(await agent.request("apply_preview", { previewId: shown.previewId })).toMatchObject({
      success: false,
      error: expect.stringContaining("has changed since the preview. Nothing was applied."),
    });
    expect(readFileSync(path("a.txt"), "utf8")).toBe("theirs\n");
    expect(existsSync(path("c.txt"))).toBe(false);
  });

  it("leaves alone what somebody makes while the command runs", async () => {
    const running = preview("rm a.txt; sleep 3.4713; rm -rf docs");
    await vi.waitFor(() => expect(runs("sleep 3.4713")).toBe(true), { timeout: 10_000, interval: 50 });
    writeFileSync(path("theirs.txt"), "theirs\n");
    writeFileSync(path("docs/theirs.txt"), "theirs\n");
    const shown = await running;
    expect(shown.problem).toContain("was changed while the command ran");
    expect(kinds(shown).some((line) => line.includes("theirs.txt") && !line.includes("docs/"))).toBe(false);
    expect(await agent.request("apply_preview", { previewId: shown.previewId })).toMatchObject({ success: false });
    expect(readFileSync(path("docs/theirs.txt"), "utf8")).toBe("theirs\n");
  });

  it("lists large and binary files by size, and touches no target of a link", async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), "tiller-elsewhere-"));
    writeFileSync(join(elsewhere, "kept.txt"), "kept\n");
    symlinkSync(elsewhere, path("way"));
    const shown = await preview(
      "head -c 600000 /dev/zero | tr '\\0' x > big.txt; head -c 100 /dev/zero > nil.bin; rm way; echo ok",
    );
    expect(
      shown.changes.map(({ path: name, sizeAfter, patch }) => [name.replace(`${cwd}/`, ""), sizeAfter, patch]),
    ).toEqual(
      expect.arrayContaining([
        ["big.txt", 600_000, undefined],
        ["nil.bin", 100, undefined],
        ["way", undefined, undefined],
      ]),
    );
    await apply(shown);
    expect(readFileSync(join(elsewhere, "kept.txt"), "utf8")).toBe("kept\n");
    expect(existsSync(path("way"))).toBe(false);
    rmSync(elsewhere, { recursive: true });
  });

  it("refuses to apply files that are no files", async () => {
    const shown = await preview("mkfifo pipe; echo more >> a.txt");
    expect(shown.problem).toContain("is neither a file nor a directory nor a link");
    expect(await agent.request("apply_preview", { previewId: shown.previewId })).toMatchObject({ success: false });
    expect(readFileSync(path("a.txt"), "utf8")).toBe("one\ntwo\n");
  });

  it("ends what the command leaves running, and leaves nothing behind when the agent ends", async () => {
    const before = readdirSync("/var/tmp");
    await preview("sleep 4711 & (setsid sleep 4712 &) ; echo started > s.txt");
    expect(execFileSync("ps", ["ax"], { encoding: "utf8" })).not.toMatch(/sleep 471[12]/);
    for (let count = 0; count < 5; count += 1) await preview("echo x > a.txt");
    await agent.dispose();
    expect(readdirSync("/var/tmp")).toEqual(before);
  });

  it("brings the mode and the time of a new file", async () => {
    await apply(await preview("echo x > old.txt; touch -d 2020-02-02T00:00:00Z old.txt; chmod 400 old.txt"));
    const { mode, mtimeMs } = lstatSync(path("old.txt"));
    expect([mode & 0o777, mtimeMs]).toEqual([0o400, Date.UTC(2020, 1, 2)]);
  });

  it("says what is wrong with a command or a request", async () => {
    expect(await agent.request("preview_command", { command: "true", cwd: path("nowhere") })).toMatchObject({
      success: true,
      data: { output: expect.stringContaining("nowhere"), changeCount: 0 },
    });
    expect(await agent.request("preview_command", { command: 5 })).toMatchObject({ success: false });
    expect(await agent.request("preview_command", { command: "sleep 20", timeout: 1 })).toMatchObject({
      success: true,
      data: { output: expect.stringContaining("timed out after 1 second"), changeCount: 0 },
    });
  });
});

describe("the question about a command", () => {
  /** Has the model delete a file, and asks for the preview of that. @returns the question that shows it. */
  async function previewInQuestion(command: string): Promise<Frame> {
    const first = await questionAbout(agent, model, "bash", { command });
    expect(first.options).toContain("Preview");
    const from = agent.frames.length;
    agent.send({ type: "extension_ui_response", id: first.id, value: "Preview" });
    return agent.waitFor(({ method }) => method === "select", from);
  }

  it("offers a preview, shows its changes, and applies them in place of running the command", async () => {
    const second = await previewInQuestion("rm a.txt && echo gone");
    expect(second.options).toEqual([
      "Apply the previewed changes",
      "Allow once",
      ...rules(second),
      "Change the rule…",
      "Deny",
    ]);
    expect(second.title).toContain(`deleted ${path("a.txt")}`);
    expect(asRecord(second.approval)).toMatchObject({ effects: { exitCode: 0, output: "gone", changeCount: 1 } });
    expect(existsSync(path("a.txt"))).toBe(true);
    const { text, isError } = await answer(agent, second, { value: "Apply the previewed changes" });
    expect([text, isError]).toEqual(["gone", false]);
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain("The user saw a preview of this command");
    expect(existsSync(path("a.txt"))).toBe(false);
  });

  it("can still run the command, or deny it", async () => {
    const allowed = await previewInQuestion("rm a.txt && echo gone");
    expect((await answer(agent, allowed, { value: "Allow once" })).text).toBe("gone");
    expect(existsSync(path("a.txt"))).toBe(false);
    const denied = await previewInQuestion("rm -r docs");
    expect((await answer(agent, denied, { value: "Deny" })).text).toBe("Blocked by user: bash");
    expect(existsSync(path("docs"))).toBe(true);
  });

  it("gives the model the failure of a command whose changes were applied", async () => {
    const second = await previewInQuestion("echo four >> a.txt; exit 3");
    const { text, isError } = await answer(agent, second, { value: "Apply the previewed changes" });
    expect(isError).toBe(true);
    expect(text).toContain("Command exited with code 3");
    expect(readFileSync(path("a.txt"), "utf8")).toBe("one\ntwo\nfour\n");
  });

  function rules(question: Frame): string[] {
    const offered = asRecord(question.approval).rules;
    return Array.isArray(offered) ? offered.map((rule) => String(asRecord(rule).option)) : [];
  }
});
