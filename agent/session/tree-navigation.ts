import type { Settings } from "../config/settings.ts";
import type { TreePreparation } from "../extensions/session-events.ts";
import type { SessionHooks, TreeVerdict } from "../extensions/session-hooks.ts";
import type { Emit } from "../loop/loop-host.ts";
import { AgentError, errorMessage } from "../protocol/errors.ts";
import type { BranchSummaryEntry, KnownSessionEntry } from "../protocol/session-entries.ts";
import { plainCopy } from "../util/plain-copy.ts";
import { planBranch, summarizeBranch } from "./compaction/branch.ts";
import { fileLists } from "./compaction/file-lists.ts";
import { requireSummarizer, type SummarizerSource, summarizeWith } from "./compaction/summarizer.ts";
import type { Conversation } from "./conversation.ts";
import { type BranchSummaryBody, MADE_BY_EXTENSION } from "./entry-body.ts";
import { textOf } from "./message-text.ts";
import { branchBetween } from "./tree.ts";

/** Options for moving within the tree. */
export interface NavigateOptions {
  /** True if the model summarizes the abandoned branch. */
  summarize?: boolean | undefined;
  customInstructions?: string | undefined;
  /** True if `customInstructions` replace the usual ones. */
  replaceInstructions?: boolean | undefined;
  /** A name for the summary, or for the target without a summary. */
  label?: string | undefined;
}

/** The result of moving within the tree. */
export interface Navigated {
  cancelled: boolean;
  /** True if `abort` ended it. */
  aborted?: boolean;
  /** The text of the target, if it is a user message. */
  editorText?: string;
  summaryEntry?: BranchSummaryEntry;
}

interface NavigatorOptions extends SummarizerSource {
  hooks: SessionHooks | undefined;
  emit: Emit;
  settings: Pick<Settings, "branchSummary" | "compaction">;
  retry(): Settings["retry"];
}

/** Makes a conversation continue from another entry of its tree. At most one move is in progress. */
export class TreeNavigator {
  readonly #options: NavigatorOptions;
  #move: { abort: AbortController; done: Promise<Navigated> } | undefined;

  constructor(options: NavigatorOptions) {
    this.#options = options;
  }

  get isActive(): boolean {
    return this.#move !== undefined;
  }

