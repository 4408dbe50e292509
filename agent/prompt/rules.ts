import { errorMessage } from "../protocol/errors.ts";
import { readHeader, splitFrontMatter } from "./front-matter.ts";
import { findMarkdownFiles, nameOfMarkdown, readMarkdown, rememberByFile, type Warn } from "./resource-files.ts";
import type { Place } from "./resource-places.ts";
import { findInPlaces, keepFirst } from "./resources.ts";
import { type RuleTerms, readRuleHeader } from "./rule-header.ts";

/** A text that the model gets as soon as it writes something that matches. */
export interface StreamRule extends RuleTerms {
  /** The name of its file. */
  name: string;
  /** Absolute path of its file. */
  path: string;
  /** The text for the model. */
  content: string;
}

/** The rules of a session. */
export interface Rules {
  /** Looks for them; only files that changed are read. A rule whose file did not change is the same object again. */
  refresh(): Promise<readonly StreamRule[]>;
}

/** Tells what is wrong with a file. */
export type ReportRule = (path: string, problem: string) => void;

interface RuleOptions {
  places: readonly Place[];
  warn: Warn;
  report: ReportRule;
}

const MAX_RULES = 100;

/** Rules of some places; the first of a name wins. Files without a condition are none. */
export function createRules({ places, warn, report }: RuleOptions): Rules {
  const readAll = rememberByFile((path) => readRule(path, report));
  return {
    async refresh() {
      const files = await findInPlaces(places, { kind: "rule", find: findMarkdownFiles, warn });
      const rules = await readAll(files.map(({ path }) => path));
      const usable = rules.filter((rule) => rule !== undefined);
      return keepFirst(usable, { kind: "rule", max: MAX_RULES, warn });
    },
  };
}

async function readRule(path: string, report: ReportRule): Promise<StreamRule | undefined> {
  try {
    const { header, body } = splitFrontMatter(await readMarkdown(path));
    const { fields, problem } = await readHeader(header);
    if (problem !== undefined) report(path, problem);
    const terms = await readRuleHeader(fields, (wrong) => report(path, wrong));
    if (terms === undefined) return undefined;
    const content = body || terms.description;
    if (content !== "") return { ...terms, name: nameOfMarkdown(path), path, content };
    report(path, "the rule is ignored: it has no text for the model");
  } catch (error) {
    report(path, `the rule can't be read: ${errorMessage(error)}`);
  }
  return undefined;
}
