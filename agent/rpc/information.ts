import { existsSync } from "node:fs";
import { UsageError } from "../config/args.ts";
import type { AgentOptions } from "../config/options.ts";
import { agentDirectory, type Env, expandPath } from "../config/paths.ts";
import type { Model } from "../protocol/model.ts";
import { createModelRegistry } from "../providers/registry.ts";
import { readSession } from "../session/load.ts";
import { notASession } from "../session/regular-file.ts";
import { createRedactor } from "../util/redact.ts";
import { PI_VERSION, VERSION } from "../util/version.ts";

const WELCOME = `tiller ${VERSION} is a coding agent. It reads files, runs commands, and changes code.

Get started:
  tiller -p "What does this project do?"   Ask a question or give it a task
  git diff | tiller -p "Review this."      Pass it another program's output
  tiller --list-models                     List the models you can use
  tiller --help                            Show all options

To use a model, set ANTHROPIC_API_KEY. To try it without a key: tiller --model demo/scripted -p "hello"
To chat with it, use the Tiller extension for VS Code. To run it from a program: tiller --mode rpc
To use it in another editor: tiller --mode acp
`;

const HELP = `tiller ${VERSION}: a coding agent for the command line, for editors, and for other programs.

Usage: tiller -p [options] [@file...] [message...]
       tiller --mode json [options] [@file...] [message...]
       tiller --mode rpc [options]
       tiller --mode acp [options]
       tiller changes [path...]
       tiller undo [--all] [--merge] [path...]
  -p, --print                     Send the messages, print the last answer, and exit
  --mode json                     Send the messages, print the events as JSON lines, and exit
  --mode rpc                      Read commands from stdin; write responses and events to stdout, as JSON lines
  --mode acp                      Speak the Agent Client Protocol on stdin and stdout, for Zed, JetBrains, Neovim, and others
  changes                         List what the agent has changed in the latest session; with paths, show it
  undo                            Undo it: since your last message, in the paths, or with --all everything
  @file                           Attach a text file or an image to the first message
                                  Text on stdin is attached, too; without a message, it is the message

With -p and --mode json:
  --max-turns <number>            Stop after this many responses
  --max-cost <dollars>            Stop when responses have cost this much
  --output-schema <file>          Return an answer that matches this JSON Schema
  Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted

Model:
  --model <pattern>               Model ID, provider/ID, or part of a name; ":high" sets the thinking level
  --provider <name>               Look up --model in this provider only
  --host-provider <name>          Name of the provider whose models the host supplies
  --models <list>                 Models that the cycle_model command cycles through
  --thinking <level>              off, minimal, low, medium, high, xhigh, or max
  --api-key <key>                 API key for this process; never stored
  --demo                          Use the demo model (a script) if no model has a key
  --list-models [text]            List the available models and exit

Session:
  -c, --continue                  Continue the latest session of this directory
  -r, --resume, --session <path|id>
                                  Open a session (--resume alone: the latest)
  --session-id <id>               Open the session with this ID, or create it
  --fork <path|id>                Copy a session into a new one
  --session-dir <dir>             Store sessions in this directory
  --no-session                    Don't save the session
  -n, --name <text>               Name the session
  --title-model <pattern>         Let this model name new sessions after their first message
  --export <file> [html]          Export a session file as HTML, print the path, and exit

Tools and permissions:
  -t, --tools <list>              Tools to enable: names, "*", or +name and -name to adjust the defaults
  -xt, --exclude-tools <list>     Tools to disable
  -nt, --no-tools                 Disable all tools (-nbt, --no-builtin-tools: only the built-in ones)
  --permission-mode <mode>        auto, confirm (ask before any change), auto-edit (like confirm, but edit
                                  files in the workspace without asking), readonly, or plan
  --add-dir <dir>                 Treat a directory as part of the workspace; repeatable
  --deny-read <glob>              Keep all tools from reading these files, in any mode; repeatable
  --ask-for-read-only-commands    Make confirm also ask before commands that only read the workspace
  --list-approvals [text]         List what was allowed and denied, newest first, and exit
  -a, --approve                   Trust the project's settings and extensions

Extensions, prompts, and skills:
  -e, --extension <path>          Load an extension; repeatable (-ne, --no-extensions: load no others)
  --prompt-template <path>        Load a template or directory; repeatable (-np, --no-prompt-templates: no others)
  --skill <path>                  Load a skill or directory; repeatable (-ns, --no-skills: no others)
  --skills <list>                 Load only skills with matching names; "*" matches any text
  --print-system-prompt           Print the system prompt and exit
  --system-prompt <text|file>     Replace the system prompt
  --append-system-prompt <text|file>
                                  Append to the system prompt; repeatable
  -nc, --no-context-files         Ignore AGENTS.md, CLAUDE.md, and other instruction files
  --no-rules, --no-mcp            Don't apply stream rules; don't start MCP servers
  --offline                       Connect only to the model provider; skip MCP servers on HTTP

Other:
  --rpc-stream <full|delta>       Repeat the whole message in each update, or send only what's new
  --verbose                       Print more details to stderr
  -h, --help                      Show this help and exit
  -v, --version                   Show the compatible pi version, "+", and Tiller's own, and exit

Environment: ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, PI_CODING_AGENT_DIR (default: ~/.tiller/agent)
Example:     git diff | tiller -p "Review this change."
`;

