import { access, mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { ExtensionUi } from "../../extensions/author.ts";
import { shortLine } from "./call-question.ts";
import type { CallJudgement } from "./judgement.ts";
import type { Decided } from "./permission.ts";
import type { Call, Questions } from "./questions.ts";
import { judgeHost, judgePort, outsideSandbox, portPattern, SANDBOX_TOOL } from "./sandbox-call.ts";

/** A decision of the sandbox, for the log. */
type Note = (decision: { tool: string; what?: string; call?: Call; isGiven: boolean; decided: Decided }) => void;

interface SandboxDeskOptions {
  questions: Questions;
  /** Says why commands can't run in a sandbox here; undefined if they can. */
  sandbox: { problem(): Promise<string | undefined> };
  note: Note;
  /** The file that says that the sandbox was offered. */
  offerPath: string;
}

/** Decides what commands in the sandbox may do beyond it. */
export class SandboxDesk {
  readonly #options: SandboxDeskOptions;
  /** The last command that was let into the sandbox. */
  #contained: Call | undefined;
  /** Hosts that the user doesn't want reached in this session, and ports that stay closed, as their rules would name them. */
  readonly #refused = new Set<string>();
  /** Those that a rule allows, and that the log has. */
  readonly #noted = new Set<string>();
  #isProblemTold = false;
  #isOfferDone = false;

  constructor(options: SandboxDeskOptions) {
    this.#options = options;
  }

  /** Returns true, and takes note of the command, if there is a sandbox for it. If there is none, the user is told once. */
  async takes(call: Call, ui: ExtensionUi): Promise<boolean> {
    const problem = await this.#options.sandbox.problem();
    if (problem === undefined) {
      this.#contained = call;
      return true;
    }
    if (!this.#isProblemTold) {
      const reason = shortLine(problem).replace(/\.?$/, ".");
      ui.notify(`Commands can't run in a sandbox here: ${reason} Tiller asks before it runs them.`, "warning");
    }
    this.#isProblemTold = true;
    return false;
  }

  /** Returns true, once for each user, if there is a sandbox to offer. Where the offer can't be remembered, it isn't made. */
  async isToBeOffered(): Promise<boolean> {
    const { offerPath } = this.#options;
    if (this.#isOfferDone) return false;
    this.#isOfferDone = true;
    const isMade = await access(offerPath).then(
      () => true,
      () => false,
    );
    if (isMade || !(await this.isThere())) return false;
    try {
      await mkdir(dirname(offerPath), { recursive: true, mode: 0o700 });
      await writeFile(offerPath, "", { flag: "wx", mode: 0o600 });
      return true;
    } catch {
      return false; // another agent has just made it, or the folder can't be written
    }
  }

  /** Takes note of a command that runs in the sandbox. */
  note(call: Call): void {
    this.#contained = call;
  }

  /** Returns true if there is a sandbox. */
  async isThere(): Promise<boolean> {
    return (await this.#options.sandbox.problem()) === undefined;
  }

  /** Asks whether a command may run outside the sandbox, which refused it something. */
  async mayRunOutside(call: Call, judged: CallJudgement, why: string): Promise<boolean> {
    const { questions, note } = this.#options;
    const judgement = outsideSandbox(judged, why);
    if (judgement.isForbidden) return false;
    return questions.inTurn(async () => {
      const decided = await questions.allowedBy(judgement);
      const permission =
        decided === undefined
          ? await questions.ask(call, judgement, { isTrialOffered: false })
          : { isGiven: true, decided };
      note({ tool: call.tool.name, call, isGiven: permission.isGiven, decided: permission.decided });
      return permission.isGiven;
    });
  }

  /** Asks whether commands in the sandbox may reach a host; a refusal counts for the rest of the session. */
  mayReach(host: string): Promise<boolean> {
    return this.#mayHave(host, judgeHost(host), this.#contained);
  }

  /** Asks the same about a port that becomes reachable from outside. @param ended aborts when its server has ended. */
  mayOpen(port: number, ended: AbortSignal): Promise<boolean> {
    const call = this.#contained && { ...this.#contained, signal: ended };
    return this.#mayHave(portPattern(port), judgePort(port), call);
  }

  #mayHave(wanted: string, judgement: CallJudgement, call: Call | undefined): Promise<boolean> {
    const { questions, note } = this.#options;
    return questions.inTurn(async () => {
      const decided = await questions.allowedBy(judgement);
      if (decided !== undefined) {
        if (!this.#noted.has(wanted)) note({ tool: SANDBOX_TOOL, what: wanted, isGiven: true, decided });
        this.#noted.add(wanted);
        return true;
      }
      if (call === undefined || call.signal?.aborted || this.#refused.has(wanted)) return false;
      const permission = await questions.ask(call, judgement, { isTrialOffered: false });
      const { isGiven } = permission;
      note({ tool: SANDBOX_TOOL, what: wanted, isGiven, decided: permission.decided });
      if (!isGiven && !call.signal?.aborted) this.#refused.add(wanted);
      return isGiven;
    });
  }

  forgetSession(): void {
    this.#refused.clear();
    this.#noted.clear();
  }
}
