import { describe, expect, test } from "vitest";
import { secretFinder } from "../../../../agent/util/secrets.ts";
import { type ReportFacts, wordReport } from "../../../../extension/features/trouble/report.ts";

const FACTS: ReportFacts = {
  tiller: "1.2.3",
  editor: "Code 1.106.0 (desktop)",
  node: "22.1.0",
  platform: "linux x64",
  remote: undefined,
  language: "de",
  isTrusted: true,
  folders: 2,
  settings: {
    "tiller.agent.command": "ssh box tiller --token ghp_0123456789abcdefghij",
    "tiller.agent.env": { HTTP_PROXY: "http://me:secret@proxy", MY_KEY: "abc" },
    "tiller.costLimit": 5,
  },
  agents: [
    {
      status: "crashed",
      version: undefined,
      command: ["/home/ada/bin/node", "cli.js", "--mode", "rpc", "--session", "/home/ada/my chats/a.jsonl"],
      failure: {
        at: Date.UTC(2026, 0, 2, 3, 4, 5),
        message: "The agent exited with code 7.",
        stderrTail: "```\nError: Authorization: Bearer abcdef123\n",
      },
      items: { prompt: 1, tool: 2 },
      frames: { kept: 30, dropped: 4 },
    },
  ],
  logLines: ["2026-01-02T03:04:05.006Z [info] agent: crashed"],
  home: "/home/ada",
};

describe("a diagnostic report", () => {
  test("contains versions, changed settings, the agent, its end and the log, without secrets and without the home folder", () => {
    expect(wordReport(FACTS, secretFinder([]))).toBe(`# Tiller diagnostic report

- Tiller: 1.2.3
- Editor: Code 1.106.0 (desktop)
- Node: 22.1.0
- Platform: linux x64
- Remote: none
- Language: de
- Workspace: trusted, 2 folders
- Chats: 1

## Settings that differ

- tiller.agent.command: "ssh box tiller --token [redacted]"
- tiller.agent.env: ["HTTP_PROXY","MY_KEY"]
- tiller.costLimit: 5

## Chat 1

- Status: crashed
- Agent: not running
- Command: ~/bin/node cli.js --mode rpc --session "~/my chats/a.jsonl"
- Items: 1 prompt, 2 tool
- Frames: 30 kept, 4 dropped

Last failure, 2026-01-02T03:04:05.000Z: The agent exited with code 7.

\`\`\`\`
\`\`\`
Error: Authorization: Bearer [redacted]
\`\`\`\`

## Log

\`\`\`
2026-01-02T03:04:05.006Z [info] agent: crashed
\`\`\`
`);
  });

  test("of a window without changes or an agent says so", () => {
    const report = wordReport({ ...FACTS, settings: {}, agents: [], home: "" }, secretFinder([]));
    expect(report).toContain("- Chats: 0\n\n## Settings that differ\n\nnone\n\n## Log");
  });
});
