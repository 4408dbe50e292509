import { describe, expect, test } from "vitest";
import type { AgentMessage, AssistantMessage } from "../../agent/protocol/messages.ts";
import { DEMO_MODEL } from "../../agent/providers/catalogue.ts";
import { ZERO_USAGE } from "../../agent/providers/cost.ts";
import { createDemoProvider } from "../../agent/providers/demo.ts";
import { planEdit } from "../../agent/providers/demo-edit.ts";
import { demoReply } from "../../agent/providers/demo-script.ts";
import type { DemoBlock } from "../../agent/providers/demo-turn.ts";
import { collect, requestFor } from "./collect.ts";

const TOOLS = ["read", "bash", "edit", "vscode_get_diagnostics", "vscode_open_file", "vscode_get_selection"].map(
  (name) => ({ name, description: "", parameters: {} }),
);

type Answer = { text: string; isError?: boolean };

/** Plays a turn to its end: `tools` answers each call. */
function play(said: string, tools: (name: string, args: Record<string, unknown>) => Answer, available = TOOLS) {
  const messages: AgentMessage[] = [{ role: "user", content: said, timestamp: 1 }];
  const calls: Extract<DemoBlock, { kind: "toolCall" }>[] = [];
  for (let round = 0; round < 10; round += 1) {
    const blocks = demoReply({ messages, tools: available });
    const call = blocks.find((block) => block.kind === "toolCall");
    if (call === undefined) {
      const text = blocks.flatMap((block) => (block.kind === "text" ? block.text : [])).join("");
      return { text, calls: calls.map(({ name, args }) => ({ name, args })) };
    }
    calls.push(call);
    const id = `c${round}`;
    const answer = tools(call.name, call.args);
    messages.push(assistant({ type: "toolCall", id, name: call.name, arguments: call.args }), {
      role: "toolResult",
      toolCallId: id,
      toolName: call.name,
      content: [{ type: "text", text: answer.text }],
      isError: answer.isError ?? false,
      timestamp: 3,
    });
  }
  return expect.unreachable("the demo did not come to an end");
}

function assistant(...content: AssistantMessage["content"]): AssistantMessage {
  const head = { role: "assistant", api: "demo", provider: "demo", model: "scripted" } as const;
  return { ...head, content, usage: ZERO_USAGE, stopReason: "toolUse", timestamp: 2 };
}

describe("the demo", () => {
  test("says at once that it is not a language model and how to set a key", () => {
    const blocks = demoReply({ messages: [{ role: "user", content: "hello", timestamp: 1 }], tools: TOOLS });
    const [first] = blocks.filter((block) => block.kind === "text");
    expect(first?.text).toContain("not a language model");
    expect(first?.text).toContain("Tiller: Set Up a Model");
    expect(first?.text).toContain("ANTHROPIC_API_KEY");
  });

  test.each([
    ["read a.txt", [{ name: "read", args: { path: "a.txt", lineNumbers: false } }]],
    ["run npm test", [{ name: "bash", args: { command: "npm test" } }]],
    ["show me the problems", [{ name: "vscode_get_diagnostics", args: {} }]],
    ["open `src/a.ts`", [{ name: "vscode_open_file", args: { path: "src/a.ts" } }]],
    ["what is my selection?", [{ name: "vscode_get_selection", args: {} }]],
    ["help", []],
    ["long", []],
  ])("asked to “%s” calls the tool for it and reports the result", (said, calls) => {
    const played = play(said, () => ({ text: "something real" }));
    expect(played.calls).toEqual(calls);
    expect(played.text).toContain(calls.length === 0 ? "|---" : "something real");
  });

  test("asked to edit a file changes what it has read", () => {
    const played = play("edit a.ts", (name) => ({
      text: name === "read" ? "const a = 1;\n" : "Successfully replaced",
    }));
    expect(played.calls[1]).toEqual({
      name: "edit",
      args: {
        path: "a.ts",
        edits: [{ oldText: "const a = 1;", newText: "// A line that Tiller's demo added.\nconst a = 1;" }],
      },
    });
    expect(played.text).toBe("Done: I added a comment to `a.ts`. The card above shows the change.");
  });

  test("gives a tour of the folder for anything else", () => {
    const played = play("what is this?", (name) => ({ text: name === "bash" ? "README.md\nsrc\n" : "# My project\n" }));
    expect(played.calls.map((call) => call.name)).toEqual(["bash", "read"]);
    expect(played.text).toContain("This folder has 2 entries");
    expect(played.text).toContain("“My project”");
  });

  test("stops when a call is denied or fails, and says so", () => {
    expect(play("run rm x", () => ({ text: "Blocked by user: bash", isError: true })).text).toBe(
      "You didn't allow `bash`, so I'm stopping here. Nothing changed.",
    );
    expect(play("read nope", () => ({ text: "ENOENT", isError: true })).text).toContain("`read` failed");
  });

  test("names a missing tool", () => {
    expect(play("open a.ts", () => ({ text: "" }), []).text).toContain("I need the tool `vscode_open_file`");
  });
});

describe("planEdit", () => {
  test.each([
    ["a.py", "#!/usr/bin/env python\nx = 1\n", "x = 1", "# A line that Tiller's demo added.\nx = 1"],
    ["a.md", "# Title\n", "# Title", "<!-- A line that Tiller's demo added. -->\n# Title"],
    ["a.ts", "// A line that Tiller's demo added.\nx\n", "// A line that Tiller's demo added.\n", ""],
  ])("in %s adds a comment above the first fitting line, or removes it", (path, text, oldText, newText) => {
    expect(planEdit(path, text)).toMatchObject({ oldText, newText });
  });

  test("leaves files without comment syntax or a fitting line unchanged", () => {
    expect(planEdit("a.json", "{}")).toBeUndefined();
    expect(planEdit("a.ts", "\n\n")).toBeUndefined();
  });
});

describe("the demo provider", () => {
  const request = requestFor(DEMO_MODEL, { tools: TOOLS });

  test("streams thinking, text and a tool call without a key", async () => {
    const events = await collect(createDemoProvider({ TILLER_DEMO_SPEED: "instant" }), request);
    const starts = events.flatMap((event) => (event.type.endsWith("_start") && "index" in event ? [event] : []));
    expect(starts.map(({ type, index }) => [type, index])).toEqual([
      ["thinking_start", 0],
      ["text_start", 1],
      ["toolcall_start", 2],
    ]);
    expect(events.at(-1)).toEqual({ type: "end", stopReason: "toolUse" });
  });

  test("stops at once when aborted", async () => {
    const controller = new AbortController();
    const reading = (async () => {
      for await (const batch of createDemoProvider({}).stream({ ...request, signal: controller.signal })) {
        if (batch.some((event) => event.type === "thinking_delta")) controller.abort();
      }
    })();
    await expect(reading).rejects.toMatchObject({ kind: "aborted" });
  });
});
