import * as z from "zod";
import { bashToolOver } from "../../tools/bash.ts";
import { editTool, editToolOver, listEdits } from "../../tools/edit.ts";
import { findTool, findToolOver } from "../../tools/find.ts";
import { grepTool, grepToolOver } from "../../tools/grep.ts";
import { lsTool, lsToolOver } from "../../tools/ls.ts";
import { readTool, readToolOver } from "../../tools/read.ts";
import { runShell, type ShellCommand } from "../../tools/shell.ts";
import type { AnyTool, ToolOutput } from "../../tools/tool.ts";
import { writeTool, writeToolOver } from "../../tools/write.ts";
import { ExtensionFunction } from "../registrations.ts";
import { commandOver } from "./command-operations.ts";
import { editFilesOver, findOver, grepFilesOver, listOver, openOver, saveOver } from "./file-operations.ts";

const Options = z.object({ operations: z.unknown().optional() }).default({});
const BashOptions = z
  .object({
    operations: z.unknown().optional(),
    commandPrefix: z.string().nullish(),
    shellPath: z.string().nullish(),
    exposeSessionEnvironment: z.boolean().default(true),
    spawnHook: ExtensionFunction.optional(),
  })
  .prefault({});
type BashOptions = z.output<typeof BashOptions>;
const Spawn = z.object({ command: z.string(), cwd: z.string(), env: z.record(z.string(), z.string().optional()) });

/** A built-in tool as extensions know tools: it can be called, changed, and registered. */
interface MadeTool {
  name: string;
  label: string;
  description: string;
  parameters: Record<string, unknown>;
  promptSnippet?: string | undefined;
  promptGuidelines?: string[] | undefined;
  concurrency: "shared" | "exclusive";
  readOnly: boolean;
  prepareArguments?(args: unknown): unknown;
  execute(
    toolCallId: string,
    params: unknown,
    signal?: AbortSignal,
    onUpdate?: (partial: ToolOutput) => void,
    ctx?: unknown,
  ): Promise<ToolOutput>;
}

/** Makes one tool for a folder. */
export type MakeTool = (cwd: string, options?: unknown) => MadeTool;

const createReadTool = maker(readTool, (operations) => readToolOver(openOver(operations)));
const createWriteTool = maker(writeTool, (operations) => writeToolOver(saveOver(operations)));
const createGrepTool = maker(grepTool, (operations) => grepToolOver(grepFilesOver(operations)));
const createFindTool = maker(findTool, (operations) => findToolOver(findOver(operations)));
const createLsTool = maker(lsTool, (operations) => lsToolOver(listOver(operations)));
const makeEditTool = maker(editTool, (operations) => editToolOver(editFilesOver(operations)));
const createEditTool: MakeTool = (cwd, options) => ({ ...makeEditTool(cwd, options), prepareArguments: listEdits });

/** The functions that make tools, by the names that extensions import. */
export const toolFactories = {
  createReadTool,
  createBashTool,
  createEditTool,
  createWriteTool,
  createGrepTool,
  createFindTool,
  createLsTool,
  createReadToolDefinition: createReadTool,
  createBashToolDefinition: createBashTool,
  createEditToolDefinition: createEditTool,
  createWriteToolDefinition: createWriteTool,
  createGrepToolDefinition: createGrepTool,
  createFindToolDefinition: createFindTool,
  createLsToolDefinition: createLsTool,
  createCodingTools: several({
    read: createReadTool,
    bash: createBashTool,
    edit: createEditTool,
    write: createWriteTool,
  }),
  createReadOnlyTools: several({ read: createReadTool, grep: createGrepTool, find: createFindTool, ls: createLsTool }),
};

function maker(local: AnyTool, over: (operations: unknown) => AnyTool): MakeTool {
  return (cwd, options) => {
    const { operations } = Options.parse(options);
    return made(operations === undefined ? local : over(operations), cwd);
  };
}

/** Makes several tools; the options of each are under its name. */
function several(makers: Record<string, MakeTool>): (cwd: string, options?: Record<string, unknown>) => MadeTool[] {
  return (cwd, options = {}) => Object.entries(makers).map(([name, make]) => make(cwd, options[name]));
}

function createBashTool(cwd: string, options?: unknown): MadeTool {
  const wishes = BashOptions.parse(options);
  const run = wishes.operations === undefined ? runShell : commandOver(wishes.operations);
  const tool = bashToolOver(async (command) => run(await adjust(command, wishes)));
  return made(tool, cwd, wishes.exposeSessionEnvironment ? sessionEnv : () => ({}));
}

/** Changes a command before it runs. */
async function adjust(command: ShellCommand, options: BashOptions): Promise<ShellCommand> {
  const { commandPrefix, shellPath, spawnHook } = options;
  const script = commandPrefix ? `${commandPrefix}\n${command.command}` : command.command;
  const spawn = { command: script, cwd: command.cwd, env: command.env };
  const changed = spawnHook === undefined ? spawn : Spawn.parse(await spawnHook(spawn));
  return { ...command, ...changed, shell: { shellPath: shellPath ?? undefined, processes: command.shell.processes } };
}

function made(tool: AnyTool, cwd: string, env: (ctx: unknown) => Record<string, string> = () => ({})): MadeTool {
  return {
    name: tool.name,
    label: tool.label,
    description: tool.description,
    parameters: tool.parameters,
    promptSnippet: tool.promptSnippet,
    promptGuidelines: tool.promptGuidelines && [...tool.promptGuidelines],
    concurrency: tool.concurrency,
    readOnly: tool.isReadOnly,
    async execute(toolCallId, params, signal, onUpdate, ctx) {
      const call = tool.bind(params);
      if (!call.ok) throw new Error(call.problems.join("\n"));
      return call.input.run({
        toolCallId,
        cwd,
        signal: signal ?? new AbortController().signal,
        onUpdate: (partial) => onUpdate?.(partial),
        ready: () => Promise.resolve(),
        shell: {},
        env: env(ctx),
      });
    },
  };
}

/** The part of a tool's context that is used here. */
const SessionContext = z.object({
  sessionManager: z.object({ getSessionId: ExtensionFunction, getSessionFile: ExtensionFunction }),
  model: z.object({ provider: z.string(), id: z.string() }).optional(),
});

/** The variables by which a command learns of the session that it runs in; none when the tool was called without a context. */
function sessionEnv(ctx: unknown): Record<string, string> {
  const { data } = SessionContext.safeParse(ctx);
  if (data === undefined) return {};
  const { sessionManager, model } = data;
  const id = sessionManager.getSessionId();
  const file = sessionManager.getSessionFile();
  return {
    ...(typeof id === "string" ? { PI_SESSION_ID: id } : {}),
    ...(typeof file === "string" ? { PI_SESSION_FILE: file } : {}),
    ...(model === undefined ? {} : { PI_PROVIDER: model.provider, PI_MODEL: model.id }),
  };
}
