import * as z from "zod";
import type { BackgroundProcess } from "../protocol/background.ts";
import { ColoredTail } from "../util/colored-tail.ts";
import { OutputCollector, type OutputSnapshot } from "../util/output-collector.ts";
import { resolvePath } from "../util/paths.ts";
import { formatSize, MAX_BYTES } from "../util/truncate.ts";
import { type ContainedCommand, openedText } from "./contained.ts";
import { runShell, type ShellCommand, type ShellExit } from "./shell.ts";
import { shellHint } from "./shell-language.ts";
import { type AnyTool, defineTool, type ToolContext, ToolFailure, type ToolOutput, textOutput } from "./tool.ts";

const UPDATE_INTERVAL_MS = 100;
/** Words that editors and the like print before they wait for keys. */
const WANTS_TERMINAL = /\bnot (?:from|to|on) a (?:terminal|tty)\b/i;
const MAX_SUMMARY_CHARACTERS = 200;
/** The time limit of a command unless the model or a setting gives another. */
const DEFAULT_TIMEOUT_SECONDS = 120;
const INVALID_TIMEOUT = "Invalid timeout: must be a finite number of seconds";

/** The arguments of the tool. */
export const BashInput = z.object({
  command: z.string().describe("The command to run"),
  timeout: z
    .number({ error: INVALID_TIMEOUT })
    .optional()
    .describe(`Seconds after which the command is stopped; default: ${DEFAULT_TIMEOUT_SECONDS}`),
  cwd: z.string().optional().describe("Folder to run the command in; default: the working directory"),
  description: z.string().optional().describe("What the command is for, in a few words"),
});
export type BashInput = z.output<typeof BashInput>;

/** Runs a command and hands on what it prints; see `runShell`. */
export type RunCommand = (command: ShellCommand) => Promise<ShellExit>;

/**
 * Makes the tool that runs a shell command and returns the end of what it printed.
 * @param runCommand where the shell is.
 * @param shellPath the shell that the model writes for; undefined for bash.
 */
export function bashToolOver(runCommand: RunCommand, shellPath?: string): AnyTool {
  const shell = shellHint(shellPath);
  return defineTool({
    name: "bash",
    description: shell === undefined ? describe("bash") : `${describe(shell.name)} ${shell.hint}`,
    input: BashInput,
    concurrency: "exclusive",
    isReadOnly: false,
    promptSnippet: "Run shell commands",
    summarize: ({ command }) => summarizeCommand(command),
    run: (input, context) => runBash(runCommand, input, context),
  });
}

function describe(language: string): string {
  return `Runs a ${language} command and returns its output, stdout and stderr together. Long output is cut to the last 2000 lines or 50KB, and the result names a file with all of it. There is no terminal, and stdin is empty. Set a timeout for a command that takes longer than 2 minutes.`;
}

/** Runs a bash command of this machine. */
export const bashTool = bashToolOver(runShell);

/** The first line of a command for a person to read, with a note when there is more. */
export function summarizeCommand(command: string): string {
  const lines = command.trim().split("\n");
  const first = (lines[0] ?? "").replace(/[\p{C}\p{Zl}\p{Zp}]/gu, " ");
  const shown = first.length > MAX_SUMMARY_CHARACTERS ? `${first.slice(0, MAX_SUMMARY_CHARACTERS - 1)}…` : first;
  const more = lines.length - 1;
  return more === 0 ? shown : `${shown} (+${more} ${more === 1 ? "line" : "lines"})`;
}

