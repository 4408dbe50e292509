import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { PlanPhase } from "../../../agent/protocol/plan.ts";
import { editPlan } from "../../../extension/chat/plan-editor.ts";
import { panelPlan } from "../../../extension/core/transcript/plan.ts";
import { openChat } from "../../support/open-chat.ts";

const PHASES: PlanPhase[] = [
  {
    id: "phase-1",
    name: "Repair",
    tasks: [
      { id: "task-1", content: "look", status: "completed", notes: "it was the parser" },
      { id: "task-2", content: "act", status: "in_progress", details: "src/date.ts" },
    ],
  },
  { id: "phase-2", name: "Release", tasks: [{ id: "task-3", content: "tell", status: "pending" }] },
];
const [REPAIR, RELEASE] = PHASES;

describe("editPlan", () => {
  it("ticks and unticks a task, and keeps everything else, even notes and details", () => {
    expect(editPlan(PHASES, { op: "check", taskId: "task-2", isDone: true })).toEqual([
      {
        id: "phase-1",
        name: "Repair",
        tasks: [
          { id: "task-1", content: "look", status: "completed", notes: "it was the parser" },
          { id: "task-2", content: "act", status: "completed", details: "src/date.ts" },
        ],
      },
      RELEASE,
    ]);
    expect(editPlan(PHASES, { op: "check", taskId: "task-1", isDone: false })).toMatchObject([
      { tasks: [{ status: "pending", notes: "it was the parser" }, {}] },
      {},
    ]);
  });

  it("adds a task to the last phase, to a named one, or to a first one", () => {
    const task = { content: "new", status: "pending" };
    expect(editPlan(PHASES, { op: "add", text: "new" })).toMatchObject([{}, { tasks: [{ id: "task-3" }, task] }]);
    expect(editPlan(PHASES, { op: "add", phaseId: "phase-1", text: "new" })).toMatchObject([
      { tasks: [{}, {}, task] },
      {},
    ]);
    expect(editPlan([], { op: "add", text: "new" })).toEqual([{ name: "Plan", tasks: [task] }]);
  });

  it("renames a task, and adds a missing one again with the user's words", () => {
    const edit = { op: "rename", phaseId: "phase-1", text: "mine" } as const;
    expect(editPlan(PHASES, { ...edit, taskId: "task-3" })).toMatchObject([
      {},
      { tasks: [{ id: "task-3", content: "mine", status: "pending" }] },
    ]);
    expect(editPlan(PHASES, { ...edit, taskId: "task-9" })).toMatchObject([
      { tasks: [{ id: "task-1" }, { id: "task-2" }, { content: "mine", status: "pending" }] },
      RELEASE,
    ]);
  });

  it("removes a task, and a phase with its last task", () => {
    expect(editPlan(PHASES, { op: "remove", taskId: "task-3" })).toEqual([REPAIR]);
    expect(editPlan(PHASES, { op: "remove", taskId: "task-1" })).toMatchObject([{ tasks: [{ id: "task-2" }] }, {}]);
  });

  it("moves a task within its phase, and no further", () => {
    expect(editPlan(PHASES, { op: "move", taskId: "task-1", by: 1 })).toMatchObject([
      { tasks: [{ id: "task-2" }, { id: "task-1" }] },
      {},
    ]);
    expect(editPlan(PHASES, { op: "move", taskId: "task-2", by: 1 })).toEqual(PHASES);
  });
});

describe("panelPlan", () => {
  it("shows a hundred tasks and counts the rest, with each id once and long texts cut", () => {
    const tasks = Array.from({ length: 120 }, (_, at) => ({
      id: `t${at % 110}`,
      content: "x".repeat(600),
      status: "pending" as const,
    }));
    const { phases, hiddenTasks } = panelPlan([{ id: "p", name: "Many", tasks }, ...PHASES]);
    expect(phases.map(({ id }) => id)).toEqual(["p"]);
    expect(phases[0]?.tasks).toHaveLength(100);
    expect(phases[0]?.tasks[0]).toEqual({ id: "t0", text: "x".repeat(500), state: "pending", isCut: true });
    expect(hiddenTasks).toBe(23);
  });
});

describe("PlanEditor", () => {
  it("changes the agent's current plan, one edit after the other", async () => {
    const folder = await mkdtemp(join(tmpdir(), "tiller-plan-"));
    const { chat, ui } = openChat(folder);
    onTestFinished(async () => {
      await chat.dispose();
      await rm(folder, { recursive: true });
    });
    const editor = chat.plan;
    await chat.request("set_todos", { phases: PHASES });
    await Promise.all([
      editor.edit({ op: "check", taskId: "task-2", isDone: true }),
      editor.edit({ op: "remove", taskId: "task-1" }),
      editor.edit({ op: "add", text: "celebrate" }),
    ]);
    const { todoPhases } = await chat.request("get_state", {});
    expect(todoPhases).toEqual([
      {
        id: "phase-1",
        name: "Repair",
        tasks: [{ id: "task-2", content: "act", status: "completed", details: "src/date.ts" }],
      },
      {
        id: "phase-2",
        name: "Release",
        tasks: [
          { id: "task-3", content: "tell", status: "pending" },
          { id: "new-1", content: "celebrate", status: "pending" },
        ],
      },
    ]);
    expect(ui().plan).toEqual(panelPlan(todoPhases));
  });
});
