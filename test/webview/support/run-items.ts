import type { ToolItem, TranscriptItem } from "../../../webview/protocol/items.ts";

const PARTS = ["src/store.ts", "src/parse.ts", "src/schema.ts", "src/cli.ts", "src/report.ts", "src/dates.ts"];

/** A run of twenty calls: a look around, commands, edits, and one that still runs. */
export const RUN: TranscriptItem[] = [
  { id: "u1", kind: "prompt", text: "Move the date helpers into one module, and keep the tests green.", images: [] },
  ...PARTS.map((name, at) => tool(`u2-${at}`, { toolName: "read", phrase: "Read {0}", intent: name, part: "file" })),
  ...["parseDate", "formatDate", "new Date("].map((text, at) =>
    tool(`u3-${at}`, { toolName: "grep", phrase: "Searched for {0}", intent: text, part: "search" }),
  ),
  tool("u4", { toolName: "ls", phrase: "Listed {0}", intent: "test", part: "folder" }),
  {
    id: "u5",
    kind: "text",
    isStreaming: false,
    text: "`parseDate` stands in **three** files, twice with the same mistake. I run the tests before I touch them.",
  },
  command("u6", "npm test", "# tests 84\n# pass 84\n# fail 0"),
  ...PARTS.slice(0, 4).map((name, at) =>
    tool(`u7-${at}`, {
      toolName: "edit",
      phrase: "Edited {0}",
      intent: `${name} +4 −9`,
      part: "edit",
      diff: '  1 import { readFile } from "node:fs/promises";\n- 2 import { parseDate } from "./parse.ts";\n+ 2 import { parseDate } from "./dates.ts";\n  3 ',
    }),
  ),
  command("u8", "npx tsc --noEmit", ""),
  { ...command("u9", "npm test", "# tests 84\n# pass 83\n# fail 1"), state: "failed", exitCode: 1 },
  tool("u10", { toolName: "read", phrase: "Read {0}", intent: "test/dates.test.ts", part: "file" }),
  tool("u11", { toolName: "edit", phrase: "Edited {0}", intent: "src/dates.ts +1 −1", part: "edit" }),
  {
    ...command(
      "u12",
      "npm test",
      "▶ dates\n  ✔ reads a date without a time (2 ms)\n  ✔ keeps the day west of Greenwich (1 ms)\n▶ report",
    ),
    state: "running",
    phrase: "Running {0}…",
  },
];

/** A run that a crash of the agent cut off. */
export const CRASH: TranscriptItem[] = [
  ...RUN.slice(0, 12),
  {
    id: "crash",
    kind: "notice",
    level: "warning",
    text: "The agent crashed and was restarted.",
    detail: "The agent crashed (SIGKILL).",
    action: { label: "Continue", command: "tiller.continueRun" },
    secondAction: { label: "Copy Diagnostic Report", command: "tiller.copyReport" },
  },
];

/** An answer with most of what Markdown has. */
export const LONG_ANSWER: TranscriptItem[] = [
  { id: "l1", kind: "prompt", text: "How does the importer work, and what would you change?", images: [] },
  {
    id: "l2",
    kind: "text",
    isStreaming: false,
    text: `## How it works

The importer reads a file **line by line** and keeps nothing in memory but the current row:

1. \`readLines\` cuts the file at line ends.
2. \`toRow\` checks each line against the schema.
3. Rows that fit go to the store, the others into *rejects.csv*.

| Step | Time for 1 million rows | Memory |
|---|---:|---:|
| read | 0.8 s | 2 MB |
| check | 3.1 s | 4 MB |
| store | 9.4 s | 31 MB |

> The store writes each row in a transaction of its own: that is where the time goes.

### What I would change

- [x] write 1,000 rows in one transaction
- [ ] check dates with one pattern in place of three
- [ ] name the line in \`rejects.csv\`

\`\`\`ts
for await (const rows of inBatches(readLines(path), 1_000)) {
  store.transaction(() => rows.forEach((row) => store.insert(row)));
}
\`\`\`

See [import.ts](src/import.ts:41) and the [documentation of transactions](https://example.com/transactions).`,
  },
];

function tool(
  id: string,
  { toolName, intent, ...more }: Pick<ToolItem, "toolName" | "intent"> & Partial<ToolItem>,
): ToolItem {
  return {
    id,
    kind: "tool",
    toolName,
    state: "done",
    intent,
    input: intent,
    output: "",
    isOutputCut: false,
    images: [],
    durationMs: 12,
    ...more,
  };
}

function command(id: string, line: string, output: string): ToolItem {
  return tool(id, {
    toolName: "bash",
    phrase: "Ran {0}",
    intent: line,
    inputLanguage: "bash",
    output,
    durationMs: 3_410,
  });
}
