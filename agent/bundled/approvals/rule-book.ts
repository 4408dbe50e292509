import type { ApprovalRule } from "../../protocol/approvals.ts";
import { crypto } from "../../util/late-node.ts";
import { RuleFile } from "./rule-file.ts";

/** How long uses are collected before they are written. */
const WRITE_USES_MS = 5000;

interface RuleBookOptions {
  path: string;
  /** Absolute path of the workspace, without symbolic links. */
  workspace: string;
  /** Called for a file that can't be read or written, once for each message. */
  warn(message: string): void;
}

/** All rules: the rules of the session in memory, and the others in a file that other agents may also use. */
export class RuleBook {
  readonly #file: RuleFile;
  readonly #workspace: string;
  readonly #warn: (message: string) => void;
  readonly #warned = new Set<string>();
  #session: ApprovalRule[] = [];
  /** Uses that are not in the file yet, by id of the rule. */
  #uses = new Map<string, { count: number; lastUsedAt: number }>();
  #timer: NodeJS.Timeout | undefined;

  constructor({ path, workspace, warn }: RuleBookOptions) {
    this.#file = new RuleFile(path);
    this.#workspace = workspace;
    this.#warn = warn;
  }

  /** Returns the rules that apply now. If the file can't be read, it reports that and uses only the rules in memory. */
  async applying(): Promise<ApprovalRule[]> {
    const stored = await this.#file.read().catch((error: unknown) => this.#tell(error));
    const here = (stored ?? []).filter(({ scope, workspace }) => scope === "always" || workspace === this.#workspace);
    return [...this.#session, ...here];
  }

  /** Returns all rules, including those of other workspaces. @throws Error when the file cannot be read. */
  async all(): Promise<ApprovalRule[]> {
    const stored = (await this.#file.read()).map((rule) => withUses(rule, this.#uses));
    return [...this.#session, ...stored].sort((one, other) => one.createdAt - other.createdAt);
  }

  /** Saves a rule. If it cannot be written, it applies to the session, and the user is told. */
  async add(rule: Pick<ApprovalRule, "scope" | "tool" | "pattern" | "text">): Promise<void> {
    const added = { ...rule, id: crypto().randomUUID(), createdAt: Date.now(), uses: 0 };
    if (rule.scope !== "session") {
      const stored = rule.scope === "workspace" ? { ...added, workspace: this.#workspace } : added;
      const isWritten = await this.#file
        .change((rules) => [...rules, stored])
        .then(() => true)
        .catch((error: unknown) => this.#tell(error, ` "${rule.text}" applies to this session only.`));
      if (isWritten === true) return;
    }
    this.#session.push({ ...added, scope: "session" });
  }

  /** @returns false if the rule does not exist. @throws Error if the file cannot be read or written. */
  async remove(id: string): Promise<boolean> {
    const isOther = (rule: ApprovalRule) => rule.id !== id;
    if (!this.#session.every(isOther)) {
      this.#session = this.#session.filter(isOther);
      return true;
    }
    if ((await this.#file.read()).every(isOther)) return false;
    await this.#file.change((rules) => rules.filter(isOther));
    return true;
  }

  /** Counts a call that rules allowed, and writes the count to the file a little later. */
  use(rules: readonly ApprovalRule[]): void {
    const lastUsedAt = Date.now();
    for (const { id, scope } of rules) {
      if (scope === "session") {
        this.#session = this.#session.map((one) => (one.id === id ? { ...one, uses: one.uses + 1, lastUsedAt } : one));
        continue;
      }
      this.#uses.set(id, { count: (this.#uses.get(id)?.count ?? 0) + 1, lastUsedAt });
      this.#timer ??= setTimeout(() => void this.close(), WRITE_USES_MS).unref();
    }
  }

  /** Adopts rules that this session had in an earlier process. */
  adopt(rules: readonly ApprovalRule[]): void {
    const isNew = ({ id }: ApprovalRule) => this.#session.every((rule) => rule.id !== id);
    this.#session.push(...rules.filter(isNew).map((rule) => ({ ...rule, scope: "session" as const })));
  }

  /** Forgets the rules of the session. */
  forgetSession(): void {
    this.#session = [];
  }

  /** Writes pending changes. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#uses.size === 0) return;
    const uses = this.#uses;
    this.#uses = new Map();
    await this.#file
      .change((rules) => rules.map((rule) => withUses(rule, uses)))
      .catch((error: unknown) => this.#tell(error));
  }

  #tell(error: unknown, consequence = ""): undefined {
    const message = `${error instanceof Error ? error.message : String(error)}${consequence}`;
    if (!this.#warned.has(message)) this.#warn(message);
    this.#warned.add(message);
  }
}

function withUses(rule: ApprovalRule, uses: ReadonlyMap<string, { count: number; lastUsedAt: number }>): ApprovalRule {
  const use = uses.get(rule.id);
  return use === undefined ? rule : { ...rule, uses: rule.uses + use.count, lastUsedAt: use.lastUsedAt };
}
