import type { TextBox } from "../controls.ts";
import type { Host } from "../host.ts";
import { t } from "../l10n.ts";
import type { PanelCommand } from "../protocol/ui.ts";
import { el, setText } from "./dom.ts";
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
  const list = el("div", "slash-list", { role: "listbox", "aria-label": t("Slash commands"), id: "slash-list" });
  const hint = el("div", "slash-hint");
  let commands: readonly PanelCommand[] = [];
  let matches: readonly SlashMatch[] = [];
  let active = 0;
  let isWanted = false;
  let isDismissed = false;
  let shownFor: string | undefined;

  function refresh(): void {
    const text = box.read();
    if (!text.startsWith("/")) isDismissed = false;
    const query = box.hasFocus() && !isDismissed ? queryIn(text, box.selection()) : undefined;
    if (query !== undefined && !isWanted) host.post({ type: "listCommands" });
    isWanted = query !== undefined;
    showMatches(query);
    showHint(text);
  }
  function showMatches(query: string | undefined): void {
    if (query === shownFor) return;
    shownFor = query;
    draw();
  }
  function draw(): void {
    const wasOpen = !list.hidden;
    matches = shownFor === undefined ? [] : matchCommands(shownFor, commands).slice(0, MAX_SHOWN);
    list.hidden = matches.length === 0;
    list.replaceChildren(...matches.map(optionView));
    if (list.hidden) box.setList(undefined);
    else setActive(0);
    if (!list.hidden && !wasOpen) say(matches.length === 1 ? t("1 command") : t("{0} commands", matches.length));
  }
  function setActive(index: number): void {
    active = index;
    for (const [at, option] of [...list.children].entries()) option.setAttribute("aria-selected", String(at === index));
    const option = list.children[index];
    if (!(option instanceof HTMLElement)) return;
    option.scrollIntoView({ block: "nearest" });
    box.setList({ element: list, active: option });
  }
  function showHint(text: string): void {
    const word = /^\/(\S+)\s*$/.exec(text)?.[1];
    const command = list.hidden ? commands.find(({ name }) => name === word) : undefined;
    hint.hidden = command === undefined || command.argumentHint === "";
    setText(hint, hint.hidden ? "" : `/${command?.name} ${command?.argumentHint}`);
  }
  function complete(index: number): void {
    const match = matches[index];
    if (match === undefined) return;
    const rest = box.read().replace(/^\S*\s*/, "");
    const start = `/${match.command.name} `;
    box.write(start + rest);
    box.select(start.length, start.length);
    box.focus();
    onChanged();
    refresh();
    if (match.command.argumentHint !== "") say(t("Arguments: {0}", match.command.argumentHint));
  }
  function close(): void {
    isDismissed = true;
    refresh();
  }
  function takeKey(event: KeyboardEvent): boolean {
    if (list.hidden || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return false;
    const isWhole = box.read().trim() === `/${matches[active]?.command.name}`;
    if (event.key === "ArrowDown") setActive((active + 1) % matches.length);
    else if (event.key === "ArrowUp") setActive((active - 1 + matches.length) % matches.length);
    else if (event.key === "Tab" || (event.key === "Enter" && !isWhole)) complete(active);
    else if (event.key === "Escape") close();
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  }

  list.hidden = true;
  hint.hidden = true;
  // Pressing the mouse must not take the keyboard out of the text.
  list.addEventListener("mousedown", (event) => event.preventDefault());
  list.addEventListener("click", (event) => complete(indexAt(event)));
  list.addEventListener("pointermove", (event) => {
    const index = indexAt(event);
    if (index !== -1 && index !== active) setActive(index);
  });
  function indexAt(event: Event): number {
    const option = event.target instanceof Element ? event.target.closest(".slash-option") : null;
    return option === null ? -1 : [...list.children].indexOf(option);
  }
  for (const type of ["input", "keyup", "click", "focusin", "focusout"]) box.element.addEventListener(type, refresh);
  return {
    element: el("div", "slash", {}, [list, hint]),
    takeKey,
    refresh,
    setCommands(next) {
      if (JSON.stringify(next) === JSON.stringify(commands)) return;
      const chosen = matches[active]?.command.name;
      commands = next;
      draw();
      const kept = matches.findIndex(({ command }) => command.name === chosen);
      if (kept > 0) setActive(kept);
      showHint(box.read());
    },
  };
}

/** What was typed of a command's name: the text begins with a slash, and the caret is in its first word. */
function queryIn(text: string, { start, end }: { start: number; end: number }): string | undefined {
  const word = /^\/\S*/.exec(text)?.[0];
  if (word === undefined || start !== end || start < 1 || start > word.length) return undefined;
  return text.slice(1, start);
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
