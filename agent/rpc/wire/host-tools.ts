import * as z from "zod";
import { AgentError } from "../../protocol/errors.ts";
import { type HostToolDefinition, type HostToolResult, ToolApproval, ToolSubject } from "../../protocol/host-tools.ts";
import type { HostToolEntry } from "../../session/tool-set.ts";
import { argumentCheck } from "../../tools/argument-check.ts";
import { anyTool, type ToolContext, type ToolOutput } from "../../tools/tool.ts";
import { crypto } from "../../util/late-node.ts";
import { readHostContent, readHostResult } from "./host-tool-results.ts";

const MAX_SUMMARY_LENGTH = 200;

interface PendingCall {
  update(content: unknown): void;
  settle(frame: HostToolResult): void;
  fail(error: Error): void;
}

type CallContext = Pick<ToolContext, "toolCallId" | "signal" | "onUpdate">;

interface BridgeOptions {
  write(frame: object): void;
  /** Milliseconds that a host may take for one call; 0 means no limit. */
  timeoutMs: number;
  warn(message: string): void;
}

/** Calls the host's tools. Every call settles: by its result, its abort, its time limit, or the end of the connection. */
export class HostToolBridge {
  readonly #options: BridgeOptions;
  readonly #pending = new Map<string, PendingCall>();
  #isClosed = false;

  constructor(options: BridgeOptions) {
    this.#options = options;
  }

  /** A tool that is run by the host. */
  toEntry(definition: HostToolDefinition): HostToolEntry {
    const { name, label, description, parameters } = definition;
    const check = argumentCheck(parameters, `host tool "${name}"`, this.#options.warn);
    const tool = anyTool<Record<string, unknown>>({
      name,
      label: label ?? name,
      description,
      origin: "host",
      source: definition.source,
      concurrency: "shared",
      isReadOnly: definition.readOnly === true,
      approval: definition.approval,
      paths: definition.paths,
      command: definition.command,
      subject: definition.subject,
      parameters,
      parse: check,
      summarize: (input) => JSON.stringify(input).slice(0, MAX_SUMMARY_LENGTH),
      run: (input, context) => this.#call(name, input, context),
    });
    return { tool, isHidden: definition.hidden === true, sameAs: definition.sameAs };
  }

  /** Receives a result; ignores a result of an unknown call. */
  result(frame: HostToolResult): void {
    this.#pending.get(frame.id)?.settle(frame);
  }

  /** Receives the partial result of a call; ignores an unknown call. */
  update(id: string, partialResult: unknown): void {
    this.#pending.get(id)?.update(partialResult);
  }

  /** The host is gone. */
  close(): void {
    this.#isClosed = true;
    for (const call of [...this.#pending.values()]) call.fail(disconnected());
  }

  /** Calls a tool of the host, for the agent's own ends. */
  ask(toolName: string, input: Record<string, unknown>, toolCallId: string, signal: AbortSignal): Promise<ToolOutput> {
    return this.#call(toolName, input, { toolCallId, signal, onUpdate: () => undefined });
  }

  #call(toolName: string, input: Record<string, unknown>, context: CallContext): Promise<ToolOutput> {
    if (this.#isClosed) return Promise.reject(disconnected());
    const { signal } = context;
    if (signal.aborted) return Promise.reject(aborted(toolName));
    const id = crypto().randomUUID();
    const { timeoutMs } = this.#options;
    return new Promise((resolve, reject) => {
      const end = () => {
        this.#pending.delete(id);
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
      };
      const fail = (error: Error) => {
        end();
        reject(error);
      };
      const cancel = (error: Error) => {
        this.#options.write({ type: "host_tool_cancel", id: crypto().randomUUID(), targetId: id });
        fail(error);
      };
      const onAbort = () => cancel(aborted(toolName));
      const late = () => cancel(new Error(`Host tool "${toolName}" timed out after ${timeoutMs} ms`));
      const timer = timeoutMs > 0 ? setTimeout(late, timeoutMs) : undefined;
      signal.addEventListener("abort", onAbort, { once: true });
      this.#pending.set(id, {
        update: (partial) => context.onUpdate({ content: readHostContent(partial), details: detailsOf(partial) }),
        settle: (frame) => {
          const outcome = readHostResult(frame);
          if (!outcome.ok) return fail(new Error(outcome.message));
          end();
          resolve(outcome.output);
        },
        fail,
      });
      this.#options.write({ type: "host_tool_call", id, toolCallId: context.toolCallId, toolName, arguments: input });
    });
  }
}

/**
 * Checks a host's list of tools.
 * @throws AgentError invalid_request that names the first problem.
 */
export function readHostTools(tools: readonly unknown[]): HostToolDefinition[] {
  const definitions = tools.map(readHostTool);
  if (new Set(definitions.map(({ name }) => name)).size < definitions.length) {
    throw new AgentError("invalid_request", "RPC host tool names must be unique");
  }
  return definitions;
}

const text = z.lazy(() => z.string().trim().min(1));
const parametersSchema = z.lazy(() => z.record(z.string(), z.unknown()));

function readHostTool(tool: unknown, index: number): HostToolDefinition {
  const read = (name: string): unknown =>
    typeof tool === "object" && tool !== null ? Reflect.get(tool, name) : undefined;
  const name = text.safeParse(read("name"));
  if (!name.success) throw invalid(`Host tool at index ${index} must provide a non-empty name`);
  const description = text.safeParse(read("description"));
  if (!description.success) throw invalid(`Host tool "${name.data}" must provide a non-empty description`);
  const parameters = parametersSchema.safeParse(read("parameters"));
  if (!parameters.success) throw invalid(`Host tool "${name.data}" must provide a JSON Schema object`);
  return {
    name: name.data,
    label: text.safeParse(read("label")).data ?? name.data,
    description: description.data,
    parameters: structuredClone(parameters.data),
    hidden: read("hidden") === true,
    readOnly: read("readOnly") === true,
    approval: ToolApproval.safeParse(read("approval")).data,
    sameAs: text.safeParse(read("sameAs")).data,
    source: text.safeParse(read("source")).data,
    ...readSubject(name.data, read),
  };
}

/** An invalid declaration must not count as none, because it decides how calls are judged. */
function readSubject(name: string, read: (field: string) => unknown): ToolSubject {
  const given = (field: string) => read(field) ?? undefined;
  const fields = { paths: given("paths"), command: given("command"), subject: given("subject") };
  const subject = ToolSubject.safeParse(fields);
  if (subject.success) return subject.data;
  const [issue] = subject.error.issues;
  throw invalid(`Host tool "${name}": ${issue?.path.join(".")}: ${issue?.message}`);
}

function detailsOf(partial: unknown): unknown {
  return typeof partial === "object" && partial !== null ? (Reflect.get(partial, "details") ?? {}) : {};
}

function invalid(message: string): AgentError {
  return new AgentError("invalid_request", message);
}

function aborted(toolName: string): Error {
  return new Error(`Host tool "${toolName}" was aborted`);
}

function disconnected(): Error {
  return new Error("RPC client disconnected before host tool execution completed");
}
