import type { TranscriptItem } from "../../../webview/protocol/items.ts";
import type { PanelCommand, Plan } from "../../../webview/protocol/ui.ts";

/** A small conversation with one item of most kinds. */
export const CONVERSATION: TranscriptItem[] = [
  { id: "1", kind: "prompt", text: "Why does the date test fail? Please fix it.", images: [] },
  {
    id: "2",
    kind: "thinking",
    text: "The test compares local times. I should look at the parser first.",
    isStreaming: false,
    durationMs: 4_200,
  },
  {
    id: "3",
    kind: "tool",
    toolName: "read",
    state: "done",
    intent: "src/date.ts:1-40",
    input: "",
    output: "export function parseDate(text) {}",
    isOutputCut: false,
    images: [],
    path: "/work/src/date.ts",
    durationMs: 12,
  },
  {
    id: "4",
    kind: "tool",
    toolName: "bash",
    state: "failed",
    intent: "npm test -- date",
    input: "npm test -- date",
    inputLanguage: "bash",
    output: "FAIL test/date.test.ts\n  expected 2026-01-02\n  received 2026-01-01\n\nCommand exited with code 1",
    isOutputCut: false,
    images: [],
    durationMs: 3_410,
  },
  {
    id: "5",
    kind: "tool",
    toolName: "edit",
    state: "done",
    intent: "src/date.ts +2 −1",
    input: '-  return new Date(text);\n+  const [y, m, d] = text.split("-").map(Number);',
    inputLanguage: "diff",
    output: "Successfully replaced 1 block(s) in src/date.ts.",
    isOutputCut: false,
    images: [],
    path: "/work/src/date.ts",
    durationMs: 8,
    diff: '  11 export function parseDate(text: string) {\n- 12   return new Date(text);\n+ 12   const [y, m, d] = text.split("-").map(Number);\n+ 13   return new Date(Date.UTC(y, m - 1, d));\n  14 }',
  },
  {
    id: "6",
    kind: "text",
    isStreaming: false,
    text: 'The parser used the **local** time zone, so the day moved back west of Greenwich.\n\n- `parseDate` now builds a UTC date\n- the test is unchanged\n\n```ts\nexport function parseDate(text: string): Date {\n  const [y, m, d] = text.split("-").map(Number);\n  return new Date(Date.UTC(y, m - 1, d)); // UTC\n}\n```\n\nSee [date.ts](src/date.ts:12).',
  },
  {
    id: "7",
    kind: "footer",
    model: "claude-sonnet-5",
    durationMs: 14_300,
    inputTokens: 12_400,
    outputTokens: 812,
    cacheReadTokens: 9_000,
    costUsd: 0.031,
    tools: 3,
    files: [{ path: "/work/src/date.ts", name: "src/date.ts", reads: 1, edits: 1, added: 2, removed: 1 }],
    links: [{ href: "https://example.com/time-zones", label: "Time zones" }],
  },
];

/** A command that runs and a question that waits. */
export const QUESTION: TranscriptItem[] = [
  { id: "q1", kind: "prompt", text: "Publish the branch.", images: [] },
  {
    id: "q2",
    kind: "tool",
    toolName: "bash",
    state: "running",
    intent: "git push origin fix-date",
    input: "git push origin fix-date",
    inputLanguage: "bash",
    output: "",
    isOutputCut: false,
    images: [],
  },
  {
    id: "q3",
    kind: "question",
    requestId: "r1",
    method: "select",
    title: "Allow bash?",
    message: "git push origin fix-date",
    options: ["Allow once", "Allow for this session", "Deny"],
    state: "pending",
  },
];

/** A run that the provider refused. */
export const FAILURE: TranscriptItem[] = [
  { id: "f1", kind: "prompt", text: "Hello", images: [] },
  {
    id: "f2",
    kind: "activity",
    activity: "retry",
    text: "Gave up after 3 retries",
    isRunning: false,
    detail: "529 overloaded",
  },
  {
    id: "f3",
    kind: "notice",
    level: "error",
    text: "The provider rejected the API key: 401 invalid x-api-key",
    detail: "request id req_0123",
    action: { label: "Set API Key", command: "tiller.setApiKey" },
    secondAction: { label: "Retry", command: "tiller.tryAgain" },
  },
  {
    id: "f4",
    kind: "notice",
    level: "warning",
    text: "The response reached the model's output limit.",
    action: { label: "Continue", command: "tiller.continueRun" },
  },
  { id: "f5", kind: "notice", level: "info", text: "Stopped" },
];

const rule = "bash npm run *";
const covers = "Covers every command that begins with “npm run”, whatever follows.";

/** An approval of a command, with every way to answer it. */
export const APPROVAL: TranscriptItem[] = [
  { id: "a1", kind: "prompt", text: "Build it, and look at what comes out.", images: [] },
  {
    id: "a2",
    kind: "question",
    requestId: "r2",
    method: "select",
    title: "Allow bash? npm run build -- --verbose 2>&1 | tee build.log",
    options: [
      "Allow once",
      `Allow for this session: ${rule}`,
      `Allow in this workspace: ${rule}`,
      `Allow always: ${rule}`,
      "Change the rule…",
      "Deny",
    ],
    state: "pending",
    approval: {
      toolName: "bash",
      subject: "npm run build -- --verbose 2>&1 | tee build.log",
      code: "npm run build -- --verbose 2>&1 | tee build.log",
      codeLanguage: "bash",
      reasons: ["tee writes to a file that is not in the workspace"],
      once: "Allow once",
      deny: "Deny",
      change: "Change the rule…",
      rules: [
        { scope: "session", text: rule, covers, option: `Allow for this session: ${rule}` },
        { scope: "workspace", text: rule, covers, option: `Allow in this workspace: ${rule}` },
        { scope: "always", text: rule, covers, option: `Allow always: ${rule}` },
      ],
    },
  },
];

