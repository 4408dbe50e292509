import { describe, expect, it } from "vitest";
import type { Plan } from "../../../../webview/protocol/ui.ts";
import { inPage } from "../../support/open-page.ts";
import { PLAN } from "../../support/sample-items.ts";
import { usePage } from "../../support/use-page.ts";

const panel = usePage();
const head = () => panel().page.getByRole("button", { name: /^Plan:/ });
const tasks = () => panel().page.getByRole("checkbox");
const edits = async () => (await panel().posts()).flatMap((post) => (post.type === "editPlan" ? [post.edit] : []));

async function openPlan(plan: Plan = PLAN): Promise<void> {
  await panel().snapshot([], { plan });
  await head().click();
}

/** A plan of one phase with these tasks. */
function plan(...texts: string[]): Plan {
  const list = texts.map((text) => ({ id: `t-${text}`, text, state: "pending" as const }));
  return { phases: [{ id: "p", name: "Work", tasks: list }], hiddenTasks: 0 };
}

describe("the plan", () => {
  it("shows progress and the current task in one line, and is hidden without tasks", async () => {
    await panel().snapshot([], { plan: PLAN });
    expect(await head().textContent()).toBe(
      "Plan: 1 of 3 doneBuild dates in UTC, also where a date comes from a file name",
    );
    expect(await tasks().count()).toBe(0);
    await panel().patch([], { plan: { phases: [], hiddenTasks: 0 } });
    expect(await head().count()).toBe(0);
  });

  it("opens to its tasks by phase, and stays open over a reload", async () => {
    await openPlan();
    await panel().reload();
    await panel().snapshot([], { plan: { ...PLAN, hiddenTasks: 7 } });
    expect(await head().getAttribute("aria-expanded")).toBe("true");
    const repair = panel().page.getByRole("list", { name: "Repair" }).getByRole("checkbox");
    const names = await repair.evaluateAll((all) =>
      all.map((one: { getAttribute(name: string): string | null }) => [
        one.getAttribute("aria-label"),
        one.getAttribute("aria-checked"),
      ]),
    );
    expect(names).toEqual([
      ["Find what fails", "true"],
      ["Build dates in UTC, also where a date comes from a file name, in progress", "false"],
      ["Rewrite the parser, abandoned", "false"],
    ]);
    expect(await panel().page.getByText("7 more not shown").isVisible()).toBe(true);
  });

  it("is edited with the mouse: tick, rename, remove, add", async () => {
    await openPlan();
    await tasks().nth(3).click();
    await tasks().nth(0).click();
    await panel().page.getByText("Update the changelog").dblclick();
    await panel().page.keyboard.type("Write the changelog");
    await panel().page.keyboard.press("Enter");
    await panel().page.getByRole("listitem").nth(2).hover();
    await panel().page.getByRole("button", { name: "Remove: Rewrite the parser" }).click();
    await panel().page.getByRole("textbox", { name: "Add a task" }).fill("  Tell everybody ");
    await panel().page.keyboard.press("Enter");
    expect(await edits()).toEqual([
      { op: "check", taskId: "task-4", isDone: true },
      { op: "check", taskId: "task-1", isDone: false },
      { op: "rename", taskId: "task-4", phaseId: "phase-2", text: "Write the changelog" },
      { op: "remove", taskId: "task-3" },
      { op: "add", text: "Tell everybody" },
    ]);
    expect(await panel().page.getByRole("status").textContent()).toBe("Added: Tell everybody");
  });

  it("is one stop for Tab, and can be edited with the keyboard alone", async () => {
    await openPlan();
    await head().focus();
    const { keyboard } = panel().page;
    await keyboard.press("Tab");
    await keyboard.press("Space");
    await keyboard.press("ArrowDown");
    await keyboard.press("Alt+ArrowDown");
    await keyboard.press("F2");
    await keyboard.type("Use UTC");
    await keyboard.press("Enter");
    await keyboard.press("End");
    await keyboard.press("Delete");
    await keyboard.press("Home");
    await keyboard.press("ArrowRight");
    await keyboard.press("Enter");
    await keyboard.press("Escape");
    await keyboard.press("Tab");
    await keyboard.type("Last");
    await keyboard.press("Enter");
    expect(await edits()).toEqual([
      { op: "check", taskId: "task-1", isDone: false },
      { op: "move", taskId: "task-2", by: 1 },
      { op: "rename", taskId: "task-2", phaseId: "phase-1", text: "Use UTC" },
      { op: "remove", taskId: "task-4" },
      { op: "add", text: "Last" },
    ]);
  });

  it("keeps typed text when the agent changes the plan, and offers to restore a removed task", async () => {
    await openPlan(plan("one", "two"));
    await panel().page.getByText("two").dblclick();
    await panel().page.keyboard.type("my own words");
    await panel().patch([], { plan: plan("zero", "one", "two") });
    const box = panel().page.getByRole("textbox", { name: "Rename: two" });
    expect(await box.inputValue()).toBe("my own words");
    await panel().patch([], { plan: plan("zero") });
    expect(await box.inputValue()).toBe("my own words");
    expect(await panel().page.getByText("The agent removed this task.").isVisible()).toBe(true);
    await panel().page.keyboard.type(", kept");
    await panel().page.keyboard.press("Enter");
    expect(await edits()).toEqual([{ op: "rename", taskId: "t-two", phaseId: "p", text: "my own words, kept" }]);
    expect(await tasks().count()).toBe(1);
  });

  it("keeps the focus in the list when the focused task is removed, and on a task that moves", async () => {
    await openPlan(plan("one", "two", "three"));
    await tasks().nth(1).focus();
    const focused = () => panel().page.evaluate("document.activeElement?.getAttribute('aria-label')");
    await panel().patch([], { plan: plan("two", "one", "three") });
    expect(await focused()).toBe("two");
    await panel().patch([], { plan: plan("one", "three") });
    expect(await focused()).toBe("one");
    await panel().patch([], { plan: { phases: [{ id: "p", name: "Work", tasks: [] }], hiddenTasks: 0 } });
    expect(await focused()).toBe("Add a task");
  });

  it("shows texts as plain text", async () => {
    await openPlan(plan("<b>act</b>"));
    expect(await panel().page.getByText("<b>act</b>").isVisible()).toBe(true);
  });

  it("can be reached with F6", async () => {
    await panel().snapshot([], { plan: PLAN });
    await panel().page.getByRole("textbox", { name: "Message" }).focus();
    await panel().page.keyboard.press("Shift+F6");
    expect(await head().evaluate("document.activeElement.className")).toBe("plan-head");
    await panel().page.keyboard.press("F6");
    expect(await inPage(panel().page, "focused")).toBe("VSCODE-TEXT-AREA");
  });
});
