import { basename, dirname } from "node:path";
import { errorMessage } from "../protocol/errors.ts";
import { compileGlob } from "../tools/glob.ts";
import { readHeader, splitFrontMatter } from "./front-matter.ts";
import { findSkillFiles, readMarkdown, rememberByFile, type Warn } from "./resource-files.ts";
import type { Place } from "./resource-places.ts";
import { findInPlaces, keepFirst, type Resource } from "./resources.ts";
import { readSkillHeader, type SkillFacts, skillBlock } from "./skill-text.ts";

/** Instructions for one kind of work, in a folder with whatever belongs to them. */
export interface Skill extends Resource, SkillFacts {}

/** The skills of a session. */
export interface Skills {
  /** As they were when somebody looked last. */
  readonly current: readonly Skill[];
  /** Looks for them again; only files that changed are read. */
  refresh(): Promise<readonly Skill[]>;
  /**
   * @returns the message that calls a skill; undefined when none has this name.
   * @throws SkillUnreadable
   */
  expand(name: string, args: string): Promise<string | undefined>;
}

/** A skill that is known, but whose file cannot be read. */
export class SkillUnreadable extends Error {
  override readonly name = "SkillUnreadable";
  readonly path: string;

  constructor(path: string, cause: unknown) {
    super(`The skill can't be read: ${errorMessage(cause)}`, { cause });
    this.path = path;
  }
}

interface SkillOptions {
  /** Returns the places to search, at the time of each search. */
  places(): readonly Place[];
  /** Globs on names; undefined lets all pass. */
  globs: readonly string[] | undefined;
  warn: Warn;
}

const MAX_SKILLS = 200;

/** Skills of some places; the first of a name wins. None is known before the first `refresh`. */
export function createSkills({ places, globs, warn }: SkillOptions): Skills {
  const readAll = rememberByFile((path) => readFacts(path, warn));
  let current: readonly Skill[] = [];
  const refresh = async () => {
    const files = await findInPlaces(places(), { kind: "skill", find: findSkillFiles, warn });
    const facts = await readAll(files.map(({ path }) => path));
    const passes = globs === undefined || files.length === 0 ? () => true : await anyGlob(globs);
    const skills = files.flatMap((file, index) => {
      const skill = facts[index];
      return skill === undefined || !passes(skill.name) ? [] : [{ ...file, ...skill }];
    });
    current = await keepFirst(skills, { kind: "skill", max: MAX_SKILLS, warn });
    return current;
  };
  return {
    get current() {
      return current;
    },
    refresh,
    async expand(name, args) {
      const isNamed = (skill: Skill) => skill.name === name;
      const before = current.find(isNamed);
      const skill = (await refresh()).find(isNamed) ?? before;
      if (skill === undefined) return undefined;
      const { path } = skill;
      try {
        const { body } = splitFrontMatter(await readMarkdown(path));
        return skillBlock({ name, path, folder: dirname(path), body }, args);
      } catch (error) {
        throw new SkillUnreadable(path, error);
      }
    },
  };
}

async function readFacts(path: string, warn: Warn): Promise<SkillFacts | undefined> {
  try {
    const { fields, problem } = await readHeader(splitFrontMatter(await readMarkdown(path)).header);
    if (problem !== undefined) warn(`${path}: ${problem}`);
    const read = readSkillHeader(fields, basename(dirname(path)));
    if (read.problem !== undefined) warn(`${path}: ${read.problem}`);
    return read.skill;
  } catch (error) {
    warn(`The skill ${path} can't be read: ${errorMessage(error)}`);
    return undefined;
  }
}

async function anyGlob(globs: readonly string[]): Promise<(name: string) => boolean> {
  const tests = await Promise.all(globs.map(compileGlob));
  return (name) => tests.some((test) => test(name));
}
