import { createWatcher } from "../extensions/watcher.ts";
import { PROTOCOL_VERSION } from "../protocol/envelope.ts";
import { AgentError, errorMessage } from "../protocol/errors.ts";
import { VERSION } from "../util/version.ts";
import { controlSink } from "./control-frames.ts";
import { createServices } from "./create-services.ts";
import { createExtensionHost } from "./extension-host/extension-host.ts";
import { startExtensions, stopExtensions, wantsStart } from "./extension-host/start-extensions.ts";
import { createHandlers } from "./handlers/index.ts";
import { type Prepared, prepare, type RpcProcess } from "./load/prepare.ts";
import { QuietEnd } from "./quiet-end.ts";
import { createReload } from "./reload.ts";
import { RpcServer } from "./server.ts";
import { abortWork } from "./services/abort-work.ts";
import type { Services } from "./services/services.ts";
import { Shutdown } from "./wire/shutdown.ts";
import { writeFailure } from "./wire/stdout-guard.ts";

/**
 * Starts RPC mode: puts the parts together, writes `ready` and begins to answer.
 * @throws UsageError or AgentError with a text for stderr when it cannot start; nothing is on stdout then.
 */
export async function startRpc(rpc: RpcProcess): Promise<void> {
  const prepared = await prepare(rpc, (failure) => {
    if (failure === undefined) return shutdown.endOfInput();
    console.error(writeFailure(failure));
    shutdown.fail();
  });
  const services = await createServices(prepared);
  const { dialogs } = prepared;
  const { session, output, held, lanes, extensions } = services;
  const write = (frame: object) => output.write(frame);
  const abort = () => abortWork(services);
  const reload = createReload(prepared, services);
  const server = new RpcServer({
    handlers: createHandlers(services),
    lanes,
    control: controlSink(prepared),
    write,
    abortForPrompt: () => void abort(),
    isExtensionCommand: (text) => extensions.findCommand(text) !== undefined,
    onAnswered: () => quiet.check(),
    onEnd: () => shutdown.endOfInput(),
  });
  const shutdown = createShutdown(prepared, services, server);
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
      takesTools: !rpc.options.tools.useNone,
      abort: () => void abort(),
      shutdown: () => quiet.request(),
      isProjectTrusted: prepared.rpc.options.isProjectTrusted,
      reload,
    }),
  );
  rpc.onSignal((signal) => shutdown.signal(signal));
  write({ type: "ready", version: VERSION, protocolVersion: PROTOCOL_VERSION, dialects: ["pi", "xcsh"] });
  prepared.extensions.reportFailures((failure) => write({ type: "extension_error", ...failure }));
  prepared.consents.onChanged(
    "extension",
    () => void reload().catch((error) => prepared.warn(`Couldn't load extensions: ${errorMessage(error)}`)),
  );
  prepared.consents.open(dialogs);
  if (wantsStart(extensions)) void lanes.run("lane", () => startExtensions(services, "startup"));
  rpc.wire.listen(server);
}

function createShutdown(
  { rpc, writer, dialogs, hostTools, hostModels, hostSecrets, consents }: Prepared,
  services: Services,
  server: RpcServer,
) {
  const { session, bash, extensions, ending } = services;
  return new Shutdown({
    disconnect() {
      ending.abort(new AgentError("aborted", "The agent is ending."));
      rpc.wire.pause();
      extensions.close();
      consents.close();
      dialogs.close();
      hostTools.close();
      hostModels.close();
      hostSecrets.close();
    },
    async abortWork() {
      bash.abort();
      await abortWork(services);
    },
    idle: () => server.idle(),
    async close() {
      await stopExtensions(extensions, "quit");
      await rpc.processes.end();
      await services.changes.end();
      await Promise.all([services.sandbox.end(), services.previews.end()]);
      session.close();
    },
    flushOutput: (limitMs) => writer.finish(limitMs),
    exit: rpc.exit,
  });
}
