import { describe, expect, it } from "vitest";
import { findTools } from "../../../agent/session/tool-search/find-tools.ts";
import { type AnyTool, anyTool, textOutput } from "../../../agent/tools/tool.ts";
import { manyTools } from "../../support/many-tools.ts";
import { TOOL_QUESTIONS } from "../../support/tool-questions.ts";

function serverTool(server: string, name: string, description: string, parameters = {}): AnyTool {
  return anyTool({
    name: `mcp__${server}__${name}`,
    label: `${server}: ${name}`,
    description,
    origin: "extension",
    source: server,
    concurrency: "shared",
    isReadOnly: false,
    parameters,
    parse: () => ({ ok: true, input: {} }),
    summarize: () => "",
    run: async () => textOutput(""),
  });
}

const many = [...manyTools()].flatMap(([server, tools]) =>
  tools.map(({ name, description, inputSchema }) => serverTool(server, name, description, inputSchema)),
);

function find(queries: readonly string[], tools = many, loaded: readonly string[] = []) {
  const isLoaded = (name: string) => loaded.includes(name);
  const { content, details } = findTools(queries, { tools, isLoaded, summary: "It finds tools of: github (3)." });
  const [block] = content;
  return { text: block?.type === "text" ? block.text : "", details };
}

describe("a search among 500 tools", () => {
  it("has 500 of them", () => {
    expect(many).toHaveLength(500);
    expect(new Set(many.map(({ name }) => name)).size).toBe(500);
    expect(TOOL_QUESTIONS).toHaveLength(50);
  });

  it.each(TOOL_QUESTIONS)("loads for %j %s", (query, tool) => {
    expect(find([query]).details).toEqual({ loaded: expect.arrayContaining([tool]) });
  });

  it("loads no more than five tools for a query, and twenty in all", () => {
    const { details } = find(["list", "get", "create", "delete", "update", "search"].map((verb) => `${verb} things`));
    expect(details).toEqual({ loaded: expect.toSatisfy((names: string[]) => names.length <= 20) });
    expect(find(["create"]).details).toEqual({ loaded: expect.toSatisfy((names: string[]) => names.length <= 5) });
  });
});

describe("a search for tools", () => {
  const tools = [
    serverTool("github", "create_issue", "Creates an issue.\nWith labels."),
    serverTool("github", "close_issue", "Closes an issue."),
    serverTool("jira", "create_issue", "Creates a ticket."),
  ];

  it("loads exactly the tools that are named", () => {
    const names = ["mcp__github__create_issue", "mcp__jira__create_issue"];
    expect(find([names.join(", ")], tools).details).toEqual({ loaded: names });
    expect(find([`select:${names[1]}`], tools).details).toEqual({ loaded: [names[1]] });
    expect(find(["close_issue"], tools).details).toEqual({ loaded: ["mcp__github__close_issue"] });
  });

  it("says what was loaded, what was there before, what is similar, and what doesn't exist", () => {
    const { text } = find(["mcp__github__create_issue", "mcp__jira__create_issue"], tools, ["mcp__jira__create_issue"]);
    expect(text).toBe(
      [
        "Loaded; you can call these from your next step on:\n- mcp__github__create_issue: Creates an issue. With labels.",
        "Loaded before:\n- mcp__jira__create_issue: Creates a ticket.",
      ].join("\n\n"),
    );
    expect(find(["brew coffee"], tools)).toEqual({
      text: 'No tool fits "brew coffee". Try other words for it. It finds tools of: github (3).',
      details: { loaded: [] },
    });
  });

  it("finds names in other spellings, and words in other forms", () => {
    const camel = [serverTool("x", "getUserProfile", ""), serverTool("x", "deleteBranches", "")];
    expect(find(["user profiles"], camel).details).toEqual({ loaded: ["mcp__x__getUserProfile"] });
    expect(find(["deleting a branch"], camel).details).toEqual({ loaded: ["mcp__x__deleteBranches"] });
  });

  it("finds a tool by the name of a parameter", () => {
    const byParameter = [
      serverTool("x", "fetch_it", "", { type: "object", properties: { latitude: { type: "number" } } }),
      serverTool("x", "other", ""),
    ];
    expect(find(["latitude"], byParameter).details).toEqual({ loaded: ["mcp__x__fetch_it"] });
  });
});
