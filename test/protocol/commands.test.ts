import { describe, expect, it } from "vitest";
import { type CommandType, commands, isCommandType } from "../../agent/protocol/commands.ts";
import { APPROVAL_RULE, ASSISTANT, LOGGED_DECISION, MODEL, SESSION_SUMMARY, STATE, USAGE, USER } from "./samples.ts";

interface Example {
  /** Fields that a host sends at the least. */
  fields: Record<string, unknown>;
  /** An example of the response's `data`; undefined when there is none. */
  data: unknown;
}

const started = { disposition: "started" };
const stayed = { cancelled: false };
const forked = { text: "first words", cancelled: false };
const forkPoints = { messages: [{ entryId: "0a1b2c3d", text: "first words" }] };
const entry = { type: "message", id: "0a1b2c3d", parentId: null, timestamp: "2026-11-21T03:00:00.000Z", message: USER };
const todos = [{ id: "phase-1", name: "Plan", tasks: [{ id: "task-1", content: "Read", status: "pending" }] }];

const EXAMPLES: Record<CommandType, Example> = {
  prompt: { fields: { message: "hi" }, data: started },
  steer: { fields: { message: "hi" }, data: { disposition: "queued" } },
  follow_up: { fields: { message: "hi" }, data: { disposition: "handled" } },
  abort: { fields: {}, data: undefined },
  abort_and_prompt: { fields: { message: "hi" }, data: started },
  clear_queue: { fields: {}, data: { steering: ["a"], followUp: [] } },
  new_session: { fields: {}, data: stayed },
  get_state: { fields: {}, data: STATE },
  get_messages: { fields: {}, data: { messages: [USER, ASSISTANT] } },
  set_todos: { fields: { phases: [] }, data: { todoPhases: todos } },
  revise_plan: { fields: { text: "- [ ] look" }, data: { proposedPlan: "- [ ] look" } },
  start_plan: { fields: {}, data: { proposedPlan: "- [ ] look", todoPhases: todos } },
  set_host_tools: { fields: { tools: [] }, data: { toolNames: ["pick_colour"] } },
  set_host_models: { fields: { provider: "mine", models: [{ id: "m-1" }] }, data: { modelIds: ["m-1"] } },
  set_host_secrets: { fields: {}, data: undefined },
  set_model: { fields: { provider: "anthropic", modelId: "m-1" }, data: MODEL },
  cycle_model: { fields: {}, data: { model: MODEL, thinkingLevel: "high", isScoped: true } },
  get_available_models: { fields: {}, data: { models: [MODEL] } },
  set_thinking_level: { fields: { level: "high" }, data: undefined },
  cycle_thinking_level: { fields: {}, data: { level: "low" } },
  get_available_thinking_levels: { fields: {}, data: { levels: ["off", "xhigh"] } },
  set_steering_mode: { fields: { mode: "all" }, data: undefined },
  set_follow_up_mode: { fields: { mode: "one-at-a-time" }, data: undefined },
  set_interrupt_mode: { fields: { mode: "immediate" }, data: undefined },
  compact: {
    fields: {},
    data: {
      summary: "Goal …",
      firstKeptEntryId: "0a1b2c3d",
      tokensBefore: 150_000,
      estimatedTokensAfter: 21_000,
      details: { readFiles: ["a.ts"], modifiedFiles: [] },
      usage: USAGE,
    },
  },
  set_auto_compaction: { fields: { enabled: false }, data: undefined },
  set_auto_retry: { fields: { enabled: true }, data: undefined },
  retry: { fields: {}, data: started },
  abort_retry: { fields: {}, data: undefined },
  bash: {
    fields: { command: "ls" },
    data: {
      output: "a\n",
      exitCode: 0,
      cancelled: false,
      truncated: false,
      totalLines: 1,
      totalBytes: 2,
      outputLines: 1,
      outputBytes: 2,
    },
  },
  abort_bash: { fields: {}, data: undefined },
  preview_command: {
    fields: { command: "rm a.txt" },
    data: {
      previewId: "p-1",
      output: "(no output)",
      exitCode: 0,
      changes: [{ path: "/w/a.txt", change: "deleted", type: "file", sizeBefore: 3, patch: "-one" }],
      changeCount: 1,
    },
  },
  apply_preview: { fields: { previewId: "p-1" }, data: undefined },
  discard_preview: { fields: { previewId: "p-1" }, data: undefined },
  stop_background: { fields: { processId: "b1" }, data: undefined },
  get_session_stats: {
    fields: {},
    data: {
      sessionId: "s-1",
      userMessages: 1,
      assistantMessages: 1,
      toolCalls: 0,
      toolResults: 0,
      totalMessages: 2,
      tokens: { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, total: 15 },
      cost: 0.25,
      contextUsage: { tokens: null, contextWindow: 200_000, percent: null },
      premiumRequests: 0,
    },
  },
  export_html: { fields: {}, data: { path: "/tmp/session.html" } },
  export_session: { fields: { format: "markdown" }, data: { path: "/tmp/session.md", hiddenSecrets: 2 } },
  switch_session: { fields: { sessionPath: "a.jsonl" }, data: { cancelled: true } },
  fork: { fields: { entryId: "0a1b2c3d" }, data: forked },
  branch: { fields: { entryId: "0a1b2c3d" }, data: forked },
  clone: { fields: {}, data: stayed },
  get_fork_messages: { fields: {}, data: forkPoints },
  get_branch_messages: { fields: {}, data: forkPoints },
  get_entries: { fields: {}, data: { entries: [entry], leafId: "0a1b2c3d" } },
  get_tree: { fields: {}, data: { tree: [{ entry, children: [], label: "start" }], leafId: "0a1b2c3d" } },
  navigate_tree: { fields: { entryId: "0a1b2c3d" }, data: { cancelled: false, text: "first words" } },
  keep_session: { fields: {}, data: { sessionFile: "/s/a.jsonl" } },
  get_last_assistant_text: { fields: {}, data: { text: null } },
  set_session_name: { fields: { name: "Fix the build" }, data: undefined },
  list_sessions: { fields: {}, data: { sessions: [SESSION_SUMMARY], nextCursor: "WzEsImEiXQ", total: 2 } },
  read_session: {
    fields: { sessionPath: "a.jsonl" },
    data: { path: "/s/a.jsonl", id: "s-1", cwd: "/p", messages: [USER], hasMore: false },
  },
  rename_session: { fields: { sessionPath: "a.jsonl", name: "Fix the build" }, data: undefined },
  delete_session: { fields: { sessionPath: "a.jsonl" }, data: { trashId: "t-1" } },
  restore_session: { fields: { trashId: "t-1" }, data: { sessionPath: "/s/a.jsonl" } },
  get_changes: {
    fields: { entryId: "e1" },
    data: {
      files: [
        {
          ...{ path: "/w/b.sh", kind: "created", renamedFrom: "/w/a.sh", added: 2, removed: 0 },
          ...{ mode: { before: 0o644, after: 0o755 }, isChangedSince: true, toolCallIds: ["t1"] },
        },
      ],
      trouble: "The disk is full.",
    },
  },
  get_change: {
    fields: { path: "/w/a.txt", toolCallId: "t1" },
    data: {
      path: "/w/a.txt",
      before: { kind: "text", text: "one\n", mode: 0o644 },
      after: { kind: "unknown", reason: "tooLarge" },
      hunks: [{ id: "0f", beforeLine: 1, before: ["one\n"], afterLine: 1, after: ["two\n"] }],
    },
  },
  keep_changes: { fields: { paths: ["/w/a.txt"], hunkId: "0f" }, data: { paths: ["/w/a.txt"] } },
  undo_changes: {
    fields: { toolCallId: "t1", merge: true },
    data: {
      files: [
        { path: "/w/a.txt", outcome: "merged", conflicts: 1 },
        { path: "/w/b.txt", outcome: "refused", code: "changed_since", reason: "It was changed.", canMerge: true },
      ],
    },
  },
  list_checkpoints: {
    fields: {},
    data: { checkpoints: [{ entryId: "e1", text: "Fix it", timestamp: 1, files: 2 }] },
  },
  restore_checkpoint: {
    fields: { entryId: "e1", what: "both" },
    data: { files: [{ path: "/w/a.txt", outcome: "undone" }], cancelled: false, text: "Fix it" },
  },
  get_usage: {
    fields: { days: 30 },
    data: {
      rows: [
        {
          ...{ day: "2026-05-01", project: "/w", model: "acme/m-1", requests: 2 },
          ...{ input: 10, output: 5, cacheRead: 80, cacheWrite: 5, costUsd: 0.25 },
        },
      ],
      tools: [{ tool: "bash", calls: 1, tokens: 50.5, costUsd: 0.125 }],
      sessions: [
        {
          ...{ path: "/s/a.jsonl", id: "s-1", name: "Fix", firstMessage: "Fix it", project: "/w", modifiedAt: 1 },
          ...{ requests: 2, input: 10, output: 5, cacheRead: 80, cacheWrite: 5, costUsd: 0.25 },
        },
      ],
      sessionCount: 1,
      unreadableCount: 0,
    },
  },
  get_commands: {
    fields: {},
    data: {
      commands: [
        { name: "skill:review", description: "Reviews", source: "skill", location: "user", path: "/s/SKILL.md" },
      ],
    },
  },
  set_locale: { fields: { locale: "de" }, data: undefined },
  get_integrations: { fields: {}, data: { version: "0.1.0", model: { state: "no_provider" }, services: [] } },
  list_skills: { fields: {}, data: { skills: [{ name: "review", description: "Reviews" }] } },
  find_mcp_resources: {
    fields: { query: "tracker:" },
    data: { resources: [{ server: "tracker", uri: "issue://1", name: "Crash", isPartial: false }] },
  },
  read_mcp_resource: {
    fields: { server: "tracker", uri: "issue://1" },
    data: { text: "It crashes.", mimeType: "text/plain", images: [] },
  },
  set_permission_mode: { fields: { mode: "confirm" }, data: undefined },
  get_approval_rules: { fields: {}, data: { mode: "confirm", isEnforced: true, rules: [APPROVAL_RULE] } },
  get_approval_log: { fields: { limit: 10 }, data: { decisions: [LOGGED_DECISION] } },
  add_approval_rules: { fields: { rules: [APPROVAL_RULE] }, data: undefined },
  remove_approval_rule: { fields: { ruleId: "r-1" }, data: undefined },
  set_event_filter: { fields: { events: null }, data: { events: null } },
  set_stream_options: { fields: { messageUpdate: "delta" }, data: { messageUpdate: "delta" } },
};

