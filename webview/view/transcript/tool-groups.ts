import type { Host } from "../../host.ts";
import { t } from "../../l10n.ts";
import type { ToolItem } from "../../protocol/items.ts";
import { createSpinner, icon } from "../common/controls.ts";
import { duration, el, setText } from "../common/dom.ts";
import { type ItemView, keepOpen, keptOpen, type ViewContext } from "../common/item-view.ts";
import { isSelected } from "../common/unselected.ts";
import type { ItemViews } from "../items/item-views.ts";

/** Folds neighboring calls that only look into one line; in the compact view, edits too. */
export interface ToolGroups {
  /** Looks again at which calls are neighbors, at the next frame. */
  refresh(): void;
}

interface Member {
  readonly view: ItemView;
  readonly tool: ToolItem | undefined;
}

/** Sent by an item that must be seen; it bubbles. */
export const UNFOLD = "tiller-unfold";

/** Starts to fold the calls in `content`, which holds the items. */
export function createToolGroups(content: HTMLElement, views: ItemViews, context: ViewContext): ToolGroups {
  const heads = new Map<string, GroupHead>();

  function refresh(): void {
    const found = findGroups(content, views, context.density() === "compact");
    for (const [id, head] of heads) if (!found.has(id)) dropHead(id, head);
    const grouped = new Set<Element>();
    for (const [id, members] of found) {
      let head = heads.get(id);
      if (head === undefined || !head.element.isConnected) {
        if (members.some(({ view }) => isInUse(view.element, context.host))) keepOpen(context.host, groupKey(id), true);
        head = new GroupHead(() => toggle(id));
        heads.set(id, head);
        members[0]?.view.element.prepend(head.element);
      }
      const isOpen = keptOpen(context.host, groupKey(id)) ?? context.density() === "open";
      head.show(
        members.flatMap(({ tool }) => tool ?? []),
        isOpen,
      );
      members.forEach(({ view: { element } }, at) => {
        grouped.add(element);
        element.dataset.folded = isOpen ? "open" : at === 0 ? "lead" : "hidden";
      });
    }
    for (const element of content.querySelectorAll<HTMLElement>("[data-folded]"))
      if (!grouped.has(element)) delete element.dataset.folded;
  }
  function dropHead(id: string, head: GroupHead): void {
    head.element.remove();
    heads.delete(id);
  }
  function toggle(id: string): void {
    const isOpen = keptOpen(context.host, groupKey(id)) ?? context.density() === "open";
    keepOpen(context.host, groupKey(id), !isOpen);
    refresh();
  }
  content.addEventListener(UNFOLD, ({ target }) => {
    if (!(target instanceof HTMLElement)) return;
    const id = [...findGroups(content, views, context.density() === "compact")].find(([, members]) =>
      members.some(({ view }) => view.element === target),
    )?.[0];
    if (id === undefined || target.dataset.folded === "open") return;
    keepOpen(context.host, groupKey(id), true);
    refresh();
  });
  return { refresh: () => context.frame.request(refresh) };
}

/** True if the user has opened an item, selected some of it, or has the keyboard in it: then it must not fold away. */
function isInUse(item: HTMLElement, host: Host): boolean {
  const isOpened = item.dataset.id !== undefined && keptOpen(host, item.dataset.id) === true;
  return isOpened || item.contains(document.activeElement) || isSelected(item);
}

function groupKey(id: string): string {
  return `group ${id}`;
}

/** Returns the groups by the id of their first call, in order. Thinking between two calls folds with them. */
function findGroups(content: HTMLElement, views: ItemViews, foldsEdits: boolean): Map<string, Member[]> {
  const groups = new Map<string, Member[]>();
  let members: Member[] = [];
  let kind = "";
  function close(): void {
    const last = members.findLastIndex(({ tool }) => tool !== undefined);
    const id = members[0]?.view.element.dataset.id;
    const own = members.slice(0, last + 1);
    if (id !== undefined && own.filter(({ tool }) => tool !== undefined).length > 1) groups.set(id, own);
    members = [];
  }
  for (const element of content.querySelectorAll<HTMLElement>(".item")) {
    const view = views.get(element.dataset.id);
    if (view === undefined) continue;
    const tool = view.tool?.();
    const next = kindOf(tool, foldsEdits);
    if (next === "" && element.matches(".thinking:not(.is-streaming)") && members.length > 0) {
      members.push({ view, tool: undefined });
      continue;
    }
    if (next !== kind) close();
    kind = next;
    if (next !== "") members.push({ view, tool });
  }
  close();
  return groups;
}

