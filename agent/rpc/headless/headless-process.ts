import { PassThrough, type Readable } from "node:stream";
import type { AgentOptions } from "../../config/options.ts";
import { expandPath } from "../../config/paths.ts";
import { LineSplitter } from "../../protocol/line-splitter.ts";
import { RunLimits } from "../../session/run-limits.ts";
import type { RpcProcess } from "../load/prepare.ts";
import { pipeWire } from "../wire/host-wire.ts";
import type { RealStdout } from "../wire/stdout-guard.ts";
import { type HeadlessJob, HeadlessRun } from "./headless-run.ts";
import { readOutputSchema } from "./output-schema.ts";
import { readPrompts } from "./read-prompts.ts";

const RUN_FAILED = 1;
/** The time between two looks at how much of the output was read. */
const LOOK_MS = 20;

/** The standard streams of the process. */
interface Streams {
  input: Readable;
  stdout: RealStdout;
}

/**
 * Makes RPC mode into a program that sends the messages of its command line and of standard input, prints the answer, and exits. Text for
 * people goes to stderr. The exit code is 1 if a message was refused or an answer failed.
 * @throws UsageError if there is nothing to send, or something cannot be read.
 */
export async function headlessProcess(rpc: RpcProcess, streams: Streams): Promise<RpcProcess> {
  const { options, cwd } = rpc;
  const schema =
    options.outputSchema === undefined ? undefined : readOutputSchema(expandPath(options.outputSchema, cwd));
  const sources = { cwd, input: () => streams.input, warn: (message: string) => console.error(message) };
  const output = outputOf(options);
  const limits = new RunLimits(options);
  const prompts = output === "systemPrompt" ? [] : await readPrompts(options, sources);
  const appended = schema === undefined ? [] : [schema.instructions];
  const told = { ...options, appendSystemPrompts: [...options.appendSystemPrompts, ...appended] };
  return drive({ ...rpc, limits, options: told }, streams.stdout, {
    prompts,
    output,
    limits,
    schema: output === "systemPrompt" ? undefined : schema,
  });
}

function outputOf({ action }: AgentOptions): HeadlessJob["output"] {
  if (action === "printSystemPrompt") return "systemPrompt";
  return action === "json" ? "json" : "text";
}

/** Calls back once the reader has taken all output: a process that ends before cuts off what a slow reader has not read yet. */
function whenRead(stdout: RealStdout, done: () => void): void {
  if (stdout.pendingBytes === 0) done();
  else setTimeout(() => whenRead(stdout, done), LOOK_MS);
}

/** Puts a run between the agent and the streams of the process. */
function drive(rpc: RpcProcess, stdout: RealStdout, job: HeadlessJob): RpcProcess {
  const input = new PassThrough();
  const run = new HeadlessRun(job, {
    say: (command) => input.write(`${JSON.stringify(command)}\n`),
    end: () => whenRead(stdout, () => input.end()),
    write: (text) => stdout.write(text),
  });
  const splitter = new LineSplitter({ line: (line) => run.line(line), overflow: () => undefined });
  return {
    ...rpc,
    wire: pipeWire(input, {
      write(text) {
        splitter.push(Buffer.from(text));
        return true;
      },
      get pendingBytes() {
        return stdout.pendingBytes;
      },
      onDrain: stdout.onDrain,
      onError: stdout.onError,
    }),
    exit: (code) => rpc.exit(code === 0 && run.hasFailed ? RUN_FAILED : code),
  };
}
