/** A folder or a file, and everything that its code may import besides itself. */
export interface Layer {
  /** A path from the root of the repository, such as `agent/util` or `agent/cli.ts`. */
  at: string;
  /** Folders and files of the repository, names of packages, and `node:` for all modules of Node. */
  mayImport: readonly string[];
}

/** The name of a folder or file, then the packages that it needs in addition to those of its house. */
type Floor = readonly [name: string, ...packages: string[]];

/** Returns one layer for each floor. A floor imports the floors above it in the list: the list begins with the foundation. */
function floors(house: string, shared: readonly string[], list: readonly Floor[]): Layer[] {
  return list.map(([name, ...packages], at) => ({
    at: `${house}/${name}`,
    mayImport: [...shared, ...packages, ...list.slice(0, at).map(([lower]) => `${house}/${lower}`)],
  }));
}

/** Returns one layer for each room. Rooms stand side by side, and a room imports only those that its row names. */
function rooms(house: string, shared: readonly string[], list: Readonly<Record<string, readonly string[]>>): Layer[] {
  return Object.entries(list).map(([name, others]) => ({
    at: `${house}/${name}`,
    mayImport: [...shared, ...others.map((other) => `${house}/${other}`)],
  }));
}

const AGENT_BASE = ["agent/protocol", "agent/util", "node:", "zod"];
/** Bundled extensions use what authors of extensions get. */
const BUNDLED = [...AGENT_BASE, "agent/extensions/author.ts"];
/** The files of the tools that approvals share: the shape of a tool, its paths, proposed changes, and the languages of shells. */
const GATE = ["tool", "builtin-paths", "preview", "edited-change", "shell-language"].map(
  (name) => `agent/tools/${name}.ts`,
);
const BELOW_RPC = [
  ...AGENT_BASE,
  ...[
    "config",
    "images",
    "providers",
    "tools",
    "web",
    "sandbox",
    "previews",
    "prompt",
    "loop",
    "changes",
    "extensions",
    "bundled",
    "session",
  ].map((name) => `agent/${name}`),
];

const AGENT: readonly Layer[] = [
  { at: "agent/protocol", mayImport: ["zod"] },
  { at: "agent/client", mayImport: ["agent/protocol", "node:"] },
  { at: "agent/util", mayImport: ["agent/protocol", "node:"] },
  ...floors("agent", AGENT_BASE, [
    ["config", "jsonc-parser"],
    ["images", "@silvia-odwyer/photon-node", "pdfjs-dist"],
    ["providers", "@anthropic-ai/sdk", "@smithy/core", "aws4fetch", "eventsource-parser", "jsonc-parser"],
    ["tools", "diff", "ignore", "picomatch"],
    ["web", "@mozilla/readability", "htmlparser2", "linkedom", "turndown"],
    ["sandbox"],
    ["previews"],
    ["prompt", "yaml"],
    ["loop"],
    ["changes", "diff"],
    ["extensions", "diff", "jiti", "typebox", "yaml"],
    ["session", "markdown-it"],
  ]),
  { at: "agent/bundled/approvals", mayImport: [...BUNDLED, ...GATE, "picomatch"] },
  { at: "agent/bundled/hooks", mayImport: [...BUNDLED, "agent/tools/shell-language.ts", "jsonc-parser"] },
  {
    at: "agent/bundled/mcp",
    mayImport: [...BUNDLED, "agent/tools/tool-traits.ts", "@modelcontextprotocol/sdk", "cross-spawn", "jsonc-parser"],
  },
  ...floors("agent/rpc", BELOW_RPC, [
    ["wire"],
    ["editor"],
    ["services"],
    ["session-change"],
    ["handlers"],
    ["extension-host"],
    ["load"],
    ["headless"],
  ]),
  { at: "agent/rpc", mayImport: BELOW_RPC },
  { at: "agent/acp", mayImport: [...BELOW_RPC, "agent/rpc", "agent/client", "@agentclientprotocol/sdk", "diff"] },
  { at: "agent", mayImport: ["node:"] },
];

