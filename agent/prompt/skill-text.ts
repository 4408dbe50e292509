import * as z from "zod";
import { HeaderText } from "./resources.ts";

/** The facts about a skill that the model knows before it reads the file. */
export interface ListedSkill {
  name: string;
  description: string;
  path: string;
}

/** A skill's header that was read and checked. */
export interface SkillFacts {
  name: string;
  description: string;
  /** The model may decide by itself to use it. */
  isForModel: boolean;
}

const NAME = /^[a-z0-9-]{1,64}$/;
const MAX_DESCRIPTION_LENGTH = 1024;

const SkillHeader = z.lazy(() =>
  z
    .object({ name: HeaderText, description: HeaderText, "disable-model-invocation": z.boolean().catch(false) })
    .catch({ name: "", description: "", "disable-model-invocation": false }),
);

/**
 * Checks a skill's header.
 * @param folderName the name of a skill that does not say its own.
 * @returns the skill, if it can be used, and what is wrong with it.
 */
export function readSkillHeader(fields: unknown, folderName: string): { skill?: SkillFacts; problem?: string } {
  const header = SkillHeader.parse(fields);
  const name = header.name || folderName;
  if (!NAME.test(name)) {
    return {
      problem: `the skill is ignored: its name "${name.slice(0, 80)}" is not made of at most 64 lower case letters, digits and hyphens`,
    };
  }
  if (header.description === "") return { problem: 'the skill is ignored: its front matter has no "description"' };
  const skill = {
    name,
    description: header.description.slice(0, MAX_DESCRIPTION_LENGTH),
    isForModel: !header["disable-model-invocation"],
  };
  if (header.description.length <= MAX_DESCRIPTION_LENGTH) return { skill };
  return { skill, problem: `its description is cut after ${MAX_DESCRIPTION_LENGTH} characters` };
}

/** Returns the system prompt's section on skills; empty if there are none. */
export function skillSection(skills: readonly ListedSkill[]): string {
  if (skills.length === 0) return "";
  const lines = skills.map(
    ({ name, description, path }) =>
      `<skill name="${escapeMarkup(name)}" path="${escapeMarkup(path)}">${escapeMarkup(description)}</skill>`,
  );
  return [
    "Skills are instructions for some kinds of work. When a task fits a description below, read that file first and work as it says. Paths in it are relative to its folder.",
    ...lines,
  ].join("\n");
}

/** Returns the expanded form of a message that uses a skill. */
export function skillBlock(skill: { name: string; path: string; folder: string; body: string }, args: string): string {
  const block = [
    `<skill name="${escapeMarkup(skill.name)}" location="${escapeMarkup(skill.path)}">`,
    `References are relative to ${skill.folder}.`,
    "",
    skill.body,
    "</skill>",
  ];
  return (args === "" ? block : [...block, "", args]).join("\n");
}

/** Text as it may stand in markup that the model reads, also between quotation marks. */
export function escapeMarkup(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
