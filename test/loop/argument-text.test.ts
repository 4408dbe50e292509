import { describe, expect, it } from "vitest";
import { ArgumentText } from "../../agent/loop/argument-text.ts";

/** Reads arguments in portions. @returns the texts, with a stroke where one was left open, and the path. */
function read(...portions: string[]): { texts: string[]; path: string | undefined } {
  const texts: string[] = [];
  let open: string | undefined;
  const reader = new ArgumentText({
    open: () => {
      open = "";
    },
    add: (text) => {
      open += text;
    },
    close: () => {
      texts.push(open ?? "");
      open = undefined;
    },
  });
  for (const portion of portions) reader.push(portion);
  return { texts: open === undefined ? texts : [...texts, `${open}|`], path: reader.path };
}

const SAMPLE = String.raw`{"path": "a\/b.ts", "edits": [{"old": "x\n\"y\"", "n": 12, "new": "\ud83d\ude00 é"}], "all": true, "": "z"}`;

describe("ArgumentText", () => {
  it("returns each text, decoded, and no names and numbers", () => {
    expect(read(SAMPLE)).toEqual({ texts: ["a/b.ts", 'x\n"y"', "😀 é", "z"], path: "a/b.ts" });
  });

  it("does not depend on where the JSON is split", () => {
    for (let at = 1; at < SAMPLE.length; at++) {
      expect(read(SAMPLE.slice(0, at), SAMPLE.slice(at)).texts).toEqual(["a/b.ts", 'x\n"y"', "😀 é", "z"]);
    }
    expect(read(...SAMPLE).path).toBe("a/b.ts");
  });

  it("knows the path only when it is complete, and takes it from the outermost object", () => {
    expect(read('{"path": "a')).toEqual({ texts: ["a|"], path: undefined });
    expect(read('{"in": {"path": "a"}, "file_path": "b"').path).toBe("b");
    expect(read('{"file": "c", "list": ["path", "d"]}').path).toBeUndefined();
  });

  it("accepts anything instead of JSON", () => {
    expect(read("]]}}", '"\\q\\u12', 'zz"', "{[{")).toEqual({ texts: ["q\\u12zz"], path: undefined });
    expect(read('"', "\\", '"', '"')).toEqual({ texts: ['"'], path: undefined });
  });
});
