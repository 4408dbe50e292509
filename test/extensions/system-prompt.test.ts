import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agentDirWith, writeFiles } from "../support/extension-files.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { httpError, reply } from "../support/scripted-replies.ts";
import { AgentUnderTest } from "../support/spawn-agent.ts";

let model: ScriptedModel;
const cleanups: (() => unknown)[] = [];

beforeEach(async () => {
  model = await ScriptedModel.start();
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  await model.stop();
});

/** An agent with an extension for each body of a `before_agent_start` handler, and some skill and instructions. */
function start(...bodies: string[]): AgentUnderTest {
  const files = bodies.map((body, index) => [
    `${index}.ts`,
    `export default (pi) => pi.on("before_agent_start", (event, ctx) => { const options = event.systemPromptOptions; ${body} });`,
  ]);
  const { agentDir, remove } = agentDirWith(Object.fromEntries(files));
  cleanups.push(remove);
  writeFiles(agentDir, {
    "AGENTS.md": "Whisper.",
    "skills/tidy/SKILL.md": "---\nname: tidy\ndescription: Tidies up\n---\nTidy.",
  });
  const agent = new AgentUnderTest({
    agentDir,
    modelUrl: model.url,
    args: ["--no-session", "--append-system-prompt", "Last words."],
  });
  cleanups.push(() => agent.dispose());
  return agent;
}

async function prompts(agent: AgentUnderTest, runs = 1): Promise<string[]> {
  for (let run = 0; run < runs; run++) {
    model.enqueue(reply("ok"));
    await agent.run("go");
  }
  return model.requests.map(({ body }) => JSON.stringify(body.system));
}

describe("systemPromptOptions of before_agent_start", () => {
  it("list the parts of the prompt", async () => {
    const agent = start(`ctx.ui.notify(JSON.stringify(options));`);
    await prompts(agent);
    const told = JSON.parse(String(agent.frames.find(({ method }) => method === "notify")?.message));
    expect(told).toMatchObject({
      selectedTools: ["read", "bash", "edit", "write", "todo_write"],
      appendSystemPrompt: "Last words.",
      promptGuidelines: [],
      sections: {},
      cwd: agent.cwd,
      contextFiles: [{ content: "Whisper." }],
      skills: [{ name: "tidy", description: "Tidies up", disableModelInvocation: false }],
    });
    expect(Object.keys(told.toolSnippets)).toContain("read");
  });

  it("change the prompt of this run, one handler after the other", async () => {
    const agent = start(
      `if (globalThis.was) return; globalThis.was = true;
       options.sections.extra = "First section."; options.promptGuidelines.push("Sing."); options.selectedTools = ["read"];
       options.contextFiles[0].content = "Shout."; options.skills = []; options.appendSystemPrompt = "";`,
      `ctx.ui.notify(String(event.systemPrompt.includes("First section.")));`,
    );
    const [first = "", second = ""] = await prompts(agent, 2);
    expect(first).toContain("<extra>\\nFirst section.\\n</extra>");
    expect(first).toContain("- Sing.");
    expect(first).toContain("Shout.");
    expect(first).toContain("- read: ");
    expect(first).not.toMatch(/- bash: |Whisper|Tidies up|Last words/);
    expect(second).toMatch(/- bash: .*Whisper.*Tidies up/);
    expect(second).not.toContain("First section.");
    const told = agent.frames.filter(({ method }) => method === "notify").map(({ message }) => message);
    expect(told).toEqual(["true", "false"]);
  });

  it("are ignored when a handler returns a whole prompt", async () => {
    const agent = start(
      `options.sections.extra = "lost"; return { systemPrompt: "Only this." };`,
      `return { systemPrompt: event.systemPrompt + " And that." };`,
    );
    expect(await prompts(agent)).toEqual([expect.stringContaining("Only this. And that.")]);
    expect(JSON.stringify(model.requests[0]?.body.system)).not.toMatch(/lost|Whisper/);
  });

  it("ignore invalid values", async () => {
    const agent = start(
      `Object.assign(options, { sections: { "a b": "x", ok: 7, fine: "Fine." }, selectedTools: "read", contextFiles: [1], skills: null,
        toolSnippets: 3, promptGuidelines: { a: 1 }, customPrompt: 5, cwd: {} }); options.self = options;`,
    );
    const [prompt = ""] = await prompts(agent);
    expect(prompt).toContain("<fine>\\nFine.\\n</fine>");
    expect(prompt).not.toContain("<a b>");
    expect(agent.frames.some(({ type }) => type === "extension_error")).toBe(false);
  });

  it("are available to commands, and ctx.getSystemPrompt() returns the prompt of the run", async () => {
    const { agentDir, remove } = agentDirWith({
      "x.ts": `export default (pi) => {
        pi.registerCommand("options", { handler: (_args, ctx) => ctx.ui.notify(ctx.getSystemPromptOptions().selectedTools.join(" ")) });
        pi.on("before_agent_start", () => ({ systemPrompt: "Short." }));
        pi.on("agent_start", (_event, ctx) => ctx.ui.notify(ctx.getSystemPrompt()));
        pi.on("agent_settled", (_event, ctx) => ctx.ui.notify(String(ctx.getSystemPrompt().length > 100)));
      };`,
    });
    cleanups.push(remove);
    const agent = new AgentUnderTest({ agentDir, modelUrl: model.url });
    cleanups.push(() => agent.dispose());
    await agent.call("prompt", { message: "/options" });
    await prompts(agent);
    const told = agent.frames.filter(({ method }) => method === "notify").map(({ message }) => message);
    expect(told).toEqual(["read bash edit write todo_write", "Short.", "true"]);
  });
});

describe("a retried answer", () => {
  it("gets the same request as the failed one, and nothing is repeated", async () => {
    const agent = start(
      `return { systemPrompt: event.systemPrompt + " Sing of " + event.prompt,
        message: { customType: "note", content: "A note.", display: true } };`,
    );
    model.enqueue(httpError(400, "invalid_request_error", "No"), reply("ok"));
    await agent.run("rain");
    const from = agent.frames.length;
    await agent.call("retry");
    await agent.settled(from);
    const [first, second] = model.requests.map(({ body }) => body);
    expect(JSON.stringify(first?.system)).toContain("Sing of rain");
    expect(second?.system).toEqual(first?.system);
    expect(second?.messages).toEqual(first?.messages);
  });
});
