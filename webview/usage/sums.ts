import type { UsageSums } from "../../agent/protocol/usage.ts";

/** Tokens and cost of a part of the usage. */
export interface Sums extends UsageSums {
  readonly name: string;
  readonly tokens: number;
}

/** Adds up rows by a name. In the given order of first occurrence. */
export function sumBy<T extends UsageSums>(rows: readonly T[], nameOf: (row: T) => string): Sums[] {
  const sums = new Map<string, Sums>();
  for (const row of rows) {
    const name = nameOf(row);
    sums.set(name, plus(sums.get(name) ?? noSums(name), row));
  }
  return [...sums.values()];
}

/** Returns the sums of all rows. */
export function sumOf(rows: readonly UsageSums[]): Sums {
  return rows.reduce<Sums>(plus, noSums(""));
}

/** Returns the days of a calendar with their sums, those without usage included. */
export function sumDays<T extends UsageSums & { readonly day: string }>(
  rows: readonly T[],
  calendar: readonly string[],
): Sums[] {
  const byDay = new Map(sumBy(rows, ({ day }) => day).map((sums) => [sums.name, sums]));
  return calendar.map((day) => byDay.get(day) ?? noSums(day));
}

/** Sorts the dearest first; among those without a price, the one with the most tokens. */
export function byCost<T extends { readonly costUsd: number; readonly tokens: number }>(list: readonly T[]): T[] {
  return [...list].sort((one, other) => other.costUsd - one.costUsd || other.tokens - one.tokens);
}

/** Returns the share of the input that came from the provider's cache, from 0 to 1; undefined without input. */
export function cacheShare({ input, cacheRead, cacheWrite }: UsageSums): number | undefined {
  const all = input + cacheRead + cacheWrite;
  return all === 0 ? undefined : cacheRead / all;
}

function noSums(name: string): Sums {
  return { name, requests: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0, costUsd: 0, tokens: 0 };
}

function plus(sums: Sums, row: UsageSums): Sums {
  return {
    name: sums.name,
    requests: sums.requests + row.requests,
    input: sums.input + row.input,
    output: sums.output + row.output,
    cacheRead: sums.cacheRead + row.cacheRead,
    cacheWrite: sums.cacheWrite + row.cacheWrite,
    costUsd: sums.costUsd + row.costUsd,
    tokens: sums.tokens + row.input + row.output + row.cacheRead + row.cacheWrite,
  };
}
