import type * as vscode from "vscode";
import { type FindSecrets, secretFinder, secretsOfEnv } from "../../agent/util/secrets.ts";
import { storedKeys } from "../core/keys/stored-keys.ts";
import { readSetting } from "./settings.ts";

/** The secrets that must not get into a log, trace or report: those of the environment, the secret storage and the settings. */
export class KnownSecrets {
  readonly #storage: vscode.SecretStorage;
  #keys: readonly string[] = [];
  #find: FindSecrets = secretFinder([]);
  #isFirst = true;

  constructor(storage: vscode.SecretStorage) {
    this.#storage = storage;
  }

  /** Finds the secrets that are known at this moment. */
  get find(): FindSecrets {
    if (this.#isFirst) {
      this.#isFirst = false;
      this.#make();
      // Until then, keys with a recognizable form are found, too.
      void this.refresh();
    }
    return this.#find;
  }

  /** Reads the storage again. @returns a finder of the secrets known by then. */
  async refresh(): Promise<FindSecrets> {
    this.#isFirst = false;
    // A storage that cannot be read has no key that could have been handed out.
    const keys = await storedKeys(this.#storage).catch(() => ({}));
    this.#keys = Object.values(keys);
    return this.#make();
  }

  #make(): FindSecrets {
    this.#find = secretFinder([...this.#keys, ...secretsOfEnv(process.env), ...secretsOfEnv(readSetting("agent.env"))]);
    return this.#find;
  }
}