  /**
   * Moves to an entry, unless another move is in progress. If it is a user message, the session continues before it;
   * otherwise after it.
   * @throws AgentError not_found without such an entry; no_model or no_credentials for a summary; Error with a text for people.
   */
  async navigate(targetId: string, options: NavigateOptions): Promise<Navigated> {
    const abort = new AbortController();
    const begun = Promise.resolve(); // a handler that is asked at once finds this move in progress
    const move = { abort, done: begun.then(() => this.#navigate(targetId, options, abort.signal)) };
    this.#move = move;
    try {
      return await move.done;
    } finally {
      this.#move = undefined;
    }
  }

  /** Ends a move during its summary. Resolves when it has ended. */
  async abort(): Promise<void> {
    this.#move?.abort.abort();
    await this.#move?.done.catch(() => undefined); // whoever asked for it is told
  }

  async #navigate(targetId: string, options: NavigateOptions, signal: AbortSignal): Promise<Navigated> {
    const conversation = this.#options.conversation();
    const oldLeafId = conversation.leafId;
    if (!conversation.has(targetId)) throw new AgentError("not_found", `Entry not found: ${targetId}`);
    if (targetId === oldLeafId) return { cancelled: false };
    if (options.summarize === true) requireSummarizer(this.#options);
    const preparation = prepare(conversation, targetId, options);
    const verdict = (await this.#options.hooks?.beforeTree(plainCopy(preparation), signal)) ?? {};
    if (signal.aborted) return { cancelled: true, aborted: true };
    if (verdict.cancel === true) return { cancelled: true };
    const wishes = { ...options, ...definedOf(verdict) };
    let summary: BranchSummaryBody | undefined;
    try {
      summary = options.summarize === true ? await this.#summary(conversation, preparation, wishes, signal) : undefined;
    } catch (error) {
      if (signal.aborted) return { cancelled: true, aborted: true };
      throw error;
    }
    const { newLeafId, editorText } = placeOf(targetId, conversation.known(targetId));
    const summaryEntry = move(conversation, newLeafId, summary);
    const { label } = wishes;
    if (label) conversation.setLabel(summaryEntry?.id ?? targetId, label);
    const told = summaryEntry === undefined ? {} : { summaryEntry, fromExtension: summary?.fromExtension === true };
    await this.#options.hooks?.treeChanged({ newLeafId: conversation.leafId, oldLeafId, ...told }, signal);
    return {
      cancelled: false,
      ...(editorText === undefined ? {} : { editorText }),
      ...(summaryEntry === undefined ? {} : { summaryEntry }),
    };
  }

  /** @returns undefined when the abandoned branch has nothing that the model has seen. */
  async #summary(
    conversation: Conversation,
    { entriesToSummarize }: TreePreparation,
    { summary, customInstructions, replaceInstructions = false }: NavigateOptions & TreeVerdict,
    signal: AbortSignal,
  ): Promise<BranchSummaryBody | undefined> {
    if (summary !== undefined) return { ...summary, ...MADE_BY_EXTENSION };
    const known = entriesToSummarize.map(({ id }) => conversation.known(id)).filter((entry) => entry !== undefined);
    const plan = planBranch(known);
    if (plan === undefined) return undefined;
    const { emit, retry, settings } = this.#options;
    const limits = { ...settings.compaction, ...settings.branchSummary };
    requireSummarizer(this.#options);
    const purpose = { source: "branchSummary" } as const;
    const options = { customInstructions, replaceInstructions, purpose, emit, retry: retry() };
    try {
      const { text, usage } = await summarizeWith(
        this.#options,
        limits,
        (summarizer) => summarizeBranch(plan, { ...options, summarizer }, signal),
        signal,
      );
      signal.throwIfAborted();
      return { summary: text, details: fileLists(plan.files), usage };
    } catch (error) {
      throw new Error(`Summarization failed: ${errorMessage(error)}`, { cause: error });
    }
  }
}

function prepare(conversation: Conversation, targetId: string, options: NavigateOptions): TreePreparation {
  const { summarize = false, customInstructions, replaceInstructions, label } = options;
  const here = conversation.rawPath();
  const { commonAncestorId, left } = branchBetween(here, conversation.rawPath(targetId));
  return {
    targetId,
    oldLeafId: conversation.leafId,
    commonAncestorId,
    entriesToSummarize: left,
    userWantsSummary: summarize,
    ...(customInstructions === undefined ? {} : { customInstructions }),
    ...(replaceInstructions === undefined ? {} : { replaceInstructions }),
    ...(label === undefined ? {} : { label }),
  };
}

/** A user message is removed from the path; any other entry stays. */
function placeOf(
  targetId: string,
  target: KnownSessionEntry | undefined,
): { newLeafId: string | null; editorText?: string } {
  if (target?.type === "message" && target.message.role === "user") {
    return { newLeafId: target.parentId, editorText: textOf(target.message) };
  }
  if (target?.type === "custom_message") return { newLeafId: target.parentId, editorText: textOf(target) };
  return { newLeafId: targetId };
}

function move(
  conversation: Conversation,
  leafId: string | null,
  summary: BranchSummaryBody | undefined,
): BranchSummaryEntry | undefined {
  if (summary === undefined) {
    conversation.moveTo(leafId);
    return undefined;
  }
  const entry = conversation.moveWithSummary(leafId, summary);
  if (entry === undefined) throw new Error("Couldn't save the summary.");
  return entry;
}

/** Returns the fields with a value, because an undefined field must not remove anything. */
function definedOf(verdict: TreeVerdict): TreeVerdict {
  return Object.fromEntries(Object.entries(verdict).filter(([, value]) => value !== undefined));
}
