import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { gate, hang, httpError, reply, text, thinking, toolCall } from "../support/scripted-replies.ts";
import { eventually } from "./support/deadline.ts";
import { SAMPLE_WORKSPACE, useWorkbench } from "./support/workbench.ts";

const AGENT_DEADLINE_MS = 20_000;

const workbench = useWorkbench({ files: SAMPLE_WORKSPACE });

function readWorkspaceFile(name: string): Promise<string> {
  return readFile(join(workbench().server.workspace, name), "utf8");
}

async function agentsBecome(count: number): Promise<number[]> {
  let pids: number[] = [];
  await eventually(
    async () => {
      pids = await workbench().agents();
      return pids.length === count;
    },
    AGENT_DEADLINE_MS,
    () => `${count} agents; there are ${pids.length}`,
  );
  return pids;
}

describe("a prompt", () => {
  test("is answered in a stream with thinking, text and a tool card", async () => {
    const middle = gate();
    const model = await workbench().script(
      reply([
        thinking("A readme tells most."),
        text("I look at the readme. "),
        middle,
        toolCall("read", { path: "README.md" }),
      ]),
      reply([text("It is **a todo list** for the command line.", { chunks: 5 })]),
    );
    const opened = await workbench().newChat();
    await opened.send("What is this?");
    await opened.conversation.getByText("I look at the readme.").waitFor();
    await opened.chat.getByRole("button", { name: "Stop", exact: true }).waitFor();
    middle.release();
    await opened.conversation.getByText("a todo list").waitFor();
    await opened.conversation.getByRole("article", { name: "You: What is this?" }).waitFor();
    await opened.conversation.getByRole("button", { name: /^Thought/ }).waitFor();
    await opened.toolCard(/^Read README\.md/).click();
    await opened.conversation.getByText("kept in `todo.json`").waitFor();
    await workbench().screenshot(opened.page, "first-prompt");
    expect(JSON.stringify(model.requests[1]?.body.messages.at(-1))).toContain("A todo list for the command line");
  });

  test("leaves what the user types while the editor is busy with it", async () => {
    await workbench().script(reply("Hello to you."));
    const opened = await workbench().newChat();
    await opened.composer.fill("Hello");
    const busy = opened.evaluate(() => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
    });
    await opened.composer.press("Enter");
    await opened.page.keyboard.type("and another thing");
    await busy;
    await opened.conversation.getByText("Hello to you.").waitFor();
    expect(await opened.composer.inputValue()).toBe("and another thing");
  });

  test("that needs a change waits for a yes in the panel or by quick pick, and accepts a no", async () => {
    const model = await workbench().script(
      reply([toolCall("bash", { command: "echo made by hand > made.txt" })]),
      reply("The file is there."),
      reply([toolCall("edit", { path: "README.md", edits: [{ oldText: "# todo", newText: "# Todo" }] })]),
      reply("The title is changed."),
      reply([toolCall("bash", { command: "rm -rf src" })]),
      reply("Then not."),
    );
    const opened = await workbench().newChat();
    await opened.send("Make a file");
    await opened.question(/^Allow bash\?/).waitFor();
    await workbench().screenshot(opened.page, "approval");
    await opened.statusBar.getByText("Tiller needs your answer").click();
    await opened.quickPickOption(/^Answer: Allow bash\?/).click();
    await opened.quickPickOption("Allow Once").click();
    await opened.conversation.getByText("The file is there.").waitFor();
    expect(await readWorkspaceFile("made.txt")).toBe("made by hand\n");

    await opened.send("Change the title");
    await opened.approve("edit", "Allow Once");
    await opened.conversation.getByText("The title is changed.").waitFor();
    expect(await readWorkspaceFile("README.md")).toMatch(/^# Todo\n/);

    await opened.send("Clean up");
    await opened.approve("bash", "Deny");
    await opened.conversation.getByText("Then not.").waitFor();
    expect(JSON.stringify(model.requests[5]?.body.messages.at(-1))).toContain("Blocked by user: bash");
    expect(await readWorkspaceFile("src/cli.js")).toContain("parseArgs");
    await workbench().screenshot(opened.page, "denied");
  });

  test("is sent once more after a failure, and is shown once", async () => {
    const model = await workbench().script(
      httpError(403, "permission_error", "Not today."),
      reply("Here is the answer."),
    );
    const opened = await workbench().newChat();
    await opened.send("Answer me");
    const again = opened.conversation.getByRole("button", { name: "Retry" });
    await again.click();
    await opened.conversation.getByText("Here is the answer.").waitFor();
    expect(await opened.conversation.getByText("Answer me").count()).toBe(1);
    expect(await again.count()).toBe(0);
    expect(model.requests[1]?.body.messages).toEqual(model.requests[0]?.body.messages);
  });

  test("can be stopped, and the next one is answered", async () => {
    const stuck = hang({ afterBlocks: [text("I begin and")] });
    await workbench().script(stuck, reply("Here I am again."));
    const opened = await workbench().newChat();
    await opened.send("Go");
    await opened.conversation.getByText("I begin and").waitFor();
    await opened.chat.getByRole("button", { name: "Stop", exact: true }).click();
    await stuck.clientClosed.promise;
    await opened.chat.getByRole("button", { name: "Stop", exact: true }).waitFor({ state: "hidden" });
    await workbench().screenshot(opened.page, "stopped");
    await opened.send("And now?");
    await opened.conversation.getByText("Here I am again.").waitFor();
  });

  test("sent during a run waits as a chip: it steers, follows up, or is taken back", async () => {
    const middle = gate();
    const model = await workbench().script(
      reply([text("Working."), middle, toolCall("read", { path: "AGENTS.md" })]),
      reply("Tests are checked."),
      reply("The documentation is written."),
    );
    const opened = await workbench().newChat();
    await opened.send("Go");
    await opened.conversation.getByText("Working.").waitFor();
    const chips = opened.chat.getByRole("list", { name: "Queued messages" }).getByRole("listitem");
    await opened.send("Never mind");
    await chips.filter({ hasText: "Never mind" }).waitFor();
    await opened.chat.getByRole("button", { name: "Move Queued Messages to the Input" }).click();
    await chips.first().waitFor({ state: "detached" });
    await expect.poll(() => opened.composer.inputValue()).toBe("Never mind");

    await opened.send("Check the tests too");
    await chips.filter({ hasText: "Check the tests too" }).waitFor();
    await opened.composer.fill("Then write documentation");
    await opened.composer.press("Alt+Enter");
    await chips.filter({ hasText: "Then write documentation" }).waitFor();
    await workbench().screenshot(opened.page, "queue");
    middle.release();
    await opened.conversation.getByText("The documentation is written.").waitFor();
    expect(JSON.stringify(model.requests[1]?.body.messages)).toContain("Check the tests too");
    expect(JSON.stringify(model.requests[1]?.body.messages)).not.toContain("Then write documentation");
    expect(JSON.stringify(model.requests[2]?.body.messages)).toContain("Then write documentation");
  });
});

