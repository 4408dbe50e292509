import * as z from "zod";
import { AgentError } from "../../protocol/errors.ts";
import {
  HOST_MODEL_API,
  type HostModelDefinition,
  HostModelPart,
  HostModelResult,
} from "../../protocol/host-models.ts";
import { tagsOf } from "../../protocol/late-schema.ts";
import type { Model } from "../../protocol/model.ts";
import { HostAnswer } from "../../providers/host-answer.ts";
import { hostModel, hostRequest } from "../../providers/host-model.ts";
import { NO_KEY_NEEDED } from "../../providers/key-source.ts";
import { type Provider, ProviderError, type ProviderEvent, type ProviderRequest } from "../../providers/provider.ts";
import type { ModelRegistry } from "../../providers/registry.ts";
import { mapToolNames } from "../../providers/tool-names.ts";
import { atMost } from "../../util/at-most.ts";
import { deferred } from "../../util/deferred.ts";
import { crypto } from "../../util/late-node.ts";

/** A frame is read field by field, so that a partly invalid frame still settles its request. */
const LooseFrame = z.object({ id: z.string() });
const LooseUpdate = LooseFrame.extend({ parts: z.array(z.unknown()) });
const TypedPart = z.object({ type: z.string() });

const partTypes = tagsOf(HostModelPart, "type");

/** The time that a message waits for models of the host. */
const FIRST_MODELS_MS = 10_000;

interface BridgeOptions {
  write(frame: object): void;
  warn(message: string): void;
}

/** Asks models that the host brings. Every request settles: by its result, its abort, or the end of the connection. */
export class HostModelBridge {
  readonly #options: BridgeOptions;
  readonly #pending = new Map<string, HostAnswer>();
  readonly #provider: Provider = {
    api: HOST_MODEL_API,
    needsKey: false,
    stream: (request) => this.#stream(request),
  };
  readonly #first = deferred<void>();
  #name: string | undefined;
  #isClosed = false;

  constructor(options: BridgeOptions) {
    this.#options = options;
  }

  /**
   * Replaces all models of the host. Running requests continue.
   * @throws AgentError invalid_request if the provider is not the host's or a model is listed twice; nothing changes then.
   */
  replace(registry: ModelRegistry, name: string, definitions: readonly HostModelDefinition[]): Model[] {
    if (name !== this.#name && (registry.isKnown(name) || registry.all().some(({ provider }) => provider === name))) {
      throw new AgentError("invalid_request", `RPC host provider "${name}" conflicts with an existing provider`);
    }
    if (new Set(definitions.map(({ id }) => id)).size < definitions.length) {
      throw new AgentError("invalid_request", "RPC host model ids must be unique");
    }
    const models = definitions.map((definition) => hostModel(name, definition));
    if (this.#name !== undefined && this.#name !== name) registry.removeProvider(this.#name);
    this.#name = name;
    registry.addProvider(name, { models, key: NO_KEY_NEEDED, provider: this.#provider });
    this.#first.resolve();
    return models;
  }

  /**
   * Resolves when the host has brought models for the first time, or after ten seconds: a host may know them only a moment after it has started.
   * @returns undefined when there is nothing to wait for.
   */
  comingFor(model: Model | undefined): Promise<void> | undefined {
    if (model?.api !== HOST_MODEL_API || this.#name !== undefined) return undefined;
    return atMost(this.#first.promise, FIRST_MODELS_MS);
  }

  /** Receives output of a model; ignores output for an unknown request. */
  update(frame: object): void {
    const update = LooseUpdate.safeParse(frame).data;
    const known = update?.parts.filter((part) => !isOfAnotherTime(part));
    const parts = HostModelPart.array().safeParse(known);
    if (update !== undefined && parts.success) this.#pending.get(update.id)?.take(parts.data);
    else this.#failUnreadable(frame, "host_model_update");
  }

  /** Receives the end of a response; ignores the end of an unknown request. */
  result(frame: object): void {
    const { success, data } = HostModelResult.safeParse(frame);
    if (success) {
      const answer = this.#pending.get(data.id);
      this.#pending.delete(data.id);
      answer?.end(data);
    } else {
      this.#failUnreadable(frame, "host_model_result");
    }
  }

  /** The host is gone. */
  close(): void {
    this.#isClosed = true;
    this.#first.resolve();
    for (const answer of this.#pending.values()) answer.fail(disconnected());
    this.#pending.clear();
  }

  /** An incomplete response would look like the model's own, so it fails. */
  #failUnreadable(frame: object, type: string): void {
    const { success, data } = LooseFrame.safeParse(frame);
    const error = new ProviderError("invalid_request", `The host sent a ${type} that cannot be read.`);
    if (success) this.#pending.get(data.id)?.fail(error);
    else this.#options.warn(`A ${type} without a string id was ignored.`);
  }

  async *#stream(request: ProviderRequest): AsyncGenerator<readonly ProviderEvent[], void> {
    if (this.#isClosed) throw disconnected();
    const { signal } = request;
    if (signal.aborted) throw aborted();
    const id = crypto().randomUUID();
    const names = mapToolNames(request.tools);
    const answer = new HostAnswer(names);
    const onAbort = () => answer.fail(aborted());
    signal.addEventListener("abort", onAbort, { once: true });
    this.#pending.set(id, answer);
    this.#options.write(hostRequest(id, request, names));
    try {
      yield* answer.batches();
    } finally {
      signal.removeEventListener("abort", onAbort);
      const isWaiting = this.#pending.delete(id);
      if (isWaiting) this.#options.write({ type: "host_model_cancel", id: crypto().randomUUID(), targetId: id });
    }
  }
}

/** Newer hosts may send unknown kinds of parts, which are ignored. */
function isOfAnotherTime(value: unknown): boolean {
  const part = TypedPart.safeParse(value);
  return part.success && !partTypes().has(part.data.type);
}

function aborted(): ProviderError {
  return new ProviderError("aborted", "Request was aborted");
}

function disconnected(): ProviderError {
  return new ProviderError("network", "The host that runs this model has disconnected.");
}
