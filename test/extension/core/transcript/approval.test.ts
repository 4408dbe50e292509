import { describe, expect, it } from "vitest";
import { readApproval, wordApproval } from "../../../../extension/core/transcript/approval.ts";
import type { ToolItem } from "../../../../webview/protocol/items.ts";
import { assistant, call, TranscriptHarness } from "./transcript-harness.ts";

const RULE = "bash npm run *";
const OPTIONS = [
  "Allow once",
  `Allow for this session: ${RULE}`,
  `Allow in this workspace: ${RULE}`,
  `Allow always: ${RULE}`,
  "Change the rule…",
  "Deny",
];

function tool(toolName: string, input: string, intent = input): ToolItem {
  const result = { output: "", isOutputCut: false, images: [] };
  return { id: input, kind: "tool", state: "running", toolName, intent, input, inputLanguage: "bash", ...result };
}

describe("readApproval", () => {
  it("splits the question into tool, subject, reasons and the rule of each scope", () => {
    expect(readApproval("Allow bash? npm run build\nwrites outside the workspace\n", OPTIONS)).toEqual({
      toolName: "bash",
      subject: "npm run build",
      code: "",
      reasons: ["writes outside the workspace"],
      once: "Allow once",
      deny: "Deny",
      change: "Change the rule…",
      rules: [
        { scope: "session", text: RULE, option: "Allow for this session: bash npm run *" },
        { scope: "workspace", text: RULE, option: "Allow in this workspace: bash npm run *" },
        { scope: "always", text: RULE, option: "Allow always: bash npm run *" },
      ],
    });
  });

  it("recognizes the question when nothing can be stored", () => {
    expect(readApproval("Allow mcp__files__write?", ["Allow once", "Deny"])).toMatchObject({
      toolName: "mcp__files__write",
      subject: "",
      rules: [],
    });
  });

  it.each([
    ["another title", "Which flavour?", ["Allow once", "Deny"]],
    ["no way to say no", "Allow bash?", ["Allow once"]],
    ["an answer that it does not know", "Allow bash? make", ["Allow once", "Allow bash for this session", "Deny"]],
  ])("leaves a question with %s as it is", (_, title, options) => {
    expect(readApproval(title, options)).toBeUndefined();
  });

  it("adds the whole command of which the title has the first line", () => {
    const calls = [tool("bash", "npm run build\nrm -rf /"), tool("bash", "ls")];
    expect(readApproval("Allow bash? npm run build (+1 line)", OPTIONS, calls)).toMatchObject({
      code: "npm run build\nrm -rf /",
      codeLanguage: "bash",
    });
  });

  it("adds the readable arguments of any tool", () => {
    const calls = [tool("mcp__db__query", '{\n  "sql": "select 1"\n}', "select 1")];
    expect(readApproval('Allow mcp__db__query? {"sql":"select 1"}', ["Allow once", "Deny"], calls)?.code).toBe(
      '{\n  "sql": "select 1"\n}',
    );
  });

  it("shows no command when several calls could be meant", () => {
    const calls = [tool("bash", "npm run a\ntrue"), tool("bash", "npm run a\nfalse")];
    expect(readApproval("Allow bash? npm run a (+1 line)", OPTIONS, calls)?.code).toBe("");
    expect(readApproval("Allow bash? something else", OPTIONS, calls)?.code).toBe("");
  });
});

describe("wordApproval", () => {
  const approval = readApproval("Allow bash? npm run build", OPTIONS);
  it.each([
    ["Allow once", "Allowed once: bash npm run build"],
    [`Allow for this session: ${RULE}`, "Allowed for this session: bash npm run *"],
    [`Allow always: ${RULE}`, "Allowed always: bash npm run *"],
    ["Deny", "Denied: bash npm run build"],
    [undefined, "Not answered: bash npm run build"],
  ])("says what %s has done", (answer, words) => {
    expect(approval && wordApproval(approval, answer)).toBe(words);
  });
});