describe("the conversation", () => {
  test("continues while the view is hidden", async () => {
    const middle = gate();
    await workbench().script(reply([text("Before. "), middle, text("After.")]));
    const opened = await workbench().newChat();
    await opened.send("Go");
    await opened.conversation.getByText("Before.").waitFor();
    await opened.hideChat();
    middle.release();
    await opened.showChat();
    await opened.conversation.getByText("After.").waitFor();
    await opened.conversation.getByText("Before.").waitFor();
  });

  test("draws formulas and diagrams", async () => {
    const diagram = "```mermaid\nflowchart LR\n  A[Page] -->|ready| B[Host]\n```";
    await workbench().script(reply(`The sum is $\\sum_{i=1}^n i$.\n\n${diagram}\n\nThat is all.`));
    const opened = await workbench().newChat();
    await opened.send("Explain");
    await opened.conversation.getByText("That is all.").waitFor();
    await opened.conversation.locator("math").waitFor();
    await opened.conversation.getByRole("img", { name: "Diagram" }).waitFor();
    expect(await opened.conversation.locator(".diagram-note").count()).toBe(0);
    await workbench().screenshot(opened.page, "reading");
  });

  test("and the half-typed draft survive a reload of the window, with one agent", async () => {
    const model = await workbench().script(reply("I shall remember."), reply("You said blue."));
    const opened = await workbench().newChat();
    await opened.send("My colour is blue");
    await opened.conversation.getByText("I shall remember.").waitFor();
    const before = await workbench().agents();
    await opened.composer.fill("Which colour did I");
    await opened.reload();
    await opened.showChat();
    await opened.conversation.getByText("I shall remember.").waitFor();
    await opened.conversation.getByRole("article", { name: "You: My colour is blue" }).waitFor();
    await expect.poll(() => opened.composer.inputValue()).toBe("Which colour did I");
    await workbench().screenshot(opened.page, "reloaded");
    const [after] = await agentsBecome(1);
    expect(before).not.toContain(after);
    await opened.send("Which colour did I say?");
    await opened.conversation.getByText("You said blue.").waitFor();
    expect(JSON.stringify(model.requests[1]?.body.messages)).toContain("My colour is blue");
  });

  test("survives a killed agent, which is reported, restarted and continues", async () => {
    const model = await workbench().script(reply("I shall remember."), reply("You said green."));
    const opened = await workbench().newChat();
    await opened.send("My colour is green");
    await opened.conversation.getByText("I shall remember.").waitFor();
    const killed = await workbench().agents();
    for (const pid of killed) process.kill(pid, "SIGKILL");
    await opened.conversation.getByText(/SIGKILL.*Restarting/).waitFor();
    await workbench().screenshot(opened.page, "crashed");
    await eventually(
      async () => {
        const running = await workbench().agents();
        return running.some((pid) => !killed.includes(pid));
      },
      AGENT_DEADLINE_MS,
      () => "another agent",
    );
    await opened.conversation.getByText("I shall remember.").waitFor();
    await opened.send("Which colour?");
    await opened.conversation.getByText("You said green.").waitFor();
    expect(JSON.stringify(model.requests[1]?.body.messages)).toContain("My colour is green");
  });

  test("ends with the window: neither the agent nor its child processes stay", async () => {
    await workbench().script(reply([toolCall("bash", { command: "sleep 987" })]));
    const opened = await workbench().newChat();
    await opened.send("Wait");
    await eventually(
      async () => (await workbench().processes("sleep 987")).length > 0,
      AGENT_DEADLINE_MS,
      () => "sleep",
    );
    await opened.close();
    await agentsBecome(0);
    expect(await workbench().processes("sleep 987")).toEqual([]);
  });
});
