import { existsSync } from "node:fs";
import type { Warn } from "./resource-files.ts";
import type { Place } from "./resource-places.ts";
import type { ReportRule, Rules } from "./rules.ts";

/** The source of rules, and the receiver of their problems. */
export interface RuleSource extends Rules {
  report: ReportRule;
}

interface RuleSourceOptions {
  places: readonly Place[];
  warn: Warn;
  report: ReportRule;
}

/** Rules that cost nothing where there are none: what reads them is loaded when a folder for them is there. */
export function createRuleSource(options: RuleSourceOptions): RuleSource {
  let rules: Rules | undefined;
  return {
    report: options.report,
    async refresh() {
      if (!options.places.some(({ path }) => existsSync(path))) return [];
      if (rules === undefined) {
        const { createRules } = await import("./rules.ts");
        rules ??= createRules(options);
      }
      return rules.refresh();
    },
  };
}
