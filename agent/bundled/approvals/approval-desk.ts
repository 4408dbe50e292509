import { join } from "node:path";
import type { ExtensionUi } from "../../extensions/author.ts";
import type { ApprovalRule, ApprovalScope, PermissionMode } from "../../protocol/approvals.ts";
import type { ApprovalQuestion, EditedChange, RuleQuestion } from "../../protocol/dialogs.ts";
import { errorMessage } from "../../protocol/errors.ts";
import type { AnyTool, LeftOut } from "../../tools/tool.ts";
import { KeyedLock } from "../../util/keyed-lock.ts";
import { visibleLine } from "../../util/visible-text.ts";
import { CommandTrial, effectLines, type Previews } from "./command-trial.ts";
import { shownDangers } from "./danger.ts";
import { judgeCall, type Surroundings } from "./judge-call.ts";
import type { CallJudgement, Proposal } from "./judgement.ts";
import { Places } from "./places.ts";
import { CONTAINED, GIVEN, type Permission, ProposedChange, REFUSED, refusedFor, UNASKED } from "./proposed-change.ts";
import { RuleBook } from "./rule-book.ts";
import { isAskedFirst, judgeHost, outsideSandbox } from "./sandbox-call.ts";

const ALLOW_ONCE = "Allow once";
const CHANGE_RULE = "Change the rule…";
const DENY = "Deny";
const KEEP: Record<ApprovalScope, string> = {
  session: "Allow for this session: ",
  workspace: "Allow in this workspace: ",
  always: "Allow always: ",
};
const SCOPE_WORDS: Record<ApprovalScope, string> = {
  session: "this session",
  workspace: "one workspace",
  always: "everywhere",
};
const MAX_SUMMARY_LENGTH = 300;
const MAX_REASONS = 4;

/** The wish of hooks for a call. */
export type CallWish = "allow" | "ask";

/** A call that changes something, or reads what may need a question. */
interface Call {
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

interface DeskOptions {
  dialogs(): ApprovalDialogs | undefined;
  agentDir: string;
  cwd: string;
  otherFolders: readonly string[];
  shellPath?: string | undefined;
  /** Globs of files that may never be read. */
  denyRead: readonly string[];
  /** True if `confirm` also asks before commands that only read the workspace. */
  asksForReadOnlyCommands: boolean;
  /** Files and folders that the model was told to read, wherever they are. */
  advertised(): readonly string[];
  /** True when a path is the address of a document that only the editor opens. */
  isAddress(path: string): Promise<boolean>;
  /** Says why commands can't run in a sandbox here; undefined if they can. */
  sandbox: { problem(): Promise<string | undefined> };
  previews: Previews;
}

/** Judges calls by the rules, asks the user about the others, and saves the answers. */
export class ApprovalDesk {
  readonly #places: Places;
  readonly #around: Surroundings;
  readonly #book: RuleBook;
  readonly #turns = new KeyedLock();
  readonly #asksForReadOnlyCommands: boolean;
  readonly #dialogs: DeskOptions["dialogs"];
  readonly #sandbox: DeskOptions["sandbox"];
  readonly #previews: Previews;
  #tell: (message: string) => void = () => undefined;
  /** The last command that was let into the sandbox. */
  #contained: Call | undefined;
  /** Hosts that the user doesn't want reached in this session. */
  readonly #refusedHosts = new Set<string>();
  #isProblemTold = false;

