import type { PermissionMode } from "../agent/protocol/approvals.ts";

/** How a mode looks; `icon` is the name of a codicon, `hint` a sentence. */
interface ModeFace {
  readonly label: string;
  readonly icon: string;
  readonly hint: string;
}

/** The modes, from the one that allows least to the one that allows most. */
export const MODE_FACES: { readonly [M in PermissionMode]: ModeFace } = {
  readonly: { label: "Read Only", icon: "eye", hint: "The agent can look, but neither run commands nor change files." },
  confirm: { label: "Ask First", icon: "shield", hint: "The agent asks before it runs a command or changes a file." },
  "auto-edit": {
    label: "Auto-Edit",
    icon: "edit",
    hint: "The agent changes files of the workspace without asking, and asks before it runs a command.",
  },
  auto: {
    label: "Full Access",
    icon: "unlock",
    hint: "The agent runs commands and changes files without asking.",
  },
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

  choose(mode: PermissionMode): void {
    this.#chosen = mode;
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
