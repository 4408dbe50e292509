import { describe, expect, it } from "vitest";
import { AgentMessage } from "../../agent/protocol/messages.ts";
import {
  KnownSessionEntry,
  SESSION_VERSION,
  SessionEntry,
  SessionHeader,
  SessionTreeNode,
} from "../../agent/protocol/session-entries.ts";
import { ASSISTANT, TOOL_RESULT, USAGE, USER } from "./samples.ts";

const base = { id: "0a1b2c3d", parentId: "00000001", timestamp: "2026-11-21T03:00:00.000Z" };

const ENTRIES = [
  { type: "message", ...base, message: USER },
  { type: "message", ...base, message: ASSISTANT },
  { type: "message", ...base, message: TOOL_RESULT },
  {
    type: "model_change",
    ...base,
    provider: "anthropic",
    modelId: "m-1",
    model: "anthropic/m-1",
    role: "default",
  },
  { type: "thinking_level_change", ...base, thinkingLevel: "high" },
  {
    type: "compaction",
    ...base,
    summary: "Goal …",
    firstKeptEntryId: "00000001",
    tokensBefore: 150_000,
    fromHook: true,
    fromExtension: true,
    usage: USAGE,
  },
  { type: "branch_summary", ...base, fromId: "00000001", summary: "Tried tabs.", details: { readFiles: [] } },
  { type: "custom", ...base, customType: "note", data: { a: [1] } },
  { type: "custom_message", ...base, customType: "note", content: "text", display: false },
  { type: "label", ...base, targetId: "00000001", label: "start" },
  { type: "session_info", ...base, name: "Fix the build" },
];

const MESSAGES = [
  { role: "user", content: "old form", timestamp: 1 },
  {
    role: "bashExecution",
    command: "ls",
    output: "a",
    exitCode: null,
    cancelled: false,
    truncated: false,
    timestamp: 1,
  },
  { role: "custom", customType: "note", content: [{ type: "text", text: "a" }], display: true, timestamp: 1 },
  { role: "compactionSummary", summary: "Goal …", tokensBefore: 150_000, timestamp: 1 },
  { role: "branchSummary", summary: "Tried tabs.", fromId: "00000001", timestamp: 1 },
];

describe("SessionEntry", () => {
  it.each(ENTRIES)("of type $type keeps all its fields", (entry) => {
    expect(KnownSessionEntry.parse(entry)).toEqual(entry);
    expect(SessionEntry.parse(entry)).toEqual(entry);
  });

  it("of an unknown type keeps all its fields", () => {
    const entry = { type: "mode_change", ...base, mode: "plan", deep: { a: [1, null] } };
    expect(SessionEntry.parse(entry)).toEqual(entry);
  });

  it("of a known type with invalid fields keeps all of them", () => {
    const entry = { type: "message", ...base, message: { role: "pythonExecution", code: "1+1" } };
    expect(KnownSessionEntry.safeParse(entry).success).toBe(false);
    expect(SessionEntry.parse(entry)).toEqual(entry);
  });

  it("without an id, a parent or a time is refused", () => {
    const wrong = [
      { ...base, type: "custom", customType: "note", id: 5 },
      { type: "mode_change", id: "0a1b2c3d", timestamp: base.timestamp },
      { type: "mode_change", id: "0a1b2c3d", parentId: null },
    ];
    expect(wrong.map((entry) => SessionEntry.safeParse(entry).success)).toEqual([false, false, false]);
  });
});

describe("SessionHeader", () => {
  it("can be read without a version, as in the first files", () => {
    const header = { type: "session", id: "s-1", timestamp: base.timestamp, cwd: "/work" };
    expect(SessionHeader.parse(header)).toEqual(header);
  });

  it("keeps a title of another agent", () => {
    const header = { type: "session", version: 3, id: "s-1", timestamp: base.timestamp, cwd: "/work", title: "Build" };
    expect(SessionHeader.parse(header).title).toBe("Build");
  });

  it("is written in version 3", () => {
    expect(SESSION_VERSION).toBe(3);
  });
});

describe("SessionTreeNode", () => {
  it("nests to any depth", () => {
    const leaf = { entry: { type: "custom", ...base, customType: "note" }, children: [] };
    const tree = { entry: { type: "mode_change", ...base }, children: [{ ...leaf, children: [leaf], label: "start" }] };
    expect(SessionTreeNode.parse(tree)).toEqual(tree);
  });
});

describe("AgentMessage", () => {
  it.each(MESSAGES)("of role $role keeps all its fields", (message) => {
    expect(AgentMessage.parse(message)).toEqual(message);
  });

  it("never has the role system", () => {
    expect(AgentMessage.safeParse({ role: "system", content: "You are …", timestamp: 1 }).success).toBe(false);
  });
});
