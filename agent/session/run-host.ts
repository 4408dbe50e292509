import type { GatedCall, LoopHost, RequestSettings } from "../loop/loop-host.ts";
import { maxPdfPages } from "../providers/takes-pdf.ts";
import { namesField } from "../tools/json-schema.ts";
import type { AnyTool } from "../tools/tool.ts";
import type { Conversation } from "./conversation.ts";
import { declaredTools } from "./declared-tools.ts";
import type { MessageKeeper } from "./message-keeper.ts";
import type { QueueDelivery } from "./queue-delivery.ts";
import type { RunOptions } from "./run.ts";
import type { RunBoundaries } from "./run-boundaries.ts";
import type { SessionOptions } from "./session-options.ts";
import type { StreamRules } from "./stream-rules.ts";
import type { ToolShelf } from "./tool-search/tool-shelf.ts";
import type { TouchedInstructions } from "./touched-instructions.ts";

interface RunHostParts {
  options: SessionOptions;
  queues: QueueDelivery;
  rules: Pick<StreamRules, "watch">;
  instructions: TouchedInstructions;
  shelf: ToolShelf;
  conversation(): Conversation;
  keeper: MessageKeeper;
  boundaries: RunBoundaries | undefined;
  /** The system prompt of the current run. */
  systemPrompt(): string;
}

/** The session, as a run uses it. */
export function createRunHost({
  options,
  queues,
  rules,
  instructions,
  shelf,
  conversation,
  keeper,
  boundaries,
  systemPrompt,
}: RunHostParts): RunOptions["host"] {
  const { ready, hooks } = options;
  return {
    emit(event) {
      instructions.follow(event);
      return keeper.tell(event);
    },
    ready,
    requestSettings: () =>
      requestSettings(options, conversation(), { systemPrompt: systemPrompt(), tools: shelf.declare() }),
    untoldTool: (name) => shelf.take(name),
    context: () => conversation().sent,
    repairs: options.repairs,
    prefix: options.prefix,
    warn: (message) => options.warn(message),
    keep: (message) => keeper.keep(message),
    gate: (call: GatedCall, signal: AbortSignal) => options.gate(call, signal),
    onlyReads: options.onlyReads,
    sandbox: options.sandbox,
    mayRunOutside: options.mayRunOutside,
    applyPreview: options.applyPreview,
    hooks,
    toolContext: () => toolSurroundings(options, conversation()),
    watchAnswer: () => rules.watch(),
    takeSteering: () => [...instructions.take(), ...queues.take("steering")],
    takeFollowUps: () => queues.take("followUp"),
    endTurn: boundaries === undefined ? undefined : (turn, signal) => boundaries.endTurn(turn, signal),
    interruptSignal: () => queues.interruptSignal(),
  };
}

function requestSettings(
  options: SessionOptions,
  conversation: Conversation,
  content: Pick<RequestSettings, "systemPrompt" | "tools">,
): RequestSettings {
  const { selection, registry, settings } = options;
  const model = selection.require();
  const { thinkingLevel } = selection;
  return {
    ...registry.resolve(model),
    model,
    thinkingLevel,
    cacheTtl: settings.cacheTtl,
    ...content,
    declared: declaredTools(options, conversation.messages, content.tools),
    conversationId: conversation.id,
  };
}

/** The working directory of tools, and the variables of the session for their commands. */
function toolSurroundings(options: SessionOptions, conversation: Conversation): ReturnType<LoopHost["toolContext"]> {
  const { cwd, shell, childEnv, selection, leavesOut } = options;
  const { model, thinkingLevel } = selection;
  const { id, file, seenFiles } = conversation;
  const env = {
    ...childEnv,
    PI_SESSION_ID: id,
    ...(file === undefined ? {} : { PI_SESSION_FILE: file }),
    ...(model === undefined ? {} : { PI_PROVIDER: model.provider, PI_MODEL: model.id }),
    PI_REASONING_LEVEL: thinkingLevel,
  };
  const numbersLines = () => [...options.tools.offered().values()].some(isLineTool);
  const pdfPages = () => {
    const reader = selection.measure(conversation.messages);
    return reader === undefined ? 0 : maxPdfPages(reader);
  };
  const callableTools = () => options.tools.callable();
  return { cwd, shell, env, callableTools, numbersLines, maxPdfPages: pdfPages, seenFiles, leavesOut };
}

const LINE_FIELDS: ReadonlySet<string> = new Set(["line", "startLine"]);

/** True for a tool of the host that takes line numbers. */
function isLineTool({ origin, parameters }: AnyTool): boolean {
  return origin === "host" && namesField(parameters, LINE_FIELDS);
}
