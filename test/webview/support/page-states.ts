import type { TranscriptItem } from "../../../webview/protocol/items.ts";
import type { PanelUi } from "../../../webview/protocol/ui.ts";
import type { OpenPage } from "./open-page.ts";
import { CRASH, LONG_ANSWER, RUN } from "./run-items.ts";
import {
  APPROVAL,
  COMMANDS,
  CONVERSATION,
  DANGER,
  EDIT_APPROVAL,
  FAILURE,
  PLAN,
  PREVIEWED,
  QUESTION,
} from "./sample-items.ts";

const STREAMING: TranscriptItem[] = [
  { id: "s1", kind: "prompt", text: "Explain how the parser works.", images: [] },
  { id: "s2", kind: "thinking", text: "I will begin with the entry point and follow the calls.", isStreaming: true },
  {
    id: "s3",
    kind: "text",
    text: "## The parser\n\nIt reads one line at a time. Each line is\n\n1. split at commas\n2. checked against the schema\n\n```python\ndef parse(line: str) -> Row:\n    return Row(*line.spl",
    isStreaming: true,
  },
];

const CHIP = { kind: "context", mark: "", source: { kind: "sent" }, note: "src/parse.ts" } as const;

interface PageState {
  items: TranscriptItem[];
  ui: Partial<PanelUi>;
  draft?: string;
  isPlanOpen?: boolean;
  hasCommands?: boolean;
}

/** The main states of the page, by name. */
export const STATES: Record<string, PageState> = {
  empty: {
    items: [],
    ui: {
      banner: {
        text: "The demo model is answering. It is not a language model.",
        action: { label: "Set Up a Model", command: "tiller.setUpModel" },
      },
    },
  },
  conversation: { items: CONVERSATION, ui: { contextTokens: 24_000, contextWindow: 200_000, follow: "on" } },
  expired: {
    items: CONVERSATION,
    ui: {
      contextTokens: 124_000,
      contextWindow: 200_000,
      follow: "on",
      folder: "service",
      cache: { expiresAt: 1, rereadUsd: 0.42 },
    },
  },
  streaming: { items: STREAMING, ui: { status: "running" } },
  run: { items: RUN, ui: { status: "running" } },
  crash: { items: CRASH, ui: {} },
  "long-answer": { items: LONG_ANSWER, ui: {} },
  question: { items: QUESTION, ui: { status: "running" } },
  failure: { items: FAILURE, ui: { hasEarlier: true } },
  queue: {
    items: CONVERSATION.slice(0, 4),
    ui: {
      status: "running",
      steering: ["Use UTC everywhere, also in the tests please"],
      followUp: ["Then update the changelog"],
      plan: PLAN,
      widgets: [{ key: "w", lines: ["Tests: 14 of 15 pass"], placement: "above" }],
      statuses: [{ key: "git", text: "branch fix-date" }],
      changes: { files: 3, added: 12, removed: 4 },
      follow: "paused",
    },
    draft: "And one more thing:\nplease run the linter.",
  },
  context: {
    items: [
      {
        id: "c1",
        kind: "prompt",
        text: "Fix @problems in the parser",
        images: [],
        sent: [
          {
            ...CHIP,
            id: "c1-0",
            label: "2 problems",
            detail: "2 lines, 94 B",
            fixed: { meta: { kind: "problems", count: 2 }, content: "src/parse.ts:3:1: error: Cannot find name 'x'" },
          },
          {
            ...CHIP,
            id: "c1-1",
            label: "parse.ts:12-30",
            detail: "19 lines, 812 B",
            fixed: { meta: { kind: "selection", path: "src/parse.ts", startLine: 12, endLine: 30 }, content: "x" },
          },
        ],
      },
    ],
    ui: {
      folder: "web",
      follow: "off",
      suggestion: {
        contexts: [{ ...CHIP, id: "g", label: "a-rather-long-name-of-a-file.test.ts:12-30", detail: "19 lines, 1 kB" }],
        isTaken: false,
      },
    },
    draft: "And the tests",
  },
  approval: { items: APPROVAL, ui: { status: "running" } },
  danger: { items: DANGER, ui: { status: "running" } },
  "approval-preview": { items: PREVIEWED, ui: { status: "running" } },
  "approval-edit": { items: EDIT_APPROVAL, ui: { status: "running" } },
  plan: { items: CONVERSATION, ui: { plan: PLAN }, isPlanOpen: true },
  slash: { items: CONVERSATION, ui: {}, draft: "/re", hasCommands: true },
  untrusted: { items: [], ui: { status: "untrusted" } },
};

/** Brings a page into one of the states, and waits until it is drawn. @param ui stands in for what the state has there. */
export async function showState(panel: OpenPage, name: string, ui: Partial<PanelUi> = {}): Promise<void> {
  const state = STATES[name];
  if (state === undefined) throw new Error(`There is no state ${name}.`);
  await panel.snapshot(state.items, { ...state.ui, ...ui });
  await panel.send({ type: "setDraft", text: state.draft ?? "", mode: "replace" });
  if (name !== "streaming") await waitForColors(panel);
  if (state.isPlanOpen) await panel.page.locator(".plan-head").click();
  if (state.hasCommands) await openCommands(panel);
  await panel.settle();
}

async function openCommands(panel: OpenPage): Promise<void> {
  await panel.page.locator(".composer-text").getByRole("textbox").press("End");
  await panel.send({ type: "commands", commands: COMMANDS });
  await panel.page.locator("#slash-list").waitFor();
}

/** Finished code is colored when the page is idle. */
async function waitForColors(panel: OpenPage): Promise<void> {
  await panel.page.locator(".markdown .code-block:not([data-colored])").first().waitFor({ state: "detached" });
}
