import { describe, expect, it } from "vitest";
import type { ApprovalQuestion } from "../../../../agent/protocol/dialogs.ts";
import { approvalOf, noteApproval, wordApproval } from "../../../../extension/core/transcript/approval.ts";
import type { ToolItem } from "../../../../webview/protocol/items.ts";
import { assistant, call, TranscriptHarness } from "./transcript-harness.ts";

const RULE = "bash npm run *";
const RULES: ApprovalQuestion["rules"] = [
  {
    scope: "session",
    pattern: "npm run *",
    text: RULE,
    covers: "Covers npm run.",
    option: `Allow for this session: ${RULE}`,
  },
  { scope: "workspace", pattern: "npm run *", text: RULE, option: `Allow in this workspace: ${RULE}` },
  { scope: "always", pattern: "npm run *", text: RULE, option: `Allow always: ${RULE}` },
];
const OPTIONS = ["Allow once", ...RULES.map(({ option }) => option), "Change the rule…", "Deny"];

function about(tool: string, subject: string, more: Partial<ApprovalQuestion> = {}): ApprovalQuestion {
  const answers = { once: "Allow once", deny: "Deny", change: "Change the rule…", rules: RULES };
  return { toolCallId: "c1", tool, subject, reasons: [], ...answers, ...more };
}

function tool(toolName: string, input: string): ToolItem {
  const result = { output: "", isOutputCut: false, images: [] };
  return {
    id: input,
    kind: "tool",
    state: "running",
    toolName,
    intent: input,
    input,
    inputLanguage: "bash",
    ...result,
  };
}

describe("approvalOf", () => {
  it("has the tool, the subject, the reasons, and the rule of each scope", () => {
    const reasons = ["writes outside the workspace"];
    expect(approvalOf(about("bash", "npm run build", { reasons }), undefined)).toEqual({
      toolName: "bash",
      callId: "c1",
      subject: "npm run build",
      code: "",
      reasons,
      once: "Allow once",
      deny: "Deny",
      change: "Change the rule…",
      rules: [
        { scope: "session", text: RULE, covers: "Covers npm run.", option: "Allow for this session: bash npm run *" },
        { scope: "workspace", text: RULE, option: "Allow in this workspace: bash npm run *" },
        { scope: "always", text: RULE, option: "Allow always: bash npm run *" },
      ],
    });
  });

  it("has the whole command of the call; its first line is the subject", () => {
    const asked = about("bash", "npm run build (+1 line)");
    expect(approvalOf(asked, tool("bash", "npm run build\nrm -rf /"))).toMatchObject({
      code: "npm run build\nrm -rf /",
      codeLanguage: "bash",
    });
  });
});

describe("the dangers of an approval", () => {
  const dangersOf = (danger: ApprovalQuestion["danger"], reasons: string[] = []) =>
    approvalOf(about("bash", "rm a", { danger, reasons }), undefined);

  it("are said in words, a line for each kind, with all that it concerns", () => {
    const { dangers } = dangersOf([
      { kind: "deletes", object: "dist/old" },
      { kind: "deletes", object: "build" },
      { kind: "sends_data", object: "api.example.com" },
      { kind: "rewrites_history" },
      { kind: "admin_rights" },
    ]);
    expect(dangers).toEqual([
      "Deletes dist/old, build",
      "Sends data to api.example.com",
      "Rewrites Git history",
      "Runs with administrator rights",
    ]);
  });

  it("replace the reasons that say the same", () => {
    const reason = "writes outside the workspace: /etc/hosts";
    const { dangers, reasons } = dangersOf(
      [
        { kind: "outside_workspace", object: "/etc/hosts" },
        { kind: "outside_workspace", reason },
      ],
      [reason, "cannot be judged: & leaves a command running"],
    );
    expect(dangers).toEqual(["Changes files outside the workspace: /etc/hosts"]);
    expect(reasons).toEqual(["cannot be judged: & leaves a command running"]);
  });

  it("are absent where there are none", () => {
    expect(dangersOf(undefined)).not.toHaveProperty("dangers");
  });
});