function kindOf(tool: ToolItem | undefined, foldsEdits: boolean): "" | "look" | "edit" {
  if (tool?.part === undefined || tool.state === "waiting" || tool.canStop === true) return "";
  if (tool.part !== "edit") return "look";
  return foldsEdits && tool.state === "done" ? "edit" : "";
}

class GroupHead {
  readonly element: HTMLButtonElement;
  readonly #words = el("span", "tool-name");
  readonly #rest = el("span", "tool-note");
  readonly #mark = el("span", "tool-state");

  constructor(toggle: () => void) {
    const head = el("button", "tool-head group-head", { type: "button" }, [
      icon("chevron-right"),
      this.#words,
      " ",
      this.#rest,
      " ",
      this.#mark,
    ]);
    head.addEventListener("click", toggle);
    this.element = head;
  }

  show(tools: readonly ToolItem[], isOpen: boolean): void {
    const isAtWork = tools.some(({ state }) => state === "running" || state === "preparing" || state === "queued");
    this.element.setAttribute("aria-expanded", String(isOpen));
    setText(this.#words, tools[0]?.part === "edit" ? wordEdits(tools) : wordLooks(tools, isAtWork));
    const ms = tools.reduce((sum, { durationMs = 0 }) => sum + durationMs, 0);
    setText(this.#rest, [wordFailures(tools), ms > 0 && !isAtWork ? duration(ms) : ""].filter(Boolean).join(" · "));
    if (isAtWork !== (this.#mark.firstChild !== null))
      this.#mark.replaceChildren(...(isAtWork ? [createSpinner()] : []));
  }
}

function wordLooks(tools: readonly ToolItem[], isAtWork: boolean): string {
  const files = filesOf(tools.filter(({ part }) => part === "file"));
  const of = (part: ToolItem["part"]) => tools.filter((tool) => tool.part === part).length;
  const counts = [
    some(files, t("1 file"), t("{0} files", files)),
    some(of("folder"), t("1 folder"), t("{0} folders", of("folder"))),
    some(of("search"), t("1 search"), t("{0} searches", of("search"))),
    some(of("command"), t("1 command"), t("{0} commands", of("command"))),
  ];
  const what = counts.filter((words) => words !== "").join(", ");
  return isAtWork ? t("Exploring {0}…", what) : t("Explored {0}", what);
}

function wordEdits(tools: readonly ToolItem[]): string {
  const counts = tools.map(({ intent }) => / \+(\d+) −(\d+)$/.exec(intent) ?? []);
  const sum = (at: 1 | 2) => counts.reduce((all, numbers) => all + Number(numbers[at] ?? 0), 0);
  const files = filesOf(tools);
  return `${t("Edited {0}", some(files, t("1 file"), t("{0} files", files)))} +${sum(1)} −${sum(2)}`;
}

/** Returns the number of different files; a call without a path counts as one. */
function filesOf(tools: readonly ToolItem[]): number {
  return new Set(tools.map(({ path, id }) => path ?? id)).size;
}

function some(count: number, one: string, many: string): string {
  return count === 0 ? "" : count === 1 ? one : many;
}

function wordFailures(tools: readonly ToolItem[]): string {
  const failed = tools.filter(({ state }) => state === "failed");
  if (failed.length === 0) return "";
  const isAboutFiles = failed.every(({ part }) => part === "file" || part === "folder");
  return isAboutFiles ? t("{0} not found", failed.length) : t("{0} failed", failed.length);
}
