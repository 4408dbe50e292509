import { describe, expect, it } from "vitest";
import { lmResult } from "../../../../../extension/host/host-tools/lm/lm-result.ts";

const bytes = (text: string) => new Uint8Array(Buffer.from(text));
const data = (mimeType: string, text: string) => ({ mimeType, data: bytes(text) });

/** The texts and the types of what is no text. */
function shown(parts: readonly unknown[]): string[] {
  return lmResult(parts).content.map((block) => (block.type === "text" ? block.text : block.mimeType));
}

describe("a result of a language model tool", () => {
  it("is its texts as one, in order", () => {
    const parts = [{ value: "one" }, data("text/markdown", "*two*"), data("application/json", "[3]"), { value: "" }];
    expect(shown(parts)).toEqual(["one\n*two*\n[3]"]);
  });

  it("has its images after the text, at most ten", () => {
    expect(lmResult([data("image/png", "abc"), { value: "an image" }])).toEqual({
      content: [
        { type: "text", text: "an image" },
        { type: "image", data: "YWJj", mimeType: "image/png" },
      ],
    });
    const many = shown(Array.from({ length: 12 }, () => data("image/webp", "a")));
    expect(many).toEqual(["[2 more images are not shown.]", ...Array.from({ length: 10 }, () => "image/webp")]);
  });

  it("uses the right part of a buffer", () => {
    const part = { mimeType: "text/plain", data: bytes("before|this|after").subarray(7, 11) };
    expect(shown([part])).toEqual(["this"]);
  });

  it("is cut at 16 KiB of text, like those of our own tools", () => {
    const [text = "", image] = shown([{ value: "ä".repeat(9_000) }, { value: "x" }, data("image/gif", "a")]);
    expect(text).toMatch(/ä\n\[Cut: the first 16384 of 18002 bytes\. /);
    expect(image).toBe("image/gif");
  });

  it("names parts that it cannot show", () => {
    expect(shown([data("application/zip", "abc"), data("image/svg+xml", "<svg/>"), data("image/bmp", "ab")])).toEqual([
      "[Data (application/zip, 3 bytes) is not shown.]\n<svg/>\n[Data (image/bmp, 2 bytes) is not shown.]",
    ]);
    expect(shown([data("image/png", "x".repeat(4_000_000))])).toEqual([
      "[Data (image/png, 4000000 bytes) is not shown.]",
    ]);
    expect(shown([7, undefined, {}])).toEqual([Array(3).fill("[Content that can't be shown is left out.]").join("\n")]);
    expect(shown([])).toEqual(["(no output)"]);
  });

  it("names a resource by its address", () => {
    const uri = { $mid: 1, scheme: "mcp-resource", authority: "a1", path: "/note/1", query: "x=1" };
    const link = (value: unknown) => data("application/vnd.code.resource-link", JSON.stringify(value));
    expect(shown([link({ uri, underlyingMimeType: "text/plain" })])).toEqual([
      "[Resource: mcp-resource://a1/note/1?x=1 (text/plain)]",
    ]);
    expect(shown([link({ uri: "?" })])).toEqual(["[A resource that can't be read is left out.]"]);
  });

  it("contains the words of a prompt, not its structure", () => {
    const line = (text: string) => ({ type: 2, text, lineBreakBefore: 1 });
    const prompt = { node: { type: 1, ctor: 2, children: [{ type: 1, children: [line("one")] }, line("two")] } };
    expect(shown([{ value: prompt }])).toEqual(["\none\ntwo"]);
    expect(shown([{ value: { answer: 42 } }])).toEqual(['{"answer":42}']);
  });
});