describe("wordApproval", () => {
  const approval = approvalOf(about("bash", "npm run build"), undefined);
  it.each([
    ["Allow once", "Allowed once: bash npm run build"],
    [`Allow for this session: ${RULE}`, "Allowed in this session: bash npm run *"],
    [`Allow always: ${RULE}`, "Always allowed: bash npm run *"],
    ["Deny", "Denied: bash npm run build"],
    [undefined, "Not answered: bash npm run build"],
  ])("says what %s has done", (answer, words) => {
    expect(wordApproval(approval, answer)).toBe(words);
  });
});

describe("an approval that offers the sandbox", () => {
  it("has that answer, and says what it has done", () => {
    const sandbox = { option: "Run commands in a sandbox", text: "Commands can run in a sandbox here." };
    const approval = approvalOf({ ...about("bash", "npm run build"), sandbox }, undefined);
    expect(approval.sandbox).toBe("Run commands in a sandbox");
    expect(wordApproval(approval, sandbox.option)).toBe("Allowed in the sandbox: bash npm run build");
    expect(noteApproval(approval, sandbox.option, false)).toBe("Allowed in the sandbox");
  });
});

describe("an approval in the transcript", () => {
  const frame = { type: "extension_ui_request", id: "r1", method: "select", options: OPTIONS } as const;
  const ask = (tool: string, subject: string, more: Partial<ApprovalQuestion> = {}) => ({
    ...frame,
    title: `Allow ${tool}? ${subject}`,
    approval: about(tool, subject, more),
  });
  const started = (...content: ReturnType<typeof call>[]) => {
    const chat = new TranscriptHarness();
    const message = assistant({ content, stopReason: "toolUse" });
    chat.dispatch({ type: "message_start", message });
    chat.dispatch({ type: "message_end", message });
    return chat;
  };

  it("has the call that it names, even if another call looks the same", () => {
    const chat = started(call("c0", "bash", { command: "make\ntrue" }), call("c1", "bash", { command: "make\nfalse" }));
    chat.dispatch(ask("bash", "make (+1 line)"));
    expect(chat.items().at(-1)).toMatchObject({ approval: { code: "make\nfalse" } });
  });

  it("shows no call when the named one is missing", () => {
    const chat = started(call("c0", "bash", { command: "make" }));
    chat.dispatch(ask("bash", "make"));
    expect(chat.items().at(-1)).toMatchObject({ approval: { code: "" } });
  });

  it("is an ordinary question when it is only worded like an approval", () => {
    const chat = started(call("c1", "bash", { command: "make" }));
    chat.dispatch({ ...frame, title: "Allow bash? make" });
    const item = chat.items().at(-1);
    expect(item).toMatchObject({ kind: "question", title: "Allow bash? make", options: OPTIONS });
    expect(item).not.toHaveProperty("approval");
    chat.dispatch({ type: "host_dialog_settled", requestId: "r1", state: "answered", answer: "Change the rule…" });
    expect(chat.items().at(-1)).toMatchObject({ state: "answered", answer: "Change the rule…" });
  });

  it("shows the change in question, and becomes a note on the card of its call", () => {
    const chat = started(call("c1", "edit", { path: "a.ts", edits: [{ oldText: "a", newText: "b" }] }));
    chat.dispatch(ask("edit", "a.ts"));
    expect(chat.items()).toMatchObject([
      { kind: "tool", state: "waiting" },
      { approval: { subject: "a.ts", code: "-a\n+b", codeLanguage: "diff" } },
    ]);
    const state = "answered";
    chat.dispatch({ type: "host_dialog_settled", requestId: "r1", state, answer: `Allow for this session: ${RULE}` });
    expect(chat.items()).toMatchObject([
      { kind: "tool", state: "running", note: "Allowed in this session: bash npm run *" },
    ]);
  });

  it("shows the resulting file instead of the model's text, when the agent sends it", () => {
    const chat = new TranscriptHarness();
    const diff = " 1 one\n-2 two words\n+2 two things";
    chat.dispatch(ask("edit", "a.ts", { preview: { path: "/p/a.ts", diff, patch: "" } }));
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

  it("says that the user has edited the change, as long as that is so, and in the end too", () => {
    const chat = new TranscriptHarness();
    const diff = " 1 one\n-2 two\n+2 three";
    const edited = (isEdited: boolean) => chat.dispatch({ type: "host_proposal_edited", requestId: "r1", isEdited });
    chat.dispatch(ask("edit", "a.ts", { preview: { path: "/p/a.ts", diff, patch: "" } }));
    edited(true);
    expect(chat.items()).toMatchObject([{ state: "pending", isEdited: true }]);
    edited(false);
    expect(chat.items()).toMatchObject([{ state: "pending", isEdited: false }]);
    edited(true);
    chat.dispatch({ type: "host_dialog_settled", requestId: "r1", state: "answered", answer: "Allow once" });
    expect(chat.items()).toMatchObject([{ isAllowed: true, answer: "Allowed once with your edits: edit a.ts" }]);
    edited(false);
    expect(chat.items()).toMatchObject([{ state: "answered", isEdited: true }]);
  });

  it.each([
    [`Allow for this session: ${RULE}`, `Allowed in this session, this time with your edits: ${RULE}`],
    [`Allow always: ${RULE}`, `Always allowed, this time with your edits: ${RULE}`],
  ])("says that the user has edited the change, beside the rule that they keep: %s", (answer, words) => {
    const chat = new TranscriptHarness();
    chat.dispatch(ask("edit", "a.ts", { preview: { path: "/p/a.ts", diff: "+1 a", patch: "" } }));
    chat.dispatch({ type: "host_proposal_edited", requestId: "r1", isEdited: true });
    chat.dispatch({ type: "host_dialog_settled", requestId: "r1", state: "answered", answer });
    expect(chat.items()).toMatchObject([{ isAllowed: true, answer: words }]);
  });

  it("asks for another rule in one line, which leaves nothing behind", () => {
    const chat = new TranscriptHarness();
    const question = { type: "extension_ui_request", id: "e1", method: "editor", title: "Rule for bash" } as const;
    const rule = { ...question, rule: { toolCallId: "c1", tool: "bash" } };
    chat.dispatch({ ...rule, prefill: "npm run *" });
    expect(chat.items()).toMatchObject([{ method: "input", title: "Rule for bash", prefill: "npm run *" }]);
    chat.dispatch({ type: "host_dialog_settled", requestId: "e1", state: "answered", answer: "npm run build" });
    expect(chat.items()).toEqual([]);
    chat.dispatch({ ...rule, id: "e2", prefill: "two\nlines" });
    expect(chat.items()).toMatchObject([{ method: "editor" }]);
    chat.dispatch({ ...question, id: "e3", prefill: "npm run *" });
    expect(chat.items()).toMatchObject([{ method: "editor" }, { method: "editor", prefill: "npm run *" }]);
  });

  it("drops the question while a preview runs, and notes on the call that its changes were applied", () => {
    const chat = new TranscriptHarness();
    const asked = ask("bash", "rm a");
    const offered = { ...asked, approval: { ...asked.approval, tryOut: "Preview" } };
    chat.dispatch(offered);
    chat.dispatch({ type: "host_dialog_settled", requestId: "r1", state: "answered", answer: "Preview" });
    expect(chat.items()).toEqual([]);
    const effects = {
      previewId: "p1",
      output: "",
      changes: [
        { path: "/w/a", change: "deleted", type: "file", sizeBefore: 3, patch: "--- a\n+++ a\n@@ -1 +0,0 @@\n-one" },
      ],
      changeCount: 1200,
    } as const;
    const approval = {
      ...asked.approval,
      apply: "Apply the previewed changes",
      effects: { ...effects, changes: [...effects.changes] },
    };
    chat.dispatch({ ...asked, approval });
    expect(chat.items()).toMatchObject([
      {
        approval: {
          effects: {
            summary: "Preview stopped · would change 1,200 files",
            changes: [{ change: "deleted", detail: "3B", diff: "-one" }],
            more: 1199,
          },
        },
      },
    ]);
    chat.dispatch({
      type: "host_dialog_settled",
      requestId: "r1",
      state: "answered",
      answer: "Apply the previewed changes",
    });
    expect(chat.items()).toMatchObject([{ answer: "Applied the previewed changes: bash rm a", isAllowed: true }]);
  });

  it("drops the question while its rule is changed, since it comes again", () => {
    const chat = new TranscriptHarness();
    chat.dispatch(ask("bash", "npm run build"));
    chat.dispatch({ type: "host_dialog_settled", requestId: "r1", state: "answered", answer: "Change the rule…" });
    expect(chat.items()).toEqual([]);
  });
});