const types = Object.keys(commands).filter(isCommandType);
const IMAGE = { type: "image", data: "aGk=", mimeType: "image/png" };

describe("the table of commands", () => {
  it.each(types)("%s accepts the minimal fields and returns what it documents", (type) => {
    const { fields, data } = EXAMPLES[type];
    expect(commands[type].params.parse({ type, id: "1", ...fields })).toEqual(fields);
    expect(commands[type].result.parse(data)).toEqual(data);
  });

  it.each(["cycle_model", "cycle_thinking_level"] as const)("%s can find nothing to cycle through", (type) => {
    expect(commands[type].result.parse(null)).toBeNull();
  });

  it("contains its own commands and no inherited names", () => {
    expect(["prompt", "toString", "__proto__", "", "Prompt"].map(isCommandType)).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});

describe("the fields of a command", () => {
  it("are ignored when they are unknown", () => {
    expect(commands.steer.params.parse({ type: "steer", message: "hi", colour: "teal" })).toEqual({ message: "hi" });
  });

  it("can be null when they are optional, which is the same as leaving them out", () => {
    const nulls = { message: "hi", images: null, streamingBehavior: null, locale: null };
    expect(commands.prompt.params.parse(nulls)).toEqual({ message: "hi" });
    expect(commands.bash.params.parse({ command: "ls", excludeFromContext: null, timeout: null })).toEqual({
      command: "ls",
    });
    expect(commands.new_session.params.parse({ parentSession: null })).toEqual({});
  });

  it("cannot be null when they are required", () => {
    expect(commands.prompt.params.safeParse({ message: null }).success).toBe(false);
    expect(commands.fork.params.safeParse({ entryId: null }).success).toBe(false);
  });

  it("accept a time limit only above zero", () => {
    const timeouts = [0.5, 0, -1, Number.NaN].map((timeout) => ({ command: "ls", timeout }));
    expect(timeouts.map((fields) => commands.bash.params.safeParse(fields).success)).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  it("take the thinking level max", () => {
    expect(commands.set_thinking_level.params.parse({ level: "max" })).toEqual({ level: "max" });
  });
});

describe("the images of a command", () => {
  it("pass unchanged in their plain form", () => {
    expect(commands.prompt.params.parse({ message: "", images: [IMAGE] }).images).toEqual([IMAGE]);
  });

  it("can hold their data in content", () => {
    const attachment = { type: "image", content: "aGk=", mimeType: "image/png", fileName: "a.png", size: 2 };
    expect(commands.steer.params.parse({ message: "", images: [attachment] }).images).toEqual([IMAGE]);
  });

  it("lose a data URL's prefix", () => {
    const prefixed = { ...IMAGE, data: "data:image/png;base64,aGk=" };
    expect(commands.follow_up.params.parse({ message: "", images: [prefixed] }).images).toEqual([IMAGE]);
  });

  it("can be an empty list", () => {
    expect(commands.abort_and_prompt.params.parse({ message: "hi", images: [] }).images).toEqual([]);
  });
});