const SHARED = ["agent/protocol", "agent/client", "webview/protocol", "webview/l10n.ts", "node:", "zod"];
const AGENT_HELPERS = [
  "denied-paths",
  "made-calls",
  "no-later-than",
  "process-tree",
  "secret-files",
  "secrets",
  "server-address",
  "time-limit",
  "with-time-limit",
].map((name) => `agent/util/${name}.ts`);
/** The model of the agent's changes, which the extension keeps for its window. */
const CHANGES = "agent/changes";
const EDITOR = [...SHARED, ...AGENT_HELPERS, CHANGES, "diff", "vscode"];
const HOST = [...EDITOR, "extension/core", "extension/chat", "extension/editor"];
const WINDOW = [...HOST, "extension/host"];
const FEATURE = [...WINDOW, "extension/window"];
const DOOR = [...FEATURE, "extension/features"];

const EXTENSION: readonly Layer[] = [
  ...rooms("extension/core", SHARED, {
    keys: [],
    connection: ["keys"],
    mentions: [],
    trace: ["connection", "transcript"],
  }),
  { at: "extension/core/setup", mayImport: [...SHARED, "agent/util/with-time-limit.ts", "jsonc-parser"] },
  {
    at: "extension/core/transcript",
    mayImport: ["agent/protocol", "webview/protocol", "webview/l10n.ts", "extension/core/mentions", "diff", "zod"],
  },
  { at: "extension/editor", mayImport: [...EDITOR, "extension/core"] },
  { at: "extension/chat", mayImport: [...SHARED, "agent/util/made-calls.ts", "extension/core"] },
  ...rooms("extension/host", HOST, {
    changes: [],
    proposals: [],
    questions: [],
    "editor-models": [],
    "host-tools": ["changes"],
  }),
  { at: "extension/window", mayImport: WINDOW },
  ...rooms("extension/features", FEATURE, {
    approvals: [],
    "code-blocks": [],
    composer: [],
    follow: [],
    "line-comments": [],
    models: ["sessions"],
    plan: [],
    review: ["sessions"],
    sessions: [],
    status: [],
    "tool-cards": [],
    "trace-view": [],
    trouble: ["trace-view"],
    usage: [],
  }),
  ...rooms("extension/doors", DOOR, {
    api: [],
    "context-menus": [],
    links: [],
    "offered-tools": [],
    participant: [],
    problems: [],
    "source-control": [],
  }),
  { at: "extension/wiring", mayImport: [...DOOR, "extension/doors"] },
  { at: "extension/extension.ts", mayImport: [...DOOR, "extension/doors", "extension/wiring"] },
];

const PAGE_BASE = ["agent/protocol", "webview/protocol", "webview/l10n.ts", "webview/host.ts"];

const WEBVIEW: readonly Layer[] = [
  { at: "webview/l10n.ts", mayImport: [] },
  { at: "webview/protocol", mayImport: ["agent/protocol", "webview/l10n.ts", "zod"] },
  { at: "webview/host.ts", mayImport: ["webview/protocol", "zod"] },
  { at: "webview/state.ts", mayImport: ["agent/protocol", "webview/protocol"] },
  { at: "webview/language.ts", mayImport: ["webview/l10n.ts", "zod"] },
  { at: "webview/no-eval.ts", mayImport: ["zod"] },
  { at: "webview/late", mayImport: ["highlight.js", "katex", "mermaid"] },
  ...rooms("webview/view", PAGE_BASE, {
    common: [],
    items: ["common", "code", "markdown"],
    composer: ["common"],
    dock: ["common", "items"],
    transcript: ["common", "items"],
  }),
  { at: "webview/view/code", mayImport: [...PAGE_BASE, "webview/view/common", "webview/late"] },
  {
    at: "webview/view/markdown",
    mayImport: [...PAGE_BASE, "webview/view/common", "webview/view/code", "webview/late", "markdown-it"],
  },
  { at: "webview/page", mayImport: [...PAGE_BASE, "webview/view"] },
  {
    at: "webview/trace",
    mayImport: [...PAGE_BASE, "webview/view/common", "webview/language.ts", "webview/no-eval.ts"],
  },
  {
    at: "webview/usage",
    mayImport: [...PAGE_BASE, "webview/view/common", "webview/language.ts", "webview/no-eval.ts"],
  },
  {
    at: "webview/main.ts",
    mayImport: [
      ...PAGE_BASE,
      ...["state.ts", "language.ts", "no-eval.ts", "page", "view"].map((name) => `webview/${name}`),
    ],
  },
];

/** The allowed imports. The layer of a file is the row with the longest matching path. A file without a row is an error. */
export const LAYERS: readonly Layer[] = [...AGENT, ...EXTENSION, ...WEBVIEW];
