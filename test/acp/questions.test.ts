import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ClientCapabilities, ClientRequestParamsByMethod } from "@agentclientprotocol/sdk";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AcpClient } from "../support/acp-client.ts";
import { writeFiles } from "../support/extension-files.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply } from "../support/scripted-replies.ts";

/** An extension whose commands ask, and tell the answer. */
const ASKING = `
module.exports = (api) => {
  const command = (name, ask) =>
    api.registerCommand(name, {
      description: name,
      handler: async (_args, ctx) => ctx.ui.notify(name + " -> " + JSON.stringify(await ask(ctx.ui)), "info"),
    });
  command("ask-select", (ui) => ui.select("Which color?", ["red", "blue"]));
  command("ask-confirm", (ui) => ui.confirm("Sure?", "It is final."));
  command("ask-input", (ui) => ui.input("Your name?", "first name"));
  command("ask-editor", (ui) => ui.editor("A text", "so far"));
  command("ask-both", async (ui) => [await ui.input("First?"), await ui.input("Second?")]);
  command("ask-status", async (ui) => ui.setStatus("key", "busy"));
};
`;

let model: ScriptedModel;
let client: AcpClient;
let home: string;

beforeEach(async () => {
  model = await ScriptedModel.start();
  home = mkdtempSync(join(tmpdir(), "tiller-acp-home-"));
  writeFiles(join(home, "agent", "extensions"), { "asking.js": ASKING });
});

afterEach(async () => {
  await client.dispose();
  await model.stop();
  rmSync(home, { recursive: true, force: true });
});

async function start(
  capabilities: ClientCapabilities = {},
  onForm?: (form: ClientRequestParamsByMethod["elicitation/create"]) => string | boolean | undefined,
): Promise<string> {
  client = await AcpClient.start({
    modelUrl: model.url,
    home,
    capabilities,
    handle: (app) =>
      onForm === undefined
        ? app
        : app.onRequest("elicitation/create", ({ params }) => {
            const answer = onForm(params);
            return answer === undefined ? { action: "cancel" } : { action: "accept", content: { answer } };
          }),
  });
  return client.newSession();
}

function told(text: string): Promise<true> {
  return client.until(() => (client.said().includes(text) ? true : undefined), text);
}

describe("a question of an extension", () => {
  it("with choices is a permission without a rule, and its answer ends its call", async () => {
    const session = await start();
    await client.prompt(session, "/ask-select");
    await told('ask-select -> "red"');
    expect(client.permissions[0]).toMatchObject({
      toolCall: { title: "Which color?" },
      options: [
        { name: "red", kind: "allow_once" },
        { name: "blue", kind: "allow_once" },
      ],
    });
    expect(client.updates("tool_call_update").at(-1)).toMatchObject({ status: "completed" });
    await client.prompt(session, "/ask-confirm");
    await told("ask-confirm -> true");
  });

  it("for a text ends the turn, and the next message is the answer", async () => {
    const session = await start();
    const prompt = client.prompt(session, "/ask-input");
    await told("Answer with your next message");
    expect(client.said()).toContain("Your name?\n> first name");
    expect(await prompt).toBe("end_turn");
    expect(await client.prompt(session, "Zoë")).toBe("end_turn");
    await told('ask-input -> "Zoë"');
    expect(model.requests).toEqual([]);
  });

  it("is left unanswered by a cancel", async () => {
    const session = await start();
    const prompt = client.prompt(session, "/ask-input");
    await told("Answer with your next message");
    await prompt;
    await client.agent.notify("session/cancel", { sessionId: session });
    await told("ask-input -> ");
    expect(client.said()).not.toContain('ask-input -> "');
    model.enqueue(reply("hello"));
    expect(await client.prompt(session, "hi")).toBe("end_turn");
  });

  it("after another gets the message after", async () => {
    const session = await start();
    await client.prompt(session, "/ask-both");
    await client.prompt(session, "1");
    await told("Second?");
    await client.prompt(session, "2");
    await told('ask-both -> ["1","2"]');
  });

  it("is a form for clients that have forms", async () => {
    const forms: unknown[] = [];
    const answers = ["blue", true, "Zoë", "so far and on"];
    const session = await start({ elicitation: { form: {} } }, (form) => {
      forms.push(form);
      return answers[forms.length - 1];
    });
    for (const name of ["select", "confirm", "input", "editor"]) await client.prompt(session, `/ask-${name}`);
    await told('ask-editor -> "so far and on"');
    expect(client.said()).toContain('ask-select -> "blue"');
    expect(client.said()).toContain("ask-confirm -> true");
    expect(client.said()).toContain('ask-input -> "Zoë"');
    expect(forms[3]).toMatchObject({
      mode: "form",
      requestedSchema: { properties: { answer: { default: "so far" } } },
    });
    expect(client.permissions).toEqual([]);
  });

  it("whose form is cancelled has no answer", async () => {
    const session = await start({ elicitation: { form: {} } }, () => undefined);
    await client.prompt(session, "/ask-confirm");
    await told("ask-confirm -> false");
  });
});

describe("a notice", () => {
  it("is a notice for clients that have them, and other messages to the interface are in _meta", async () => {
    const session = await start({ session: { notices: {} } });
    await client.prompt(session, "/ask-confirm");
    const notice = await client.until(() => client.updates("notice")[0], "the notice");
    expect(notice).toMatchObject({ severity: "info", title: "ask-confirm -> true" });
    await client.prompt(session, "/ask-status");
    const info = await client.until(() => client.updates("session_info_update")[0], "the status");
    expect(info._meta).toMatchObject({ tiller: { ui: { method: "setStatus", statusKey: "key", statusText: "busy" } } });
  });
});
