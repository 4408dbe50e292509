import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { pdf } from "../support/pdfs.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { httpError, reply, toolCall } from "../support/scripted-replies.ts";
import { AgentUnderTest } from "../support/spawn-agent.ts";

let model: ScriptedModel;
let folder: string;
let agent: AgentUnderTest;

beforeEach(async () => {
  model = await ScriptedModel.start();
  folder = mkdtempSync(join(tmpdir(), "tiller-pdf-"));
  const plain = { baseUrl: model.url, api: "anthropic-messages", apiKey: "k", models: [{ id: "plain" }] };
  writeFileSync(join(folder, "models.json"), JSON.stringify({ providers: { local: plain } }));
  agent = new AgentUnderTest({ modelUrl: model.url, agentDir: folder, cwd: folder });
});

afterEach(async () => {
  await agent.dispose();
  rmSync(folder, { recursive: true, force: true });
  await model.stop();
});

/** Has the model read a PDF with so many pages. */
async function read(name: string, pages: number): Promise<void> {
  writeFileSync(join(folder, name), pdf(pages));
  model.enqueue(reply([toolCall("read", { path: name })]), reply("I see"));
  await agent.run(`look at ${name}`);
}

const sent = (request = -1) => JSON.stringify(model.requests.at(request)?.body.messages);
const documents = () => sent().match(/"type":"document"/g)?.length ?? 0;
const notices = () => agent.frames.filter(({ method }) => method === "notify").map(({ message }) => String(message));

describe("a PDF that was read", () => {
  it("goes to the model as a document, and the conversation keeps it", async () => {
    await read("a.pdf", 2);
    const data = pdf(2).toString("base64");
    expect(sent()).toContain(
      `{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"${data}"}}`,
    );
    expect(JSON.stringify(await agent.call("get_messages"))).toContain(data);
    expect(model.rejections).toEqual([]);
  });

  it("is left out for a model that takes no PDFs, with a note", async () => {
    await read("a.pdf", 2);
    await agent.call("set_model", { provider: "local", modelId: "plain" });
    model.enqueue(reply("Nothing to see"));
    await agent.run("and now?");
    expect(documents()).toBe(0);
    expect(sent()).toContain("[PDF left out: the model takes no PDFs. Use bash to get its text");
  });

  it("makes room for newer ones, when a request would have more than 100 pages", async () => {
    await read("a.pdf", 60);
    await read("b.pdf", 50);
    expect(documents()).toBe(1);
    expect(sent()).toContain("[PDF left out: the conversation has more pages or images than a request may carry.");
    expect(model.rejections).toEqual([]);
  });

  it("that the service refuses is left out, and the chat says so", async () => {
    writeFileSync(join(folder, "a.pdf"), pdf(1));
    const problem =
      "messages.2.content.0.tool_result.content.1.pdf.source.base64.data: The PDF specified was not valid.";
    model.enqueue(reply([toolCall("read", { path: "a.pdf" })]), httpError(400, "invalid_request_error", problem));
    model.enqueue(reply("It is broken"));
    await agent.run("look");
    expect(documents()).toBe(0);
    expect(sent()).toContain("[PDF left out: the model's provider refused it.]");
    expect(notices()).toEqual([expect.stringContaining("sent the request again without the PDF")]);
  });
});
