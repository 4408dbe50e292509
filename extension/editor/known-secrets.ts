import type * as vscode from "vscode";
import { type FindSecrets, secretFinder, secretsOfEnv } from "../../agent/util/secrets.ts";
import { storedKeys } from "../core/keys/stored-keys.ts";
import { readSetting } from "./settings.ts";

/** The secrets that must be in no log, trace or report: those of the environment, of the secret storage and of the settings. */
export class KnownSecrets {
  readonly #storage: vscode.SecretStorage;
  #keys: readonly string[] = [];
  #find: FindSecrets = secretFinder([]);
  #isFirst = true;

  constructor(storage: vscode.SecretStorage) {
    this.#storage = storage;
  }

  /** Finds secrets, as far as they are known at this moment. */
  get find(): FindSecrets {
    if (this.#isFirst) {
      this.#isFirst = false;
      this.#make();
      // Keys that have a form of their own are found until then, too.
      void this.refresh();
    }
    return this.#find;
  }

  /** Reads the storage again. @returns finds what is known by then. */
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
