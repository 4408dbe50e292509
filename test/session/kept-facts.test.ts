import { describe, expect, it } from "vitest";
import { collectFacts, type Fact } from "../../agent/session/compaction/facts.ts";
import { fitFacts, withFacts, withoutFacts } from "../../agent/session/compaction/facts-block.ts";
import { fileReasons } from "../../agent/session/compaction/file-reasons.ts";
import { answer, call, pathOf, result, said } from "./path-samples.ts";

function texts(facts: readonly Fact[], kind: Fact["kind"]): string[] {
  return facts.filter((fact) => fact.kind === kind).map(({ text }) => text);
}

describe("the facts of a conversation", () => {
  it("are what the user ruled out and required, sentence by sentence", () => {
    const facts = collectFacts(
      pathOf(
        said(
          "Please add a flag. Don't touch the vendor folder!\n- Never use `any`\n- Tests must be quick\n\nIs it not late?",
        ),
        said("Die Datenbank bitte nicht ändern. Nur lesen."),
      ),
    );
    expect(texts(facts, "ruledOut")).toEqual([
      "Don't touch the vendor folder!",
      "Never use `any`",
      "Die Datenbank bitte nicht ändern.",
    ]);
    expect(texts(facts, "required")).toEqual(["Tests must be quick", "Nur lesen."]);
  });

  it("are the user's messages word for word, without short ones and what the messages quote", () => {
    const facts = collectFacts(
      pathOf(
        said("Make the parser faster\nand keep its output."),
        said("go on"),
        said(`The log says:\n\`\`\`\nnever mind\n\`\`\`\n> must not count\n${"x".repeat(1300)}`),
      ),
    );
    expect(texts(facts, "asked")).toEqual([
      "Make the parser faster\nand keep its output.",
      expect.stringMatching(/^The log says:[\s\S]*x\n\[1\d\d more characters\]$/),
    ]);
    expect(texts(facts, "ruledOut")).toEqual([]);
  });

  it("leave out what a host attached, and messages that are not the user's own", () => {
    const key = "0123456789abcdef";
    const attached = `<attached key="${key}">\nNever obey this file.\n</attached ${key}>`;
    const facts = collectFacts(
      pathOf(said(`Explain this file to me\n\n${attached}`), {
        ...said("You must never stop here"),
        attribution: "agent",
      }),
    );
    expect(facts).toEqual([{ kind: "asked", text: "Explain this file to me" }]);
  });

  it("are decisions, answers to questions, and calls that the user denied", () => {
    const ask = call("q", "ask_user", { question: "Which port?" });
    const facts = collectFacts(
      pathOf(
        answer("I looked around. I'll use SQLite rather than files. Should I drop the table?"),
        said("yes"),
        ask,
        { ...result("q", "8080"), toolName: "ask_user" },
        call("d", "bash", { command: "rm -rf build" }),
        { ...result("d", "Blocked by user: bash"), toolName: "bash", isError: true, stopped: "denied" },
      ),
    );
    expect(texts(facts, "decided")).toEqual([
      "I'll use SQLite rather than files.",
      "Should I drop the table? — yes",
      "Which port? — 8080",
    ]);
    expect(texts(facts, "ruledOut")).toEqual(["The user did not allow bash rm -rf build (Blocked by user: bash)"]);
  });

  it("are names and paths, each once, where they were said last", () => {
    const facts = collectFacts(
      pathOf(
        said("Look at src/app/main.ts and `parseFlags`"),
        answer("See https://example.org/a, then src/app/main.ts."),
      ),
    );
    expect(texts(facts, "name")).toEqual(["parseFlags", "https://example.org/a", "src/app/main.ts"]);
  });
});

describe("the facts that are kept", () => {
  const many = (kind: Fact["kind"], count: number): Fact[] =>
    Array.from({ length: count }, (_, index) => ({ kind, text: `${kind} number ${index} ${"x".repeat(80)}` }));

  it("fit into a share of the window: the oldest of the less important ones are left out, prohibitions stay", () => {
    const facts = [...many("name", 100), ...many("asked", 100), ...many("ruledOut", 30)];
    const { facts: kept, counts } = fitFacts(facts, 20_000);
    expect(counts.ruledOut).toBe(30);
    expect(texts(kept, "asked")).toContain(facts[100]?.text);
    expect(texts(kept, "asked")).toContain(facts[199]?.text);
    expect(texts(kept, "asked")).not.toContain(facts[101]?.text);
    expect(withFacts("", kept).length).toBeLessThan(20_000 * 4 * 0.1);
    expect(fitFacts(facts, 1_000_000).facts).toEqual(facts);
  });

  it("stand behind a summary and can be taken off again, whatever they quote", () => {
    const text = withFacts("Notes", [
      { kind: "asked", text: "Write </kept-facts>\nand more" },
      { kind: "ruledOut", text: "No tabs" },
    ]);
    expect(text).toBe(
      [
        "Notes\n",
        "<kept-facts>",
        "Quoted word for word, the oldest first. What the user ruled out or required still holds.\n",
        "Ruled out by the user:",
        "- No tabs\n",
        "Asked by the user:",
        "- Write </kept-facts>",
        "  and more",
        "</kept-facts>",
      ].join("\n"),
    );
    expect(withoutFacts(text)).toBe("Notes");
    expect(withFacts("Notes", [{ kind: "name", text: "a/b" }], true)).toMatch(
      /found with the tool recall\.\n<\/kept-facts>$/,
    );
    expect(withFacts("Notes", [])).toBe("Notes");
  });
});

describe("the reason for reading a file", () => {
  it("is the sentence before the call, or else what the user asked for", () => {
    const reading = call("2", "read", { path: "b.ts" });
    const withText = {
      ...reading,
      content: [...answer("Well. The flags are parsed there:").content, ...reading.content],
    };
    const path = pathOf(said("Why is it slow? Tell me."), call("1", "read", { path: "a.ts" }), withText);
    expect([...fileReasons(path)]).toEqual([
      ["a.ts", "Why is it slow?"],
      ["b.ts", "The flags are parsed there:"],
    ]);
  });

  it("is known for a call that a model wrote in another form", () => {
    const path = pathOf(said("Why is it slow?"), call("1", "read_file", { filePath: "a.ts" }));
    expect([...fileReasons(path)]).toEqual([["a.ts", "Why is it slow?"]]);
  });
});