/** An approval of a command that does harm. */
export const DANGER: TranscriptItem[] = [
  { id: "d1", kind: "prompt", text: "Clean up, and tell the server.", images: [] },
  {
    id: "d2",
    kind: "question",
    requestId: "r5",
    method: "select",
    title: "Allow bash? rm -rf dist/old && curl -d @report.json https://api.example.com/v1",
    options: ["Allow once", "Deny"],
    state: "pending",
    approval: {
      toolName: "bash",
      subject: "rm -rf dist/old && curl -d @report.json https://api.example.com/v1",
      code: "rm -rf dist/old && curl -d @report.json https://api.example.com/v1",
      codeLanguage: "bash",
      dangers: ["Deletes dist/old", "Sends data to api.example.com"],
      reasons: [],
      once: "Allow once",
      deny: "Deny",
      rules: [
        {
          scope: "session",
          text: "bash rm -rf dist/old",
          option: "Allow for this session: bash rm -rf dist/old",
        },
      ],
    },
  },
];

/** An approval of a command whose preview has run. */
export const PREVIEWED: TranscriptItem[] = [
  { id: "v1", kind: "prompt", text: "Remove the old build.", images: [] },
  {
    id: "v2",
    kind: "question",
    requestId: "r6",
    method: "select",
    title: "Allow bash? ./clean.sh",
    options: ["Apply the previewed changes", "Allow once", "Deny"],
    state: "pending",
    approval: {
      toolName: "bash",
      subject: "./clean.sh",
      code: "./clean.sh",
      codeLanguage: "bash",
      reasons: [],
      once: "Allow once",
      deny: "Deny",
      apply: "Apply the previewed changes",
      rules: [],
      effects: {
        summary: "Preview: exit code 0 · would change 5 files",
        output: "removed dist/old\nwrote version 12",
        changes: [
          {
            change: "changed",
            path: "src/version.ts",
            detail: "31 B",
            diff: "-export const V = 11;\n+export const V = 12;\n",
          },
          { change: "created", path: "dist/new/a-rather-long-name-of-a-file.test.js.map", detail: "1.2 MB", diff: "" },
          { change: "deleted", path: "dist/old/index.js", detail: "20 kB", diff: "" },
        ],
        more: 2,
        problem: "The changes can't be applied: dist/pipe is neither a file nor a directory nor a link",
      },
    },
  },
];

/** An approval of a change that may not be remembered, below one that was answered. */
export const EDIT_APPROVAL: TranscriptItem[] = [
  {
    id: "e1",
    kind: "question",
    requestId: "r4",
    method: "select",
    title: "Allow bash? npm run build",
    options: ["Allow once", "Deny"],
    state: "answered",
    answer: "Allowed in this session: bash npm run *",
    isAllowed: true,
    approval: {
      toolName: "bash",
      subject: "npm run build",
      code: "",
      reasons: [],
      once: "Allow once",
      deny: "Deny",
      rules: [],
    },
  },
  {
    id: "e2",
    kind: "question",
    requestId: "r3",
    method: "select",
    title: "Allow edit? /etc/hosts",
    options: ["Allow once", "Deny"],
    state: "pending",
    approval: {
      toolName: "edit",
      subject: "/etc/hosts",
      code: " 1 # hosts\n-2 127.0.0.1 localhost\n+2 127.0.0.1 localhost build\n 3 ::1 localhost",
      codeLanguage: "diff",
      words: [{ line: 2, start: 23, end: 28 }],
      dangers: ["Changes files outside the workspace: /etc/hosts"],
      reasons: [],
      once: "Allow once",
      deny: "Deny",
      rules: [],
    },
  },
];

/** A plan with a task in each state. */
export const PLAN: Plan = {
  phases: [
    {
      id: "phase-1",
      name: "Repair",
      tasks: [
        { id: "task-1", text: "Find what fails", state: "completed" },
        { id: "task-2", text: "Build dates in UTC, also where a date comes from a file name", state: "in_progress" },
        { id: "task-3", text: "Rewrite the parser", state: "abandoned" },
      ],
    },
    { id: "phase-2", name: "Release", tasks: [{ id: "task-4", text: "Update the changelog", state: "pending" }] },
  ],
  hiddenTasks: 0,
};

export const COMMANDS: PanelCommand[] = [
  {
    name: "review",
    description: "Reviews a file",
    source: "prompt, project",
    argumentHint: "<file> [what to look for]",
  },
  {
    name: "release",
    description: "Publishes a version: checks, changelog, tag",
    source: "prompt, user",
    argumentHint: "",
  },
  {
    name: "skill:pdf",
    description: "Fills in forms and reads tables of PDF files",
    source: "skill, user",
    argumentHint: "",
  },
  {
    name: "deploy",
    description: "Brings the branch to the test system",
    source: "extension",
    argumentHint: "<system>",
  },
];
