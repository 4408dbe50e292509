import { readdir, readFile, stat } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { OutputCollector } from "../../agent/util/output-collector.ts";
import { temporaryFolder } from "../support/run-tool.ts";

const SAMPLE = "plain ü😀\r\n\x1b[31mred\x1b[0m \x1b]0;title\x07end\n10%\r20%\r\x1b[K30%\nlast\x07";
const CLEAN = "plain ü😀\nred end\n10%\n30%\nlast";

async function collect(chunks: readonly Buffer[], limits = { maxLines: 100, maxBytes: 1000 }) {
  const directory = await temporaryFolder();
  let streamed = "";
  const collector = new OutputCollector({
    limits,
    directory,
    onText: (text) => {
      streamed += text;
    },
  });
  for (const chunk of chunks) collector.push(chunk);
  return { snapshot: await collector.finish(), streamed, directory };
}

describe("OutputCollector", () => {
  it("returns plain text wherever the bytes are split", async () => {
    const bytes = Buffer.from(SAMPLE);
    for (let at = 0; at <= bytes.length; at++) {
      const { snapshot, streamed } = await collect([bytes.subarray(0, at), bytes.subarray(at)]);
      expect([snapshot.text, streamed]).toEqual([CLEAN, CLEAN]);
    }
  });

  it("shows the newest state of a line that is still being redrawn", () => {
    const collector = new OutputCollector();
    collector.push(Buffer.from("start\n10%\r55%\r90%"));
    expect(collector.snapshot().text).toBe("start\n10%\n90%");
    expect(collector.snapshot().truncation.totalLines).toBe(3);
  });

  it("writes no file below the limits", async () => {
    const { snapshot, directory } = await collect([Buffer.from("a\n".repeat(100))]);
    expect([snapshot.fullOutputPath, snapshot.truncation.truncated]).toEqual([undefined, false]);
    expect(await readdir(directory)).toEqual([]);
  });

  it("writes everything, from the first byte, to a private file once a limit is passed", async () => {
    const lines = Array.from({ length: 500 }, (_, index) => `line ${index}\n`);
    const { snapshot, streamed } = await collect(lines.map((line) => Buffer.from(line)));
    const path = snapshot.fullOutputPath ?? "";
    expect(await readFile(path, "utf8")).toBe(lines.join(""));
    expect(streamed).toBe(lines.join(""));
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(snapshot.text.split("\n").at(0)).toBe("line 400");
    expect(snapshot.truncation).toMatchObject({
      truncatedBy: "lines",
      totalLines: 500,
      totalBytes: 4390,
      outputLines: 100,
    });
  });

  it("knows the length of a last line even if it keeps only the end", async () => {
    const { snapshot } = await collect([Buffer.from("a\n"), Buffer.from("€".repeat(2000))]);
    expect([snapshot.text, snapshot.lastLineBytes]).toEqual(["€".repeat(333), 6000]);
  });

  it("continues without a file when none can be written", async () => {
    const collector = new OutputCollector({ limits: { maxLines: 1, maxBytes: 10 }, directory: "/no/such/folder" });
    collector.push(Buffer.from("a long first line\n"));
    await new Promise((resolve) => setImmediate(resolve));
    collector.push(Buffer.from("end\n"));
    expect(await collector.finish()).toMatchObject({ text: "end", fullOutputPath: undefined });
  });
});
