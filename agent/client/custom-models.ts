import type {
  HostModelDefinition,
  HostModelPart,
  HostModelRequest,
  HostModelResult,
  HostModelUpdate,
  HostModelUsage,
} from "../protocol/host-models.ts";
import type { ModelErrorKind } from "../protocol/model.ts";

/** A piece of an answer: text, a tool call, what the model thinks, or, at the end, why it ended and what it took. */
export type CustomModelPart =
  | string
  | HostModelPart
  | {
      readonly type: "end";
      readonly stopReason?: HostModelResult["stopReason"];
      readonly usage?: HostModelUsage | undefined;
    };

/** The context of one request to a model. */
export interface CustomModelCall {
  /** Aborts when the answer is no longer wanted: the run was stopped, or the connection closed. */
  readonly signal: AbortSignal;
}

/** A model of the host. If `answer` throws, the response fails; a `ModelFailed` says how. */
export interface CustomModel extends HostModelDefinition {
  answer(request: HostModelRequest, call: CustomModelCall): AsyncIterable<CustomModelPart>;
}

/** Why a model gave no answer, in words for people. */
export class ModelFailed extends Error {
  readonly kind: ModelErrorKind;
  readonly retryAfterMs: number | undefined;

  /** @param options.retryAfterMs how long to wait before the request is made again, for kinds for which it is. */
  constructor(kind: ModelErrorKind, message: string, options: { retryAfterMs?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = "ModelFailed";
    this.kind = kind;
    this.retryAfterMs = options.retryAfterMs;
  }
}

type Send = (frame: HostModelUpdate | HostModelResult) => void;
type Ending = Omit<HostModelResult, "type" | "id">;

/** Asks the models that the host has brought, and ends every request with one result. */
export class CustomModels {
  readonly #running = new Map<string, AbortController>();
  #models: ReadonlyMap<string, CustomModel> = new Map();

  /** Requests under way for a model that is no longer there go on. */
  replace(models: readonly CustomModel[]): void {
    this.#models = new Map(models.map((model) => [model.id, model]));
  }

  /** Never rejects. */
  async run(request: HostModelRequest, send: Send): Promise<void> {
    const { id, modelId } = request;
    const controller = new AbortController();
    this.#running.set(id, controller);
    const isRunning = () => this.#running.get(id) === controller;
    const take = (part: HostModelPart) => {
      if (isRunning()) send({ type: "host_model_update", id, parts: [part] });
    };
    let ending: Ending;
    try {
      const model = this.#models.get(modelId);
      if (model === undefined) throw new ModelFailed("invalid_request", `The host has no model "${modelId}".`);
      ending = await follow(model.answer(request, { signal: controller.signal }), take, controller.signal);
    } catch (error) {
      ending = failure(error);
    }
    if (!isRunning()) return;
    this.#running.delete(id);
    send({ type: "host_model_result", id, ...ending });
  }

  /** The agent does not want this answer any more. */
  cancel(id: string): void {
    const controller = this.#running.get(id);
    this.#running.delete(id);
    controller?.abort(new Error("The agent cancelled this request."));
  }

  /** Cancels all requests, because the connection has ended. */
  cancelAll(): void {
    for (const id of [...this.#running.keys()]) this.cancel(id);
  }
}

async function follow(
  answer: AsyncIterable<CustomModelPart>,
  take: (part: HostModelPart) => void,
  signal: AbortSignal,
): Promise<Ending> {
  let ending: Ending = {};
  for await (const part of answer) {
    if (signal.aborted) break;
    if (typeof part === "string") take({ type: "text", text: part });
    else if (part.type === "end") ending = { stopReason: part.stopReason, usage: part.usage };
    else take(part);
  }
  return ending;
}

function failure(error: unknown): Ending {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof ModelFailed)) return { error: message, errorKind: "invalid_request" };
  const { kind, retryAfterMs } = error;
  return { error: message, errorKind: kind, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}

/** The part of a model that goes to the agent. */
export function modelDefinition(model: CustomModel): HostModelDefinition {
  const { id, name, contextWindow, maxTokens, input, reasoning, tools } = model;
  return { id, name, contextWindow, maxTokens, input, reasoning, tools };
}
