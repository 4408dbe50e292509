import { resolve } from "node:path";
import type { ExtensionContext } from "../../extensions/author.ts";
import { errorMessage } from "../../protocol/errors.ts";
import { answerOf, type HookAnswer } from "./hook-answer.ts";
import { mayRun } from "./hook-consent.ts";
import type { HookEvent, HooksParts } from "./hooks-parts.ts";
import type { Hook, HookGroup } from "./read-hooks.ts";
import { type CommandEnd, runCommand } from "./run-command.ts";

/** The wishes of all hooks of an event together. */
export interface HookVerdict {
  block: string | undefined;
  stop: string | undefined;
  /** `allow` only from a hook of the user, and only for arguments that no hook of the project changed. */
  permission: "allow" | "ask" | undefined;
  /** Texts for the model; "" for none. */
  context: string;
  updatedInput: Record<string, unknown> | undefined;
}

interface Run {
  hook: Hook;
  isOwn: boolean;
}

/** An event, as its hooks receive it. */
export interface Occasion {
  event: HookEvent;
  /** The names that a matcher can name; undefined for an event without matchers. */
  names?: readonly string[];
  /** The event's own fields. */
  fields: Record<string, unknown>;
}

/** Runs the hooks that match, all at once, each command once. */
export async function runHooks(
  groups: readonly HookGroup[],
  occasion: Occasion,
  ctx: ExtensionContext,
  parts: HooksParts,
): Promise<HookVerdict> {
  const runs = matching(groups, occasion, parts);
  const { event, fields } = occasion;
  const input = JSON.stringify({
    session_id: ctx.sessionManager.getSessionId(),
    transcript_path: ctx.sessionManager.getSessionFile() ?? "",
    cwd: ctx.cwd,
    hook_event_name: event,
    ...fields,
  });
  const answers = await Promise.all(
    runs.map(async ({ hook, isOwn }) => ({ ...answerOf(hook, await runHook(hook, input, ctx, parts)), isOwn })),
  );
  for (const { text, type } of answers.flatMap(({ notes }) => notes)) ctx.ui.notify(text, type);
  return verdictOf(answers);
}

function matching(groups: readonly HookGroup[], { event, names }: Occasion, parts: HooksParts): Run[] {
  const runs = new Map<string, Run>();
  for (const { hooks, source } of groups) {
    const matched = hooks.filter(
      (hook) => hook.event === event && (names === undefined || names.some((name) => hook.matches(name))),
    );
    if (matched.length === 0 || !mayRun({ hooks, source }, parts)) continue;
    for (const hook of matched) {
      const key = JSON.stringify([hook.command, hook.cwd, hook.env]);
      if (!runs.has(key)) runs.set(key, { hook, isOwn: source.scope === "user" });
    }
  }
  return [...runs.values()];
}

async function runHook(hook: Hook, input: string, ctx: ExtensionContext, parts: HooksParts): Promise<CommandEnd> {
  try {
    return await runCommand({
      shell: await parts.shell(),
      command: hook.command,
      cwd: resolve(ctx.cwd, hook.cwd ?? ""),
      env: { ...parts.childEnv(), CLAUDE_PROJECT_DIR: ctx.cwd, ...hook.env },
      input,
      timeoutMs: hook.timeoutMs,
      signal: ctx.signal,
    });
  } catch (error) {
    return { kind: "failed", problem: errorMessage(error) };
  }
}

function verdictOf(answers: readonly (HookAnswer & { isOwn: boolean })[]): HookVerdict {
  const all = (texts: readonly (string | undefined)[]) => texts.filter((text) => text !== undefined).join("\n");
  const blocks = answers.filter(({ block }) => block !== undefined);
  const update = answers.find(({ updatedInput }) => updatedInput !== undefined);
  const isAllowed = update?.isOwn !== false && answers.some(({ permission, isOwn }) => isOwn && permission === "allow");
  const isAsked = answers.some(({ permission }) => permission === "ask");
  return {
    block: blocks.length === 0 ? undefined : all(blocks.map(({ block }) => block)),
    stop: answers.find(({ stop }) => stop !== undefined)?.stop,
    permission: isAsked ? "ask" : isAllowed ? "allow" : undefined,
    context: all(answers.map(({ context }) => context)),
    updatedInput: update?.updatedInput,
  };
}
