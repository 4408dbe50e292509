import { describe, expect, it } from "vitest";
import { TypedLine } from "../../../../../extension/host/host-tools/run/typed-line.ts";

/** Returns the effects of keys in order, without the echo. */
function typed(...keys: string[]): { sent: string[]; shown: string } {
  const sent: string[] = [];
  let shown = "";
  const line = new TypedLine({
    echo: (text) => {
      shown += text;
    },
    send: (text) => sent.push(text),
    interrupt: () => sent.push("interrupt"),
    end: () => sent.push("end"),
  });
  for (const key of keys) line.type(key);
  return { sent, shown };
}

describe("typed input", () => {
  it("is shown at once and sent at Enter", () => {
    expect(typed("h", "é", "🙂", "\r", "x")).toEqual({ sent: ["hé🙂\n"], shown: "hé🙂\r\nx" });
    expect(typed("one\rtwo\r")).toEqual({ sent: ["one\n", "two\n"], shown: "one\r\ntwo\r\n" });
  });

  it("is deleted by Backspace and Ctrl+U", () => {
    expect(typed("a🙂\u007f\u007f\u007fb\r")).toEqual({ sent: ["b\n"], shown: `a🙂${"\b \b".repeat(3)}b\r\n` });
    expect(typed("ab\u0015c\r").sent).toEqual(["c\n"]);
    // Signs that are two columns wide, one that is half of that, and an accent that stands above the letter before it.
    expect(typed("中한か", "\u007f\u007f\u007f").shown).toBe(`中한か${"\b \b".repeat(6)}`);
    expect(typed("ｶe\u0301", "\u0015").shown).toBe(`ｶe\u0301${"\b \b".repeat(2)}`);
  });

  it("is interrupted by Ctrl+C and ended by Ctrl+D", () => {
    expect(typed("half\u0003\r")).toEqual({ sent: ["interrupt", "\n"], shown: "half^C\r\n" });
    expect(typed("half\u0004", "\u0004").sent).toEqual(["half", "end"]);
  });

  it("ignores keys that are no characters", () => {
    expect(typed("a\u001b[A\u001bOP\u001b[1;5Cb", "\u001b", "\u001bx", "\u0001", "\r").sent).toEqual(["ab\n"]);
  });
});
