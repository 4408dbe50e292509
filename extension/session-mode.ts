import type { PermissionMode } from "../agent/protocol/approvals.ts";

/** How a mode looks; `icon` is the name of a codicon, `hint` a sentence. */
interface ModeFace {
  readonly label: string;
  readonly icon: string;
  readonly hint: string;
}

/** The modes, from the one that allows least to the one that allows most. */
export const MODE_FACES: { readonly [M in PermissionMode]: ModeFace } = {
  readonly: { label: "Read Only", icon: "eye", hint: "Looks only: runs no commands and changes no files." },
  confirm: { label: "Ask First", icon: "shield", hint: "Asks before it runs a command or changes a file." },
  "auto-edit": {
    label: "Auto-Edit",
    icon: "edit",
    hint: "Changes files of the workspace without asking, asks before commands that change something.",
  },
  auto: { label: "Full Access", icon: "unlock", hint: "Runs commands and changes files without asking." },
};

/**
 * What the agent may do without asking: the setting, until the user chooses something else for this session. A choice survives a crash
 * or a restart of the agent, except for full access, which has to be chosen again.
 */
export class SessionMode {
  readonly #setting: () => PermissionMode;
  #chosen: PermissionMode | undefined;

  /** @param setting reads the mode of the settings. */
  constructor(setting: () => PermissionMode) {
    this.#setting = setting;
  }

  get current(): PermissionMode {
    return this.#chosen ?? this.#setting();
  }

  /** @returns what takes the choice back: the agent has refused it. */
  choose(mode: PermissionMode): () => void {
    const before = this.#chosen;
    this.#chosen = mode;
    return () => {
      this.#chosen = before;
    };
  }

  /** Goes back to the setting: it has changed, or another session begins. */
  forget(): void {
    this.#chosen = undefined;
  }

  /** The process is gone. @returns whether full access went with it. */
  processEnded(): boolean {
    if (this.#chosen !== "auto") return false;
    this.#chosen = undefined;
    return this.#setting() !== "auto";
  }
}
