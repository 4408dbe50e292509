import { homedir } from "node:os";
import type { AgentOptions } from "../config/options.ts";
import { expandPath } from "../config/paths.ts";
import type { Settings } from "../config/settings.ts";
import { findInstructions, type Instructions, NO_INSTRUCTIONS } from "../prompt/instructions.ts";
import { warnOnce } from "../prompt/resource-files.ts";
import { DeniedPaths } from "../util/denied-paths.ts";

interface InstructionParts {
  options: AgentOptions;
  settings: Settings;
  agentDir: string;
  cwd: string;
}

/** Finds the instructions for the model, as the command line and the settings want them. */
export async function readInstructionFiles({
  options,
  settings,
  agentDir,
  cwd,
}: InstructionParts): Promise<Instructions> {
  if (!options.useContextFiles) return NO_INSTRUCTIONS;
  const home = homedir();
  const otherFolders = options.otherFolders.map((path) => expandPath(path, cwd));
  const denied = new DeniedPaths([...settings.denyRead, ...options.denyRead], { home, roots: [cwd, ...otherFolders] });
  return findInstructions({
    agentDir,
    cwd,
    home,
    otherFolders,
    choice: settings.instructionFiles,
    isProjectDeclined: options.isProjectDeclined,
    isDenied: (path) => !denied.isEmpty && denied.has(path),
    warn: warnOnce((message) => console.error(message)),
  });
}
