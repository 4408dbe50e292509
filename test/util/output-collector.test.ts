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

  it("loses no line of a text that has only carriage returns, wherever the bytes are split", async () => {
    const bytes = Buffer.from("name,2024\rone,1\rtwo,2\r3\r4\r5\r");
    for (let at = 0; at <= bytes.length; at++) {
      const { snapshot, streamed } = await collect([bytes.subarray(0, at), bytes.subarray(at)]);
      expect([snapshot.text, streamed]).toEqual(Array(2).fill("name,2024\none,1\ntwo,2\n3\n4\n5"));
      expect(snapshot.truncation.totalLines).toBe(6);
    }
  });

  it.each([
    ["a share", "get 1%\rget 5%\rget 9%\runpack 1%\rdone\n", "get 1%\nget 9%\nunpack 1%\ndone\n"],
    ["a bar", "[##  ] 1/4\r[### ] 2/4\r[####] 4/4\n", "[##  ] 1/4\n[####] 4/4\n"],
    ["a speed", "1 MB, 1.0 MB/s\r3 MB, 1.5 MB/s\r10 MB, 980 kB/s\n", "1 MB, 1.0 MB/s\n10 MB, 980 kB/s\n"],
    ["something that turns", "⠋ build\r⠙ build\r⠹ build\r        \rbuilt\n", "⠋ build\n⠹ build\nbuilt\n"],
  ])("keeps the first and the last drawing of progress: %s", async (_, written, kept) => {
    expect((await collect([Buffer.from(written)])).streamed).toBe(kept);
  });

  it("shows where a NUL was", async () => {
    expect((await collect([Buffer.from("a.txt\0b.txt\0")])).snapshot.text).toBe("a.txt␀b.txt␀");
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
