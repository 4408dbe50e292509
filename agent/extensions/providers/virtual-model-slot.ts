import * as z from "zod";
import { errorMessage } from "../../protocol/errors.ts";
import { ThinkingLevel } from "../../protocol/model.ts";
import type { Router, RouterRequest } from "../../providers/virtual-models.ts";
import { plainCopy } from "../../util/plain-copy.ts";
import { type Extension, ExtensionFunction, readRegistration } from "../registrations.ts";
import { answerFailure } from "./answer-failure.ts";
import type { ProviderSlot } from "./provider-slot.ts";

const name = z.string().trim().min(1);
const limit = z.int().nonnegative().default(0);

const Definition = z.lazy(() =>
  z.object({
    provider: name,
    id: name,
    name: z.string().optional(),
    thinkingLevels: z.array(ThinkingLevel).default(["off"]),
    contextWindow: limit,
    maxTokens: limit,
    input: z.array(z.enum(["text", "image"])).default(["text", "image"]),
    route: ExtensionFunction,
  }),
);

const Route = z.lazy(() =>
  z.object({
    model: z.object({ provider: z.string(), id: z.string() }),
    thinkingLevel: ThinkingLevel.default("off"),
    state: z.unknown().optional(),
  }),
);

/** Calls a router as code of its extension, whose work `signal` aborts. */
type RunRouter = (
  extension: Extension,
  signal: AbortSignal,
  route: ExtensionFunction,
  request: object,
) => Promise<unknown>;

/** Adds virtual models of extensions to the models. */
export class VirtualModelSlot {
  readonly #providers: ProviderSlot;
  readonly #run: RunRouter;

  constructor(providers: ProviderSlot, run: RunRouter) {
    this.#providers = providers;
    this.#run = run;
  }

  /** @throws Error that describes the problem, unless the model has to wait. */
  register(extension: Extension, given: unknown): void {
    const { route, ...facts } = readRegistration(Definition, given, "Virtual model");
    const call: ExtensionFunction = (...args) => route.apply(given, args);
    const router: Router = (request) => this.#ask(extension, call, request);
    this.#providers.whenBound(extension, "register_virtual_model", (registry) => {
      registry.addVirtual({ ...facts, name: facts.name ?? facts.id }, router);
      extension.life.atEnd(() => registry.removeVirtual(facts, router));
    });
  }

  /** Removes a virtual model. */
  unregister(extension: Extension, provider: string, id: string): void {
    this.#providers.whenBound(extension, "register_virtual_model", (registry) =>
      registry.removeVirtual({ provider, id }),
    );
  }

  /** @throws ProviderError, whose text decides whether the request is made again. */
  async #ask(extension: Extension, call: ExtensionFunction, { content, ...request }: RouterRequest) {
    const { toRouterMessages } = await import("./transcript.ts");
    const given = { ...request, messages: toRouterMessages(plainCopy({ ...content })) };
    try {
      return readRegistration(Route, await this.#run(extension, request.signal, call, given), "Route");
    } catch (error) {
      throw answerFailure(errorMessage(error), error);
    }
  }
}
