import { describe, expect, it } from "vitest";
import { pageParts } from "../../agent/session/export/page.ts";
import { answer, assistant, entriesOf, PNG, pageOf, said, toolResult, user } from "./sample-session.ts";

/** Returns the text between two texts of a page, without tags. */
function textOf(page: string): string {
  return page
    .replace(/<style>[\s\S]*?<\/style>/, "")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ");
}

const read = { type: "toolCall" as const, id: "c1", name: "read", arguments: { path: "src/a.ts" } };

describe("an exported page", () => {
  it("shows folder, time, model and cost", () => {
    const text = textOf(pageOf(entriesOf(user("Count the files"), answer("Three."), user("Thanks"), answer("Bye."))));
    expect(text).toContain("Tiller session Count the files");
    expect(text).toContain("Started 2026-01-02 03:04 UTC Last entry 2026-01-02 03:03 UTC");
    expect(text).toContain("Folder /work/&lt;b&gt;here&lt;/b&gt;");
    expect(text).toContain("Model anthropic/claude-x Messages 4 Tokens 30 20 in · 10 out Cost $0.04");
  });

  it("is named after the session when it has a name", () => {
    const page = pageOf(entriesOf({ type: "session_info", name: "Plan <A>" }, user("hi")));
    expect(page).toContain("<title>Plan &lt;A&gt;</title>");
  });

  it("keeps a user's text as written and renders a model's Markdown", () => {
    const page = pageOf(entriesOf(user("**not bold**"), answer("**bold** and `code`")));
    expect(page).toContain("**not bold**");
    expect(page).toContain("<strong>bold</strong> and <code>code</code>");
  });

  it("combines a tool call, its input and its result into one card", () => {
    const page = pageOf(entriesOf(user("go"), assistant(read), toolResult("c1", "line <one>")));
    expect(page.match(/<details class="card/g)).toHaveLength(1);
    const card = textOf(page.slice(page.indexOf("<details")));
    expect(card).toMatch(/^ read src\/a\.ts done path src\/a\.ts Result line &lt;one&gt; /);
  });

  it("gives each call the result after it when ids repeat in a session", () => {
    const text = textOf(
      pageOf(entriesOf(assistant(read), toolResult("c1", "first"), assistant(read), toolResult("c1", "second"))),
    );
    expect(text).toMatch(/Result first .*Result second /);
  });

  it("shows a call without a result and a result without a call", () => {
    const text = textOf(pageOf(entriesOf(toolResult("gone", "left over"), assistant(read))));
    expect(text).toMatch(/read done Result left over .*read src\/a\.ts no result/);
  });

  it("colors the lines of an edit", () => {
    const edit = { type: "toolCall" as const, id: "c1", name: "edit", arguments: { path: "a" } };
    const diff = " 1 same\n-2 old <x>\n+2 new";
    const page = pageOf(entriesOf(assistant(edit), toolResult("c1", "ok", { diff })));
    expect(page).toContain("<del>-2 old &lt;x&gt;\n</del><ins>+2 new\n</ins>");
  });

  it("embeds images of the four types and no others", () => {
    const image = (mimeType: string, data = PNG) =>
      said({ role: "user", content: [{ type: "image", data, mimeType }], timestamp: 1 });
    const page = pageOf(entriesOf(image("image/png"), image("image/svg+xml"), image("image/webp", '"onload="x')));
    expect(page.match(/<img [^>]*>/g)).toEqual([`<img src="data:image/png;base64,${PNG}" alt="" loading="lazy">`]);
    expect(textOf(page)).toContain("An image of the type image/svg+xml can't be shown.");
  });

  it("shows commands of the host, summaries and messages of extensions, but not hidden ones", () => {
    const bash = { role: "bashExecution", command: "ls", output: "a\n", cancelled: false, truncated: false } as const;
    const text = textOf(
      pageOf(
        entriesOf(
          said({ ...bash, exitCode: 2, timestamp: 1 }),
          { type: "compaction", summary: "It was long.", firstKeptEntryId: "e0", tokensBefore: 12_345 },
          { type: "branch_summary", fromId: "e0", summary: "It was tried." },
          { type: "custom_message", customType: "note", content: "Look!", display: true },
          { type: "custom_message", customType: "note", content: "invisible", display: false },
        ),
      ),
    );
    expect(text).toMatch(/\$ ls exit 2 a .*compacted at 12,345 tokens It was long\. .*another branch It was tried\./);
    expect(text).toContain("Look!");
    expect(text).not.toContain("invisible");
  });

  it("leaves out other branches and counts them", () => {
    const text = textOf(pageOf(entriesOf(user("start"), answer("wrong way"), [0, answer("right way")])));
    expect(text).toContain("right way");
    expect(text).not.toContain("wrong way");
    expect(text).toContain("Not shown: 1 entry on other branches.");
  });

  it("says how an unfinished answer ended", () => {
    const failed = assistant();
    if (failed.type !== "message" || failed.message.role !== "assistant") throw new Error("not an answer");
    const message = { ...failed.message, stopReason: "error" as const, errorMessage: "529 <overloaded>" };
    expect(textOf(pageOf(entriesOf(said(message))))).toContain("couldn't respond: 529 &lt;overloaded&gt;");
  });
});

describe("secrets in an exported page", () => {
  const KEYS = [
    "sk-ant-api03-AbCdEf_123-456",
    "sk-proj-0123456789abcdef",
    "sk-0123456789abcdef0123",
    "ghp_0123456789abcdefghij",
    "AKIAIOSFODNN7EXAMPLE",
  ];

  it.each(KEYS)("are removed everywhere: %s", (key) => {
    const call = {
      type: "toolCall" as const,
      id: "c1",
      name: "bash",
      arguments: { command: `echo ${key}`, env: { [key]: key } },
    };
    const page = pageOf(
      entriesOf(
        { type: "session_info", name: `Use ${key}` },
        user(`the key is ${key}, keep it`),
        assistant({ type: "thinking", thinking: `it is ${key}` }, { type: "text", text: `\`${key}\` <${key}>` }, call),
        toolResult("c1", `{"text":"a\\n${key}"}`, { diff: `+1 ${key}` }),
        { type: "compaction", summary: key, firstKeptEntryId: "e0", tokensBefore: 1 },
      ),
    );
    expect(page).not.toContain(key);
    expect(page).toContain("the key is [redacted], keep it");
  });

  it("are found after Bearer, which can still end a sentence", () => {
    const text = textOf(
      pageOf(entriesOf(user("Authorization: Bearer abc123DEF456. The bearer of this letter is Bob."))),
    );
    expect(text).toContain("Authorization: Bearer [redacted] The bearer of this letter is Bob.");
  });

  it("that are known by value are removed, whatever they look like", () => {
    const secret = 'p<w>d"1&2$';
    const page = pageOf(entriesOf(user(`log in with ${secret}!`), answer(`Used ${secret}.`)), [secret, "in"]);
    expect(textOf(page)).toContain("log in with [redacted]! claude-x");
    expect(textOf(page)).toContain("Used [redacted].");
  });

  it("are found behind terminal codes, entities and the end of a shortened line", () => {
    const command = `${"x".repeat(150)} sk-ant-api03-0123456789`;
    const call = { type: "toolCall" as const, id: "c1", name: "bash", arguments: { command } };
    const page = pageOf(
      entriesOf(
        user("sk-\u001b[1mant-\u0000api03-0123456789"),
        answer("sk&#45;ant&#45;api03-0123456789"),
        assistant(call),
      ),
    );
    expect(page).not.toContain("api03");
  });

  it("are not confused with words that only look similar", () => {
    const words = "the task-list-of-all-open-questions and risk-averse-decision-makers";
    expect(textOf(pageOf(entriesOf(user(words))))).toContain(words);
  });
});

describe("the size limit of a page", () => {
  it("is kept by pages of whole entries", () => {
    const entries = entriesOf(...Array.from({ length: 500 }, (_, index) => user(`message ${index}`)));
    const parts = [
      ...pageParts({ header: { id: "s", timestamp: "", cwd: "/" }, entries, leafId: "e499", redact: (text) => text }),
    ];
    expect(parts).toHaveLength(502);
    expect(Math.max(...parts.slice(1, -1).map((part) => part.length))).toBeLessThan(300);
  });
});
