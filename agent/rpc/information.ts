import type { AgentOptions } from "../config/options.ts";
import { agentDirectory, type Env } from "../config/paths.ts";
import type { Model } from "../protocol/model.ts";
import { createModelRegistry } from "../providers/registry.ts";
import { VERSION } from "./version.ts";

const HELP = `tiller ${VERSION}: a coding agent that another program drives over standard input and output.

Usage: tiller --mode rpc [options]

  Reads commands as JSON lines on standard input, writes responses and events as JSON lines on standard output.
  Try:  echo '{"type":"get_state","id":"1"}' | tiller --mode rpc --no-session

Model
  --model <pattern>             model id, provider/id, or part of a name; ":high" behind it sets the thinking level
  --provider <name>             look for --model only there
  --models <list>               models that cycle_model goes through
  --thinking <level>            off, minimal, low, medium, high, xhigh
  --api-key <key>               key for this run; it is not stored
  --list-models [text]          print the models that can be used, and exit

Session
  --session <path or id>        open a session; -r, --resume [path or id] does too
  -c, --continue                open the newest session of this folder
  --session-id <id>             open or begin the session with this id
  --session-dir <folder>        keep sessions there
  --no-session                  keep nothing
  -n, --name <text>             name of the session

Tools and permissions
  -t, --tools <list>            active tools: names, *, or +name and -name on top of the defaults
  -xt, --exclude-tools <list>   never these
  -nt, --no-tools               none;  -nbt, --no-builtin-tools: none of our own
  --permission-mode <mode>      auto, confirm (ask before anything is changed), readonly

Prompt
  --system-prompt <text|file>   in place of our own
  --append-system-prompt <...>  behind it; may be given again
  -nc, --no-context-files       do not read AGENTS.md and CLAUDE.md
  -a, --approve                 trust this project's settings

Other
  --rpc-stream <full|delta>     whether updates repeat the message so far
  --verbose                     say more on standard error
  -h, --help;  -v, --version

Environment: ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, PI_CODING_AGENT_DIR (default ~/.tiller/agent).
`;

/** What is printed instead of starting: help, the version or the list of models. */
export async function informationText(options: AgentOptions, env: Env, cwd: string): Promise<string> {
  if (options.action === "help") return HELP;
  if (options.action === "version") return VERSION;
  const registry = await createModelRegistry({
    agentDir: agentDirectory(env, cwd),
    env,
    enableDemo: true,
    warn: (message) => console.error(message),
  });
  const search = options.search.toLowerCase();
  const models = registry.available().filter((model) => modelText(model).toLowerCase().includes(search));
  return models.length === 0 ? "No models found." : models.map(modelText).join("\n");
}

function modelText({ provider, id, name, contextWindow, maxTokens }: Model): string {
  return `${`${provider}/${id}`.padEnd(44)} ${name.padEnd(24)} ${contextWindow} tokens in, ${maxTokens} out`;
}
