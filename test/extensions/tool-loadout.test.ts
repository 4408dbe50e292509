import { describe, expect, it } from "vitest";
import { extensionBench } from "../support/extension-bench.ts";
import { toolNames } from "../support/mcp-fixtures.ts";
import { reply, toolCall } from "../support/scripted-replies.ts";
import { type AgentUnderTest, asRecord } from "../support/spawn-agent.ts";

const { start, model } = extensionBench();

const notices = (agent: AgentUnderTest) =>
  agent.frames.filter(({ method }) => method === "notify").map(({ message }) => message);
const descriptionOf = (name: string, request: number) => {
  const tools = model().requests[request]?.body.tools ?? [];
  return tools.map(asRecord).find((tool) => tool.name === name)?.description;
};
const systemOf = (request: number) => JSON.stringify(model().requests[request]?.body.system);

/** A tool that hides another one behind itself, as code mode does. */
const ORCHESTRATOR = `
  const result = (text) => ({ content: [{ type: "text", text }] });
  pi.registerTool({ name: "inner", description: "Inner.", promptSnippet: "does the inner thing", promptGuidelines: ["Use inner with care."],
    parameters: { type: "object", properties: {} }, execute: () => result("from inner") });
  let calls = 0;
  pi.registerTool({ name: "script", description: "Runs a script.", exposure: "model-only", promptSnippet: "runs scripts",
    parameters: { type: "object", properties: {} },
    reachesTools: (input) => (input.code?.includes("search") ? "all" : (input.code ?? "").split(" ")),
    prepareLoadout({ declared, callable, registered, getExposure, getNamespace, getPromptGuidelines }) {
      calls++;
      const has = (tools, name) => tools.some((tool) => tool.name === name);
      const facts = [has(declared, "inner"), has(callable, "script"), has(registered, "script"), getExposure("script"), getNamespace("inner"), getPromptGuidelines("inner")];
      return { descriptions: { script: "Calls inner " + JSON.stringify(facts), missing: "x" }, hiddenDeclarations: ["inner"] };
    },
    async execute(_id, _params, _signal, _onUpdate, ctx) { return (await ctx.executeTool("inner", {})).result; } });
  pi.registerCommand("calls", { handler: (_args, ctx) => ctx.ui.notify(String(calls)) });
  pi.registerCommand("only", { handler: (args) => pi.setActiveTools(args.split(" ")) });`;

describe("a tool that prepares the loadout", () => {
  it("describes tools anew and hides others, which can be called all the same", async () => {
    const agent = start(ORCHESTRATOR);
    model().enqueue(reply([toolCall("script", {})]), reply([toolCall("inner", {})]), reply("done"));
    const frames = await agent.run("go");
    expect(toolNames(model(), 0)).toContain("script");
    expect(toolNames(model(), 0)).not.toContain("inner");
    expect(descriptionOf("script", 0)).toBe('Calls inner [true,false,true,"model-only",null,["Use inner with care."]]');
    expect(systemOf(0)).toContain("runs scripts");
    expect(systemOf(0)).not.toContain("inner");
    const results = frames.flatMap(({ type, result }) => (type === "tool_execution_end" ? [asRecord(result)] : []));
    expect(results.map(({ content }) => content)).toEqual(
      Array.from({ length: 3 }, () => [{ type: "text", text: "from inner" }]),
    );
    await agent.call("prompt", { message: "/calls" });
    expect(Number(notices(agent)[0])).toBeLessThan(3);
  });

  it("is asked again when the active tools change, and has no say while it is inactive", async () => {
    const agent = start(ORCHESTRATOR);
    model().enqueue(reply("one"), reply("two"));
    await agent.call("prompt", { message: "/only script read" });
    await agent.run("go");
    await agent.call("prompt", { message: "/only inner read" });
    await agent.run("go on");
    expect(descriptionOf("script", 0)).toContain("[false,");
    expect(toolNames(model(), 1)).toEqual(["read", "inner"]);
    expect(systemOf(1)).toContain("does the inner thing");
  });

  it("that throws is reported and changes nothing", async () => {
    const agent = start(
      `pi.registerTool({ name: "bad", description: "Bad.", prepareLoadout() { throw new Error("no idea"); }, execute: () => ({ content: [] }) });`,
    );
    model().enqueue(reply("one"));
    await agent.run("go");
    expect(agent.frames.find(({ type }) => type === "extension_error")).toMatchObject({
      event: "prepare_loadout",
      error: "no idea",
    });
    expect(descriptionOf("bad", 0)).toBe("Bad.");
  });
});

describe("extensions", () => {
  it("find out which tools a call of another tool may reach", async () => {
    const agent = start(`${ORCHESTRATOR}
      pi.registerCommand("reach", { handler: (args, ctx) => {
        const { reachesTools } = pi.getAllTools().find(({ name }) => name === "script");
        ctx.ui.notify(JSON.stringify([reachesTools({ code: args }), pi.getAllTools().find(({ name }) => name === "inner").reachesTools ?? null]));
      } });`);
    await agent.call("prompt", { message: "/reach inner read" });
    await agent.call("prompt", { message: "/reach search" });
    expect(notices(agent)).toEqual(['[["inner","read"],null]', '["all",null]']);
  });

  it("read the settings that apply, as a copy", async () => {
    const agent = start(
      `pi.registerCommand("settings", { handler: (_args, ctx) => {
        const settings = pi.getSettings();
        const { retry, compaction, steeringMode, defaultProvider, web } = settings;
        settings.retry.maxRetries = 1;
        ctx.ui.notify(JSON.stringify([retry.enabled, pi.getSettings().retry.maxRetries, compaction.enabled, steeringMode, defaultProvider, web ?? null]));
      } });`,
      { settings: { retry: { maxRetries: 7 }, defaultProvider: "anthropic", compaction: { enabled: false } } },
    );
    await agent.call("prompt", { message: "/settings" });
    expect(notices(agent)).toEqual(['[true,7,false,"one-at-a-time","anthropic",null]']);
  });
});
