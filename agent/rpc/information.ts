import { existsSync } from "node:fs";
import { UsageError } from "../config/args.ts";
import type { AgentOptions } from "../config/options.ts";
import { agentDirectory, type Env, expandPath } from "../config/paths.ts";
import { createModelRegistry } from "../providers/registry.ts";
import { readSession } from "../session/load.ts";
import { notASession } from "../session/regular-file.ts";
import { createRedactor } from "../util/redact.ts";
import { PI_VERSION, VERSION } from "../util/version.ts";
import { modelList } from "./model-list.ts";

const HELP = `tiller ${VERSION}: a coding agent that another program drives over standard input and output.

Usage: tiller --mode rpc [options]
       tiller --mode json [options] <message>…

  Reads commands as JSON lines on standard input, writes responses and events as JSON lines on standard output.
  Try:  echo '{"type":"get_state","id":"1"}' | tiller --mode rpc --no-session
  With --mode json it says the messages, writes the events and ends.

Model
  --model <pattern>             model id, provider/id, or part of a name; ":high" behind it sets the thinking level
  --provider <name>             look for --model only there
  --host-provider <name>        the provider of models that the host brings
  --models <list>               models that cycle_model goes through
  --thinking <level>            off, minimal, low, medium, high, xhigh
  --api-key <key>               key for this run; it is not stored
  --demo                        when no model has a key, let the demo answer; it is not a language model
  --list-models [text]          print the models that can be used, and exit

Session
  --session <path or id>        open a session; -r, --resume [path or id] does too
  -c, --continue                open the newest session of this folder
  --session-id <id>             open or begin the session with this id
  --fork <path or id>           copy a session into a new one
  --session-dir <folder>        keep sessions there
  --no-session                  keep nothing
  -n, --name <text>             name of the session
  --export <file> [page]        write a session as an HTML page, print where, and exit

Tools and permissions
  -t, --tools <list>            active tools: names, *, or +name and -name on top of the defaults
  -xt, --exclude-tools <list>   never these
  -nt, --no-tools               none;  -nbt, --no-builtin-tools: none of our own
  --permission-mode <mode>      auto, confirm (ask before anything is changed), auto-edit (ask, but not
                                before files of the project are edited), readonly

Extensions
  -e, --extension <path>        load this one too; may be given again
  -ne, --no-extensions          no others

Prompt templates and skills
  --prompt-template <path>      also this template, or those of this folder; may be given again
  -np, --no-prompt-templates    no others
  --skill <path>                also this skill, or those of this folder; may be given again
  --skills <list>               only skills with these names; * stands for anything
  -ns, --no-skills              none but those given by --skill

Prompt
  --system-prompt <text|file>   in place of our own
  --append-system-prompt <...>  behind it; may be given again
  --add-dir <folder>            counts as the workspace for approvals, too; may be given again
  --deny-read <glob>            no tool may read these files, whatever the mode; may be given again
  -nc, --no-context-files       do not read AGENTS.md and CLAUDE.md
  --no-rules                    the rules in rules/ do not interrupt the model
  --no-mcp                      no MCP servers
  --offline                     no network but the model, so that MCP servers on HTTP are left alone
  -a, --approve                 trust this project's settings and extensions

Other
  --rpc-stream <full|delta>     whether updates repeat the message so far
  --verbose                     say more on standard error
  -h, --help
  -v, --version                 the version of pi whose interface is spoken, and behind the + our own

Environment: ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, PI_CODING_AGENT_DIR (default ~/.tiller/agent).
`;

/**
 * Returns what is printed instead of starting: help, the version, the list of models or the path of an exported page.
 * @param findCwd called only where the working folder matters.
 * @throws UsageError or AgentError when there is nothing to export or no place for it.
 */
export async function informationText(options: AgentOptions, env: Env, findCwd: () => string): Promise<string> {
  if (options.action === "help") return HELP;
  // One semantic version for programs that ask whether pi is new enough, with our own in the place for what does not count.
  if (options.action === "version") return `${PI_VERSION}+${VERSION}`;
  const cwd = findCwd();
  const registry = await createModelRegistry({
    agentDir: agentDirectory(env, cwd),
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
  if (loaded.lostLines > 0) console.error(`${path}: ${loaded.lostLines} unreadable lines were passed over.`);
  return { header: loaded.header, entries: loaded.entries, leafId: loaded.entries.at(-1)?.entry.id ?? null };
}
