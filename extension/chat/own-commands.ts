import { t } from "../../webview/l10n.ts";
import type { PanelCommand } from "../../webview/protocol/ui.ts";

const NAMES = ["new", "clear", "compact", "model", "mode", "export", "fork", "rewind", "approvals", "help"] as const;

/** A command of the chat itself, which the agent never sees. */
export type OwnCommandName = (typeof NAMES)[number];

/** A message that is a command of the chat: its name, and what follows it. */
export interface OwnCommand {
  readonly name: OwnCommandName;
  readonly rest: string;
}

/** The templates of the agent that stand among the commands of the chat, unless the user has replaced them. */
const BUILT_IN_TEMPLATES: readonly string[] = ["review", "init"];

/** Returns the commands that the chat itself understands, in their order in the list. */
export function ownCommands(): PanelCommand[] {
  const own = (name: OwnCommandName | "plan", description: string, argumentHint = ""): PanelCommand => ({
    name,
    description,
    argumentHint,
    source: "Tiller",
  });
  return [
    own("new", t("Starts a new chat")),
    own("clear", t("Starts a new chat; this one stays in the sessions")),
    own("compact", t("Summarizes old messages to make room"), t("[what to keep]")),
    own("model", t("Selects the model")),
    own("mode", t("Selects the permission mode")),
    own("plan", t("Makes a plan first, without changing anything"), t("<task>")),
    own("export", t("Exports this session")),
    own("fork", t("Continues from an earlier message in a new session")),
    own("rewind", t("Restores files and chat to an earlier message")),
    own("approvals", t("Lists the approval rules and removes them")),
    own("help", t("Shows what you can type")),
  ];
}

/** Puts the agent's commands behind those of the chat, which win where a name is the same. */
export function withOwnCommands(agents: readonly PanelCommand[]): PanelCommand[] {
  const own = ownCommands();
  const others = agents.filter(({ name }) => own.every((command) => command.name !== name));
  const isBuiltIn = ({ name, source }: PanelCommand) => BUILT_IN_TEMPLATES.includes(name) && source === "prompt";
  const builtIn = others.filter(isBuiltIn).map((command) => ({ ...command, source: "Tiller" }));
  return [...own, ...builtIn, ...others.filter((command) => !isBuiltIn(command))];
}

/** Returns the command that a message is, or undefined for any other message. `/plan` takes a message along, so it is not among them. */
export function readOwnCommand(text: string): OwnCommand | undefined {
  const [, word, rest = ""] = /^\/([a-z]+)(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? [];
  const name = word === undefined ? undefined : NAMES.find((one) => one === word);
  // What takes no argument is a sentence when something follows.
  return name === undefined || (rest !== "" && name !== "compact") ? undefined : { name, rest: rest.trim() };
}