/** Runs a command, in the sandbox if it has to; one that the sandbox refuses something may run again outside, if the user allows it. */
async function runBash(runCommand: RunCommand, input: BashInput, context: ToolContext): Promise<ToolOutput> {
  if (context.applyPreview !== undefined) return context.applyPreview();
  if (context.contain === undefined) return runBashIn(runCommand, input, context);
  const contained = await context.contain();
  const result = await runBashIn(runCommand, input, context, contained).catch(async (error: unknown) => {
    if (error instanceof ToolFailure) return error;
    await contained.end();
    throw error;
  });
  const taken = takenNote(await contained.end());
  const told = [taken, openedText(contained.takeOpened())].filter((text) => text !== undefined);
  if (!(result instanceof ToolFailure)) {
    return told.length === 0 ? result : { ...result, ...textOutput([outputText(result), ...told].join("\n\n")) };
  }
  const refused = await contained.refusalIn(result.message);
  const isOutside = refused !== undefined && !context.signal.aborted && (await context.mayRunOutside?.(refused));
  if (isOutside === true) return runBashIn(runCommand, input, context);
  const note =
    refused === undefined ? undefined : `[The command ran in a sandbox, which seems to have refused ${refused}.]`;
  throw new ToolFailure(
    [result.message, ...told, note].filter((text) => text !== undefined).join("\n\n"),
    result.details,
  );
}

