import { parseArgs as parseNodeArgs } from "node:util";
import { UsageError } from "./args.ts";

/** The command line of `tiller changes` and `tiller undo`. */
export interface ChangesOptions {
  command: "changes" | "undo";
  isHelp: boolean;
  /** Only these files, and those in these folders. */
  paths: string[];
  /** Path, id or start of an id; undefined is the latest session of the directory. */
  session: string | undefined;
  sessionDir: string | undefined;
  /** Everything that nobody has judged, instead of what was changed since the last message. */
  all: boolean;
  merge: boolean;
}

const FLAGS = {
  session: { type: "string", short: "r" },
  "session-dir": { type: "string" },
  all: { type: "boolean" },
  merge: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

/** Reads a command line that begins with `changes` or `undo`. @returns undefined for any other. @throws UsageError for a wrong flag. */
export function readChangesOptions(argv: readonly string[]): ChangesOptions | undefined {
  const [command, ...args] = argv;
  if (command !== "changes" && command !== "undo") return undefined;
  const { values, positionals } = parse(args);
  if (command === "changes" && (values.all === true || values.merge === true)) {
    throw new UsageError("Error: --all and --merge belong to tiller undo");
  }
  return {
    command,
    isHelp: values.help === true,
    paths: positionals,
    session: values.session,
    sessionDir: values["session-dir"],
    all: values.all === true,
    merge: values.merge === true,
  };
}

function parse(args: string[]) {
  try {
    return parseNodeArgs({ args, options: FLAGS, allowPositionals: true, strict: true });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`Error: ${reason.split(". ")[0]}. See tiller undo --help`, { cause: error });
  }
}
