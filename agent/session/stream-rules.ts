import { relative } from "node:path";
import * as z from "zod";
import type { Delivery } from "../loop/loop-host.ts";
import type { AnswerWatch } from "../loop/rule-watch.ts";
import type { RuleSource } from "../prompt/rule-source.ts";
import type { StreamRule } from "../prompt/rules.ts";
import { escapeMarkup } from "../prompt/skill-text.ts";
import type { CustomMessage } from "../protocol/messages.ts";
import type { KnownSessionEntry, SessionEntry } from "../protocol/session-entries.ts";
import { RULE_MESSAGE_TYPE, RuleMessageDetails } from "../protocol/stream-rules.ts";
import { resolvePath, toSlashes } from "../util/paths.ts";
import type { Conversation } from "./conversation.ts";

/** The maximum number of interruptions of a run: a model that ignores a rule would otherwise never finish. */
const MAX_INTERRUPTIONS_PER_RUN = 10;

/** The record of applied rules in files of xcsh. */
const ForeignInjection = z.lazy(() =>
  z.object({ type: z.literal("ttsr_injection"), injectedRules: z.array(z.string()) }),
);

interface StreamRulesOptions {
  /** Undefined means no rules. */
  source: RuleSource | undefined;
  cwd: string;
  conversation(): Pick<Conversation, "entries" | "known">;
}

/** Decides which rules apply to the next response, and tells the model which rules its response broke. */
export class StreamRules {
  readonly #options: StreamRulesOptions;
  #rules: readonly StreamRule[] = [];
  #watchAnswer: typeof import("../loop/rule-watch.ts").watchAnswer | undefined;
  #interruptions = 0;
  /** Rules that took too long; a changed file creates a new rule. */
  readonly #slow = new WeakSet<StreamRule>();
  /** The conversation of the other fields. */
  #seen: object | undefined;
  #turns = 0;
  /** The turn in which each rule last applied, by name. */
  #appliedAt = new Map<string, number>();

  constructor(options: StreamRulesOptions) {
    this.#options = options;
  }

  /** Reads the rules at the beginning of a run. Never rejects because of their content. */
  async refresh(): Promise<void> {
    this.#interruptions = 0;
    this.#rules = (await this.#options.source?.refresh()) ?? [];
    if (this.#rules.length === 0) return;
    this.#watchAnswer ??= (await import("../loop/rule-watch.ts")).watchAnswer;
    this.#recall();
  }

  /** @returns the watch for the next response; undefined when no rule applies to it. */
  watch(): AnswerWatch | undefined {
    if (this.#rules.length === 0 || this.#interruptions >= MAX_INTERRUPTIONS_PER_RUN) return undefined;
    this.#turns++;
    const rules = this.#rules.filter((rule) => this.#isDue(rule));
    if (rules.length === 0) return undefined;
    return this.#watchAnswer?.({
      rules,
      toGlobPath: (path) => toGlobPath(path, this.#options.cwd),
      onSlow: (rule) => {
        this.#slow.add(rule);
        this.#options.source?.report(rule.path, "the rule is left out: one of its conditions takes too long");
      },
    });
  }

  /** @returns the message that opens the next low run; people do not see it. */
  injection(rules: readonly StreamRule[]): Delivery[] {
    this.#interruptions++;
    const announce = () => {
      for (const { name } of rules) this.#appliedAt.set(name, this.#turns);
    };
    return [{ message: ruleMessage(rules), announce }];
  }

  #isDue(rule: StreamRule): boolean {
    if (this.#slow.has(rule)) return false;
    const appliedAt = this.#appliedAt.get(rule.name);
    if (appliedAt === undefined || rule.repeat === "always") return true;
    return rule.repeat !== "once" && this.#turns - appliedAt >= rule.repeat;
  }

  /** Reads which rules have already applied if the conversation has changed. */
  #recall(): void {
    const conversation = this.#options.conversation();
    if (conversation === this.#seen) return;
    this.#seen = conversation;
    this.#turns = 0;
    this.#appliedAt = new Map();
    for (const entry of conversation.entries) {
      const known = conversation.known(entry.id);
      if (known?.type === "message" && known.message.role === "assistant") this.#turns++;
      const names = known === undefined ? foreignNames(entry) : ownNames(known);
      for (const name of names) this.#appliedAt.set(name, this.#turns);
    }
  }
}

function ownNames(entry: KnownSessionEntry): readonly string[] {
  if (entry.type !== "custom_message" || entry.customType !== RULE_MESSAGE_TYPE) return [];
  return RuleMessageDetails.safeParse(entry.details).data?.rules ?? [];
}

function foreignNames(entry: SessionEntry): readonly string[] {
  return ForeignInjection.safeParse(entry).data?.injectedRules ?? [];
}

function ruleMessage(rules: readonly StreamRule[]): CustomMessage {
  const texts = rules.map(
    ({ name, path, content }) =>
      `<rule name="${escapeMarkup(name)}" path="${escapeMarkup(path)}">\n${content}\n</rule>`,
  );
  return {
    role: "custom",
    customType: RULE_MESSAGE_TYPE,
    content: [
      "<system-reminder>",
      "Your answer was stopped, and its tool calls were not run: what you were writing goes against these rules of the user.",
      ...texts,
      "Go on with the task, and keep to them from here on.",
      "</system-reminder>",
    ].join("\n"),
    display: false,
    details: { rules: rules.map(({ name }) => name) },
    timestamp: Date.now(),
  };
}

/** Returns a path in the form for globs: with slashes, and relative if it is inside the working directory. */
function toGlobPath(path: string, cwd: string): string {
  const absolute = resolvePath(cwd, path);
  const inside = relative(cwd, absolute);
  return toSlashes(inside.startsWith("..") ? absolute : inside);
}
