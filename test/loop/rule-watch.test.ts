import { describe, expect, it } from "vitest";
import type { StreamStep } from "../../agent/loop/message-builder.ts";
import { watchAnswer } from "../../agent/loop/rule-watch.ts";
import { readRuleHeader } from "../../agent/prompt/rule-header.ts";
import type { StreamRule } from "../../agent/prompt/rules.ts";

async function rule(name: string, fields: object): Promise<StreamRule> {
  const terms = await readRuleHeader(fields, (problem) => {
    throw new Error(problem);
  });
  if (terms === undefined) throw new Error("The header makes no rule.");
  return { ...terms, name, path: `/rules/${name}.md`, content: "Do not." };
}

function watch(...rules: StreamRule[]) {
  const slow: string[] = [];
  const watched = watchAnswer({
    rules,
    toGlobPath: (path) => path.replace(/^\/work\//, ""),
    onSlow: ({ name }) => slow.push(name),
  });
  /** Adds steps one after the other. @returns the names of what matched after each. */
  const look = (...steps: StreamStep[]) =>
    steps.map((step) => {
      watched.add(step);
      return watched.check().map(({ name }) => name);
    });
  return { look, slow };
}

const textStart: StreamStep = { type: "text_start", contentIndex: 0 };
const textDelta = (delta: string): StreamStep => ({ type: "text_delta", contentIndex: 0, delta });
const textEnd: StreamStep = { type: "text_end", contentIndex: 0, content: "" };

/** The steps of a tool call whose arguments come in portions. */
function call(toolName: string, ...portions: string[]): StreamStep[] {
  return [
    { type: "toolcall_start", contentIndex: 1, id: "t", toolName },
    ...portions.map((delta): StreamStep => ({ type: "toolcall_delta", contentIndex: 1, delta })),
    { type: "toolcall_end", contentIndex: 1, toolCall: { type: "toolCall", id: "t", name: toolName, arguments: {} } },
  ];
}

describe("stream rules during an answer", () => {
  it("report all rules that match at once, in their order", async () => {
    const rules = [await rule("b", { condition: ["nope", "foo"] }), await rule("a", { condition: "o b" })];
    const { look } = watch(...rules, await rule("c", { condition: "baz" }));
    expect(look(textStart, textDelta("f"), textDelta("oo bar"))).toEqual([[], [], ["b", "a"]]);
  });

  it("wait for text after a match that can still change", async () => {
    const { look } = watch(await rule("any", { condition: "\\bany\\b" }));
    expect(look(textStart, textDelta("any"), textDelta("thing any"), textEnd)).toEqual([[], [], [], ["any"]]);
  });

  it("check what a rule's scope names, by default texts and arguments", async () => {
    const thinking: StreamStep[] = [
      { type: "thinking_start", contentIndex: 0 },
      { type: "thinking_delta", contentIndex: 0, delta: "bad idea" },
      { type: "thinking_end", contentIndex: 0, content: "bad idea" },
    ];
    const seen = async (scope: unknown) => {
      const only = await rule("r", { condition: "bad", ...(scope === undefined ? {} : { scope }) });
      const found = (...steps: StreamStep[]) =>
        watch(only)
          .look(...steps)
          .flat().length > 0;
      return [found(textStart, textDelta("bad x")), found(...thinking), found(...call("bash", '{"command":"bad x"}'))];
    };
    expect(await seen(undefined)).toEqual([true, false, true]);
    expect(await seen("thinking")).toEqual([false, true, false]);
    expect(await seen("text, thinking")).toEqual([true, true, false]);
    expect(await seen(["toolcall"])).toEqual([false, false, true]);
    expect(await seen("tool:edit, tool:write")).toEqual([false, false, false]);
    expect(await seen("tool:bash")).toEqual([false, false, true]);
  });

  it("see each text in arguments decoded and separately", async () => {
    const { look } = watch(await rule("line", { condition: '^say "hi"$' }));
    const json = String.raw`{"a":"say ","b":"say \"hi\"","c":"no"}`;
    expect(look(...call("bash", ...json)).filter((names) => names.length > 0)).toEqual([["line"]]);
    expect(look(...call("bash", String.raw`{"a":"say \"hi\" "}`)).flat()).toEqual([]);
  });

  it("ask for the file of a call, whether its name comes first or last", async () => {
    const scoped = await rule("scoped", { condition: "any", scope: "tool:write(src/*.ts)" });
    const globs = await rule("globs", { condition: "any", globs: ["*.ts", "*.tsx"] });
    const last = (...steps: StreamStep[]) =>
      watch(scoped, globs)
        .look(...steps)
        .findLast((names) => names.length > 0);
    expect(last(...call("write", '{"path":"/work/src/a.ts","content":"any!"}'))).toEqual(["scoped", "globs"]);
    expect(last(...call("write", '{"content":"any!",', '"path":"src/a.ts"', "}"))).toEqual(["scoped", "globs"]);
    expect(last(...call("write", '{"content":"any!","path":"lib/deep/a.tsx"}'))).toEqual(["globs"]);
    expect(last(...call("write", '{"content":"any!","path":"a.md"}'))).toBeUndefined();
    expect(last(...call("bash", '{"command":"any!"}'))).toBeUndefined();
    expect(last(textStart, textDelta("any!"))).toBeUndefined();
  });

  it("drop a rule whose pattern would take forever, and keep the others", async () => {
    const { look, slow } = watch(
      await rule("first", { condition: "(x+x+)+y" }),
      await rule("second", { condition: "xz" }),
      await rule("third", { condition: ["(x+)+y", "z"] }),
    );
    const startedAt = performance.now();
    expect(look(textStart, textDelta(`${"x".repeat(400)}z`), textDelta("xz."))).toEqual([[], [], ["second"]]);
    expect(performance.now() - startedAt).toBeLessThan(5000);
    expect(slow).toEqual(["first", "third"]);
  });

  it("skip steps of blocks that no rule checks", async () => {
    const { look } = watch(await rule("r", { condition: "x", scope: "thinking" }));
    expect(look(textStart, textDelta("x."), textEnd, ...call("bash", '{"x":"x."}')).flat()).toEqual([]);
  });
});
