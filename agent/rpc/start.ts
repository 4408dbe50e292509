import type { Readable } from "node:stream";
import type { AgentOptions } from "../config/options.ts";
import { agentDirectory, type Env, projectDirectory } from "../config/paths.ts";
import { loadSettings } from "../config/settings.ts";
import { createRunHooks } from "../extensions/run-hooks.ts";
import { createWatcher } from "../extensions/watcher.ts";
import { expandMessage, isCall } from "../prompt/expand-message.ts";
import { PROTOCOL_VERSION } from "../protocol/envelope.ts";
import { errorMessage } from "../protocol/errors.ts";
import { BashRunner } from "../session/bash-runner.ts";
import { sessionFolder } from "../session/locate.ts";
import { openWhenFree } from "../session/lock.ts";
import { createSessions, openConversation, type SessionPlace } from "../session/open.ts";
import { killAllShells } from "../tools/shell.ts";
import { abortWork } from "./abort-work.ts";
import { controlSink } from "./control-frames.ts";
import { createResources } from "./create-resources.ts";
import { createSession } from "./create-session.ts";
import { DialogHub } from "./dialogs.ts";
import { createExtensionHost } from "./extension-host.ts";
import { loadAllExtensions, startExtensions, stopExtensions } from "./extensions.ts";
import { FrameWriter } from "./frame-writer.ts";
import { createHandlers } from "./handlers/index.ts";
import { HeldPrompts } from "./held-prompts.ts";
import { HostToolBridge } from "./host-tools.ts";
import { Lanes } from "./lanes.ts";
import { MessageTexts } from "./message-texts.ts";
import { Output } from "./output.ts";
import { QuietEnd } from "./quiet-end.ts";
import { RpcServer } from "./server.ts";
import { Shutdown, type ShutdownSignal } from "./shutdown.ts";
import type { RealStdout } from "./stdout-guard.ts";
import { VERSION } from "./version.ts";

/** The process as RPC mode sees it. */
export interface RpcProcess {
  options: AgentOptions;
  env: Env;
  /** What child processes get. */
  childEnv: Env;
  cwd: string;
  input: Readable;
  stdout: RealStdout;
  onSignal(listener: (signal: ShutdownSignal) => void): void;
  /** Calls `handles` for errors that nobody waited for; those that it does not take end the process. */
  onStrayError(handles: (error: unknown) => boolean): void;
  /** Kills what still runs and ends the process. */
  exit(code: number): void;
}

/**
 * Starts RPC mode: puts the parts together, writes `ready` and begins to answer.
 * @throws UsageError or AgentError with a text for stderr when it cannot start; nothing is on stdout then.
 */
export async function startRpc(rpc: RpcProcess): Promise<void> {
  const { options, env, cwd } = rpc;
  const warn = (message: string) => console.error(message);
  const agentDir = agentDirectory(env, cwd);
  const settings = await loadSettings({
    agentDir,
    projectDir: projectDirectory(cwd),
    isProjectTrusted: options.isProjectTrusted,
    warn,
  });
  const writer = new FrameWriter(rpc.stdout, () => shutdown.endOfInput());
  const output = new Output(writer, options.stream ?? settings.rpc.stream);
  const write = (frame: object) => output.write(frame);
  const { runner: extensions, reportFailures } = await loadAllExtensions({
    options,
    settings,
    env,
    cwd,
    agentDir,
    output,
    warn,
  });
  const place: SessionPlace = {
    cwd,
    folder: sessionFolder({ agentDir, cwd, sessionDir: options.sessionDir ?? settings.sessionDir }),
    onWriteError: (error) => reportWriteError(output, error),
    warn,
  };
  const dialogs = new DialogHub(write);
  const hostTools = new HostToolBridge({ write, timeoutMs: settings.rpc.hostToolTimeoutMs, warn });
  const sessions = createSessions(place, options.session.kind !== "memory");
  const conversation = await openWhenFree(() => openConversation(options.session, sessions, place));
  const resources = await createResources({ options, settings, agentDir, cwd, warn });
  const { session, gate } = await createSession({
    options,
    env,
    cwd,
    agentDir,
    settings,
    output,
    dialogs,
    conversation,
    hooks: extensions.isEmpty ? undefined : createRunHooks(extensions),
    skills: resources.skills,
  });
  const bash = new BashRunner({
    cwd,
    shell: session.options.shell,
    env: { ...rpc.childEnv, ...session.options.childEnv },
    onUpdate: (id, delta) => output.emit({ type: "bash_execution_update", ...(id === undefined ? {} : { id }), delta }),
    ready: () => output.ready(),
  });
  const lanes = new Lanes();
  const held = new HeldPrompts({ session, lanes, emit: (event) => output.emit(event) });
  const texts = new MessageTexts(isCall, (text) =>
    expandMessage(text, { ...resources, onUnreadable: (path, error) => reportUnreadableSkill(output, path, error) }),
  );
  const work = { session, held, lanes, texts };
  const services = {
    session,
    bash,
    hostTools,
    gate,
    output,
    sessions,
    held,
    resources,
    texts,
    lanes,
    extensions,
  };
  const server = new RpcServer({
    handlers: createHandlers(services),
    lanes,
    control: controlSink(dialogs, hostTools, warn),
    write,
    abortForPrompt: () => void abortWork(work),
    isExtensionCommand: (text) => extensions.findCommand(text) !== undefined,
    onAnswered: () => quiet.check(),
    onEnd: () => shutdown.endOfInput(),
  });
  const shutdown = new Shutdown({
    disconnect() {
      rpc.input.pause();
      extensions.close();
      dialogs.close();
      hostTools.close();
    },
    async abortWork() {
      bash.abort();
      await abortWork(work);
    },
    idle: () => server.idle(),
    async close() {
      await stopExtensions(extensions);
      await killAllShells();
      session.close();
    },
    flushOutput: (limitMs) => writer.finish(limitMs),
    exit: rpc.exit,
  });
  const quiet = new QuietEnd({
    isQuiet: () => server.isIdle && !session.isStreaming && !session.isCompacting && !held.hasWaiting,
    end: () => shutdown.endOfInput(),
  });
  output.watcher = createWatcher(extensions, () => session.runSignal);
  output.onEmitted = ({ type }) => {
    if (type === "agent_settled") quiet.check();
  };
  extensions.bind(
    createExtensionHost({
      services,
      dialogs,
      takesTools: !options.tools.useNone,
      abort: () => void abortWork(work),
      shutdown: () => quiet.request(),
    }),
  );
  rpc.onStrayError((error) => extensions.takeStray(error));
  rpc.onSignal((signal) => shutdown.signal(signal));
  write({ type: "ready", version: VERSION, protocolVersion: PROTOCOL_VERSION, dialects: ["pi", "xcsh"] });
  reportFailures();
  if (extensions.handles("session_start")) void lanes.run("lane", () => startExtensions(extensions));
  server.listen(rpc.input);
}

function reportWriteError(output: Output, error: unknown): void {
  const text = errorMessage(error);
  console.error(`The session could not be written: ${text}`);
  void output.emit({ type: "extension_error", extensionPath: "<runtime>", event: "session_write", error: text });
}

function reportUnreadableSkill(output: Output, path: string, error: string): void {
  void output.emit({ type: "extension_error", extensionPath: path, event: "skill_expansion", error });
}
