import { describe, expect, it } from "vitest";
import type { PlanPhase } from "../../agent/protocol/plan.ts";
import { todoWriteTool } from "../../agent/tools/todo-write.ts";
import { runTool, textOf, toolContext } from "../support/run-tool.ts";

/** A plan and the tool that changes it. */
function plan(phases: PlanPhase[] = []) {
  const port = {
    phases,
    storage: "memory" as const,
    replace(next: PlanPhase[]) {
      port.phases = next;
    },
  };
  const tool = todoWriteTool(port);
  return {
    port,
    tool,
    write: async (...ops: unknown[]) => runTool(tool, { ops }, toolContext("/")),
    statuses: () => port.phases.flatMap(({ tasks }) => tasks.map(({ id, status }) => `${id} ${status}`)),
  };
}

const TWO_PHASES = {
  op: "replace",
  phases: [
    { name: "Look", tasks: [{ content: "read it" }, { content: "run it", notes: "slow" }] },
    { name: "Change", tasks: [{ content: "fix it", details: "in a.ts" }] },
  ],
};

describe("todo_write", () => {
  it("assigns ids, puts the first task in progress and lists the open ones", async () => {
    const { write, port } = plan();
    const output = await write(TWO_PHASES);
    expect(textOf(output)).toBe(
      [
        "Remaining items (3):",
        "  - task-1 read it [in_progress] (Look)",
        "  - task-2 run it [pending] (Look)",
        "  - task-3 fix it [pending] (Change)",
        'Phase 1/2 "Look" — 0/2 tasks complete',
      ].join("\n"),
    );
    const phases = [
      {
        id: "phase-1",
        name: "Look",
        tasks: [
          { id: "task-1", content: "read it", status: "in_progress" },
          { id: "task-2", content: "run it", status: "pending", notes: "slow" },
        ],
      },
      {
        id: "phase-2",
        name: "Change",
        tasks: [{ id: "task-3", content: "fix it", status: "pending", details: "in a.ts" }],
      },
    ];
    expect(output.details).toEqual({ phases, storage: "memory" });
    expect(port.phases).toEqual(phases);
  });

  it("keeps at most one task in progress, and the next one follows when it is done", async () => {
    const { write, statuses } = plan();
    await write(TWO_PHASES, { op: "update", id: "task-3", status: "in_progress" });
    expect(statuses()).toEqual(["task-1 pending", "task-2 pending", "task-3 in_progress"]);
    await write({ op: "update", id: "task-1", status: "in_progress" });
    expect(statuses()).toEqual(["task-1 in_progress", "task-2 pending", "task-3 pending"]);
    await write({ op: "update", id: "task-1", status: "completed" });
    expect(statuses()).toEqual(["task-1 completed", "task-2 in_progress", "task-3 pending"]);
  });

  it("adds, changes and removes tasks; ids continue from the highest", async () => {
    const { write, port } = plan([
      { id: "phase-4", name: "P", tasks: [{ id: "task-7", content: "a", status: "pending" }] },
      { id: "mine", name: "Q", tasks: [] },
    ]);
    await write(
      { op: "add_task", phase: "mine", content: "b", notes: "n" },
      { op: "add_phase", name: "R", tasks: [{ content: "c", status: "abandoned" }] },
      { op: "update", id: "task-8", content: "bb", details: "d" },
      { op: "remove_task", id: "task-7" },
    );
    expect(port.phases).toEqual([
      { id: "phase-4", name: "P", tasks: [] },
      {
        id: "mine",
        name: "Q",
        tasks: [{ id: "task-8", content: "bb", status: "in_progress", notes: "n", details: "d" }],
      },
      { id: "phase-5", name: "R", tasks: [{ id: "task-9", content: "c", status: "abandoned" }] },
    ]);
  });

  it("reports ops that match nothing and applies the others", async () => {
    const { write } = plan();
    expect(textOf(await write({ op: "update", id: "task-1", status: "completed" }))).toBe(
      'Errors: Task "task-1" not found (the list is empty: begin with replace or add_phase)\nTodo list cleared.',
    );
    const output = await write(
      { op: "replace", phases: [{ name: "P", tasks: [{ content: "a", status: "completed" }] }] },
      { op: "add_task", phase: "phase-9", content: "b" },
      { op: "remove_task", id: "task-9" },
    );
    expect(textOf(output)).toBe(
      [
        'Errors: Phase "phase-9" not found; Task "task-9" not found',
        "Remaining items: none.",
        'Phase 1/1 "P" — 1/1 tasks complete',
      ].join("\n"),
    );
    expect(textOf(await write({ op: "replace", phases: [] }))).toBe("Todo list cleared.");
  });

  it("does not change the given plan, and refuses unknown ops", async () => {
    const before: PlanPhase[] = [
      { id: "phase-1", name: "P", tasks: [{ id: "task-1", content: "a", status: "pending" }] },
    ];
    const { write, tool } = plan(before);
    await write({ op: "update", id: "task-1", status: "completed" });
    expect(before).toEqual([{ id: "phase-1", name: "P", tasks: [{ id: "task-1", content: "a", status: "pending" }] }]);
    expect(tool.bind({ ops: [{ op: "explode" }] }).ok).toBe(false);
    expect(tool.bind({ ops: [{ op: "update", id: "task-1", status: "maybe" }] }).ok).toBe(false);
  });
});
