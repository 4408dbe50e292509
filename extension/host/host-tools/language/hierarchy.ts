import type * as vscode from "vscode";
import * as z from "zod";
import { defineHostTool, HostToolFailed } from "../host-tool.ts";
import { count, listText, nextArgument } from "../listing.ts";
import { askLanguage } from "./ask-language.ts";
import { outsideMark } from "./locations.ts";
import { findPlace, placeArguments, placeText } from "./place.ts";
import { kindName } from "./symbol-words.ts";

const MAX_DEPTH = 3;
const MAX_ITEMS = 300;
const depthArgument = z.int().min(1).max(MAX_DEPTH).default(1);

/** One step of a hierarchy: an item and the note beside its name. */
interface Step<Item> {
  readonly item: Item;
  readonly note: string;
}

type HierarchyItem = vscode.CallHierarchyItem | vscode.TypeHierarchyItem;

/** Lists the callers of a function, or the functions that it calls. */
export const callHierarchy = defineHostTool({
  name: "vscode_call_hierarchy",
  label: "Call hierarchy",
  description: "Lists what calls a function, or what it calls.",
  isReadOnly: true,
  paths: [{ argument: "path", access: "read" }],
  input: z.object({
    ...placeArguments,
    direction: z.enum(["incoming", "outgoing"]).default("incoming"),
    depth: depthArgument,
    next: nextArgument,
  }),
  async run({ direction, depth, next, ...wanted }, { token, folder }) {
    const { document, position, name } = await findPlace(wanted, token, folder);
    const roots = await askLanguage<vscode.CallHierarchyItem[] | undefined>(
      token,
      "vscode.prepareCallHierarchy",
      document.uri,
      position,
    );
    const steps = direction === "incoming" ? incoming : outgoing;
    const lines = await walk(rootOf(roots, name, "call hierarchy"), depth, (item) => steps(item, token));
    return listText({ title: titleOf(lines, direction === "incoming" ? "caller" : "callee", name), lines, next });
  },
});

/** Lists the supertypes of a type, or its subtypes. */
export const typeHierarchy = defineHostTool({
  name: "vscode_type_hierarchy",
  label: "Type hierarchy",
  description: "Lists a type's supertypes or subtypes.",
  isReadOnly: true,
  paths: [{ argument: "path", access: "read" }],
  input: z.object({
    ...placeArguments,
    direction: z.enum(["supertypes", "subtypes"]).default("subtypes"),
    depth: depthArgument,
    next: nextArgument,
  }),
  async run({ direction, depth, next, ...wanted }, { token, folder }) {
    const { document, position, name } = await findPlace(wanted, token, folder);
    const roots = await askLanguage<vscode.TypeHierarchyItem[] | undefined>(
      token,
      "vscode.prepareTypeHierarchy",
      document.uri,
      position,
    );
    const command = direction === "subtypes" ? "vscode.provideSubtypes" : "vscode.provideSupertypes";
    const lines = await walk(rootOf(roots, name, "type hierarchy"), depth, async (item) => {
      const found = await askLanguage<vscode.TypeHierarchyItem[] | undefined>(token, command, item);
      return (found ?? []).map((other) => ({ item: other, note: "" }));
    });
    return listText({ title: titleOf(lines, direction.slice(0, -1), name), lines, next });
  },
});

function rootOf<Item>(roots: readonly Item[] | undefined, name: string, what: string): Item {
  const [root] = roots ?? [];
  if (root !== undefined) return root;
  throw new HostToolFailed(
    `The language service has no ${what} for "${name}". Use vscode_find_references instead, or another occurrence.`,
  );
}

async function incoming(item: vscode.CallHierarchyItem, token: vscode.CancellationToken) {
  const calls = await askLanguage<vscode.CallHierarchyIncomingCall[] | undefined>(
    token,
    "vscode.provideIncomingCalls",
    item,
  );
  return (calls ?? []).map(({ from, fromRanges }) => ({ item: from, note: callLines(fromRanges) }));
}

async function outgoing(item: vscode.CallHierarchyItem, token: vscode.CancellationToken) {
  const calls = await askLanguage<vscode.CallHierarchyOutgoingCall[] | undefined>(
    token,
    "vscode.provideOutgoingCalls",
    item,
  );
  return (calls ?? []).map(({ to, fromRanges }) => ({ item: to, note: callLines(fromRanges) }));
}

function callLines(ranges: readonly vscode.Range[]): string {
  const lines = [...new Set(ranges.map(({ start }) => start.line + 1))];
  return `, ${lines.length === 1 ? "line" : "lines"} ${lines.join(", ")}`;
}

/** Returns the lines of a hierarchy below its root; each item is expanded once. */
async function walk<Item extends HierarchyItem>(
  root: Item,
  depth: number,
  stepsOf: (item: Item) => Promise<Step<Item>[]>,
): Promise<string[]> {
  const lines: string[] = [];
  const seen = new Set([keyOf(root)]);
  const follow = async (item: Item, level: number): Promise<void> => {
    for (const step of await stepsOf(item)) {
      if (lines.length >= MAX_ITEMS) return;
      const key = keyOf(step.item);
      const isKnown = seen.has(key);
      lines.push(`${"  ".repeat(level)}${describe(step)}${isKnown ? " (again)" : ""}`);
      seen.add(key);
      if (!isKnown && level + 1 < depth) await follow(step.item, level + 1);
    }
  };
  await follow(root, 0);
  return lines;
}

function titleOf(lines: readonly string[], what: string, name: string): string {
  const more = lines.length < MAX_ITEMS ? "" : ", and there may be more: ask for less depth, or for one of them";
  return `${count(lines.length, what)} of "${name}"${more}:`;
}

function describe({ item, note }: Step<HierarchyItem>): string {
  return `${kindName(item.kind)} ${item.name} at ${placeText(item.uri, item.selectionRange.start)}${note}${outsideMark(item.uri)}`;
}

function keyOf({ uri, selectionRange, name }: HierarchyItem): string {
  return `${placeText(uri, selectionRange.start)} ${name}`;
}
