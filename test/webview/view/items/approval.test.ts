import { describe, expect, it } from "vitest";
import type { TranscriptItem } from "../../../../webview/protocol/items.ts";
import { inPage } from "../../support/open-page.ts";
import { APPROVAL, DANGER, EDIT_APPROVAL, PREVIEWED } from "../../support/sample-items.ts";
import { usePage } from "../../support/use-page.ts";

const panel = usePage();
const card = () => panel().page.getByRole("group", { name: /^Allow bash\?/ });
const RULE: TranscriptItem = {
  id: "rule",
  kind: "question",
  requestId: "r9",
  method: "input",
  title: "Rule for bash",
  prefill: "npm run *",
  options: [],
  state: "pending",
};
const answers = async () => (await panel().posts()).filter((post) => post.type === "answer");

describe("an approval", () => {
  it("shows the command, the reasons and the rule as it would be stored", async () => {
    await panel().snapshot(APPROVAL, { status: "running" });
    expect(await card().getByRole("group", { name: "Command" }).textContent()).toBe(
      "npm run build -- --verbose 2>&1 | tee build.log",
    );
    expect(await card().getByRole("listitem").allTextContents()).toEqual([
      "tee writes to a file that is not in the workspace",
    ]);
    const rules = card().getByRole("group", { name: "Don't ask again" });
    expect(await rules.locator("code").allTextContents()).toEqual(["bash npm run *"]);
    expect(await rules.locator(".approval-covers").allTextContents()).toEqual([
      "Covers every command that begins with “npm run”, whatever follows.",
    ]);
    expect(await rules.locator("vscode-button").allTextContents()).toEqual([
      "This Session",
      "This Workspace",
      "Always",
      "Edit Rule…",
    ]);
  });

  it("says what a command does that can do harm, and preselects nothing", async () => {
    await panel().snapshot(DANGER, { status: "running" });
    expect(await card().locator(".approval-dangers li").allTextContents()).toEqual([
      "Deletes dist/old",
      "Sends data to api.example.com",
    ]);
    expect(await card().locator('vscode-button[appearance="primary"]').count()).toBe(0);
    await panel().page.getByRole("textbox", { name: "Message" }).focus();
    await panel().page.keyboard.press("Alt+a");
    await expect.poll(() => card().evaluate(isFocused)).toBe(true);
    await panel().page.keyboard.press("Enter");
    expect(await answers()).toEqual([]);
    await panel().page.keyboard.press("ArrowDown");
    await panel().page.keyboard.press("ArrowDown");
    await panel().page.keyboard.press("Enter");
    expect(await answers()).toMatchObject([{ answer: { value: "Deny" } }]);
  });

  it("can preview a command", async () => {
    const [prompt, question] = APPROVAL;
    if (prompt === undefined || question?.kind !== "question" || question.approval === undefined)
      throw new Error("There is no approval among the samples.");
    const approval = { ...question.approval, tryOut: "Preview" };
    await panel().snapshot([prompt, { ...question, approval }], { status: "running" });
    await card().getByRole("button", { name: "Preview" }).click();
    expect(await answers()).toMatchObject([{ answer: { value: "Preview" } }]);
  });

  it("shows what a preview would change, and applies it", async () => {
    await panel().snapshot(PREVIEWED, { status: "running" });
    const effects = card().getByRole("group", { name: "Preview" });
    expect(await effects.locator(".effects-summary").textContent()).toBe("Preview: exit code 0 · would change 5 files");
    expect(await effects.locator(".effects-change code").allTextContents()).toEqual([
      "src/version.ts",
      "dist/new/a-rather-long-name-of-a-file.test.js.map",
      "dist/old/index.js",
    ]);
    expect(await effects.getByText("and 2 more").isVisible()).toBe(true);
    expect(await effects.getByText("is neither a file").isVisible()).toBe(true);
    expect(await effects.getByRole("group", { name: "Output" }).textContent()).toContain("wrote version 12");
    const lines = effects.getByRole("group", { name: "Changes" });
    expect(await lines.isVisible()).toBe(false);
    await effects.getByText("src/version.ts").click();
    expect(await lines.textContent()).toContain("export const V = 12;");
    await card().getByRole("button", { name: "Apply Changes" }).click();
    expect(await answers()).toMatchObject([{ answer: { value: "Apply the previewed changes" } }]);
  });

  it("is announced with what it does", async () => {
    await panel().snapshot([]);
    for (const item of DANGER) await panel().patch([{ op: "upsert", item }], { status: "running" });
    expect(await panel().page.getByRole("alert").textContent()).toContain("Deletes dist/old. Sends data to");
  });

  it("that replaces another one is not answered by the second click of a double click", async () => {
    const [, first] = APPROVAL;
    if (first?.kind !== "question") throw new Error("There is no approval among the samples.");
    await panel().snapshot([first], { status: "running" });
    await card().getByRole("button", { name: "Allow Once" }).click();
    const items: TranscriptItem[] = [
      { ...first, state: "answered", answer: "Allowed once: bash", isAllowed: true },
      { ...first, id: "a3", requestId: "r3" },
    ];
    const patch = { type: "patch", revision: 2, ops: items.map((item) => ({ op: "upsert", item })) };
    // Asked at once: the moment is short.
    const isHit = await panel().page.evaluate(
      `testSide.send(${JSON.stringify(patch)}).then(() => {
        const { x, y, width, height } = document.querySelector(".is-pending vscode-button").getBoundingClientRect();
        return document.elementFromPoint(x + width / 2, y + height / 2).closest("vscode-button") !== null;
      })`,
    );
    expect(isHit).toBe(false);
    await card().getByRole("button", { name: "Allow Once" }).click();
    expect((await answers()).map((post) => post.requestId)).toEqual(["r2", "r3"]);
  });

  it("is announced with its command, and takes no focus", async () => {
    await panel().snapshot([]);
    await panel().page.getByRole("textbox", { name: "Message" }).focus();
    for (const item of APPROVAL) await panel().patch([{ op: "upsert", item }], { status: "running" });
    expect(await panel().page.getByRole("alert").textContent()).toBe(
      "Approval needed: bash npm run build -- --verbose 2>&1 | tee build.log. tee writes to a file that is not in the workspace. Press Alt+A to answer",
    );
    expect(await inPage(panel().page, "focused")).toBe("VSCODE-TEXT-AREA");
  });

  it("is answered by keyboard: Alt+A goes to Allow once, the arrows go on to the rules", async () => {
    await panel().snapshot(APPROVAL, { status: "running" });
    await panel().page.getByRole("textbox", { name: "Message" }).focus();
    await panel().page.keyboard.press("Alt+a");
    await expect.poll(() => card().getByRole("button", { name: "Allow Once" }).evaluate(isFocused)).toBe(true);
    for (const _ of ["Deny", "This Session", "This Workspace"]) await panel().page.keyboard.press("ArrowDown");
    await panel().page.keyboard.press("Enter");
    expect(await answers()).toEqual([
      {
        type: "answer",
        requestId: "r2",
        answer: { type: "value", value: "Allow in this workspace: bash npm run *" },
      },
    ]);
  });

  it("offers the sandbox behind all other answers", async () => {
    const offering = APPROVAL.map((item) =>
      item.kind === "question" && item.approval !== undefined
        ? { ...item, approval: { ...item.approval, sandbox: "Run commands in a sandbox" } }
        : item,
    );
    await panel().snapshot(offering, { status: "running" });
    expect(await card().locator(".approval-sandbox > span").textContent()).toBe(
      "Commands can run in a sandbox here, where they change only the workspace and see no keys. Tiller then asks less often.",
    );
    await panel().page.getByRole("textbox", { name: "Message" }).focus();
    await panel().page.keyboard.press("Alt+a");
    await expect.poll(() => card().getByRole("button", { name: "Allow Once" }).evaluate(isFocused)).toBe(true);
    for (const _ of ["Deny", "This Session", "This Workspace", "Always", "Edit Rule…", "Use the Sandbox"])
      await panel().page.keyboard.press("ArrowDown");
    await panel().page.keyboard.press("Enter");
    expect(await answers()).toMatchObject([{ answer: { type: "value", value: "Run commands in a sandbox" } }]);
  });

  it("is denied by keyboard with a reason for the agent", async () => {
    await panel().snapshot(APPROVAL, { status: "running" });
    await panel().page.getByRole("textbox", { name: "Message" }).focus();
    await panel().page.keyboard.press("Alt+a");
    await expect.poll(() => card().getByRole("button", { name: "Allow Once" }).evaluate(isFocused)).toBe(true);
    for (const _ of ["Deny", "the field"]) await panel().page.keyboard.press("Tab");
    await panel().page.keyboard.type("Use the script.");
    await panel().page.keyboard.press("Enter");
    expect(await answers()).toEqual([
      { type: "answer", requestId: "r2", answer: { type: "value", value: "Deny", reason: "Use the script." } },
    ]);
  });

  it("shows the rule for each scope, and lets the user change it", async () => {
    await panel().snapshot(APPROVAL, { status: "running" });
    await card().getByRole("button", { name: "Always allow: bash npm run *" }).click();
    await card().getByRole("button", { name: "Edit Rule…" }).click();
    expect(await answers()).toEqual([
      { type: "answer", requestId: "r2", answer: { type: "value", value: "Allow always: bash npm run *" } },
      { type: "answer", requestId: "r2", answer: { type: "value", value: "Change the rule…" } },
    ]);
  });

  it("moves the focus to its rule and back", async () => {
    await panel().snapshot(APPROVAL, { status: "running" });
    await panel().page.keyboard.press("Alt+a");
    await card().getByRole("button", { name: "Edit Rule…" }).press("Enter");
    await panel().patch([
      { op: "remove", ids: ["a2"] },
      { op: "upsert", item: RULE },
    ]);
    await panel().page.keyboard.press("End");
    await panel().page.keyboard.type(" --silent");
    await panel().page.keyboard.press("Enter");
    const [, approval] = APPROVAL;
    if (approval === undefined) throw new Error("There is no approval.");
    await panel().patch([
      { op: "remove", ids: ["rule"] },
      { op: "upsert", item: { ...approval, id: "a4" } },
    ]);
    await panel().page.keyboard.press("Enter");
    expect(await answers()).toEqual([
      { type: "answer", requestId: "r2", answer: { type: "value", value: "Change the rule…" } },
      { type: "answer", requestId: "r9", answer: { type: "value", value: "npm run * --silent" } },
      { type: "answer", requestId: "r2", answer: { type: "value", value: "Allow once" } },
    ]);
  });

  it("leaves the focus where it is when the user has gone to the composer meanwhile", async () => {
    await panel().snapshot(APPROVAL, { status: "running" });
    await card().getByRole("button", { name: "Edit Rule…" }).click();
    await panel().page.getByRole("textbox", { name: "Message" }).focus();
    await panel().patch([
      { op: "remove", ids: ["a2"] },
      { op: "upsert", item: RULE },
    ]);
    await panel().page.keyboard.type("still mine");
    expect(await panel().page.getByRole("textbox", { name: "Message" }).inputValue()).toBe("still mine");
  });

  it("says instead of the diff that the user has edited it", async () => {
    await panel().snapshot(EDIT_APPROVAL, { status: "running" });
    const edit = panel().page.getByRole("group", { name: "Allow edit? /etc/hosts" });
    const note = edit.getByText("You have edited this change. Allowing it writes your version.");
    const diff = edit.locator(".diff-line.is-added");
    expect([await note.isVisible(), await diff.isVisible()]).toEqual([false, true]);
    const asked = EDIT_APPROVAL.find(({ id }) => id === "e2");
    if (asked?.kind !== "question") throw new Error("There is no such question.");
    await panel().patch([{ op: "upsert", item: { ...asked, isEdited: true } }]);
    expect([await note.isVisible(), await diff.isVisible()]).toEqual([true, false]);
    await panel().patch([{ op: "upsert", item: { ...asked, isEdited: false } }]);
    expect([await note.isVisible(), await diff.isVisible()]).toEqual([false, true]);
  });

  it("shows a change as a diff, offers no rule where none can be stored, and is one line when answered", async () => {
    await panel().snapshot(EDIT_APPROVAL, { status: "running" });
    const edit = panel().page.getByRole("group", { name: "Allow edit? /etc/hosts" });
    expect(await edit.locator(".diff-line.is-added").textContent()).toBe("+2 127.0.0.1 localhost build\n");
    expect(await edit.locator(".diff-line.is-added .diff-word").textContent()).toBe("build");
    const diff = edit.getByRole("button", { name: "Open Diff" });
    expect(await diff.getAttribute("title")).toBe("Edit the change before you allow it");
    await diff.click();
    expect(await panel().posts()).toContainEqual({ type: "openDiff", id: "e2" });
    expect(await edit.locator("vscode-button").allTextContents()).toEqual(["Allow Once", "Deny"]);
    const record = panel().page.getByRole("article", { name: "Approval: Allow bash? npm run build, answered" });
    expect(await record.textContent()).toBe("Allowed in this session:bash npm run *");
    expect(await record.getByRole("button").count()).toBe(0);
  });
});

function isFocused(element: { matches(selector: string): boolean }): boolean {
  return element.matches(":focus, :focus-within");
}
