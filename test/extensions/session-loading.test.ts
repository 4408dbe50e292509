import { createServer, type Server, type ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { deferred } from "../../agent/util/deferred.ts";
import { extensionBench } from "../support/extension-bench.ts";
import { reply } from "../support/scripted-replies.ts";
import { type AgentUnderTest, asRecord } from "../support/spawn-agent.ts";

const { model, startKeeping: start, atEnd } = extensionBench();

/** Starts a server at which a loading extension waits: it requests `url` and continues after the answer. */
async function barrier(): Promise<{ url: string; reached: Promise<ServerResponse> }> {
  const reached = deferred<ServerResponse>();
  const server: Server = createServer((_request, response) => reached.resolve(response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEnd(() => server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("There is no port.");
  return { url: `http://127.0.0.1:${address.port}/`, reached: reached.promise };
}

const notices = (agent: AgentUnderTest) =>
  agent.frames.filter(({ method }) => method === "notify").map(({ message }) => message);
const errors = (agent: AgentUnderTest) => agent.frames.filter(({ type }) => type === "extension_error");

/** Does not get to its end when it is loaded for another time before `url` has answered. */
const slowAgain = (url: string) => `export default async () => {
  if (globalThis.hasLoaded) await fetch("${url}");
  globalThis.hasLoaded = true;
};`;

describe("input during the loading of extensions for another session", () => {
  it.each(["new_session", "/again"])("reaches them (%s)", async (change) => {
    const { url, reached } = await barrier();
    const agent = start({
      "0.ts": slowAgain(url),
      "x.ts": `export default (pi) => {
        pi.registerCommand("again", { handler: (_args, ctx) => ctx.reload() });
        pi.registerCommand("say", { handler: (args, ctx) => ctx.ui.notify(args) });
        pi.on("input", ({ text }) => ({ action: "transform", text: text + " with a note" }));
      };`,
    });
    await agent.waitFor(({ type }) => type === "ready");
    const changed = change === "/again" ? agent.request("prompt", { message: change }) : agent.request(change);
    const response = await reached;
    const said = agent.request("prompt", { message: "/say it" });
    const asked = agent.request("prompt", { message: "hello" });
    model().enqueue(reply("ok"));
    await agent.call("abort_bash"); // both have been read by now
    response.end();
    expect(await Promise.all([changed, said, asked])).toMatchObject([
      { success: true },
      { data: { disposition: "handled" } },
      { data: { disposition: "queued" } },
    ]);
    await agent.settled();
    expect(notices(agent)).toEqual(["it"]);
    expect(JSON.stringify(model().requests[0]?.body.messages)).toContain("hello with a note");
    expect(errors(agent)).toEqual([]);
  });
});

describe("a handler that opens another session", () => {
  it("is the last of the earlier extensions that is called", async () => {
    const told = (name: string) => `globalThis.told = [...(globalThis.told ?? []), "${name} " + reason];`;
    const agent = start({
      "1.ts": `export default (pi) => {
        pi.on("session_start", async ({ reason }, ctx) => {
          ${told("first")}
          if (reason === "new" && !globalThis.isElsewhere) { globalThis.isElsewhere = true; await ctx.newSession(); }
        });
        pi.registerCommand("told", { handler: (_args, ctx) => ctx.ui.notify(globalThis.told.join()) });
      };`,
      "2.ts": `export default (pi) => pi.on("session_start", ({ reason }, ctx) => { ${told("second")} ctx.ui.setStatus("s", reason); });`,
    });
    await agent.call("new_session");
    await agent.call("prompt", { message: "/told" });
    expect(notices(agent)).toEqual(["first startup,second startup,first new,first new,second new"]);
    expect(errors(agent)).toEqual([]);
  });

  it("sees only its own session", async () => {
    const agent = start({
      "x.ts": `export default (pi) => {
        const tell = (name) => pi.on(name, (_event, ctx) => {
          globalThis.told = [...(globalThis.told ?? []), name];
        });
        pi.on("session_switch", async (_event, ctx) => {
          if (!globalThis.isElsewhere) { globalThis.isElsewhere = true; await ctx.newSession(); }
        });
        tell("session_switch"); tell("session_start"); tell("resources_discover");
        pi.registerCommand("told", { handler: (_args, ctx) => ctx.ui.notify(globalThis.told.join()) });
      };`,
    });
    await agent.waitFor(({ type }) => type === "ready");
    await agent.call("new_session");
    await agent.call("prompt", { message: "/told" });
    expect(notices(agent)).toEqual([
      "session_start,resources_discover,session_switch,session_start,resources_discover",
    ]);
    expect(errors(agent)).toEqual([]);
  });
});

describe("code of an earlier extension that still runs", () => {
  it("shows only what belongs to the new session", async () => {
    const agent = start({
      "x.ts": `export default (pi) => pi.registerCommand("go", { handler: async (_args, ctx) => {
        ctx.ui.setStatus("early", "on");
        await ctx.newSession();
        ctx.ui.setStatus("late", "on");
        ctx.ui.setStatus("late", "still on");
      } });`,
    });
    await agent.call("prompt", { message: "/go" });
    const shown = agent.frames.filter(({ method }) => method === "setStatus");
    expect(shown.map(({ statusKey, statusText }) => [statusKey, statusText])).toEqual([
      ["early", "on"],
      ["early", undefined],
      ["late", "on"],
      ["late", "still on"],
    ]);
  });

  it("does not remove the provider of the current one", async () => {
    const agent = start({
      "x.ts": `export default (pi) => {
        const register = (id) => pi.registerProvider("team", {
          baseUrl: ${JSON.stringify(model().url)}, apiKey: "test-key", api: "anthropic-messages",
          models: [{ id, name: id, reasoning: false, input: ["text"], contextWindow: 200000, maxTokens: 8000,
            cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } }],
        });
        register("large");
        pi.registerCommand("go", { handler: async (_args, ctx) => {
          await ctx.newSession();
          register("small");
        } });
      };`,
    });
    await agent.call("set_model", { provider: "team", modelId: "large" });
    await agent.call("prompt", { message: "/go" });
    const { models } = await agent.call("get_available_models");
    const ofTeam = Array.isArray(models) ? models.map(asRecord).filter(({ provider }) => provider === "team") : [];
    expect(ofTeam).toMatchObject([{ id: "large" }]);
    model().enqueue(reply("ok"));
    await agent.run("hello");
    expect(model().requests[0]?.body.model).toBe("large");
  });
});