  constructor(options: DeskOptions) {
    const { dialogs, agentDir, cwd, otherFolders, shellPath, denyRead, advertised, isAddress } = options;
    this.#asksForReadOnlyCommands = options.asksForReadOnlyCommands;
    this.#dialogs = dialogs;
    this.#sandbox = options.sandbox;
    this.#previews = options.previews;
    this.#places = new Places({ cwd, others: otherFolders, agentDir, denyRead, advertised });
    this.#around = { cwd, places: this.#places, shellPath, isAddress };
    this.#book = new RuleBook({
      path: join(agentDir, "approvals.json"),
      workspace: this.#places.workspace,
      warn: (message) => this.#tell(message),
    });
  }

  /** Returns whether the call may run. One question is open at a time, so that an answer counts for calls that wait behind it. */
  async permit(call: Call, ui: ExtensionUi): Promise<Permission> {
    this.#tell = (message) => ui.notify(message, "error");
    const judgement = await judgeCall(call.tool, call.args, this.#around);
    if (judgement.isForbidden) return { isGiven: false, why: judgement.reasons.join("; "), isForbidden: true };
    if (call.mode === "auto") return GIVEN;
    if (call.wish === "ask") return this.#turns.run("question", () => this.#ask(call, judgement));
    if (call.mode === "sandboxed" && isShell(call.tool) && !isAskedFirst(judgement)) {
      if (await this.#isAllowed(judgement)) return GIVEN;
      if (await this.#canContain(ui)) {
        this.#contained = call;
        return CONTAINED;
      }
    }
    if (judgement.isFree && this.#runsFreely(call)) return UNASKED;
    if (call.wish === "allow" && call.tool.approval !== "always") return GIVEN;
    if (await this.#isAllowed(judgement)) return GIVEN;
    return this.#turns.run("question", async () =>
      (await this.#isAllowed(judgement)) ? GIVEN : this.#ask(call, judgement),
    );
  }

  /** Asks whether a command may run outside the sandbox, which refused it something. */
  async mayRunOutside(call: Call, why: string): Promise<boolean> {
    const judgement = outsideSandbox(await judgeCall(call.tool, call.args, this.#around), why);
    if (judgement.isForbidden) return false;
    return this.#turns.run("question", async () => {
      if (await this.#isAllowed(judgement)) return true;
      return (await this.#ask(call, judgement)).isGiven;
    });
  }

  /** Asks whether commands in the sandbox may reach a host; a refusal counts for the rest of the session. */
  async mayReach(host: string): Promise<boolean> {
    const judgement = judgeHost(host);
    return this.#turns.run("question", async () => {
      if (await this.#isAllowed(judgement)) return true;
      const call = this.#contained;
      if (call === undefined || call.signal?.aborted || this.#refusedHosts.has(host)) return false;
      const { isGiven } = await this.#ask(call, judgement);
      if (!isGiven && !call.signal?.aborted) this.#refusedHosts.add(host);
      return isGiven;
    });
  }

  /** True for a call that does no more than read, here or elsewhere. */
  async onlyReads(tool: AnyTool, args: Record<string, unknown>): Promise<boolean> {
    const { isFree, commands, isForbidden } = await judgeCall(tool, args, this.#around);
    return isFree || (isForbidden !== true && commands?.length === 0);
  }

  /** Shows the rules to the user, who can remove them. */
  async manage(ui: ExtensionUi): Promise<void> {
    for (;;) {
      let rules: ApprovalRule[];
      try {
        rules = await this.rules();
      } catch (error) {
        return ui.notify(errorMessage(error), "error");
      }
      if (rules.length === 0) return ui.notify("There are no approval rules.");
      const lines = rules.map((rule, index) => `${index + 1}. ${describe(rule)}`);
      const answer = await ui.select("Approval rules. Choose one to remove it.", lines);
      const rule = answer === undefined ? undefined : rules[lines.indexOf(answer)];
      if (rule === undefined) return;
      if (!(await ui.confirm("Remove this rule?", describe(rule)))) continue;
      try {
        await this.remove(rule.id);
      } catch (error) {
        return ui.notify(errorMessage(error), "error");
      }
    }
  }

  /**
   * Returns the files that a search of a folder leaves out. @param areSecretsFree true when files that may hold secrets
   * are searched too.
   */
  leftOutOf(folder: string, areSecretsFree: boolean): LeftOut {
    return this.#places.leftOutOf(folder, areSecretsFree);
  }

  /** Returns all rules, the oldest first. @throws Error when the file cannot be read. */
  rules(): Promise<ApprovalRule[]> {
    return this.#book.all();
  }

  /** @returns false if the rule does not exist. @throws Error if the file cannot be read or written. */
  remove(id: string): Promise<boolean> {
    return this.#book.remove(id);
  }

  /** Forgets the rules of the session. */
  forgetSession(): void {
    this.#refusedHosts.clear();
    this.#book.forgetSession();
  }

  /** Adopts rules that an earlier process of the session had. */
  adopt(rules: readonly ApprovalRule[]): void {
    this.#book.adopt(rules);
  }

  /** Writes pending changes. */
  close(): Promise<void> {
    return this.#book.close();
  }

  /** True if the mode lets a call run that needs no question by itself. */
  #runsFreely({ tool, mode }: Call): boolean {
    if (mode === "auto-edit" || mode === "sandboxed" || mode === "plan" || tool.isReadOnly) return true;
    return isShell(tool) && !this.#asksForReadOnlyCommands;
  }

  /** True if there is a sandbox for commands; if there is none, the user is told once. */
  async #canContain(ui: ExtensionUi): Promise<boolean> {
    const problem = await this.#sandbox.problem();
    if (problem === undefined) return true;
    if (!this.#isProblemTold) {
      const reason = oneLine(problem).replace(/\.?$/, ".");
      ui.notify(`Commands can't run in a sandbox here: ${reason} Tiller asks before it runs them.`, "warning");
    }
    this.#isProblemTold = true;
    return false;
  }

  async #isAllowed(judgement: CallJudgement): Promise<boolean> {
    const used = judgement.allowedBy(await this.#book.applying());
    if (used === undefined) return false;
    this.#book.use(used);
    return true;
  }

  async #ask(call: Call, judgement: CallJudgement): Promise<Permission> {
    const { tool, args, signal } = call;
    const trial = new CommandTrial(isShell(tool) ? this.#previews : undefined, args, signal);
    try {
      return await this.#askAbout(call, judgement, trial);
    } finally {
      await trial.end();
    }
  }

  async #askAbout(
    { id, tool, args, signal }: Call,
    judgement: CallJudgement,
    trial: CommandTrial,
  ): Promise<Permission> {
    let rule = judgement.proposal;
    let problem: string | undefined;
    let refused: Permission = REFUSED;
    const dialogs = this.#dialogs();
    if (dialogs === undefined) return REFUSED;
    const proposed = new ProposedChange(tool.bind(args), this.#around.cwd);
    const marks = { toolCallId: id, tool: tool.name };
    for (;;) {
      const offered = offer(rule, judgement.scopes);
      const preview = await proposed.preview();
      const approval = {
        ...marks,
        ...subjectOf(tool, args, judgement, problem ?? trial.problem),
        ...offered,
        ...(await trial.offer()),
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
      if (previewId !== undefined) return { isGiven: true, previewId };
      if (answer === ALLOW_ONCE) return proposed.permission;
      if (rule === undefined) return refused;
      const proposal = rule;
      const chosen = offered.rules.find(({ option }) => option === answer);
      if (chosen !== undefined) {
        const { tool: name, pattern, text } = proposal;
        await this.#book.add({ tool: name, pattern, text, scope: chosen.scope });
        return proposed.permission;
      }
      if (answer !== CHANGE_RULE || proposal.pattern === undefined || proposal.isFixed) return refused;
      const pattern = await dialogs.editor(`Rule for ${tool.name}`, proposal.pattern, { signal, rule: marks });
      const changed = pattern === undefined ? proposal : judgement.propose(pattern);
      problem = typeof changed === "string" ? `Can't save that rule. ${changed}` : undefined;
      if (typeof changed !== "string") rule = changed;
    }
  }
}

/** True for our own shell: another tool of its name may run commands on another machine. */
function isShell({ name, origin }: AnyTool): boolean {
  return name === "bash" && origin === "builtin";
}

/** Returns the answers to an approval, by their meaning. */
function offer(
  rule: Proposal | undefined,
  scopes: readonly ApprovalScope[],
): Pick<ApprovalQuestion, "once" | "deny" | "change" | "rules"> {
  const answers = { once: ALLOW_ONCE, deny: DENY };
  if (rule === undefined) return { ...answers, rules: [] };
  const { pattern, text, isFixed } = rule;
  const rules = scopes.map((scope) => ({ scope, ...(pattern && { pattern }), text, option: KEEP[scope] + text }));
  return { ...answers, ...(isFixed ? {} : { change: CHANGE_RULE }), rules };
}

/** Returns the same answers as texts, for hosts that know only these. */
function optionsOf({ once, apply, rules, change, tryOut, deny }: ApprovalQuestion): string[] {
  const options = [apply, once, ...rules.map(({ option }) => option), change, tryOut, deny];
  return options.filter((option) => option !== undefined);
}

/** Returns the same question as a title, for hosts that know only this. */
function wordQuestion({ tool, subject, reasons, effects }: ApprovalQuestion): string {
  const shown = effects === undefined ? [] : effectLines(effects).map(oneLine);
  return [`Allow ${tool}?${subject === "" ? "" : ` ${subject}`}`, ...reasons, ...shown].join("\n");
}

function subjectOf(
  tool: AnyTool,
  args: Record<string, unknown>,
  { reasons, commands = [], dangers = [] }: CallJudgement,
  problem: string | undefined,
): Pick<ApprovalQuestion, "subject" | "reasons" | "danger"> {
  const bound = tool.bind(args);
  const subject = oneLine(bound.ok ? bound.input.summary : ""); // what a model names must not look like a line of ours
  // The question shows only the beginning of a script, so it lists the other parts that change something.
  const isCut = typeof args.command === "string" && visibleLine(args.command.trim()) !== subject;
  const further = isCut ? commands.map((one) => `runs ${one}`) : [];
  const complaint = problem === undefined ? [] : [oneLine(problem)];
  const danger = shownDangers(dangers, reasons.map(oneLine), reasons.length <= MAX_REASONS);
  const lines = [...complaint, ...firstOf(reasons), ...firstOf(further)];
  return { subject, reasons: lines, ...(danger.length > 0 && { danger }) };
}

function firstOf(lines: readonly string[]): string[] {
  const more = lines.length > MAX_REASONS ? [`and ${lines.length - MAX_REASONS} more`] : [];
  return [...lines.slice(0, MAX_REASONS).map(oneLine), ...more];
}

function oneLine(text: string): string {
  const plain = visibleLine(text);
  return plain.length > MAX_SUMMARY_LENGTH ? `${plain.slice(0, MAX_SUMMARY_LENGTH)}…` : plain;
}

function describe({ text, scope, workspace, uses }: ApprovalRule): string {
  const where = workspace === undefined ? SCOPE_WORDS[scope] : `in ${workspace}`;
  return `${text} (${where}, used ${uses === 1 ? "once" : `${uses} times`})`;
}
