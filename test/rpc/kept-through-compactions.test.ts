import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply, text, toolCall } from "../support/scripted-replies.ts";
import { LONG } from "../support/small-window.ts";
import { AgentUnderTest } from "../support/spawn-agent.ts";

const ROUNDS = 5;
const EACH = 4;
/** A summarizer that forgets everything. */
const FORGETFUL = reply("Nothing to note.");

/** Four texts for a round, each with a number that no other has. */
function four(round: number, kind: number, write: (id: string) => string): string[] {
  return Array.from({ length: EACH }, (_, index) => write(`${round}${kind}${index}`));
}

/** The 40 facts of a round: 20 that are kept word for word, and 20 that are only in the session's file. */
function factsOf(round: number) {
  return {
    rules: four(round, 1, (id) => `Never call service${id} from the tests.`),
    needs: four(round, 2, (id) => `Module${id} must stay synchronous.`),
    requests: four(round, 3, (id) => `Please give screen${id} a dark theme.`),
    decisions: four(round, 4, (id) => `I'll use library${id} for the cache.`),
    names: four(round, 5, (id) => `src/part${id}/file${id}.ts`),
    read: [6, 7, 8].flatMap((kind) => four(round, kind, (id) => `constant${id} is ${Number(id) * 7}`)),
    told: [9, 0].flatMap((kind) => four(round, kind, (id) => `Function${id} takes ${Number(id) * 3} ms.`)),
  };
}
const rounds = Array.from({ length: ROUNDS }, (_, index) => factsOf(index + 1));

let model: ScriptedModel;
let folder: string;
let agent: AgentUnderTest;

beforeEach(async () => {
  model = await ScriptedModel.start();
  folder = mkdtempSync(join(tmpdir(), "tiller-kept-"));
  const middle = { id: "middle", contextWindow: 128_000, maxTokens: 3000 };
  const local = { baseUrl: model.url, api: "anthropic-messages", apiKey: "LOCAL_KEY", models: [middle] };
  writeFileSync(join(folder, "models.json"), JSON.stringify({ providers: { local } }));
  writeFileSync(join(folder, "settings.json"), JSON.stringify({ compaction: { keepRecentTokens: 100 } }));
  // Reading needs no approval here, and nobody would give one.
  const args = ["--model", "local/middle", "--permission-mode", "confirm"];
  agent = new AgentUnderTest({ agentDir: folder, args, env: { LOCAL_KEY: "k" } });
});

afterEach(async () => {
  await agent.dispose();
  rmSync(folder, { recursive: true, force: true });
  await model.stop();
});

/** Plants the facts of a round and compacts the session. */
async function playRound(round: number): Promise<void> {
  const facts = factsOf(round);
  writeFileSync(join(agent.cwd, "facts.txt"), facts.read.join("\n"));
  const said = [...facts.decisions, ...facts.told, `See ${facts.names.join(", ")}.`].join(" ");
  for (const request of facts.requests) {
    model.enqueue(reply("Fine."));
    await agent.run(request);
  }
  model.enqueue(reply([text(said), toolCall("read", { path: "facts.txt" })]), reply(LONG));
  await agent.run([...facts.rules, ...facts.needs].join("\n\n"));
  model.enqueue(FORGETFUL, FORGETFUL);
  await agent.call("set_todos", { phases: [{ name: "Work", tasks: [{ content: "Translate the manual" }] }] });
  await agent.call("compact");
  await agent.call("set_todos", { phases: [] }); // else the model is reminded of them
}

function lastRequest(): string {
  return JSON.stringify(model.requests.at(-1)?.body);
}

describe("five compactions by a model that forgets everything", () => {
  it("keep 100 of 200 facts word for word in what is sent, and recall finds the others", async () => {
    for (const round of rounds.keys()) await playRound(round + 1);
    const inFile = rounds.flatMap(({ read, told }) => [...read, ...told]);
    const searches = inFile.map((fact, index) => toolCall("recall", { query: fact }, { id: `r${index}` }));
    model.enqueue(reply(searches), reply([], { stopReason: "end_turn" }));
    const frames = await agent.run("Which of them did you find?");

    const kept = rounds.flatMap(({ rules, needs, requests, decisions, names }) => [
      ...[rules, needs, requests, decisions, names].flat(),
    ]);
    const [sent] = model.requests.slice(-2);
    const context = JSON.stringify(sent?.body);
    expect(kept).toHaveLength(100);
    expect(kept.filter((fact) => !context.includes(fact))).toEqual([]);
    expect(context).toContain("Translate the manual");
    expect(context).toContain("facts.txt (");

    expect(inFile).toHaveLength(100);
    expect(inFile.filter((fact) => context.includes(fact))).toEqual([]);
    const results = frames.filter(({ type }) => type === "tool_execution_end");
    expect(inFile.filter((fact, index) => !JSON.stringify(results[index]).includes(fact))).toEqual([]);
    expect(lastRequest()).toContain("Nothing to note.");
  });

  it("is told to the model as a tool only after the first of them", async () => {
    const offersRecall = () => model.requests.at(-1)?.body.tools?.some(({ name }) => name === "recall");
    model.enqueue(reply(LONG), reply(LONG));
    await agent.run("Say something about it");
    await agent.run("Say something else about it");
    expect(offersRecall()).toBe(false);
    model.enqueue(FORGETFUL, FORGETFUL, reply("Fine."));
    await agent.call("compact");
    await agent.run("go on");
    expect(offersRecall()).toBe(true);
  });
});
