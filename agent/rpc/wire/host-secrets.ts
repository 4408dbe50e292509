import { type HostSecretRequest, HostSecretResult } from "../../protocol/host-secrets.ts";
import { crypto } from "../../util/late-node.ts";

/** The time limit for the host's answer. Its storage may ask the user to unlock it. */
const LIMIT_MS = 30_000;

interface PendingRequest {
  end(result: Omit<HostSecretResult, "type" | "id">): void;
}

/**
 * Asks the host for the secrets that it stores. Every request settles: by its result, its time limit, or the end of the connection. After a timeout,
 * the host isn't asked again.
 */
export class HostSecretBridge {
  readonly #write: (frame: HostSecretRequest) => void;
  readonly #limitMs: number;
  readonly #pending = new Map<string, PendingRequest>();
  #isOffered = false;
  /** The reason why the host isn't asked anymore. */
  #end: string | undefined;

  constructor(write: (frame: object) => void, limitMs = LIMIT_MS) {
    this.#write = write;
    this.#limitMs = limitMs;
  }

  /** True if the host stores secrets. */
  get isOffered(): boolean {
    return this.#isOffered;
  }

  /** Called when the host announces that it stores secrets. */
  offer(): void {
    this.#isOffered = true;
  }

  /** Rejects when the host can't read it. @returns undefined if there is none. */
  async get(key: string): Promise<string | undefined> {
    return (await this.#ask({ action: "get", key })).secret;
  }

  /** Rejects when the host can't store it. */
  async store(key: string, secret: string): Promise<void> {
    await this.#ask({ action: "store", key, secret });
  }

  /** Rejects when the host can't delete it. */
  async delete(key: string): Promise<void> {
    await this.#ask({ action: "delete", key });
  }

  /** Receives a result; ignores one for an unknown request. */
  result(frame: object): void {
    const { success, data } = HostSecretResult.safeParse(frame);
    if (success) this.#pending.get(data.id)?.end(data);
    else if ("id" in frame) this.#pending.get(String(frame.id))?.end({ error: "The host's answer can't be read." });
  }

  /** Called when the host is gone. */
  close(): void {
    this.#giveUp("The host has disconnected.");
  }

  #giveUp(error: string): void {
    this.#end = error;
    for (const request of [...this.#pending.values()]) request.end({ error });
  }

  #ask(request: Omit<HostSecretRequest, "type" | "id">): Promise<Omit<HostSecretResult, "type" | "id">> {
    if (this.#end !== undefined) return Promise.reject(new Error(this.#end));
    const id = crypto().randomUUID();
    return new Promise((resolve, reject) => {
      const end: PendingRequest["end"] = (result) => {
        clearTimeout(timer);
        this.#pending.delete(id);
        if (result.error === undefined) resolve(result);
        else reject(new Error(result.error));
      };
      const timer = setTimeout(() => this.#giveUp("The host didn't answer in time."), this.#limitMs);
      this.#pending.set(id, { end });
      this.#write({ type: "host_secret_request", id, ...request });
    });
  }
}
