import * as z from "zod";

/** `ask`: contained commands reach the hosts that the user allows. `off`: they reach nothing. */
const SandboxNetwork = z.enum(["ask", "off"]);

/** Returns the shape of the setting `sandbox` of a file. */
export function sandboxFile() {
  return z
    .object({
      network: SandboxNetwork,
      caches: z.array(z.string()),
      allowRead: z.array(z.string()),
      userCommands: z.boolean(),
    })
    .partial();
}

/** The permissions of commands in the sandbox, beside those that they always have. */
export interface SandboxSettings {
  network: z.infer<typeof SandboxNetwork>;
  /** Folders of tools that can be written; undefined for the usual ones. */
  caches: readonly string[] | undefined;
  /** Globs of files of the workspace that can be read though they may hold secrets. */
  allowRead: readonly string[];
  /** True if the user's own commands run in the sandbox, too. */
  userCommands: boolean;
}

/** Fills in the defaults. */
export function readSandboxSettings(file: z.infer<ReturnType<typeof sandboxFile>> = {}): SandboxSettings {
  const { network = "ask", caches, allowRead = [], userCommands = false } = file;
  return { network, caches, allowRead, userCommands };
}
