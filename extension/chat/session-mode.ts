import type { PermissionMode } from "../../agent/protocol/approvals.ts";
import { t } from "../../webview/l10n.ts";

/** How a mode looks; `icon` is the name of a codicon, `hint` a sentence. */
interface ModeFace {
  readonly label: string;
  readonly icon: string;
  readonly hint: string;
}

/** How a mode looks to people. */
export function modeFace(mode: PermissionMode): ModeFace {
  const faces: { readonly [M in PermissionMode]: ModeFace } = {
    readonly: { label: t("Read Only"), icon: "eye", hint: t("Looks only: runs no commands and changes no files.") },
    confirm: { label: t("Ask First"), icon: "shield", hint: t("Asks before it runs a command or changes a file.") },
    "auto-edit": {
      label: t("Auto-Edit"),
      icon: "edit",
      hint: t("Changes files of the workspace without asking, asks before commands that change something."),
    },
    auto: { label: t("Full Access"), icon: "unlock", hint: t("Runs commands and changes files without asking.") },
  };
  return faces[mode];
}

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