describe("approvals in the transcript", () => {
  const ask = (title: string) => ({
    type: "extension_ui_request" as const,
    id: "r1",
    method: "select" as const,
    title,
    options: OPTIONS,
  });

  it("show the change in question, and one line when answered", () => {
    const chat = new TranscriptHarness();
    const content = [call("c1", "edit", { path: "a.ts", edits: [{ oldText: "a", newText: "b" }] })];
    const message = assistant({ content, stopReason: "toolUse" });
    chat.dispatch({ type: "message_start", message });
    chat.dispatch({ type: "message_end", message });
    chat.dispatch(ask("Allow edit? a.ts"));
    expect(chat.items().at(-1)).toMatchObject({ approval: { subject: "a.ts", code: "-a\n+b", codeLanguage: "diff" } });
    const state = "answered";
    chat.dispatch({ type: "host_dialog_settled", requestId: "r1", state, answer: `Allow for this session: ${RULE}` });
    expect(chat.items().at(-1)).toMatchObject({ state, answer: "Allowed for this session: bash npm run *" });
  });

  it("show the resulting file instead of the model's text, when the agent sends it", () => {
    const chat = new TranscriptHarness();
    const diff = " 1 one\n-2 two words\n+2 two things";
    chat.dispatch({ ...ask("Allow edit? a.ts"), preview: { path: "/p/a.ts", diff, patch: "" } });
    expect(chat.items().at(-1)).toMatchObject({
      approval: {
        code: diff,
        codeLanguage: "diff",
        words: [
          { line: 1, start: 7, end: 12 },
          { line: 2, start: 7, end: 13 },
        ],
      },
    });
  });

  it("say that the user has edited the change, as long as that is so, and in the end too", () => {
    const chat = new TranscriptHarness();
    const diff = " 1 one\n-2 two\n+2 three";
    const edited = (isEdited: boolean) => chat.dispatch({ type: "host_proposal_edited", requestId: "r1", isEdited });
    chat.dispatch({ ...ask("Allow edit? a.ts"), preview: { path: "/p/a.ts", diff, patch: "" } });
    edited(true);
    expect(chat.items()).toMatchObject([{ state: "pending", isEdited: true }]);
    edited(false);
    expect(chat.items()).toMatchObject([{ state: "pending", isEdited: false }]);
    edited(true);
    chat.dispatch({ type: "host_dialog_settled", requestId: "r1", state: "answered", answer: "Allow once" });
    expect(chat.items()).toMatchObject([{ isAllowed: true, answer: "Allowed once, as you edited it: edit a.ts" }]);
    edited(false);
    expect(chat.items()).toMatchObject([{ state: "answered", isEdited: true }]);
  });

  it.each([
    [`Allow for this session: ${RULE}`, `Allowed for this session, this time as you edited it: ${RULE}`],
    [`Allow always: ${RULE}`, `Allowed always, this time as you edited it: ${RULE}`],
  ])("say that the user has edited the change, beside the rule that they keep: %s", (answer, words) => {
    const chat = new TranscriptHarness();
    chat.dispatch({ ...ask("Allow edit? a.ts"), preview: { path: "/p/a.ts", diff: "+1 a", patch: "" } });
    chat.dispatch({ type: "host_proposal_edited", requestId: "r1", isEdited: true });
    chat.dispatch({ type: "host_dialog_settled", requestId: "r1", state: "answered", answer });
    expect(chat.items()).toMatchObject([{ isAllowed: true, answer: words }]);
  });

  it("ask for another rule in one line, which leaves nothing behind", () => {
    const chat = new TranscriptHarness();
    const rule = { type: "extension_ui_request", id: "e1", method: "editor", title: "The rule for bash" } as const;
    chat.dispatch({ ...rule, prefill: "npm run *" });
    expect(chat.items()).toMatchObject([{ method: "input", title: "The rule for bash", prefill: "npm run *" }]);
    chat.dispatch({ type: "host_dialog_settled", requestId: "e1", state: "answered", answer: "npm run build" });
    expect(chat.items()).toEqual([]);
    chat.dispatch({ ...rule, id: "e2", prefill: "two\nlines" });
    expect(chat.items()).toMatchObject([{ method: "editor" }]);
  });

  it("drop the question while its rule is changed, since it comes again", () => {
    const chat = new TranscriptHarness();
    chat.dispatch(ask("Allow bash? npm run build"));
    chat.dispatch({ type: "host_dialog_settled", requestId: "r1", state: "answered", answer: "Change the rule…" });
    expect(chat.items()).toEqual([]);
  });
});
