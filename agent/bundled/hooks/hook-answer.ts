import * as z from "zod";
import { describeIssues } from "../../protocol/errors.ts";
import type { HookEvent } from "./hooks-parts.ts";
import type { Hook } from "./read-hooks.ts";
import type { CommandEnd } from "./run-command.ts";

const BLOCKED = 2;
const MAX_CHARACTERS = 10_000;
/** Events whose plain output is for the model. */
const WITH_PLAIN_CONTEXT: ReadonlySet<HookEvent> = new Set(["SessionStart", "UserPromptSubmit"]);

const Permission = z.enum(["allow", "deny", "ask"]);
/** Programs write null for a field that they leave out. */
const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? undefined);
const Answer = z.object({
  continue: optional(z.boolean()),
  stopReason: optional(z.string()),
  systemMessage: optional(z.string()),
  decision: optional(z.enum(["block", "approve"])),
  reason: optional(z.string()),
  hookSpecificOutput: optional(
    z.object({
      permissionDecision: optional(Permission),
      permissionDecisionReason: optional(z.string()),
      additionalContext: optional(z.string()),
      updatedInput: optional(z.record(z.string(), z.unknown())),
    }),
  ),
});

/** A text for the user. */
export interface Note {
  text: string;
  type: "info" | "warning";
}

/** The wishes of one hook. */
export interface HookAnswer {
  notes: Note[];
  /** Why it blocks. */
  block?: string;
  /** Why the run ends. */
  stop?: string;
  permission?: "allow" | "ask";
  /** A text for the model. */
  context?: string;
  updatedInput?: Record<string, unknown>;
}

/** Reads how the command of a hook ended. */
export function answerOf(hook: Hook, end: CommandEnd): HookAnswer {
  const failed = (problem: string): HookAnswer => ({
    notes: [{ text: `${hook.event} hook ${problem}: ${hook.command}`, type: "warning" }],
  });
  switch (end.kind) {
    case "aborted":
      return { notes: [] };
    case "timedOut":
      return failed(`stopped after ${hook.timeoutMs / 1000} seconds`);
    case "failed":
      return failed(`couldn't be started (${end.problem})`);
    case "exited":
      if (end.code === BLOCKED) return { notes: [], block: short(end.stderr) || `Blocked by a hook: ${hook.command}` };
      if (end.code !== 0) return withOutput(failed(`failed with exit code ${end.code}`), end.stderr);
      return answerIn(end.stdout, hook, failed);
  }
}

function withOutput({ notes }: HookAnswer, output: string): HookAnswer {
  const text = short(output);
  return { notes: notes.map((note) => (text === "" ? note : { ...note, text: `${note.text}\n${text}` })) };
}

function answerIn(stdout: string, { event }: Hook, failed: (problem: string) => HookAnswer): HookAnswer {
  const text = stdout.trim();
  if (!text.startsWith("{")) {
    return text !== "" && WITH_PLAIN_CONTEXT.has(event) ? { notes: [], context: short(text) } : { notes: [] };
  }
  const read = Answer.safeParse(jsonIn(text));
  if (!read.success) {
    const problem = failed(`gave an answer that can't be read (${describeIssues(read.error).join(" ")})`);
    // It may have been a no.
    return event === "PreToolUse" ? { ...problem, permission: "ask" } : problem;
  }
  return meaningOf(read.data);
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function meaningOf(answer: z.infer<typeof Answer>): HookAnswer {
  const { systemMessage, decision, hookSpecificOutput } = answer;
  const specific: Partial<NonNullable<typeof hookSpecificOutput>> = hookSpecificOutput ?? {};
  const { permissionDecision = decision === "approve" ? "allow" : undefined } = specific;
  const reason = short(specific.permissionDecisionReason ?? answer.reason ?? "");
  const isBlocked = decision === "block" || permissionDecision === "deny";
  const notes: Note[] = [];
  if (systemMessage !== undefined) notes.push({ text: short(systemMessage), type: "warning" });
  if (permissionDecision === "ask" && reason !== "") notes.push({ text: reason, type: "info" });
  return {
    notes,
    ...(isBlocked ? { block: reason || "Blocked by a hook" } : {}),
    ...(answer.continue === false ? { stop: short(answer.stopReason ?? "") || "Stopped by a hook" } : {}),
    ...(permissionDecision === "allow" || permissionDecision === "ask" ? { permission: permissionDecision } : {}),
    ...(specific.additionalContext === undefined ? {} : { context: short(specific.additionalContext) }),
    ...(specific.updatedInput === undefined ? {} : { updatedInput: specific.updatedInput }),
  };
}

function short(text: string): string {
  const trimmed = text.trim();
  return trimmed.length > MAX_CHARACTERS ? `${trimmed.slice(0, MAX_CHARACTERS)}…` : trimmed;
}
