import type { Host } from "../../host.ts";
import { t } from "../../l10n.ts";
import type { PanelCommand } from "../../protocol/ui.ts";
import type { TextBox } from "../common/controls.ts";
import { el, setText } from "../common/dom.ts";
import { createOptionList } from "./option-list.ts";
import { matchCommands, type SlashMatch } from "./slash-match.ts";

/** Most commands in the list at once; typing narrows it down. */
const MAX_SHOWN = 50;

/** The list of slash commands over the composer. The keyboard stays in the text. */
export interface SlashList {
  readonly element: HTMLElement;
  /** Takes a key of the composer. @returns whether it was meant for the list. */
  takeKey(event: KeyboardEvent): boolean;
  /** The commands that there are have come from the host. */
  setCommands(commands: readonly PanelCommand[]): void;
  /** The text was changed by something other than typing. */
  refresh(): void;
}

interface SlashListOptions {
  box: TextBox;
  host: Host;
  say(text: string): void;
  /** The text has been completed. */
  onChanged(): void;
}

/** Makes the list for a text that begins with a slash. */
export function createSlashList({ box, host, say, onChanged }: SlashListOptions): SlashList {
  const list = createOptionList(box, {
    id: "slash-list",
    className: "slash-list",
    label: t("Slash commands"),
    followsMouse: true,
    pick: complete,
    dismiss,
    // The command is there already: Enter sends it.
    isEnterForText: () => box.read().trim() === `/${matches[list.active()]?.command.name}`,
  });
  const hint = el("div", "slash-hint");
  let commands: readonly PanelCommand[] = [];
  let matches: readonly SlashMatch[] = [];
  let query: string | undefined;
  let isDismissed = false;

  function refresh(): void {
    const before = query;
    const text = box.read();
    if (!text.startsWith("/")) isDismissed = false;
    query = box.hasFocus() && !isDismissed ? queryIn(text, box.selection()) : undefined;
    if (query !== undefined && before === undefined) host.post({ type: "listCommands" });
    if (query !== before) draw();
    showHint(hint, list.isOpen() ? undefined : commandAlone(text, commands));
  }
  function draw(): void {
    const wasOpen = list.isOpen();
    matches = query === undefined ? [] : matchCommands(query, commands).slice(0, MAX_SHOWN);
    list.show(matches.map(optionView));
    if (list.isOpen() && !wasOpen) say(matches.length === 1 ? t("1 command") : t("{0} commands", matches.length));
  }
  function complete(index: number): void {
    const command = matches[index]?.command;
    if (command === undefined) return;
    fillIn(box, command);
    onChanged();
    refresh();
    if (command.argumentHint !== "") say(t("Arguments: {0}", command.argumentHint));
  }
  function dismiss(): void {
    isDismissed = true;
    refresh();
  }
  function setCommands(next: readonly PanelCommand[]): void {
    if (JSON.stringify(next) === JSON.stringify(commands)) return;
    const chosen = matches[list.active()]?.command.name;
    commands = next;
    draw();
    const kept = matches.findIndex(({ command }) => command.name === chosen);
    if (kept > 0) list.setActive(kept);
    showHint(hint, list.isOpen() ? undefined : commandAlone(box.read(), commands));
  }

  hint.hidden = true;
  for (const type of ["input", "keyup", "click", "focusin", "focusout"]) box.element.addEventListener(type, refresh);
  return { element: el("div", "slash", {}, [list.element, hint]), takeKey: list.takeKey, refresh, setCommands };
}

/** Returns the typed part of a command's name: the text begins with a slash, and the caret is in its first word. */
function queryIn(text: string, { start, end }: { start: number; end: number }): string | undefined {
  const word = /^\/\S*/.exec(text)?.[0];
  if (word === undefined || start !== end || start < 1 || start > word.length) return undefined;
  return text.slice(1, start);
}

/** The command that is all of a text and wants arguments. */
function commandAlone(text: string, commands: readonly PanelCommand[]): PanelCommand | undefined {
  const word = /^\/(\S+)\s*$/.exec(text)?.[1];
  const command = commands.find(({ name }) => name === word);
  return command?.argumentHint === "" ? undefined : command;
}

/** Says which arguments a command wants. */
function showHint(hint: HTMLElement, command: PanelCommand | undefined): void {
  hint.hidden = command === undefined;
  setText(hint, command === undefined ? "" : `/${command.name} ${command.argumentHint}`);
}

/** Puts a command in the place of the first word, with the caret behind it. */
function fillIn(box: TextBox, { name }: PanelCommand): void {
  const rest = box.read().replace(/^\S*\s*/, "");
  const start = `/${name} `;
  box.write(start + rest);
  box.select(start.length, start.length);
  box.focus();
}

function optionView({ command, letters }: SlashMatch, index: number): HTMLElement {
  const typed = new Set(letters);
  const name = [...command.name].length === command.name.length ? lettersOf(command.name, typed) : [command.name];
  const attributes = { role: "option", id: `slash-option-${index}`, "aria-selected": "false" };
  return el("div", "slash-option", attributes, [
    el("span", "slash-name", {}, ["/", ...name]),
    el("span", "slash-arguments", {}, [` ${command.argumentHint}`]),
    el("span", "slash-source", {}, [` ${command.source}`]),
    el("span", "slash-description", { title: command.description }, [` ${command.description}`]),
  ]);
}

function lettersOf(name: string, typed: ReadonlySet<number>): (Node | string)[] {
  return Array.from(name, (letter, at) => (typed.has(at) ? el("b", "", {}, [letter]) : letter));
}
