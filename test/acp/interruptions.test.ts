import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AcpClient } from "../support/acp-client.ts";
import { isRunning } from "../support/process-state.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { type RecordedRequest, reply, text, toolCall } from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord } from "../support/spawn-agent.ts";

const POINTS = 200;
/** As many clients run side by side. */
const LANES = 5;
/** A run has about as many updates. */
const RUN_UPDATES = 12;
/** The most that is waited after the last update of a point. */
const PAUSE_MS = 30;
const WAYS = ["cancel", "close", "disconnect", "kill"] as const;

/** A point at which a run is interrupted. */
interface Point {
  name: string;
  way: (typeof WAYS)[number];
  updates: number;
  pauseMs: number;
}

let home: string;
let ran: string;
const clients = new Set<AcpClient>();
const models = new Set<ScriptedModel>();

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), "tiller-acp-home-"));
  ran = realpathSync(mkdtempSync(join(tmpdir(), "tiller-acp-ran-")));
});

afterAll(async () => {
  for (const client of clients) await client.dispose();
  for (const model of models) await model.close();
  for (const folder of [home, ran]) rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
});

/** Points that are the same in every run. */
function somePoints(): Point[] {
  let state = 19;
  const next = (limit: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * limit);
  };
  return Array.from({ length: POINTS }, (_, index) => ({
    name: `p${index}`,
    way: WAYS[next(WAYS.length)] ?? "cancel",
    updates: next(RUN_UPDATES),
    pauseMs: next(PAUSE_MS),
  }));
}

/** Answers the message that names a point with a command that notes that it ran, and its result with a text. */
function answer({ body }: RecordedRequest): ReturnType<typeof reply> {
  const last = JSON.stringify(body.messages.at(-1));
  if (last.includes("tool_result")) return reply([text("All done.", { chunks: 4, delayMs: 5 })]);
  const [, name = "unknown"] = /run (p\d+)/.exec(last) ?? [];
  const command = `echo $$ >> ${join(ran, name)}; sleep 0.1; echo over`;
  return reply([text("I begin.", { chunks: 4, delayMs: 5 }), toolCall("bash", { command }, { pieces: 4, delayMs: 3 })]);
}

/** Interrupts one run after the other. @returns the sessions. */
async function interruptAll(points: readonly Point[]): Promise<string[]> {
  const model = await ScriptedModel.start(Array.from({ length: points.length * 2 }, () => answer));
  models.add(model);
  let client: AcpClient | undefined;
  const sessions: string[] = [];
  for (const point of points) {
    client ??= await AcpClient.start({ modelUrl: model.url, home, args: ["--permission-mode", "auto"] });
    clients.add(client);
    const session = await client.newSession(ran);
    sessions.push(session);
    if (!(await interrupt(client, session, point))) {
      await client.dispose();
      client = undefined;
    }
  }
  await client?.dispose();
  return sessions;
}

/** @returns false if the agent has ended. */
async function interrupt(client: AcpClient, session: string, { name, way, updates, pauseMs }: Point): Promise<boolean> {
  const prompt = client.prompt(session, `run ${name}`).then(String, String);
  const own = () => client.notifications.filter(({ sessionId }) => sessionId === session).length;
  const reached = client.until(() => (own() >= updates ? true : undefined), `update ${updates} of ${name}`);
  reached.catch(() => undefined); // the run may have fewer
  await Promise.race([reached, prompt]);
  await new Promise((resolve) => setTimeout(resolve, pauseMs));
  switch (way) {
    case "cancel":
      await client.agent.notify("session/cancel", { sessionId: session });
      expect(["cancelled", "end_turn"]).toContain(await prompt);
      return true;
    case "close":
      await client.agent.request("session/close", { sessionId: session });
      expect(["cancelled", "end_turn"]).toContain(await prompt);
      return true;
    case "kill":
      client.child.kill("SIGKILL");
      await client.exited;
      return false;
    case "disconnect":
      client.child.stdout.destroy();
      await client.end();
      return false;
  }
}

describe("runs that are cancelled, closed, killed, or left by their client at 200 points", () => {
  it("run no tool twice, leave no process, and their sessions open everywhere", { timeout: 600_000 }, async () => {
    const points = somePoints();
    const lanes = Array.from({ length: LANES }, (_, lane) => points.filter((_, index) => index % LANES === lane));
    const sessions = (await Promise.all(lanes.map(interruptAll))).flat();
    const shells = points.map(({ name }) => shellsOf(name));
    expect(shells.filter(({ length }) => length > 1)).toEqual([]);
    expect(shells.flat().length).toBeGreaterThan(POINTS / 10);
    await expect.poll(() => shells.flat().filter(isRunning)).toEqual([]);
    await opensEverywhere(sessions);
  });
});

/** The processes that ran the command of a point. */
function shellsOf(name: string): number[] {
  const path = join(ran, name);
  return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n").map(Number) : [];
}

/** Every session that was written opens in RPC mode and for the next client. */
async function opensEverywhere(sessions: readonly string[]): Promise<void> {
  const env = { ANTHROPIC_API_KEY: "k" };
  const agent = new AgentUnderTest({ cwd: ran, agentDir: join(home, "agent"), args: [], env });
  const { sessions: listed } = await agent.call("list_sessions", { limit: 500 });
  const all = Array.isArray(listed) ? listed.map(asRecord) : [];
  const written = all.filter(({ id }) => sessions.includes(String(id)));
  expect(written.length).toBeGreaterThan(POINTS / 2);
  for (const { path, problem } of written) {
    expect(problem).toBeUndefined();
    await agent.call("switch_session", { sessionPath: path });
    await agent.call("get_messages");
  }
  await agent.dispose();
  const client = await AcpClient.start({ home, env });
  for (const { id } of written) {
    const sessionId = String(id);
    await client.agent.request("session/load", { sessionId, cwd: ran, mcpServers: [] });
    await client.agent.request("session/close", { sessionId });
  }
  await client.dispose();
}
