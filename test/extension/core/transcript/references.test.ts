import { describe, expect, it } from "vitest";
import { itemsFromMessages } from "../../../../extension/core/transcript/reduce.ts";
import {
  NO_REFERENCES,
  noteCall,
  noteLinks,
  shownReferences,
} from "../../../../extension/core/transcript/references.ts";
import type { ToolItem } from "../../../../webview/protocol/items.ts";
import { assistant, call, result, usage, user } from "./transcript-harness.ts";

const tool = (fields: Partial<ToolItem>): ToolItem => ({
  id: "t",
  kind: "tool",
  toolName: "read",
  state: "done",
  intent: "",
  input: "",
  output: "",
  isOutputCut: false,
  images: [],
  ...fields,
});
const linksOf = (text: string) => shownReferences(noteLinks(NO_REFERENCES, text), "/work").links;

describe("references of an answer", () => {
  it("are the files that tools read and changed, with counts, the changed ones first", () => {
    const calls = [
      tool({ path: "/work/src/a.ts" }),
      tool({ path: "/work/src/a.ts" }),
      tool({ path: "/elsewhere/b.ts", toolName: "edit", diff: "- 1 one\n+ 1 two\n+ 2 three\n  3 four" }),
      tool({ path: "/work/src/a.ts", toolName: "edit", state: "failed", diff: "+ 1 no" }),
      tool({ path: "/work/new.ts", toolName: "write", input: "text" }),
      tool({ toolName: "bash" }),
    ];
    expect(shownReferences(calls.reduce(noteCall, NO_REFERENCES), "/work")).toEqual({
      tools: 6,
      files: [
        { path: "/elsewhere/b.ts", name: "/elsewhere/b.ts", reads: 0, edits: 1, added: 2, removed: 1, change: "t" },
        { path: "/work/new.ts", name: "new.ts", reads: 0, edits: 1, added: 0, removed: 0, change: "t" },
        { path: "/work/src/a.ts", name: "src/a.ts", reads: 2, edits: 0, added: 0, removed: 0 },
      ],
    });
  });

  it("are the web addresses in its text, once each, but not those in code", () => {
    expect(
      linksOf(
        'See [the **docs**](https://example.com/docs "Title") and https://example.com/a, also <https://example.com/a>. `https://no.example`\n\n```\nhttps://no.example/2\n```\n\nhttps://example.com/b).',
      ),
    ).toEqual([
      { href: "https://example.com/docs", label: "the docs" },
      { href: "https://example.com/a", label: "" },
      { href: "https://example.com/b", label: "" },
    ]);
    expect(linksOf("javascript:alert(1) [x](command:evil) [y](file:///etc/passwd) http://")).toBeUndefined();
    expect(linksOf("```\nnot closed https://no.example")).toBeUndefined();
  });

  it("are limited, and the rest is counted", () => {
    let references = NO_REFERENCES;
    for (let index = 0; index < 35; index += 1) references = noteCall(references, tool({ path: `/work/${index}` }));
    references = noteLinks(
      references,
      Array.from({ length: 22 }, (_, index) => `https://e.example/${index}`).join(" "),
    );
    const shown = shownReferences(references, "/work");
    expect(shown.files).toHaveLength(30);
    expect(shown.links).toHaveLength(20);
    expect(shown.moreReferences).toBe(7);
  });

  it("are shown at the end of each answer, even when the session is opened again", () => {
    const read = call("c1", "read", { path: "a.ts" });
    const messages = [
      user("Look"),
      assistant({ content: [read], stopReason: "toolUse", usage: usage(10, 1) }),
      result("c1", "read", "text"),
      assistant({ content: [{ type: "text", text: "See https://example.com." }], usage: usage(10, 1) }),
      user("And now?"),
      assistant({ content: [{ type: "text", text: "Nothing." }], usage: usage(10, 1) }),
    ];
    const footers = itemsFromMessages(messages, { idPrefix: "t", cwd: "/work" }).filter(
      ({ kind }) => kind === "footer",
    );
    expect(footers[0]).toMatchObject({
      tools: 1,
      files: [{ path: "/work/a.ts", name: "a.ts", reads: 1, edits: 0 }],
      links: [{ href: "https://example.com", label: "" }],
    });
    expect(footers[1]).not.toHaveProperty("files");
    expect(footers[1]).not.toHaveProperty("links");
  });
});
