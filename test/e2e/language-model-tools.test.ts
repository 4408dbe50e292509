import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { stdioServer } from "../support/mcp-fixtures.ts";
import { reply, toolCall } from "../support/scripted-replies.ts";
import type { EditorWindow } from "./support/editor-window.ts";
import { callTool, offeredTools, outcomesIn } from "./support/tool-calls.ts";
import { useWorkbench } from "./support/workbench.ts";

const workbench = useWorkbench({
  files: { "notes.txt": "to do\n" },
  settings: { "chat.disableAIFeatures": false, "tiller.permissionMode": "auto" },
  extensions: [fileURLToPath(new URL("lm-tools", import.meta.url))],
});

const told = (opened: EditorWindow) =>
  opened.evaluate((vscode) => vscode.extensions.getExtension("tiller-test.lm-tools")?.exports.told());

describe("an MCP server", () => {
  test("that is added in VS Code during a session can be called in it, and its result is in the chat", async () => {
    const opened = await workbench().newChat();
    const model = await workbench().script();
    await offeredTools(opened, model);
    await addServers("user/User/mcp.json", { Mine: serverOf("echo") });
    await startServer(opened, "mine");
    await expect.poll(() => offeredTools(opened, model)).toContain("lm_mcp_fixture_echo");
    const outcome = await callTool(opened, model, "lm_mcp_fixture_echo", { text: "hello" });
    await workbench().screenshot(opened.page, "language-model-tools-mcp-question");
    await opened.dialog.getByRole("button", { name: "Yes" }).click();
    expect(await outcome()).toEqual({ text: "echo: hello", isError: false });
    await opened.toolCard(/^Lm mcp fixture echo/).click();
    await opened.conversation.getByText("echo: hello").waitFor();
    await workbench().screenshot(opened.page, "language-model-tools-mcp");
  });

  test("that both VS Code and the agent run is offered once, and one for VS Code alone is available", async () => {
    const opened = await workbench().newChat();
    const model = await workbench().script();
    await addServers("workspace/.vscode/mcp.json", {
      Theirs: serverOf("arguments"),
      Alone: { ...serverOf("folder"), disabled: true },
    });
    for (const name of ["theirs", "alone"]) await startServer(opened, name);
    await offeredTools(opened, model);
    const asked = opened.question(/^Allow this project's MCP server "Theirs"/);
    await asked.getByRole("button", { name: "Allow", exact: true }).click();
    const offered = async (tool: string) => (await offeredTools(opened, model)).filter((name) => name.endsWith(tool));
    await expect.poll(() => offered("_folder")).toEqual([expect.stringMatching(/^lm_mcp_fixture\d*_folder$/)]);
    await expect.poll(() => offered("_arguments")).toEqual(["mcp__Theirs__arguments"]);
    const outcome = await callTool(opened, model, "mcp__Theirs__arguments");
    expect(await outcome()).toEqual({ text: "[]", isError: false });
  });
});

/** A server that has one tool. */
const serverOf = (tool: string) => stdioServer({ FIXTURE_TOOLS: tool });

async function addServers(path: string, servers: object): Promise<void> {
  const file = join(workbench().server.root, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify({ servers }));
}

/** Starts a server in VS Code, as *Start* above its entry in `mcp.json` does, once VS Code has seen the entry. */
async function startServer(opened: EditorWindow, name: string): Promise<void> {
  const isThere = () =>
    opened.evaluate(async (vscode, wanted) => {
      await vscode.commands.executeCommand("workbench.mcp.startServer", "*", { autoTrustChanges: true });
      return vscode.lm.tools.some((tool) => String(Reflect.get(tool, "fullReferenceName")).startsWith(`${wanted}/`));
    }, name);
  await expect.poll(isThere).toBe(true);
}

describe("a tool of another extension", () => {
  test("appears and disappears in a running session, with its condition and with the setting for all such tools", async () => {
    const opened = await workbench().newChat();
    const model = await workbench().script();
    const before = await offeredTools(opened, model);
    expect(before).toContain("lm_fixture_pay");
    expect(before).not.toContain("lm_fixture_sometimes");
    const open = (isOpen: boolean) =>
      opened.evaluate((vscode, is) => vscode.commands.executeCommand("setContext", "lmTools.isOpen", is), isOpen);
    await open(true);
    await expect.poll(() => offeredTools(opened, model)).toContain("lm_fixture_sometimes");
    await open(false);
    await expect.poll(() => offeredTools(opened, model)).not.toContain("lm_fixture_sometimes");
    await opened.evaluate((vscode) =>
      vscode.workspace.getConfiguration("chat").update("extensionTools.enabled", false, true),
    );
    await expect.poll(() => offeredTools(opened, model)).not.toContain("lm_fixture_pay");
    await opened.evaluate((vscode) =>
      vscode.workspace.getConfiguration("chat").update("extensionTools.enabled", undefined, true),
    );
    await expect.poll(() => offeredTools(opened, model)).toContain("lm_fixture_pay");
  });

  test("returns texts, images and JSON, with no more text than our own tools return", async () => {
    const opened = await workbench().newChat();
    const model = await workbench().script();
    const parts = await (await callTool(opened, model, "lm_fixture_parts"))();
    expect(parts).toEqual({
      text: 'An image.\n{\n\t"price": 42\n}\n[Data (application/zip, 3 bytes) is not shown.]\n<image>',
      isError: false,
    });
    await workbench().screenshot(opened.page, "language-model-tools-parts");
    const long = await (await callTool(opened, model, "lm_fixture_parts", { chars: 20_000 }))();
    expect(long?.text).toMatch(/x\n\[Cut: the first 16384 of 2\d+ bytes\..*\]\n<image>$/);
  });

  test("that requires confirmation is confirmed in VS Code, and the agent learns of a no", async () => {
    const opened = await workbench().newChat();
    const model = await workbench().script();
    const denied = await callTool(opened, model, "lm_fixture_pay");
    await opened.dialog.getByText("Pay the bill?").waitFor();
    await workbench().screenshot(opened.page, "language-model-tools-question");
    await opened.dialog.getByRole("button", { name: "Cancel" }).click();
    expect(await denied()).toEqual({
      text: expect.stringContaining("the user declined it in the editor"),
      isError: true,
    });
    model.enqueue(reply([toolCall("lm_fixture_pay")]));
    await opened.send("Once more");
    await opened.dialog.getByText("Pay the bill?").waitFor();
    await opened.evaluate((vscode) => vscode.commands.executeCommand("tiller.stop"));
    await opened.chat.getByRole("button", { name: "Send", exact: true }).waitFor();
    await opened.dialog.getByRole("button", { name: "Yes" }).click();
    await opened.dialog.waitFor({ state: "hidden" });
    const allowed = await callTool(opened, model, "lm_fixture_pay");
    await opened.dialog.getByRole("button", { name: "Yes" }).click();
    expect(await allowed()).toEqual({ text: "It is paid.", isError: false });
    expect(await told(opened)).toEqual(["paid"]);
  });

  test("that never ends stops for the agent as soon as the user stops it", async () => {
    const opened = await workbench().newChat();
    const model = await workbench().script();
    model.enqueue(reply([toolCall("lm_fixture_endless", {}, { id: "toolu_endless" })]));
    await opened.send("Go");
    await expect.poll(() => told(opened)).toContain("begun");
    await opened.chat.getByRole("button", { name: "Stop", exact: true }).click();
    await expect.poll(() => told(opened)).toContain("cancelled");
    await offeredTools(opened, model);
    expect(outcomesIn(model.requests.at(-1)).get("toolu_endless")).toEqual({
      text: 'Host tool "lm_fixture_endless" was aborted',
      isError: true,
    });
  });
});
