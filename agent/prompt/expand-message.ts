import { splitAttached } from "../protocol/attached.ts";
import { errorMessage } from "../protocol/errors.ts";
import { type Skills, SkillUnreadable } from "./skills.ts";
import type { Templates } from "./templates.ts";

/** The resources that messages are expanded with. */
export interface ExpansionParts {
  skills: Skills;
  templates: Templates;
  /** Tells of a skill that was called and cannot be read. */
  onUnreadable(path: string, error: string): void;
}

const CALL = /^\/(\S+)(?:\s+([\s\S]*))?$/;
const SKILL_PREFIX = "skill:";

/** True if a message may call a skill or a template. */
export function isCall(text: string): boolean {
  return text.startsWith("/");
}

/**
 * Puts the text of a skill or template in place of the message that calls it. A message that calls nothing known stays as it is; what a host has
 * attached stays behind it.
 */
export async function expandMessage(message: string, parts: ExpansionParts): Promise<string> {
  const { text, attached } = splitAttached(message);
  return (await expandText(text, parts)) + attached;
}

async function expandText(text: string, parts: ExpansionParts): Promise<string> {
  const [, name, args = ""] = CALL.exec(text) ?? [];
  if (name === undefined) return text;
  if (name.startsWith(SKILL_PREFIX)) {
    try {
      const expanded = await parts.skills.expand(name.slice(SKILL_PREFIX.length), args.trim());
      if (expanded !== undefined) return expanded;
    } catch (error) {
      if (!(error instanceof SkillUnreadable)) throw error;
      parts.onUnreadable(error.path, errorMessage(error));
      return text;
    }
  }
  return (await parts.templates.expand(name, args)) ?? text;
}
