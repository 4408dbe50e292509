import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { hostileRows } from "../../support/hostile-rows.ts";
import { type Accepted, acceptedAs, shortened, unforeseen } from "../../support/judged-scripts.ts";
import { ScriptRecorder } from "../../support/recorded-scripts.ts";
import { scripts } from "../../support/script-grammar.ts";

/** `FUZZ_RUNS=1000000 npx vitest run test/bundled/approvals/grammar-fuzz.test.ts` looks for longer; `FUZZ_SEED` for others. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 6000);
const SEED = Number(process.env.FUZZ_SEED ?? 20261123);
const AT_ONCE = 2000;
const MAX_SHOWN = 20;

const recorder = new ScriptRecorder();
afterAll(() => recorder.close());

const others = hostileRows().map(({ command }) => command);

async function isShown(script: string): Promise<boolean> {
  const accepted = await acceptedAs(script, recorder);
  const [recorded] = accepted === undefined ? [] : recorder.run([script]);
  return accepted !== undefined && recorded !== undefined && unforeseen(accepted, recorded) !== undefined;
}

it("a script that the judge accepts runs only the programs that were judged", async () => {
  const holes = new Map<string, string>();
  let count = 0;
  for (let from = 0; from < RUNS; from += AT_ONCE) {
    const accepted: Accepted[] = [];
    for (const script of fc.sample(scripts(others), { seed: SEED + from, numRuns: Math.min(AT_ONCE, RUNS - from) })) {
      const one = await acceptedAs(script, recorder);
      if (one !== undefined) accepted.push(one);
    }
    count += accepted.length;
    const recorded = recorder.run(accepted.map(({ script }) => script));
    for (const [index, one] of accepted.entries()) {
      const done = recorded[index];
      if (holes.size >= MAX_SHOWN || done === undefined || unforeseen(one, done) === undefined) continue;
      const script = await shortened(one.script, isShown);
      const [again] = recorder.run([script]);
      const known = await acceptedAs(script, recorder);
      holes.set(
        JSON.stringify(script),
        known !== undefined && again !== undefined ? (unforeseen(known, again) ?? "") : "",
      );
    }
  }
  expect(
    [...holes].map(([script, what]) => `${script} ${what}`),
    `seed ${SEED}, ${count} of ${RUNS} were accepted`,
  ).toEqual([]);
  expect(count, "the grammar is fuzzed only where it is accepted").toBeGreaterThan(RUNS / 20);
}, 3_600_000);
