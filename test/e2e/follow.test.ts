import { expect, test } from "vitest";
import { reply, toolCall } from "../support/scripted-replies.ts";
import type { EditorWindow } from "./support/editor-window.ts";
import { useWorkbench } from "./support/workbench.ts";

const LINES = Array.from({ length: 200 }, (_, index) => `line ${index + 1}\n`).join("");
const workbench = useWorkbench({
  files: { "a.txt": LINES, "b.txt": LINES, "mine.txt": "" },
  settings: { "tiller.permissionMode": "auto", "tiller.hostTools.reportProblems": false },
});

/** Returns the user's place and the front of each editor group: its tabs, and the visible lines of the first. */
function groups(opened: EditorWindow): Promise<unknown> {
  return opened.evaluate((vscode) => {
    const { activeTextEditor, visibleTextEditors, tabGroups } = vscode.window;
    const active = activeTextEditor?.document.uri.path.split("/").at(-1);
    const shown = tabGroups.all.map(({ tabs, viewColumn }) => {
      const editor = visibleTextEditors.find((one) => one.viewColumn === viewColumn);
      const isSeen = (line: number) =>
        editor?.visibleRanges.some(({ start, end }) => start.line < line && line <= end.line + 1);
      const names = tabs.map(({ label, isPreview }) => `${label}${isPreview ? " (preview)" : ""}`).join(", ");
      return `${names}: ${[1, 20, 150].filter(isSeen).join(" ")}`;
    });
    return { active, shown };
  });
}

/** Something that a reply of the model waits for. */
function createGate() {
  let open = () => {};
  const isOpen = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { isOpen, open };
}

test("the followed file opens in one preview tab, which takes no focus from the composer or an editor", async () => {
  const gates = [createGate(), createGate(), createGate(), createGate()];
  const after =
    (gate: number, ...call: Parameters<typeof toolCall>) =>
    async () => {
      await gates[gate]?.isOpen;
      return reply([toolCall(...call)]);
    };
  await workbench().script(
    after(0, "read", { path: "a.txt", offset: 150, limit: 3 }),
    after(1, "edit", { path: "b.txt", edits: [{ oldText: "line 20\n", newText: "LINE 20\n" }] }),
    after(2, "read", { path: "a.txt", offset: 1, limit: 2 }),
    after(3, "read", { path: "b.txt", offset: 150, limit: 1 }),
    reply("Followed."),
  );
  const opened = await workbench().newChat();
  const show = (name: string, viewColumn: number) =>
    opened.evaluate(
      async (vscode, place) => {
        const [folder] = vscode.workspace.workspaceFolders ?? [];
        if (folder === undefined || place === undefined) return;
        const uri = vscode.Uri.joinPath(folder.uri, place.name);
        await vscode.window.showTextDocument(uri, { viewColumn: place.viewColumn, preview: false });
      },
      { name, viewColumn },
    );
  await show("mine.txt", 1);
  const eye = opened.chat.getByRole("button", { name: "Follow Agent" });
  await eye.click();
  await expect.poll(() => eye.getAttribute("aria-pressed")).toBe("true");
  await opened.send("Look around");
  await opened.composer.focus();
  gates[0]?.open();
  const poll = () => expect.poll(() => groups(opened), { timeout: 20_000 });
  await poll().toEqual({ active: "mine.txt", shown: ["mine.txt: 1", "a.txt (preview): 150"] });
  await opened.page.keyboard.type("to be sent");
  await expect.poll(() => opened.composer.evaluate((box) => Reflect.get(box, "value"))).toBe("to be sent");

  await show("mine.txt", 1);
  gates[1]?.open();
  await opened.page.keyboard.type("my own words, ", { delay: 20 });
  await poll().toMatchObject({ shown: [expect.any(String), expect.stringMatching(/^b\.txt \(preview\): .*20/)] });
  await opened.page.keyboard.type("none of them lost");
  await workbench().screenshot(opened.page, "follow-agent");
  gates[2]?.open();
  await poll().toEqual({
    active: "mine.txt",
    shown: ["mine.txt: 1", expect.stringMatching(/^a\.txt \(preview\): 1\b/)],
  });
  expect(await typed(opened)).toBe("my own words, none of them lost");

  await opened.page.locator(".editor-group-container").nth(1).getByText("line 5", { exact: true }).click();
  await expect.poll(() => eye.getAttribute("title")).toContain("resumes with your next message");
  gates[3]?.open();
  await opened.conversation.getByText("Followed.").waitFor();
  expect(await groups(opened)).toMatchObject({
    active: "a.txt",
    shown: [expect.any(String), expect.stringMatching(/^a\.txt \(preview\): 1\b/)],
  });
  await opened.runCommand("Tiller: Toggle Follow Agent");
  await opened.runCommand("Tiller: Toggle Follow Agent");
  await expect.poll(() => eye.getAttribute("aria-pressed")).toBe("false");
});

/** Returns the text of the user's file. */
function typed(opened: EditorWindow): Promise<unknown> {
  return opened.evaluate((vscode) =>
    vscode.workspace.textDocuments.find(({ uri }) => uri.path.endsWith("/mine.txt"))?.getText(),
  );
}
