import { errorMessage } from "../../protocol/errors.ts";

/** Stores secrets by key, on this machine or in the host. */
interface Store {
  read(key: string): Promise<string | undefined>;
  write(key: string, value: string): Promise<void>;
  remove(key: string): Promise<void>;
}

/** A host that may store secrets. Its methods reject when it can't. */
interface SecretHost {
  readonly isOffered: boolean;
  get(key: string): Promise<string | undefined>;
  store(key: string, secret: string): Promise<void>;
  delete(key: string): Promise<void>;
}

type Update = (before: string | undefined) => string;

interface KeptSecretsOptions {
  host: SecretHost;
  file: Store;
  /** Writes a message for people to stderr. */
  warn(message: string): void;
}

/**
 * Secrets by key, stored by the host if it offers that, otherwise in a file. The file also serves while the host fails, so a secret in the file is
 * newer than the host's. It moves to the host when it is read.
 */
export class KeptSecrets implements Store {
  readonly #options: KeptSecretsOptions;
  /** The last known values, used when the host fails. */
  readonly #known = new Map<string, string>();
  /** Secrets that the host could not read, and whose values aren't known. */
  readonly #unread = new Set<string>();
  /** Changes of secrets that the host could not read then. The file has them alone; they are made again once it can. */
  readonly #late = new Map<string, readonly Update[]>();
  #hasWarned = false;

  constructor(options: KeptSecretsOptions) {
    this.#options = options;
  }

  async read(key: string): Promise<string | undefined> {
    const { host, file } = this.#options;
    const filed = await file.read(key);
    if (filed !== undefined) {
      const newest = await this.#caughtUp(key, filed);
      this.#known.set(key, newest);
      if (this.#late.has(key)) return newest;
      const moved = await this.#atHost(() => host.store(key, newest));
      if (!moved.isDone && newest !== filed) await file.write(key, newest);
      if (moved.isDone && (await file.read(key)) === filed) await file.remove(key);
      return newest;
    }
    const kept = await this.#atHost(() => host.get(key));
    const isUnread = !kept.isDone && host.isOffered && !this.#known.has(key);
    if (isUnread) this.#unread.add(key);
    else this.#unread.delete(key);
    if (!kept.isDone) return host.isOffered ? this.#known.get(key) : undefined;
    if (kept.value === undefined) this.#known.delete(key);
    else this.#known.set(key, kept.value);
    return kept.value;
  }

  /** Writes what `update` makes of a secret. If the host can't say what it has, nothing of that is lost. */
  async change(key: string, update: Update): Promise<void> {
    const value = update(await this.read(key));
    const late = this.#late.get(key);
    if (late === undefined && !this.#unread.has(key)) return this.write(key, value);
    this.#unread.delete(key);
    this.#late.set(key, [...(late ?? []), update]);
    await this.#options.file.write(key, value);
  }

  /** Makes the late changes of a secret, which the file has, to that of the host. */
  async #caughtUp(key: string, filed: string): Promise<string> {
    const late = this.#late.get(key);
    if (late === undefined) return filed;
    const kept = await this.#atHost(() => this.#options.host.get(key));
    if (!kept.isDone) return filed;
    this.#late.delete(key);
    return late.reduce((value: string | undefined, update) => update(value), kept.value) ?? filed;
  }

  async write(key: string, value: string): Promise<void> {
    const { host, file } = this.#options;
    this.#known.set(key, value);
    this.#late.delete(key);
    const kept = await this.#atHost(() => host.store(key, value));
    if (!kept.isDone) return file.write(key, value);
    await this.#removeFromFile(key);
  }

  /** @throws when the host couldn't delete the secret and may still have it. */
  async remove(key: string): Promise<void> {
    const { host } = this.#options;
    this.#known.delete(key);
    this.#late.delete(key);
    await this.#removeFromFile(key);
    if (!host.isOffered) return;
    try {
      await host.delete(key);
    } catch (error) {
      throw new Error(`The host couldn't delete the secret: ${errorMessage(error)}`, { cause: error });
    }
  }

  /** Otherwise, an older secret in the file would come back. */
  async #removeFromFile(key: string): Promise<void> {
    const { file } = this.#options;
    if ((await file.read(key)) !== undefined) await file.remove(key);
  }

  async #atHost<T>(work: () => Promise<T>): Promise<{ isDone: true; value: T } | { isDone: false }> {
    if (!this.#options.host.isOffered) return { isDone: false };
    try {
      return { isDone: true, value: await work() };
    } catch (error) {
      if (!this.#hasWarned) this.#options.warn(`The host couldn't keep a secret: ${errorMessage(error)} Using a file.`);
      this.#hasWarned = true;
      return { isDone: false };
    }
  }
}
