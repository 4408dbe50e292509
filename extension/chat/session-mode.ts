import type { PermissionMode } from "../../agent/protocol/approvals.ts";
import { t } from "../../webview/l10n.ts";

/** The appearance of a mode; `icon` is the name of a codicon, `hint` a sentence. */
interface ModeFace {
  readonly label: string;
  readonly icon: string;
  readonly hint: string;
}

/** Returns the appearance of a mode. */
export function modeFace(mode: PermissionMode): ModeFace {
  const faces: { readonly [M in PermissionMode]: ModeFace } = {
    readonly: {
      label: t("Read-Only"),
      icon: "eye",
      hint: t("Can't change anything: commands run only in a sandbox that prevents it."),
    },
    plan: {
      label: t("Plan First"),
      icon: "tasklist",
      hint: t("Explores and asks questions without changing anything, then gives you a plan to start."),
    },
    confirm: {
      label: t("Ask First"),
      icon: "shield",
      hint: t("Asks before it changes a file or runs a command that changes something."),
    },
    "auto-edit": {
      label: t("Auto-Edit"),
      icon: "edit",
      hint: t("Changes files in the workspace without asking. Asks before running commands that change something."),
    },
    sandboxed: {
      label: t("Sandboxed"),
      icon: "lock",
      hint: t(
        "Changes files in the workspace and runs commands in a sandbox without asking. Asks before a command leaves the sandbox.",
      ),
    },
    auto: { label: t("Full Access"), icon: "unlock", hint: t("Runs commands and changes files without asking.") },
  };
  return faces[mode];
}

/** Returns the appearance of the mode *Sandboxed* where there is no sandbox. @param problem why there is none. */
export function uncontainedFace(problem: string): ModeFace {
  return {
    label: t("Not Contained"),
    icon: "warning",
    hint: t("Commands can't run in a sandbox here: {0} Tiller asks before it runs them.", problem.replace(/\.?$/, ".")),
  };
}

/**
 * The permission mode: the setting, until the user chooses another mode for this session. A choice survives a crash or a restart of the agent,
 * except for full access, which has to be chosen again.
 */
export class SessionMode {
  readonly #setting: () => PermissionMode;
  #chosen: PermissionMode | undefined;

  /** @param setting returns the mode of the settings. */
  constructor(setting: () => PermissionMode) {
    this.#setting = setting;
  }

  get current(): PermissionMode {
    return this.#chosen ?? this.#setting();
  }

  /** @returns a function that reverts the choice, for when the agent refuses it. */
  choose(mode: PermissionMode): () => void {
    const before = this.#chosen;
    this.#chosen = mode;
    return () => {
      this.#chosen = before;
    };
  }

  /** Returns to the setting, since it has changed or another session begins. */
  forget(): void {
    this.#chosen = undefined;
  }

  /** Notes that the process has exited. @returns true when full access ended with it. */
  processEnded(): boolean {
    if (this.#chosen !== "auto") return false;
    this.#chosen = undefined;
    return this.#setting() !== "auto";
  }
}
