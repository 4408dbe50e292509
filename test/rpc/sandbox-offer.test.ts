import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answer, callUnasked, questionAbout } from "../support/approval-agent.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { AgentUnderTest, asRecord, type Frame } from "../support/spawn-agent.ts";

const OFFER = {
  option: "Run commands in a sandbox",
  text: "Commands can run in a sandbox here, where they change only the workspace and see no keys. Tiller then asks less often.",
};

let model: ScriptedModel;
let folder: string;
const agents: AgentUnderTest[] = [];

beforeEach(async () => {
  model = await ScriptedModel.start();
  folder = mkdtempSync(join(tmpdir(), "tiller-sandbox-offer-"));
  mkdirSync(join(folder, "work")); // a new user has no folder for the agent yet
});

afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.dispose();
  await model.stop();
  rmSync(folder, { recursive: true, force: true });
});

function start(mode: string, ...args: string[]): AgentUnderTest {
  const agent = new AgentUnderTest({
    cwd: join(folder, "work"),
    agentDir: join(folder, "agent"),
    modelUrl: model.url,
    offersSandbox: true,
    args: ["--no-session", "--permission-mode", mode, ...args],
  });
  agents.push(agent);
  return agent;
}

const MAKE = { command: "mytool || touch made.txt /tmp/made.txt && ls /tmp" };
const offerIn = (question: Frame) => asRecord(question.approval).sandbox;
const hasOffer = (question: Frame) =>
  Array.isArray(question.options) && question.options.some((option) => option === OFFER.option);

describe("the first question about a command, where there is a sandbox", () => {
  it.each(["confirm", "auto-edit"])("offers it in the mode %s, and the answer switches the mode", async (mode) => {
    const agent = start(mode);
    const question = await questionAbout(agent, model, "bash", MAKE);
    expect(offerIn(question)).toEqual(OFFER);
    expect(question.options).toEqual(expect.arrayContaining([OFFER.option, "Deny"]));
    expect(String(question.title).split("\n").at(-1)).toBe(OFFER.text);
    const { text, isError } = await answer(agent, question, { value: OFFER.option });
    expect(isError).toBe(false);
    expect(text).toContain("made.txt");
    expect(existsSync(join(folder, "work/made.txt"))).toBe(true);
    expect(existsSync("/tmp/made.txt")).toBe(false);
    expect(await agent.call("get_state")).toMatchObject({ permissionMode: "sandboxed" });
    expect(await callUnasked(agent, model, "bash", { command: "mytool; touch /tmp/later" })).toMatchObject({
      isAsked: false,
    });
    expect(existsSync("/tmp/later")).toBe(false);
    expect(await agent.call("get_approval_log")).toMatchObject({
      decisions: [
        { by: "mode", isContained: true },
        { by: "user", decision: "allowed", isContained: true },
      ],
    });
  });

  it("offers it once, whatever the answer, in all sessions", async () => {
    const agent = start("confirm");
    const first = await questionAbout(agent, model, "bash", MAKE);
    expect(hasOffer(first)).toBe(true);
    await answer(agent, first, { value: "Deny" });
    expect(await agent.call("get_state")).toMatchObject({ permissionMode: "confirm" });
    const second = await questionAbout(agent, model, "bash", MAKE);
    expect([hasOffer(second), offerIn(second)]).toEqual([false, undefined]);
    await answer(agent, second, { value: "Deny" });
    const other = start("confirm");
    const third = await questionAbout(other, model, "bash", MAKE);
    expect(hasOffer(third)).toBe(false);
    // An answer that wasn't offered is none.
    await answer(other, third, { value: OFFER.option });
    expect(await other.call("get_state")).toMatchObject({ permissionMode: "confirm" });
    expect(existsSync(join(folder, "work/made.txt"))).toBe(false);
    expect(readFileSync(join(folder, "agent/sandbox-offered"), "utf8")).toBe("");
  });

  it.each([
    ["a command that can't run in it", "bash", { command: "sudo true" }],
    ["a change of a file", "write", { path: "a.txt", content: "one" }],
  ])("doesn't offer it for %s", async (_, tool, args) => {
    const agent = start("confirm");
    const question = await questionAbout(agent, model, tool, args);
    expect(hasOffer(question)).toBe(false);
    await answer(agent, question, { value: "Deny" });
    expect(existsSync(join(folder, "agent/sandbox-offered"))).toBe(false);
  });

  it("doesn't offer what isn't there", async () => {
    mkdirSync(join(folder, "agent")); // a folder with the agent's own is no workspace for a sandbox
    const agent = start("confirm", "--add-dir", join(folder, "agent"));
    const question = await questionAbout(agent, model, "bash", MAKE);
    expect(hasOffer(question)).toBe(false);
    await answer(agent, question, { value: "Deny" });
    expect(existsSync(join(folder, "agent/sandbox-offered"))).toBe(false);
  });
});
