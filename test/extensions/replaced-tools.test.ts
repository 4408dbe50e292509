import { expect, it } from "vitest";
import { extensionBench } from "../support/extension-bench.ts";

const bench = extensionBench();

it("nothing is kept of a tool that its extension has replaced", async () => {
  const agent = bench.start(`
    const { setFlagsFromString } = await import("node:v8");
    const { runInNewContext } = await import("node:vm");
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc");
    const add = (text) => {
      const execute = () => ({ content: [{ type: "text", text }] });
      pi.registerTool({ name: "t", description: text, parameters: { type: "object" }, execute });
      return new WeakRef(execute);
    };
    let first;
    pi.registerCommand("add", { handler: () => { first = add("one"); add("two"); } });
    pi.registerCommand("check", { handler: (_args, ctx) => {
      collect();
      ctx.ui.notify(first.deref() === undefined ? "gone" : "kept");
    } });
  `);
  await agent.call("prompt", { message: "/add" });
  await agent.call("prompt", { message: "/check" });
  const told = await agent.waitFor(({ method }) => method === "notify");
  expect(told.message).toBe("gone");
  const { dumpTools } = await agent.call("get_state");
  expect(JSON.stringify(dumpTools)).toContain('"two"');
});
