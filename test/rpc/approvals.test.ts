import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answer, callUnasked, outcome, questionAbout } from "../support/approval-agent.ts";
import { agentDirWith } from "../support/extension-files.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply, toolCall } from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord, BUILT_AGENT, type Frame } from "../support/spawn-agent.ts";

let model: ScriptedModel;
const cleanups: (() => unknown)[] = [];

beforeEach(async () => {
  model = await ScriptedModel.start();
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  await model.stop();
});

interface Start {
  mode?: string;
  program?: string;
  agentDir?: string;
  cwd?: string;
}

function start({ mode = "confirm", ...places }: Start = {}): AgentUnderTest {
  const agent = new AgentUnderTest({
    ...places,
    modelUrl: model.url,
    args: ["--no-session", "--permission-mode", mode],
  });
  cleanups.push(() => agent.dispose());
  return agent;
}

const RUN = "Allow for this session: bash npm run *";
const npm = (script = "build") => ({ command: `npm run ${script} --version` });

async function rulesOf(agent: AgentUnderTest): Promise<Record<string, unknown>[]> {
  const { rules } = await agent.call("get_approval_rules");
  return Array.isArray(rules) ? rules.map(asRecord) : [];
}

function storedRules(agent: AgentUnderTest): unknown {
  return JSON.parse(readFileSync(join(agent.agentDir, "approvals.json"), "utf8"));
}

describe("approvals that cannot be requested", () => {
  it("block the call", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tiller-without-approvals-"));
    cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
    cpSync(dirname(BUILT_AGENT), folder, { recursive: true });
    const chunks = readdirSync(join(folder, "chunks"));
    for (const name of chunks) if (name.startsWith("approval-desk-")) rmSync(join(folder, "chunks", name));
    const agent = start({ program: join(folder, "cli.js") });
    const { isError, text, isAsked } = await callUnasked(agent, model, "bash", { command: "touch made" });
    expect([isError, isAsked, existsSync(join(agent.cwd, "made"))]).toEqual([true, false, false]);
    expect(text).toMatch(/^Extension failed, blocking execution: Cannot find module/);
  });
});

