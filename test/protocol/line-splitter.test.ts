import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LineSplitter, MAX_LINE_BYTES } from "../../agent/protocol/line-splitter.ts";

const OVERFLOW = "<overflow>";

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Feeds chunks and returns the lines; `ended` says whether the stream ends afterwards. */
function split(chunks: readonly Uint8Array[], { maxBytes = MAX_LINE_BYTES, ended = true } = {}): string[] {
  const seen: string[] = [];
  const sink = { line: (text: string) => seen.push(text), overflow: () => seen.push(OVERFLOW) };
  const splitter = new LineSplitter(sink, maxBytes);
  for (const chunk of chunks) splitter.push(chunk);
  if (ended) splitter.end();
  return seen;
}

const SAMPLE = bytes('\uFEFF{"a":"ü€😀"}\r\n\n{"b":"x\u2028y\u2029z\u0085\v\f"}\n  \r\n{"c":1}\rd');
const SAMPLE_LINES = ['{"a":"ü€😀"}', "", '{"b":"x\u2028y\u2029z\u0085\v\f"}', "  ", '{"c":1}\rd'];

describe("LineSplitter", () => {
  it("returns the same lines wherever a sample is split in two", () => {
    for (let at = 0; at <= SAMPLE.length; at += 1) {
      expect(split([SAMPLE.slice(0, at), SAMPLE.slice(at)]), `cut at byte ${at}`).toEqual(SAMPLE_LINES);
    }
  });

  it("returns the same lines when the sample comes byte by byte", () => {
    expect(split(Array.from(SAMPLE, (byte) => Uint8Array.of(byte)))).toEqual(SAMPLE_LINES);
  });

  it("returns the same lines for any text and any chunks", () => {
    const line = fc.string({ unit: "binary" }).map((text) => text.replace(/[\n\r\uFEFF]/g, "_"));
    const cuts = fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 12 });
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 8 }), cuts, (lines, positions) => {
        const whole = bytes(lines.map((text) => `${text}\n`).join(""));
        const borders = [0, ...positions.map((at) => Math.min(at, whole.length)), whole.length].sort((a, b) => a - b);
        const chunks = borders.slice(1).map((end, index) => whole.slice(borders[index], end));
        expect(split(chunks)).toEqual(lines);
      }),
    );
  });

  it("splits a thousand lines of one chunk", () => {
    expect(split([bytes("x\n".repeat(1000))])).toEqual(Array.from({ length: 1000 }, () => "x"));
  });

  it("holds back a line until its LF", () => {
    expect(split([bytes("one\ntw")], { ended: false })).toEqual(["one"]);
  });

  it("accepts a last line without LF at the end of the stream, and adds none after an LF", () => {
    expect(split([bytes("one\ntwo")])).toEqual(["one", "two"]);
    expect(split([bytes("one\ntwo\n")])).toEqual(["one", "two"]);
    expect(split([])).toEqual([]);
  });

  it("drops one CR before the LF and keeps every other", () => {
    expect(split([bytes("a\r\n"), bytes("b\r\r\n"), bytes("c\rd\n"), bytes("\r\n")])).toEqual(["a", "b\r", "c\rd", ""]);
  });

  it("drops a byte order mark at the start of the stream only", () => {
    expect(split([bytes("\uFEFFa\n\uFEFFb\n")])).toEqual(["a", "\uFEFFb"]);
    expect(split([bytes("\n\uFEFFb\n")])).toEqual(["", "\uFEFFb"]);
  });

  it("reads invalid UTF-8 as U+FFFD and continues", () => {
    expect(split([Uint8Array.of(0x61, 0xff, 0x62, 0x0a, 0xc3, 0x0a, 0x63, 0x0a)])).toEqual(["a\uFFFDb", "\uFFFD", "c"]);
  });

  it("discards a line over the limit, reports it once and continues", () => {
    expect(split([bytes("ok\n12345"), bytes("6789"), bytes("01\nfine\n")], { maxBytes: 8 })).toEqual([
      "ok",
      OVERFLOW,
      "fine",
    ]);
  });

  it("accepts a line of exactly the limit", () => {
    expect(split([bytes("12345678\n123456789\n")], { maxBytes: 8 })).toEqual(["12345678", OVERFLOW]);
  });

  it("reports an oversized line that ends with the stream", () => {
    expect(split([bytes("123456789")], { maxBytes: 8 })).toEqual([OVERFLOW]);
  });

  it("has a limit of 64 MiB unless told otherwise", () => {
    const reported: number[] = [];
    const splitter = new LineSplitter({ line: () => undefined, overflow: (maxBytes) => reported.push(maxBytes) });
    const mebibyte = new Uint8Array(1024 * 1024).fill(0x61);
    for (let count = 0; count < 64; count += 1) splitter.push(mebibyte);
    splitter.push(bytes("a\n"));
    expect(reported).toEqual([67_108_864]);
  });

  it("visits each byte once, however many chunks a line has", () => {
    const chunks = Array.from({ length: 500 }, () => new CountingBytes(new ArrayBuffer(100)).fill(0x61));
    CountingBytes.scannedBytes = 0;
    const [line = ""] = split([...chunks, bytes("\n")]);
    expect(line).toHaveLength(50_000);
    expect(CountingBytes.scannedBytes).toBe(50_000);
  });
});

/** Bytes that count how many of them a search for a separator walks over. */
class CountingBytes extends Uint8Array<ArrayBuffer> {
  static scannedBytes = 0;
  static get [Symbol.species](): Uint8ArrayConstructor {
    return Uint8Array;
  }

  override indexOf(value: number, fromIndex = 0): number {
    const at = super.indexOf(value, fromIndex);
    CountingBytes.scannedBytes += (at === -1 ? this.length : at) - fromIndex;
    return at;
  }
}
