import { join } from "node:path";
import type { ExtensionUi } from "../../extensions/author.ts";
import type { ApprovalRule, ApprovalScope } from "../../protocol/approvals.ts";
import { errorMessage } from "../../protocol/errors.ts";
import type { AnyTool, LeftOut } from "../../tools/tool.ts";
import { allowsNoChanges, isShell, refusedInMode } from "./call-kind.ts";
import type { Previews } from "./command-trial.ts";
import { judgeCall, type Surroundings } from "./judge-call.ts";
import type { CallJudgement } from "./judgement.ts";
import { type Decided, given, type Permission } from "./permission.ts";
import { Places } from "./places.ts";
import { type ApprovalDialogs, type Call, Questions } from "./questions.ts";
import { RuleBook } from "./rule-book.ts";
import { isAskedFirst } from "./sandbox-call.ts";
import { SandboxDesk } from "./sandbox-desk.ts";

const SCOPE_WORDS: Record<ApprovalScope, string> = {
  session: "this session",
  workspace: "one workspace",
  always: "everywhere",
};
const BY_MODE: Decided = { by: "mode" };

/** A decision about a call, or about a host that contained commands want to reach. */
export interface DeskDecision {
  tool: string;
  /** The call that it is about, or else what it is about in words. */
  call?: Call;
  what?: string;
  isGiven: boolean;
  isContained?: boolean;
  decided: Decided;
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
  /** Switches to the mode in which commands run in the sandbox. */
  useSandbox(): void;
  /** Comes for each decision about a call that does more than read the workspace. */
  note(decision: DeskDecision): void;
}

/** Judges calls by the rules, asks the user about the others, and saves the answers. */
export class ApprovalDesk {
  readonly #options: DeskOptions;
  readonly #places: Places;
  readonly #around: Surroundings;
  readonly #book: RuleBook;
  readonly #questions: Questions;
  readonly #sandbox: SandboxDesk;
  #tell: (message: string) => void = () => undefined;