describe("the question about a call", () => {
  it("offers the exact rule for the session, the workspace and always", async () => {
    const agent = start();
    const question = await questionAbout(agent, model, "bash", npm());
    expect(question).toMatchObject({
      title: "Allow bash? npm run build --version",
      options: [
        "Allow once",
        RUN,
        "Allow in this workspace: bash npm run *",
        "Allow always: bash npm run *",
        "Change the rule…",
        "Preview",
        "Deny",
      ],
    });
    expect(await answer(agent, question, { value: "Allow once" })).toMatchObject({ isError: false });
    const again = await questionAbout(agent, model, "bash", npm());
    expect(await answer(agent, again, { value: "Deny" })).toEqual({ isError: true, text: "Blocked by user: bash" });
    expect(await rulesOf(agent)).toEqual([]);
  });

  it("gives the reason, and offers no rule when none can be saved", async () => {
    const agent = start();
    const question = await questionAbout(agent, model, "bash", { command: "echo x > /etc/hosts-of-nobody" });
    expect(question).toMatchObject({
      title: "Allow bash? echo x > /etc/hosts-of-nobody\nwrites outside the workspace: /etc/hosts-of-nobody",
      options: ["Allow once", "Preview", "Deny"],
    });
    const value = "Allow always: bash > /etc/hosts-of-nobody";
    expect(await answer(agent, question, { value })).toEqual({ isError: true, text: "Blocked by user: bash" });
    const other = await questionAbout(agent, model, "bash", { command: "$CMD" });
    expect(other.title).toContain("\ncan't be checked: the command $CMD is known only when it runs");
    await answer(agent, other, { value: "Deny" });
  });

  it("names the other commands when only the start of a script is shown", async () => {
    const agent = start();
    const command = `ls\nmytool a   b\necho done > "out.txt"; echo ${"x".repeat(300)}`;
    const question = await questionAbout(agent, model, "bash", { command });
    expect(question.title).toBe("Allow bash? ls (+2 lines)\nruns mytool a b\nruns > out.txt");
    await answer(agent, question, { value: "Deny" });
    const long = `echo ${"x".repeat(300)}; git push -f; rm a`;
    const other = await questionAbout(agent, model, "bash", { command: long });
    expect(other.title).toMatch(/…\nforces a push\nruns git push -f\nruns rm a$/);
    await answer(agent, other, { value: "Deny" });
  });

  it("offers a rule only for the session when files are temporary", async () => {
    const agent = start();
    const question = await questionAbout(agent, model, "write", { path: "/tmp/tiller-approved.txt", content: "" });
    expect(question.options).toEqual([
      "Allow once",
      "Allow for this session: write /tmp/tiller-approved.txt",
      "Change the rule…",
      "Deny",
    ]);
    await answer(agent, question, { value: "Deny" });
  });

  it.each<[string, object]>([
    ["a closed dialog", { cancelled: true }],
    ["a time limit at the host", { cancelled: true, timedOut: true }],
    ["another value", { value: "Allow" }],
    ["a rule that was not offered", { value: "Allow always: bash rm *" }],
    ["the wrong form", { confirmed: true }],
    ["nothing", {}],
  ])("treats %s as a no", async (_what, fields) => {
    const agent = start();
    const question = await questionAbout(agent, model, "bash", npm());
    expect(await answer(agent, question, fields)).toEqual({ isError: true, text: "Blocked by user: bash" });
    expect(await rulesOf(agent)).toEqual([]);
  });

  it("is withdrawn by an abort, and a late answer changes nothing", async () => {
    const agent = start();
    model.enqueue(reply([toolCall("bash", { command: "touch made" })], { stopReason: "tool_use" }));
    await agent.call("prompt", { message: "go" });
    const question = await agent.waitFor(({ method }) => method === "select");
    await agent.call("abort");
    expect(agent.frames.find(({ method }) => method === "cancel")).toMatchObject({ targetId: question.id });
    agent.send({ type: "extension_ui_response", id: question.id, value: "Allow always: bash touch made" });
    expect(await rulesOf(agent)).toEqual([]);
    expect(existsSync(join(agent.cwd, "made"))).toBe(false);
    expect(outcome(agent.frames)).toEqual({ isError: true, text: "Operation aborted" });
  });

  it("shows the arguments after extensions have changed them", async () => {
    const { agentDir, remove } = agentDirWith({
      "0.ts": `export default (pi) => { pi.on("tool_call", (event) => { event.input.command = "touch ../x"; }); };`,
    });
    cleanups.push(remove);
    const agent = start({ agentDir });
    const question = await questionAbout(agent, model, "bash", { command: "ls" });
    expect(question.title).toMatch(/^Allow bash\? touch \.\.\/x\n/);
    await answer(agent, question, { value: "Deny" });
  });

  it("never shows text of the model as its own", async () => {
    const agent = start();
    const question = await questionAbout(agent, model, "write", { path: "a\nchecked: harmless\u202e", content: "" });
    expect(question.title).toBe("Allow write? a checked: harmless ");
    await answer(agent, question, { value: "Deny" });
  });

  it("names a host tool that declares nothing, and offers a rule for the session", async () => {
    const agent = start();
    await agent.call("set_host_tools", {
      tools: [{ name: "format_document", description: "Formats.", parameters: { type: "object" } }],
    });
    const question = await questionAbout(agent, model, "format_document", {});
    expect(question.options).toEqual(["Allow once", "Allow for this session: host tool format_document", "Deny"]);
    await answer(agent, question, { value: "Deny" });
  });

  it("comes one at a time, and a new rule also covers calls that wait behind it", async () => {
    const agent = start();
    await agent.call("set_host_tools", {
      tools: [{ name: "pick", description: "Picks.", parameters: { type: "object" } }],
    });
    model.enqueue(reply([toolCall("pick", {}), toolCall("pick", {})], { stopReason: "tool_use" }), reply("ok"));
    await agent.call("prompt", { message: "go" });
    const question = await agent.waitFor(({ method }) => method === "select");
    agent.send({ type: "extension_ui_response", id: question.id, value: "Allow for this session: host tool pick" });
    const calls: Frame[] = [];
    for (let index = 0; index < 2; index++) {
      const call = await agent.waitFor((frame) => frame.type === "host_tool_call" && !calls.includes(frame));
      calls.push(call);
      agent.send({ type: "host_tool_result", id: call.id, result: { content: [{ type: "text", text: "red" }] } });
    }
    await agent.settled();
    expect(agent.frames.filter(({ method }) => method === "select")).toHaveLength(1);
  });
});

