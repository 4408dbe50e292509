import type { ToolScope } from "../prompt/rule-header.ts";
import type { StreamRule } from "../prompt/rules.ts";
import { createTimeLimit } from "../util/time-limit.ts";
import { ArgumentText } from "./argument-text.ts";
import type { StreamStep } from "./message-builder.ts";
import { matchesPiece, type TextPiece, TextWindow } from "./text-window.ts";

/** Patterns that together take longer than this for one look are cut off, in ms; the one at work is not used again. */
const LOOK_LIMIT_MS = 250;

/** Looks at one answer while it is written. */
export interface AnswerWatch {
  add(step: StreamStep): void;
  /** Looks through what was added. @returns the rules that it goes against, in their order; empty when there are none. */
  check(): readonly StreamRule[];
}

interface AnswerWatchOptions {
  rules: readonly StreamRule[];
  /** Makes what tools call a path into what globs are for. */
  toGlobPath(path: string): string;
  /** A rule took too long, or broke: it is left out from here on. */
  onSlow(rule: StreamRule): void;
}

/** The watched text of one block of the answer. */
interface WatchedBlock {
  rules: readonly StreamRule[];
  windows: TextWindow[];
  /** Only for a tool call. */
  call: { tool: string; json: ArgumentText } | undefined;
  /** Rules that match, but only for some files, while the call has not named its file yet. */
  undecided: Set<StreamRule>;
  isEnded: boolean;
}

const limit = createTimeLimit(LOOK_LIMIT_MS);

/** Watches an answer for texts that go against rules. Costs in proportion to the answer. */
export function watchAnswer({ rules, toGlobPath, onSlow }: AnswerWatchOptions): AnswerWatch {
  const blocks = new Map<number, WatchedBlock>();
  const look = createLook(onSlow);
  return {
    add: (step) => addStep(blocks, rules, step),
    check() {
      const found = new Set<StreamRule>();
      for (const [index, block] of blocks) {
        for (const rule of checkBlock(block, look, toGlobPath)) found.add(rule);
        if (block.isEnded) blocks.delete(index);
      }
      return rules.filter((rule) => found.has(rule));
    },
  };
}

type Look = (rules: readonly StreamRule[], piece: TextPiece) => ReadonlySet<StreamRule>;

/** @returns which of some rules match a piece; one that proves slow is left out from then on. */
function createLook(onSlow: (rule: StreamRule) => void): Look {
  const slow = new Set<StreamRule>();
  return (rules, piece) => {
    const found = new Set<StreamRule>();
    const tests = rules.flatMap((rule) => rule.conditions.map((pattern) => ({ rule, pattern })));
    let at = 0;
    const goOn = () => {
      for (; at < tests.length; at++) {
        const test = tests[at];
        if (test === undefined || slow.has(test.rule) || found.has(test.rule)) continue;
        if (matchesPiece(test.pattern, piece)) found.add(test.rule);
      }
    };
    while (at < tests.length) {
      const stuck = limit(goOn) ? undefined : tests[at++];
      if (stuck === undefined) continue;
      slow.add(stuck.rule);
      onSlow(stuck.rule);
    }
    return found;
  };
}

/** @returns the rules that what came since the last check goes against. */
function checkBlock(block: WatchedBlock, look: Look, toGlobPath: (path: string) => string): StreamRule[] {
  const found = new Set<StreamRule>(block.undecided);
  for (const window of block.windows) {
    for (const piece of window.pieces()) for (const rule of look(block.rules, piece)) found.add(rule);
  }
  block.windows = block.windows.filter(({ isEnded }) => !isEnded);
  const { call } = block;
  if (call === undefined) return [...found];
  const path = call.json.path === undefined ? undefined : toGlobPath(call.json.path);
  const met = [...found].filter((rule) => scopesOf(rule, call.tool).some((scope) => isMet(scope, path)));
  block.undecided = new Set(path === undefined ? found : []);
  for (const rule of met) block.undecided.delete(rule);
  return met;
}

function addStep(blocks: Map<number, WatchedBlock>, rules: readonly StreamRule[], step: StreamStep): void {
  const block = blocks.get(step.contentIndex);
  switch (step.type) {
    case "text_start":
      openBlock(blocks, step.contentIndex, textBlock(rules.filter(({ watchesText }) => watchesText)));
      return;
    case "thinking_start":
      openBlock(blocks, step.contentIndex, textBlock(rules.filter(({ watchesThinking }) => watchesThinking)));
      return;
    case "toolcall_start":
      openBlock(blocks, step.contentIndex, callBlock(rules, step.toolName ?? ""));
      return;
    case "text_delta":
    case "thinking_delta":
      block?.windows.at(-1)?.add(step.delta);
      return;
    case "toolcall_delta":
      block?.call?.json.push(step.delta);
      return;
    case "text_end":
    case "thinking_end":
    case "toolcall_end":
      if (block === undefined) return;
      block.isEnded = true;
      block.windows.at(-1)?.end();
      return;
  }
}

function openBlock(blocks: Map<number, WatchedBlock>, index: number, block: WatchedBlock): void {
  if (block.rules.length > 0) blocks.set(index, block);
}

function textBlock(rules: readonly StreamRule[]): WatchedBlock {
  return { rules, windows: [new TextWindow()], call: undefined, undecided: new Set(), isEnded: false };
}

/** Each text among the arguments is looked at for itself. */
function callBlock(all: readonly StreamRule[], tool: string): WatchedBlock {
  const rules = all.filter((rule) => scopesOf(rule, tool).length > 0);
  const block: WatchedBlock = { rules, windows: [], call: undefined, undecided: new Set(), isEnded: false };
  const json = new ArgumentText({
    open: () => block.windows.push(new TextWindow()),
    add: (text) => block.windows.at(-1)?.add(text),
    close: () => block.windows.at(-1)?.end(),
  });
  block.call = { tool, json };
  return block;
}

function scopesOf(rule: StreamRule, tool: string): ToolScope[] {
  return rule.tools.filter((scope) => scope.tool === undefined || scope.tool === tool);
}

function isMet({ isForPath }: ToolScope, path: string | undefined): boolean {
  return isForPath === undefined || (path !== undefined && isForPath(path));
}