/**
 * Returns what is printed instead of starting: help, the version, a list, or the path of an exported page.
 * @param findCwd called only where the working folder matters.
 * @throws UsageError or AgentError when there is nothing to export or no place for it.
 */
export async function informationText(options: AgentOptions, env: Env, findCwd: () => string): Promise<string> {
  if (options.action === "welcome") return WELCOME;
  if (options.action === "help") return HELP;
  // Programs compare the version with pi's, so ours goes into the build metadata, which semantic versioning ignores.
  if (options.action === "version") return `${PI_VERSION}+${VERSION}`;
  const cwd = findCwd();
  const agentDir = agentDirectory(env, cwd);
  if (options.action === "listApprovals") {
    const { decisionList } = await import("../bundled/approvals/decision-list.ts");
    return decisionList(agentDir, options.search);
  }
  const registry = await createModelRegistry({
    agentDir,
    env,
    enableDemo: options.usesDemo,
    warn: (message) => console.error(message),
  });
  if (options.action === "export") return exportFile(options.exported, registry.secrets(), cwd);
  return modelList(registry.available(), options.search);
}

async function exportFile(
  { sessionFile, outputPath }: AgentOptions["exported"],
  secrets: string[],
  cwd: string,
): Promise<string> {
  const path = expandPath(sessionFile, cwd);
  const { exportSession } = await import("../session/export/export-file.ts");
  const { redact } = createRedactor(secrets);
  const page = { ...readForExport(path, sessionFile), redact };
  return exportSession(page, { sessionFile: path, cwd, outputPath, format: "html" });
}

function readForExport(path: string, asGiven: string) {
  if (!existsSync(path)) throw new UsageError(`No session found matching '${asGiven}'`);
  const loaded = readSession(path);
  if (loaded === undefined) throw notASession(path);
  if (loaded.lostLines > 0) console.error(`${path}: ${loaded.lostLines} unreadable lines skipped.`);
  return { header: loaded.header, entries: loaded.entries, leafId: loaded.entries.at(-1)?.entry.id ?? null };
}

const HEADINGS = ["provider", "model", "context", "max-out", "thinking", "images"];

/**
 * Returns the models as pi's `--list-models` prints them, for programs that read its table: a line of headings, then columns two spaces
 * apart, sorted by provider and id.
 * @param search parts that all have to occur in provider and id, with other characters between theirs.
 */
function modelList(models: readonly Model[], search: string): string {
  if (models.length === 0) {
    return "No models available. Set an API key in the environment, such as ANTHROPIC_API_KEY, or add models to models.json.";
  }
  const found = models.filter((model) => isMeant(search, model)).sort(byName);
  if (found.length === 0) return `No models matching "${search}"`;
  const rows = [HEADINGS, ...found.map(rowOf)];
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")).join("\n");
}

function rowOf({ provider, id, contextWindow, maxTokens, reasoning, input }: Model): string[] {
  const yesOrNo = (is: boolean) => (is ? "yes" : "no");
  return [provider, id, short(contextWindow), short(maxTokens), yesOrNo(reasoning), yesOrNo(input.includes("image"))];
}

function isMeant(search: string, { provider, id }: Model): boolean {
  const text = `${provider} ${id}`.toLowerCase();
  const parts = search.toLowerCase().split(/[\s/]+/);
  return parts.every((part) => hasInOrder(text, part));
}

function hasInOrder(text: string, characters: string): boolean {
  let at = -1;
  for (const character of characters) {
    at = text.indexOf(character, at + 1);
    if (at === -1) return false;
  }
  return true;
}

function byName(a: Model, b: Model): number {
  return a.provider.localeCompare(b.provider) || a.id.localeCompare(b.id);
}

/** Formats a number of tokens as 200K or 1M, with one decimal if necessary. */
function short(tokens: number): string {
  const [unit, letter] = tokens >= 1_000_000 ? [1_000_000, "M"] : [1000, "K"];
  if (tokens < 1000) return String(tokens);
  const amount = tokens / unit;
  return `${Number.isInteger(amount) ? amount : amount.toFixed(1)}${letter}`;
}
