/** A test that cannot mean anything on Windows, or not under Wine. */
interface Listed {
  /** Below `test/`. */
  file: string;
  /** The beginning of its title, or of that of its group; absent for the whole file. */
  title?: string;
}

const list = (why: string, tests: Record<string, readonly string[]>): (Listed & { why: string })[] =>
  Object.entries(tests).flatMap(([file, titles]) =>
    titles.length === 0 ? [{ file, why }] : titles.map((title) => ({ file, title, why })),
  );

/** The tests that are left out, with the reason. */
export const LISTED: readonly (Listed & { why: string })[] = [
  ...list("files have no modes there", {
    "rpc/approvals.test.ts": ["for a workspace is stored in a file that only the user can read"],
    "rpc/long-results.test.ts": ["is sent with its beginning, its end, and a file with all of it"],
    "rpc/export.test.ts": ["writes a self-contained page and escapes script text"],
    "bundled/mcp/host-secrets.test.ts": ["that fails leaves them to the file"],
    "extensions/consents.test.ts": ["is asked about without delaying the prompt"],
    "bundled/mcp/sign-in.test.ts": ["asks, opens the browser, and keeps the token for the next agent"],
    "session/damaged-open.test.ts": ["reports in the conversation how many lines were lost"],
  }),
  ...list("no file can have such a name there", {
    "rpc/editor-addresses.test.ts": [
      "use the disk for files that are named like an address",
      "refuse an escaped .. in an address",
      "create a file of that name when no editor takes part",
    ],
    "rpc/editor-link.test.ts": ["opens documents without a file by URI, and a file of the same name is read from disk"],
  }),
  ...list("nothing there tells what a shell has left running", {
    "rpc/background.test.ts": [
      "is named in the result, can be read and stopped, and the host is told",
      "gives the model the tools for it from then on",
      "is told to the host when it ends by itself",
      "is ended by the host",
      "ends with the agent when its output goes to a file",
      "ends with the session",
      "is not read where its output is in a file",
    ],
  }),
  ...list("there are no signals that a program could end by in order", {
    "rpc/foreign-hosts.test.ts": [],
    "rpc/headless.test.ts": ["exits with 130 when it is interrupted"],
    "rpc/lifecycle.test.ts": [
      "exits on SIG",
      "kills what bash started, also on a signal",
      "shuts down once for end of input and SIGTERM",
    ],
    "rpc/signals.test.ts": [],
  }),
  ...list("its pipes, devices, full disks, or deleted folders are those of Linux, which programs in Wine don't see", {
    "rpc/command-line.test.ts": [
      "can be closed by its reader",
      "on a full disk is reported",
      "that cannot be read ends the agent with an explanation",
      "does not matter for",
      "stops the start with an explanation",
    ],
    "rpc/lifecycle.test.ts": ["exits with 0 when its output has no reader"],
    "session/files.test.ts": ["that are no files are skipped by --continue"],
    "session/write-faults.test.ts": ["on a full disk", "that could not be created on a full disk"],
  }),
  ...list("a pipe of a host is there like one of a shell, which is waited for", {
    "rpc/json-mode.test.ts": [],
    "rpc/headless.test.ts": ["does not wait for a host that never closes standard input"],
  }),
  ...list("the sandbox is part of Linux", {
    "rpc/headless.test.ts": ["runs commands in the sandbox", "says why there is no sandbox"],
    "rpc/sandboxed-commands.test.ts": [],
    "rpc/sandboxed-servers.test.ts": [],
    "rpc/sandbox-problem.test.ts": [],
    "rpc/sandbox-offer.test.ts": ["the first question about a command, where there is a sandbox"],
    "rpc/transcripts.test.ts": ["transcript deny-a-command.jsonl"],
  }),
  ...list("Wine starts programs slowly, and its cmd has another exit code for a missing one", {
    "bundled/mcp/life.test.ts": [
      "reports a server that cannot be started, and the others work",
      "delays a prompt no longer than the setting says",
    ],
  }),
  ...list("a file URL has a drive there", {
    "rpc/understood-calls.test.ts": ["asks about the file that a path in another form means"],
  }),
  ...list("in Wine, links of Linux look like what they lead to", {
    "rpc/host-tool-paths.test.ts": [
      "asks in auto-edit where edit asks, and offers no rule",
      "is judged by every folder of the window that its path could be in",
    ],
    "rpc/instruction-files.test.ts": [
      "are not read through a link that leads out of the repository",
      "are read through a link inside the repository",
      "must be inside their folder when there is no repository",
      "are left out when a link leads out of the repository",
      "are used in folders named like one for secrets",
    ],
    "rpc/nested-instructions.test.ts": [
      "are not read through a link that leads out of the project",
      "imports nothing from outside of the project",
    ],
    "rpc/reading.test.ts": [
      "does not ask in the mode auto",
      "leaves out possible secrets and says so",
      "gives the same answer whether or not such a file has a match",
    ],
    "rpc/templates.test.ts": ["survives circular links"],
    "extensions/process-faults.test.ts": ["that is a circular link, a broken link or a folder in a circle is skipped"],
  }),
  ...list("it looks at what Linux shows of processes", {
    "client/child-processes.test.ts": ["of a killed agent all end", "in the background of a command end with an agent"],
    "rpc/key-secrecy.test.ts": [],
  }),
  ...list("the numbers of processes are those of Windows", {
    "bundled/mcp/life.test.ts": [
      "notices added and removed servers during a session, even in the first file",
      "leaves no process of a server",
    ],
    "rpc/history.test.ts": ["refuses to change a session that another agent writes"],
  }),
  ...list("there is no git in Wine", {
    "rpc/prompt-facts.test.ts": [
      "names the branch and the number of changed files",
      "is made without running a program that the repository names",
    ],
  }),
  ...list("the home folder has another variable there", {
    "rpc/command-line.test.ts": ["is never searched for in the working folder"],
  }),
  ...list("the test itself looks beside the agent, or has paths of Linux for those that the agent keeps", {
    "rpc/approvals.test.ts": ["block the call"],
    "extensions/compat-tools.test.ts": [
      "replace the built-in one, and work on other files",
      "find files, folders and lines with the extension's operations",
    ],
    "bundled/hooks/tool-hooks.test.ts": ["receives the documented fields, and the names of Claude Code besides ours"],
    "bundled/mcp/dialogs.test.ts": ["that are wrong can be corrected with a restart"],
    "bundled/mcp/life.test.ts": ["loads no code when no file names a server"],
    "bundled/mcp/mcp.test.ts": ["receives the working directory as a root and runs in it"],
    "rpc/reading.test.ts": ["asks once for a folder outside when a rule is saved"],
    "rpc/skills.test.ts": ["leaves out broken and duplicate skills"],
    "extensions/trust.test.ts": [
      "is trusted when AGENT_DIR/trust.json lists it",
      "is identified by its real path",
      "can store their decision",
      "store it in the file that trust.json links to",
      "leave the decision to the stored one",
    ],
    "rpc/nested-instructions.test.ts": ["are not read in a project that is declined by the file of trusted projects"],
    "session/write-faults.test.ts": ["contains every message that ended before the agent was killed"],
    "session/history-search.test.ts": ["works in an agent with less memory than half of the file"],
  }),
  ...list("Node 22 takes no proxy from the environment", {
    "rpc/chat-completions.test.ts": ["is not asked when the proxy's address is unreadable"],
  }),
];