describe("a saved rule", () => {
  it("for the session allows equal calls until another session begins", async () => {
    const agent = start();
    await answer(agent, await questionAbout(agent, model, "bash", npm()), { value: RUN });
    expect(await callUnasked(agent, model, "bash", npm("test"))).toMatchObject({ isAsked: false });
    expect(await rulesOf(agent)).toMatchObject([
      { scope: "session", tool: "bash", pattern: "npm run *", text: "bash npm run *", uses: 1 },
    ]);
    expect(existsSync(join(agent.agentDir, "approvals.json"))).toBe(false);
    await agent.call("new_session");
    expect(await rulesOf(agent)).toEqual([]);
    const question = await questionAbout(agent, model, "bash", npm());
    await answer(agent, question, { value: "Deny" });
  });

  it("for a workspace is stored in a file that only the user can read, and holds for other agents there", async () => {
    const one = start();
    const { agentDir, cwd } = one;
    const value = "Allow in this workspace: bash npm run *";
    await answer(one, await questionAbout(one, model, "bash", npm()), { value });
    expect(storedRules(one)).toMatchObject({
      version: 1,
      rules: [{ scope: "workspace", pattern: "npm run *", uses: 0 }],
    });
    expect(statSync(join(agentDir, "approvals.json")).mode & 0o777).toBe(0o600);
    const two = start({ agentDir, cwd });
    expect(await callUnasked(two, model, "bash", npm())).toMatchObject({ isAsked: false });
    const elsewhere = start({ agentDir });
    await answer(elsewhere, await questionAbout(elsewhere, model, "bash", npm()), { value: "Deny" });
    await two.end();
    expect(storedRules(one)).toMatchObject({ rules: [{ uses: 1, lastUsedAt: expect.any(Number) }] });
  });

  it("for always holds everywhere, reaches agents that already run, and ends everywhere when it is removed", async () => {
    const one = start();
    const two = start({ agentDir: one.agentDir });
    await answer(two, await questionAbout(two, model, "bash", npm()), { value: "Deny" });
    await answer(one, await questionAbout(one, model, "bash", npm()), { value: "Allow always: bash npm run *" });
    expect(await callUnasked(two, model, "bash", npm())).toMatchObject({ isAsked: false });
    const [rule] = await rulesOf(two);
    expect(await two.request("remove_approval_rule", { ruleId: rule?.id })).toMatchObject({ success: true });
    await answer(one, await questionAbout(one, model, "bash", npm()), { value: "Deny" });
  });

  it("is not listed twice", async () => {
    const agent = start();
    expect(await agent.request("remove_approval_rule", { ruleId: "gone" })).toMatchObject({
      success: false,
      error: 'No approval rule "gone".',
      code: "not_found",
    });
  });

  it("can be changed before it is saved, and a wrong change is refused with a reason", async () => {
    const agent = start();
    const question = await questionAbout(agent, model, "bash", { command: "mytool one" });
    const from = agent.frames.length;
    agent.send({ type: "extension_ui_response", id: question.id, value: "Change the rule…" });
    const editor = await agent.waitFor(({ method }) => method === "editor", from);
    expect(editor).toMatchObject({ prefill: "mytool one" });
    agent.send({ type: "extension_ui_response", id: editor.id, value: "sudo *" });
    const asked = await agent.waitFor(({ method }) => method === "select", from);
    expect(asked.title).toBe(
      "Allow bash? mytool one\nCan't save that rule. sudo *: Tiller always asks before this call: runs with different permissions",
    );
    agent.send({ type: "extension_ui_response", id: asked.id, value: "Change the rule…" });
    const second = await agent.waitFor((frame) => frame.method === "editor" && frame !== editor, from);
    agent.send({ type: "extension_ui_response", id: second.id, value: "mytool *" });
    const last = await agent.waitFor((frame) => frame.method === "select" && frame !== asked, from);
    expect(last.options).toContain("Allow for this session: bash mytool *");
    await answer(agent, last, { value: "Allow for this session: bash mytool *" });
    expect(await callUnasked(agent, model, "bash", { command: "mytool two" })).toMatchObject({ isAsked: false });
  });

  it("for edits covers the folder but not the protected files in it", async () => {
    const agent = start();
    mkdirSync(join(agent.cwd, "src"));
    const write = { path: "src/a.ts", content: "a" };
    const value = "Allow for this session: write src/**";
    expect(await answer(agent, await questionAbout(agent, model, "write", write), { value })).toMatchObject({
      isError: false,
    });
    expect(await callUnasked(agent, model, "write", { path: "src/b.ts", content: "b" })).toMatchObject({
      isAsked: false,
    });
    const question = await questionAbout(agent, model, "write", { path: "src/.env", content: "" });
    expect(question).toMatchObject({
      title: "Allow write? src/.env\nchanges a protected file: src/.env",
      options: ["Allow once", "Deny"],
    });
    await answer(agent, question, { value: "Deny" });
  });

  it("cannot come from the project, and a broken rules file is reported and left as it is", async () => {
    const agent = start();
    mkdirSync(join(agent.cwd, ".tiller"));
    const rule = { id: "x", scope: "always", tool: "bash", pattern: "npm run *", text: "x", createdAt: 1, uses: 0 };
    writeFileSync(join(agent.cwd, ".tiller", "approvals.json"), JSON.stringify({ version: 1, rules: [rule] }));
    writeFileSync(join(agent.agentDir, "approvals.json"), "{ broken");
    const question = await questionAbout(agent, model, "bash", npm());
    await answer(agent, question, { value: "Allow always: bash npm run *" });
    const notices = agent.frames.filter(({ method }) => method === "notify").map(({ message }) => String(message));
    expect(notices[0]).toContain("can't be read");
    expect(notices.at(-1)).toContain('"bash npm run *" applies to this session only.');
    expect(readFileSync(join(agent.agentDir, "approvals.json"), "utf8")).toBe("{ broken");
    expect(await agent.request("get_approval_rules")).toMatchObject({
      success: false,
      error: expect.stringContaining("can't be read"),
    });
    expect(await callUnasked(agent, model, "bash", npm())).toMatchObject({ isAsked: false });
  });
});
