// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders look like that
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fillTemplate, splitArguments } from "../../agent/prompt/template-text.ts";

describe("splitArguments", () => {
  it.each([
    ["", []],
    ["  one\ttwo\nthree ", ["one", "two", "three"]],
    [`a "b c" 'd e'`, ["a", "b c", "d e"]],
    [`"say \\"hi\\"" 'it\\'s'`, [`say "hi"`, "it's"]],
    [`"it\\'s" 'a\\b'`, ["it\\'s", "a\\b"]],
    [`it's don"t --x="a b"`, ["it's", `don"t`, '--x="a', 'b"']],
    [`"never closed`, ['"never', "closed"]],
    [`"" ''`, ["", ""]],
    [`"a b"c`, ["a bc"]],
  ])("reads %j", (text, words) => {
    expect(splitArguments(text)).toEqual(words);
  });

  it("returns every quoted argument", () => {
    const argument = fc.string({ unit: "binary" }).filter((text) => !text.includes("\\"));
    fc.assert(
      fc.property(fc.array(argument, { maxLength: 6 }), (args) => {
        const line = args.map((text) => `"${text.replaceAll('"', '\\"')}"`).join(" ");
        expect(splitArguments(line)).toEqual(args);
      }),
    );
  });

  it("loses and adds only white space when there are no quotes", () => {
    const text = fc.string().filter((candidate) => !/["']/.test(candidate));
    fc.assert(
      fc.property(text, (line) => {
        expect(splitArguments(line).join("")).toBe(line.replaceAll(/\s/g, ""));
      }),
    );
  });
});

describe("fillTemplate", () => {
  const args = ["one", "two", "three"];

  it.each([
    ["$1-$3", "one-three"],
    ["[$4]", "[]"],
    ["$@ / $ARGUMENTS", "one two three / one two three"],
    ["${1:-x} ${4:-a default}", "one a default"],
    ["${@:2}", "two three"],
    ["${@:2:1}", "two"],
    ["${@:0:1}", "one"],
    ["${@:9}", ""],
    ["$0 $x ${x} ${1} $$", "$0 $x ${x} ${1} $$"],
  ])("fills %j", (template, filled) => {
    expect(fillTemplate(template, args)).toBe(filled);
  });

  it("uses the default of all arguments when there are none", () => {
    expect(fillTemplate("${@:-everything}", [])).toBe("everything");
  });

  it("ignores placeholders inside arguments", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("$1", "$@", "$2", "${1:-x}", "$&", "$ARGUMENTS"), { minLength: 1 }),
        (words) => {
          expect(fillTemplate("<$@>", words)).toBe(`<${words.join(" ")}>`);
        },
      ),
    );
  });

  it("fills unfinished placeholders in linear time", () => {
    const hostile = "${1:-".repeat(50_000);
    expect(fillTemplate(hostile, ["a"])).toBe(hostile);
  });
});
