import type { PermissionMode } from "../../protocol/approvals.ts";
import type { ApprovalQuestion, EditedChange, RuleQuestion } from "../../protocol/dialogs.ts";
import type { AnyTool } from "../../tools/tool.ts";
import { KeyedLock } from "../../util/keyed-lock.ts";
import { isShell } from "./call-kind.ts";
import { ALLOW_ONCE, CHANGE_RULE, offer, optionsOf, SANDBOX, subjectOf, wordQuestion } from "./call-question.ts";
import { CommandTrial, type Previews } from "./command-trial.ts";
import type { CallJudgement } from "./judgement.ts";
import { type Decided, type Permission, refusedFor } from "./permission.ts";
import { ProposedChange } from "./proposed-change.ts";
import type { RuleBook } from "./rule-book.ts";

/** The wish of hooks for a call. */
export type CallWish = "allow" | "ask";

/** A call that changes something, or reads what may need a question. */
export interface Call {
  id: string;
  tool: AnyTool;
  args: Record<string, unknown>;
  /** In `auto`, only rules that forbid reading apply to the call. */
  mode: PermissionMode;
  /** Decides what no mode and no rule forbids. */
  wish: CallWish | undefined;
  /** Aborts when the call is no longer needed. */
  signal: AbortSignal | undefined;
}

/**
 * Asks the user. Only approvals have this interface: an extension can't mark a question as an approval through
 * `ctx.ui`. Each promise resolves to undefined without an answer.
 */
export interface ApprovalDialogs {
  select(
    title: string,
    options: readonly string[],
    dialog: {
      signal?: AbortSignal | undefined;
      approval: ApprovalQuestion;
      onEdited(edited: EditedChange): void;
      onReason(reason: string): void;
    },
  ): Promise<string | undefined>;
  editor(
    title: string,
    prefill: string,
    dialog: { signal?: AbortSignal | undefined; rule: RuleQuestion },
  ): Promise<string | undefined>;
}

interface QuestionsOptions {
  dialogs(): ApprovalDialogs | undefined;
  book: RuleBook;
  cwd: string;
  previews: Previews;
}

/** The offers of a question about a command, beside its answers. */
interface Offers {
  /** True to offer the sandbox for this command and those after it; default false. */
  offersSandbox?: boolean;
  /** False if a preview would not answer the question. */
  isTrialOffered?: boolean;
}

/** Asks the user about calls that no rule allows, and saves the rules that they choose. */
export class Questions {
  readonly #options: QuestionsOptions;
  readonly #turns = new KeyedLock();

  constructor(options: QuestionsOptions) {
    this.#options = options;
  }

  /** Does work in its turn: one question is open at a time, so that an answer counts for calls that wait behind it. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#turns.run("question", work);
  }

  /** Returns which rules allow a call, and counts their use; undefined if they don't. */
  async allowedBy(judgement: CallJudgement): Promise<Decided | undefined> {
    const used = judgement.allowedBy(await this.#options.book.applying());
    if (used === undefined) return undefined;
    this.#options.book.use(used);
    return { by: "rule", rules: used.map(({ text }) => text) };
  }

  /** Asks the user, who may save a rule with the answer. */
  async ask(
    call: Call,
    judgement: CallJudgement,
    { offersSandbox = false, isTrialOffered = true }: Offers = {},
  ): Promise<Permission> {
    const { tool, args, signal } = call;
    const canTry = isTrialOffered && isShell(tool);
    const trial = new CommandTrial(canTry ? this.#options.previews : undefined, args, signal);
    try {
      return await this.#askAbout(call, judgement, { trial, offersSandbox });
    } finally {
      await trial.end();
    }
  }

  async #askAbout(
    { id, tool, args, signal }: Call,
    judgement: CallJudgement,
    { trial, offersSandbox }: { trial: CommandTrial; offersSandbox: boolean },
  ): Promise<Permission> {
    const { book, cwd } = this.#options;
    const dialogs = this.#options.dialogs();
    if (dialogs === undefined) return { isGiven: false, decided: { by: "nobody" }, why: "" };
    let rule = judgement.proposal;
    let problem: string | undefined;
    let refused: Permission = refusedFor("");
    const proposed = new ProposedChange(tool.bind(args), cwd);
    const marks = { toolCallId: id, tool: tool.name };
    for (;;) {
      const offered = offer(rule, judgement.scopes);
      const preview = await proposed.preview();
      const approval = {
        ...marks,
        ...subjectOf(tool, args, judgement, problem ?? trial.problem),
        ...offered,
        ...(await trial.offer()),
        ...(offersSandbox && { sandbox: SANDBOX }),
        ...(preview && { preview }),
      };
      const answer = await dialogs.select(wordQuestion(approval), optionsOf(approval), {
        signal,
        approval,
        onEdited: (edited) => proposed.take(edited),
        onReason: (reason) => {
          refused = refusedFor(reason);
        },
      });
      if (await trial.answer(answer)) continue;
      const previewId = trial.take(answer);
      if (previewId !== undefined) return { isGiven: true, decided: { by: "user" }, previewId };
      if (answer === undefined) return { ...refused, decided: { by: "nobody" } };
      if (answer === ALLOW_ONCE) return proposed.permission({ by: "user" });
      if (offersSandbox && answer === SANDBOX.option) {
        return { isGiven: true, decided: { by: "user" }, isContained: true };
      }
      if (rule === undefined) return refused;
      const proposal = rule;
      const chosen = offered.rules.find(({ option }) => option === answer);
      if (chosen !== undefined) {
        const { tool: name, pattern, text } = proposal;
        await book.add({ tool: name, pattern, text, scope: chosen.scope });
        return proposed.permission({ by: "user", rules: [text] });
      }
      if (answer !== CHANGE_RULE || proposal.pattern === undefined || proposal.isFixed) return refused;
      const pattern = await dialogs.editor(`Rule for ${tool.name}`, proposal.pattern, { signal, rule: marks });
      const changed = pattern === undefined ? proposal : judgement.propose(pattern);
      problem = typeof changed === "string" ? `Can't save that rule. ${changed}` : undefined;
      if (typeof changed !== "string") rule = changed;
    }
  }
}
