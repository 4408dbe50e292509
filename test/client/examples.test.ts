import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply, text, toolCall } from "../support/scripted-replies.ts";
import { BUILT_AGENT } from "../support/spawn-agent.ts";

const DEADLINE_MS = 20_000;
const EXAMPLES = fileURLToPath(new URL("../../docs/examples/", import.meta.url));

let model: ScriptedModel;
let folder: string;

beforeEach(async () => {
  model = await ScriptedModel.start();
  folder = mkdtempSync(join(tmpdir(), "tiller-example-"));
});

afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  await model.stop();
});

/** Runs an example and types "1" when it asks something. @returns what it printed. */
async function runExample(
  file: string,
  args: readonly string[],
): Promise<{ code: number | null; out: string; err: string }> {
  const child: ChildProcessWithoutNullStreams = spawn(file, args, {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      TZ: "UTC",
      PI_CODING_AGENT_DIR: join(folder, "agent"),
      ANTHROPIC_API_KEY: "test-key",
      ANTHROPIC_BASE_URL: model.url,
    },
  });
  const deadline = setTimeout(() => child.kill("SIGKILL"), DEADLINE_MS);
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => {
    out += chunk;
  });
  child.stderr.on("data", (chunk: Buffer) => {
    err += chunk;
    if (String(chunk).includes("> ")) child.stdin.write("1\n");
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  clearTimeout(deadline);
  return { code, out, err };
}

function scriptTheModel(clockArguments: Record<string, unknown>): void {
  model.enqueue(
    reply([text("Let me look. "), toolCall("clock", clockArguments, { id: "t1" })], { stopReason: "tool_use" }),
    reply([toolCall("bash", { command: "touch asked && echo from the shell" }, { id: "t2" })], {
      stopReason: "tool_use",
    }),
    reply([text("It is late.", { chunks: 3 })]),
  );
}

/** Returns the tool results in the model's last request. */
function toolResults(): string[] {
  const messages = model.requests.at(-1)?.body.messages ?? [];
  return messages.flatMap(({ content }) =>
    typeof content === "string"
      ? []
      : content.flatMap((block) => (block.type === "tool_result" ? [JSON.stringify(block.content)] : [])),
  );
}

describe.each([
  { name: "host.mjs", file: process.execPath, args: [join(EXAMPLES, "host.mjs")], clock: { timeZone: "Asia/Tokyo" } },
  {
    name: "host.py",
    file: process.env.TILLER_PYTHON ?? "python3",
    args: [join(EXAMPLES, "host.py"), "--agent", `"${process.execPath}" "${BUILT_AGENT}"`],
    clock: { format: "%H:%M:%S" },
  },
])("the example $name", ({ file, args, clock }) => {
  it("streams an answer, runs its own tool and asks the user the agent's question", async () => {
    scriptTheModel(clock);
    const { code, out, err } = await runExample(file, [...args, "What time is it?"]);
    expect([code, out]).toEqual([0, "Let me look. It is late.\n"]);
    expect(err).toContain("Allow bash? touch asked && echo from the shell\n  1. Allow once\n");
    const [time, shell] = toolResults();
    expect(time).toMatch(/\d\d:\d\d:\d\d/);
    expect(shell).toContain("from the shell");
  });
});
