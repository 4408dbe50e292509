import { describe, expect, it } from "vitest";
import { readOptions } from "../../agent/config/options.ts";
import { loadSettings } from "../../agent/config/settings.ts";
import type { LoopEvent } from "../../agent/loop/loop-host.ts";
import { createSkills } from "../../agent/prompt/skills.ts";
import { createSession } from "../../agent/rpc/create-session.ts";
import { FrameWriter } from "../../agent/rpc/wire/frame-writer.ts";
import { HostToolBridge } from "../../agent/rpc/wire/host-tools.ts";
import { Output } from "../../agent/rpc/wire/output.ts";
import { createSessions } from "../../agent/session/open.ts";
import { SessionProcesses } from "../../agent/tools/session-processes.ts";
import { deferred } from "../../agent/util/deferred.ts";
import { temporaryFolder } from "../support/run-tool.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply } from "../support/scripted-replies.ts";

/** A session without a process around it: only here can a message come at an exact event. */
async function openSession(modelUrl: string) {
  const cwd = await temporaryFolder();
  const env = { ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: modelUrl, HOME: cwd };
  const places = { agentDir: cwd, projectDir: cwd, isProjectTrusted: false, warn: () => undefined };
  const sessions = createSessions({ cwd, folder: cwd, onWriteError: () => undefined, warn: () => undefined }, false);
  const stdout = { write: () => true, pendingBytes: 0, onDrain: () => undefined, onError: () => undefined };
  const { session } = await createSession({
    options: readOptions(["--mode", "rpc", "--no-session"], env),
    env,
    cwd,
    agentDir: cwd,
    settings: await loadSettings(places),
    output: new Output(new FrameWriter(stdout, () => undefined), "delta"),
    hostTools: new HostToolBridge({ write: () => undefined, timeoutMs: 0, warn: () => undefined }),
    hostRecording: { isOn: false },
    dialogs: () => undefined,
    warnUser: () => undefined,
    informUser: () => undefined,
    changeModel: (work) => work(),
    gate: (next) => next,
    changesCalls: () => false,
    conversation: sessions.empty(),
    processes: new SessionProcesses(),
    skills: createSkills({ places: () => [], globs: undefined, warn: () => undefined }),
  });
  return session;
}

describe("a message between agent_end and agent_settled", () => {
  it.each(["steering", "followUp"] as const)("is delivered in the same run: %s", async (queue) => {
    const model = await ScriptedModel.start([reply("first"), reply("second")]);
    const session = await openSession(model.url);
    const settled = deferred<void>();
    const events: LoopEvent["type"][] = [];
    const { emit } = session.options;
    session.options.emit = (event) => {
      events.push(event.type);
      const isFirstEnd = event.type === "agent_end" && !events.slice(0, -1).includes("agent_end");
      if (isFirstEnd) void session.enqueue(queue, "late", []);
      if (event.type === "agent_settled") settled.resolve();
      return emit(event);
    };
    session.accept("start", [])();
    await settled.promise;
    expect(session.conversation.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
    expect(events.filter((type) => /^agent_|^queue_/.test(type))).toEqual([
      "agent_start",
      "agent_end",
      "queue_update",
      "agent_start",
      "queue_update",
      "agent_end",
      "agent_settled",
    ]);
    await model.stop();
  });
});