  constructor(options: DeskOptions) {
    const {
      dialogs,
      agentDir,
      cwd,
      otherFolders,
      shellPath,
      denyRead,
      advertised,
      isAddress,
      sandbox,
      previews,
      note,
    } = options;
    this.#options = options;
    this.#places = new Places({ cwd, others: otherFolders, agentDir, denyRead, advertised });
    this.#around = { cwd, places: this.#places, shellPath, isAddress };
    this.#book = new RuleBook({
      path: join(agentDir, "approvals.json"),
      workspace: this.#places.workspace,
      warn: (message) => this.#tell(message),
    });
    this.#questions = new Questions({ dialogs, book: this.#book, cwd, previews });
    this.#sandbox = new SandboxDesk({
      questions: this.#questions,
      sandbox,
      note,
      offerPath: join(agentDir, "sandbox-offered"),
    });
  }

  /** Returns whether the call may run. */
  async permit(call: Call, ui: ExtensionUi): Promise<Permission> {
    this.#tell = (message) => ui.notify(message, "error");
    const permission = await this.#decide(call, await judgeCall(call.tool, call.args, this.#around), ui);
    const { isGiven, decided } = permission;
    const isPlainReading = call.tool.isReadOnly && isGiven && decided.by === "mode";
    const isContained = isGiven && permission.isContained === true;
    if (!isPlainReading) this.#options.note({ tool: call.tool.name, call, isGiven, isContained, decided });
    return permission;
  }

  async #decide(call: Call, judgement: CallJudgement, ui: ExtensionUi): Promise<Permission> {
    if (judgement.isForbidden) {
      return { isGiven: false, decided: { by: "setting" }, why: judgement.reasons.join("; "), isForbidden: true };
    }
    if (call.mode === "auto") return given(BY_MODE);
    const kept = await this.#keptFromChanging(call, judgement);
    if (kept !== undefined) return kept;
    if (call.wish === "ask") return this.#questions.inTurn(() => this.#questions.ask(call, judgement));
    if (call.mode === "sandboxed" && isShell(call.tool) && !isAskedFirst(judgement)) {
      const decided = await this.#questions.allowedBy(judgement);
      if (decided !== undefined) return given(decided);
      if (await this.#sandbox.takes(call, ui)) return { isGiven: true, decided: BY_MODE, isContained: true };
    }
    if (judgement.isFree && this.#runsFreely(call)) return { isGiven: true, decided: BY_MODE, isUnasked: true };
    if (call.wish === "allow" && call.tool.approval !== "always") return given({ by: "hook" });
    const decided = await this.#questions.allowedBy(judgement);
    return decided === undefined ? this.#askInTurn(call, judgement) : given(decided);
  }

  /**
   * Decides about a command in a mode that allows no changes: it runs where it can change nothing, if there is such a place; otherwise only in
   * `plan`, and only if it reads. @returns undefined for any other call, and for a command that reads what needs a question.
   */
  async #keptFromChanging({ tool, mode, wish }: Call, judgement: CallJudgement): Promise<Permission | undefined> {
    if (!allowsNoChanges(mode) || !isShell(tool)) return undefined;
    const why = refusedInMode(tool.name, mode);
    const refused: Permission = { isGiven: false, decided: BY_MODE, why, isForbidden: true };
    const reads = onlyReads(judgement);
    if (!(await this.#sandbox.isThere())) return mode === "plan" && reads ? undefined : refused;
    if (wish === "ask" || (reads && !judgement.isFree)) return reads ? undefined : refused;
    if (isAskedFirst(judgement)) return refused;
    return { isGiven: true, decided: BY_MODE, isContained: true, isReadOnly: true };
  }

  /** Asks, unless a rule that the user saved in the meantime allows the call. */
  #askInTurn(call: Call, judgement: CallJudgement): Promise<Permission> {
    return this.#questions.inTurn(async () => {
      const decided = await this.#questions.allowedBy(judgement);
      if (decided !== undefined) return given(decided);
      const permission = await this.#questions.ask(call, judgement, {
        offersSandbox: await this.#offersSandbox(call, judgement),
      });
      if (permission.isGiven && permission.isContained) {
        this.#sandbox.note(call);
        this.#options.useSandbox();
      }
      return permission;
    });
  }

  /** True if a question about a command is the first that could offer the sandbox instead. */
  async #offersSandbox({ tool, mode }: Call, judgement: CallJudgement): Promise<boolean> {
    if (!isShell(tool) || (mode !== "confirm" && mode !== "auto-edit") || isAskedFirst(judgement)) return false;
    return this.#options.dialogs() !== undefined && (await this.#sandbox.isToBeOffered());
  }

  /** Asks whether a command may run outside the sandbox, which refused it something. */
  async mayRunOutside(call: Call, why: string): Promise<boolean> {
    return this.#sandbox.mayRunOutside(call, await judgeCall(call.tool, call.args, this.#around), why);
  }

  /** Takes note of a command of the user's own that runs in the sandbox: questions about hosts are about it. */
  noteContained(call: Call): void {
    this.#sandbox.note(call);
  }

  /** Asks whether commands in the sandbox may reach a host; a refusal counts for the rest of the session. */
  mayReach(host: string): Promise<boolean> {
    return this.#sandbox.mayReach(host);
  }

  /** Asks whether a port of the sandbox may be reached from outside. @param ended aborts when its server has ended. */
  mayOpen(port: number, ended: AbortSignal): Promise<boolean> {
    return this.#sandbox.mayOpen(port, ended);
  }

  /** True for a call that does no more than read, here or elsewhere. */
  async onlyReads(tool: AnyTool, args: Record<string, unknown>): Promise<boolean> {
    return onlyReads(await judgeCall(tool, args, this.#around));
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
    this.#sandbox.forgetSession();
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
    return isShell(tool) && !this.#options.asksForReadOnlyCommands;
  }
}

function onlyReads({ isFree, commands, isForbidden }: CallJudgement): boolean {
  return isFree || (isForbidden !== true && commands?.length === 0);
}

function describe({ text, scope, workspace, uses }: ApprovalRule): string {
  const where = workspace === undefined ? SCOPE_WORDS[scope] : `in ${workspace}`;
  return `${text} (${where}, used ${uses === 1 ? "once" : `${uses} times`})`;
}