/** Returns the text of a result. */
export function outputText({ content }: ToolOutput): string {
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

/** Tells the model what a command made where it may not; undefined if that is nothing. */
function takenNote(paths: readonly string[]): string | undefined {
  if (paths.length === 0) return undefined;
  return `[Commands in the sandbox may not create ${paths.join(", ")}. It was renamed: its name now ends in .from-sandbox.]`;
}

/** Runs a command once. @param contained where it runs; default the bare machine. @throws ToolFailure when it fails. */
export async function runBashIn(
  runCommand: RunCommand,
  input: BashInput,
  context: ToolContext,
  contained?: ContainedCommand,
): Promise<ToolOutput> {
  const collector = new OutputCollector({ directory: contained?.folder });
  const colored = new ColoredTail();
  const updates = startUpdates(collector, colored, context);
  const env = { ...process.env, ...context.env };
  const limit = input.timeout ?? context.shell.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS;
  const seconds = limit > 0 ? limit : undefined;
  let exit: ShellExit;
  let snapshot: OutputSnapshot;
  try {
    exit = await runCommand({
      command: input.command,
      cwd: input.cwd === undefined ? context.cwd : resolvePath(context.cwd, input.cwd),
      env: context.isUnasked === true ? forReading(env) : env,
      shell: context.shell,
      timeoutMs: seconds === undefined ? undefined : seconds * 1000,
      onData(chunk) {
        collector.push(chunk);
        colored.push(chunk);
        updates.schedule();
        return Promise.all([context.ready(), collector.drained()]).then(() => undefined);
      },
      signal: context.signal,
      contained,
      toolCallId: context.toolCallId,
    });
  } finally {
    updates.stop();
    snapshot = await collector.finish();
    colored.end();
  }
  const failure = failureText(exit, snapshot.text, context.shell.shellPath);
  const text = describeOutput(snapshot, failure === undefined || exit.reason === "exit");
  const left = exit.background === undefined ? "" : `\n\n${backgroundText(exit.background)}`;
  const details = {
    ...outputDetails(snapshot),
    ...colorDetails(colored),
    ...(exit.background && { background: exit.background }),
  };
  if (failure === undefined) return textOutput(text + left, Object.keys(details).length === 0 ? undefined : details);
  const code = exit.reason === "exit" ? { exitCode: exit.exitCode } : {};
  throw new ToolFailure(`${text === "" ? failure : `${text}\n\n${failure}`}${left}`, { ...details, ...code });
}

function failureText(
  { reason, exitCode, timeoutSeconds }: ShellExit,
  output: string,
  shellPath: string | undefined,
): string | undefined {
  switch (reason) {
    case "aborted":
      return "Command aborted";
    case "timeout":
      return timeoutText(timeoutSeconds, output, shellHint(shellPath)?.background ?? "&");
    case "killed":
      return "Command terminated without an exit code";
    case "exit":
      return exitCode === 0 ? undefined : `Command exited with code ${exitCode}`;
  }
}

function timeoutText(seconds: number | undefined, output: string, background: string): string {
  const after = seconds === undefined ? "" : ` after ${seconds} seconds`;
  return `Command timed out${after}.${waitingText(output)} If it needs longer, give a larger timeout; start a server in the background with ${background}.`;
}

/** Returns what the model could do if the command waited for input. */
function waitingText(output: string): string {
  if (output === "") return " It printed nothing: if it waits for input, pass that as arguments or through a pipe.";
  if (!WANTS_TERMINAL.test(output)) return "";
  return " It wants a terminal, and there is none: use a command that asks nothing, or its options for scripts.";
}

function backgroundText({ id, pid, command, outputPath }: BackgroundProcess): string {
  const output = outputPath === undefined ? "" : `, output in ${outputPath}`;
  return `[1 running in the background: ${id} (pid ${pid}, ${summarizeCommand(command)}${output}). bash_output reads what it prints from here on, bash_stop ends it; it ends with the session.]`;
}

/** Returns an output for the model, with a note of what was cut. @param namesEmptiness true to say that there is none. */
export function describeOutput(snapshot: OutputSnapshot, namesEmptiness: boolean): string {
  const { text, truncation, fullOutputPath } = snapshot;
  const body = text.endsWith("\n") ? text.slice(0, -1) : text;
  if (!truncation.truncated) return body === "" && namesEmptiness ? "(no output)" : body;
  const { totalLines, outputLines, outputBytes } = truncation;
  const where = fullOutputPath === undefined ? "" : ` Full output: ${fullOutputPath}`;
  if (truncation.lastLinePartial) {
    const lineSize = formatSize(snapshot.lastLineBytes);
    return `${body}\n\n[Showing last ${formatSize(outputBytes)} of line ${totalLines} (line is ${lineSize}).${where}]`;
  }
  const limit = truncation.truncatedBy === "bytes" ? ` (${formatSize(MAX_BYTES)} limit)` : "";
  return `${body}\n\n[Showing lines ${totalLines - outputLines + 1}-${totalLines} of ${totalLines}${limit}.${where}]`;
}

function outputDetails({ truncation, fullOutputPath }: OutputSnapshot): Record<string, unknown> | undefined {
  if (!truncation.truncated) return undefined;
  return fullOutputPath === undefined ? { truncation } : { truncation, fullOutputPath };
}

/** Returns the colors of the output, for hosts that draw them. */
function colorDetails({ text }: ColoredTail): { coloredText?: string } {
  return text === undefined ? {} : { coloredText: text };
}

interface Updates {
  schedule(): void;
  stop(): void;
}

function startUpdates(collector: OutputCollector, colored: ColoredTail, context: ToolContext): Updates {
  let timer: NodeJS.Timeout | undefined;
  let lastUpdateAt = performance.now();
  const send = () => {
    timer = undefined;
    lastUpdateAt = performance.now();
    const snapshot = collector.snapshot();
    const details = outputDetails(snapshot) ?? { truncation: null, fullOutputPath: null };
    context.onUpdate(textOutput(snapshot.text, { ...details, ...colorDetails(colored) }));
  };
  context.onUpdate({ content: [], details: { truncation: null, fullOutputPath: null } });
  return {
    schedule() {
      timer ??= setTimeout(send, Math.max(0, lastUpdateAt + UPDATE_INTERVAL_MS - performance.now()));
    },
    stop() {
      clearTimeout(timer);
    },
  };
}

/** Settings of git that start programs while it only reads: `git config` knows what each does. */
const GIT_SETTINGS: readonly (readonly [string, string])[] = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["core.pager", "cat"],
];

/**
 * Returns the environment for a command that runs without a question: git starts no program of the repository, asks for no password and
 * fetches nothing, and `cd` goes where its word says. Settings that the environment already has for git stay.
 */
function forReading(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const given = Number(env.GIT_CONFIG_COUNT ?? 0);
  const first = Number.isInteger(given) && given > 0 ? given : 0;
  const settings = GIT_SETTINGS.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, key],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ]);
  return {
    ...env,
    ...Object.fromEntries(settings),
    GIT_CONFIG_COUNT: String(first + GIT_SETTINGS.length),
    GIT_PAGER: "cat",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    GIT_NO_LAZY_FETCH: "1",
    CDPATH: "",
  };
}
