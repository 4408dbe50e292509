import type { CDPSession } from "playwright-core";
import { describe, expect, it } from "vitest";
import { shownText } from "../../../extension/core/mentions/context-blocks.ts";
import { NO_REFERENCES, noteLinks } from "../../../extension/core/transcript/references.ts";
import type { OpenPage } from "../support/open-page.ts";
import { usePage } from "../support/use-page.ts";

const panel = usePage();

const SHORT_CHARS = 8_000;
/** Four times the text may take this many times the work; work that grows with the square takes sixteen times as much. */
const MAX_GROWTH = 10;

const RUNS: Record<string, string> = {
  "lines that open a formula": "\\[\n",
  "lines that open a formula with dollars": "$$x\n",
  "openings of formulas": "\\(",
  backslashes: "\\",
  "escaped quotes": '\\"',
  "escapes for terminals": "\u001b[1m",
  "openings of links": "[a](",
  backquotes: "` ",
  "items without a letter": "* -\n",
};

const FENCES: [language: string, unit: string][] = [
  ["markdown", "[a]("],
  ["java", "$a"],
  ["javascript", "\n"],
  ["bash", '"'],
  ["json", '\\"'],
];

describe("a message that repeats one character", () => {
  it.each(Object.entries(RUNS))("costs the page linear time: %s", async (_name, unit) => {
    await expectLinear((length) => repeated(unit, length));
  });

  it.each(FENCES)("costs the page linear time in %s code: %j", async (language, unit) => {
    await expectLinear((length) => `\`\`\`${language}\n${repeated(unit, length)}\n\`\`\`\n`);
  });
});

describe("a text that repeats one character", () => {
  it.each([
    ["returns", (length: number) => shownText(`${repeated("\r", length)}x`)],
    ["openings of links", (length: number) => noteLinks(NO_REFERENCES, repeated("[a](http://", length))],
    ["marks behind an address", (length: number) => noteLinks(NO_REFERENCES, `http://${repeated(".", length)}x`)],
  ])("costs the extension linear time: %s", (_name, work) => {
    const cpuMs = (length: number) => {
      const before = process.cpuUsage();
      work(length);
      return process.cpuUsage(before).user / 1000;
    };
    work(1000);
    expect(cpuMs(200_000)).toBeLessThan(Math.max(cpuMs(50_000), 5) * MAX_GROWTH);
  });
});

async function expectLinear(textOf: (length: number) => string): Promise<void> {
  const session = await panel().page.context().newCDPSession(panel().page);
  // Time of the processor: what else runs on the machine does not count.
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  await costOf(session, panel(), textOf(SHORT_CHARS)); // loads what is needed late
  const short = await costOf(session, panel(), textOf(SHORT_CHARS));
  const long = await costOf(session, panel(), textOf(4 * SHORT_CHARS));
  expect(long / short).toBeLessThan(MAX_GROWTH);
}

/** Seconds that scripts of the page work until the text stands there, colored. */
async function costOf(session: CDPSession, { page, snapshot, settle }: OpenPage, text: string): Promise<number> {
  const before = await scriptSeconds(session);
  await snapshot([{ id: "s", kind: "text", text, isStreaming: false }]);
  await settle();
  await expect.poll(() => page.locator(".code-block:not([data-colored])").count()).toBe(0);
  const after = await scriptSeconds(session);
  await snapshot([]);
  return after - before;
}

async function scriptSeconds(session: CDPSession): Promise<number> {
  const { metrics } = await session.send("Performance.getMetrics");
  return metrics.find(({ name }) => name === "ScriptDuration")?.value ?? expect.fail("no such metric");
}

function repeated(unit: string, length: number): string {
  return unit.repeat(Math.ceil(length / unit.length));
}
