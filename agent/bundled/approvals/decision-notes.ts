import { join } from "node:path";
import type { LoggedDecision, PermissionMode } from "../../protocol/approvals.ts";
import type { DeskDecision } from "./approval-desk.ts";
import { DecisionLog, readDecisions } from "./decision-log.ts";
import { decisionText } from "./decision-text.ts";

interface NotesOptions {
  agentDir: string;
  cwd: string;
  mode(): PermissionMode;
  /** The id of the session at the time of a decision. */
  sessionId(): string;
  /** Values that must not occur in the log. */
  secrets(): readonly string[];
  warn(message: string): void;
}

/** Takes notes of the decisions about calls in a log. */
export class DecisionNotes {
  readonly #options: NotesOptions;
  readonly #log: DecisionLog;
  readonly path: string;

  constructor(options: NotesOptions) {
    this.#options = options;
    this.path = logPath(options.agentDir);
    this.#log = new DecisionLog({ path: this.path, warn: options.warn });
  }

  add({ tool, call, what, isGiven, isContained, decided }: DeskDecision): void {
    const { cwd, mode, sessionId, secrets } = this.#options;
    const text = what ?? (call === undefined ? "" : decisionText(secrets())(call.tool, call.args));
    this.#log.add({
      time: new Date().toISOString(),
      session: sessionId(),
      workspace: cwd,
      tool,
      what: text,
      decision: isGiven ? "allowed" : "denied",
      by: decided.by,
      mode: mode(),
      ...(decided.rules && { rules: [...decided.rules] }),
      ...(isContained === true && { isContained }),
    });
  }

  /** Returns the decisions of all sessions, the newest first. @throws Error when the log can't be read. */
  async newest(limit: number): Promise<LoggedDecision[]> {
    await this.#log.close();
    return readDecisions(this.path, limit);
  }

  /** Resolves when everything is written. */
  close(): Promise<void> {
    return this.#log.close();
  }
}

/** Returns the path of the log in the agent's directory. */
export function logPath(agentDir: string): string {
  return join(agentDir, "approvals.log");
}
