import { describe, expect, test } from "vitest";
import { menuEntries } from "../../../../extension/features/status/menu-entries.ts";
import { type StatusFacts, statusFace, tooltipRows } from "../../../../extension/features/status/status-face.ts";
import type { PanelUi } from "../../../../webview/protocol/ui.ts";

const UI: PanelUi = {
  status: "idle",
  modelLabel: "Sonnet",
  thinkingLevel: "medium",
  hasThinking: true,
  mode: { label: "Ask First", icon: "shield", hint: "Asks before it changes a file." },
  steering: [],
  followUp: [],
  widgets: [],
  statuses: [],
  sendOnEnter: true,
  whileRunning: "steer",
};

function facts(ui: Partial<PanelUi> = {}, more: Partial<StatusFacts> = {}): StatusFacts {
  return { ui: { ...UI, ...ui }, title: "Fix the date", waiting: [], others: [], ...more };
}

const question = (title: string, chatTitle = "Fix the date") => ({ title, chatTitle });

describe("the status bar item", () => {
  test.each([
    ["idle", "circle-filled", "Tiller", undefined],
    ["running", "loading~spin", "Tiller: running", undefined],
    ["crashed", "error", "Tiller: crashed", "error"],
    ["stopped", "circle-outline", "Tiller", undefined],
    ["untrusted", "workspace-untrusted", "Tiller: not trusted", undefined],
  ] as const)("says that the agent is %s", (status, icon, text, background) => {
    expect(statusFace(facts({ status }))).toEqual({ icon, text, background });
  });

  test("shows first that the user is waited for", () => {
    expect(statusFace(facts({ status: "running" }, { waiting: [question("Allow bash?")] }))).toEqual({
      icon: "bell-dot",
      text: "Tiller needs your answer",
      background: "warning",
    });
    const two = { waiting: [question("Allow bash?"), question("Which branch?", "Other")] };
    expect(statusFace(facts({ status: "crashed" }, two)).text).toBe("Tiller needs your answer (2)");
  });

  test("counts messages queued here and runs elsewhere", () => {
    const others = [
      { title: "A", state: "running" },
      { title: "B", state: "idle" },
      { title: "C", state: "running" },
    ] as const;
    const ui = { steering: ["one"], followUp: ["two", "three"] };
    expect(statusFace(facts({ status: "running", ...ui }, { others })).text).toBe(
      "Tiller: running · 3 queued · 2 in background",
    );
  });
});

describe("the status tooltip", () => {
  test("contains only known facts, and no empty lines", () => {
    const rows = tooltipRows(
      facts({ costUsd: 1.5, costLimitUsd: 4, followUp: ["later"], statuses: [{ key: "git", text: "branch main" }] }),
    );
    expect(rows.map(({ name, value }) => `${name}: ${value}`)).toEqual([
      "Chat: Fix the date",
      "Model: Sonnet",
      "Permission mode: Ask First. Asks before it changes a file.",
      "Cost: $1.50 of $4.00",
      "Queued messages: 1",
      "git: branch main",
    ]);
    const empty = facts({ modelLabel: "", mode: { label: "", icon: "", hint: "" } });
    expect(tooltipRows(empty).map(({ name }) => name)).toEqual(["Chat"]);
  });
});

/** The menu as lines; a line between groups is empty. */
function menu(given: StatusFacts): string[] {
  return menuEntries(given).flatMap((group, at) => [...(at === 0 ? [] : [""]), ...group.map(({ label }) => label)]);
}

const ABOUT = ["Show Log", "Open Settings", "Open Walkthrough"];
const CHOICES = ["Select Model", "Select Thinking Level", "Select Permission Mode"];

describe("the status menu", () => {
  test("offers actions for an idle agent", () => {
    expect(menu(facts())).toEqual(["Show Chat", "New Chat", "Search Sessions…", "", ...CHOICES, "", ...ABOUT]);
  });

  test("begins with waiting questions, and can stop a run", () => {
    const given = facts(
      { status: "running", hasThinking: false },
      {
        waiting: [question("Allow bash?\nrm -r build"), question("Which branch?", "Release")],
        others: [
          { title: "Release", state: "asking" },
          { title: "Idle one", state: "idle" },
          { title: "Tests", state: "running" },
        ],
      },
    );
    expect(menu(given).slice(0, 12)).toEqual([
      "Answer: Allow bash? rm -r build",
      "Answer: Which branch?",
      "",
      "Stop",
      "Show Chat",
      "New Chat",
      "Search Sessions…",
      "",
      "Show Chat: Release",
      "Show Chat: Tests",
      "",
      "Select Model",
    ]);
    const [questions = [], , chats = []] = menuEntries(given);
    expect(questions.map(({ action, description }) => [action, description])).toEqual([
      [{ type: "answer", waiting: 0 }, "Fix the date"],
      [{ type: "answer", waiting: 1 }, "Release"],
    ]);
    expect(chats.map(({ action, description }) => [action, description])).toEqual([
      [{ type: "showChat", other: 0 }, "needs your answer"],
      [{ type: "showChat", other: 2 }, "running"],
    ]);
  });

  test("can restart a stopped agent", () => {
    expect(menu(facts({ status: "crashed" }))[0]).toBe("Restart Agent");
  });

  test("offers only setup where no agent may start", () => {
    expect(menu(facts({ status: "untrusted" }))).toEqual(["Manage Workspace Trust", "", ...ABOUT]);
    expect(menu(facts({ status: "noFolder" }))).toEqual(["Open Folder", "", ...ABOUT]);
  });

  test("cuts long questions and leaves out more than six", () => {
    const waiting = Array.from({ length: 9 }, (_, at) => question(`${at} ${"x".repeat(200)}`));
    const [questions = []] = menuEntries(facts({}, { waiting }));
    expect(questions).toHaveLength(6);
    expect(questions[0]?.label).toBe(`Answer: 0 ${"x".repeat(77)}…`);
  });
});
