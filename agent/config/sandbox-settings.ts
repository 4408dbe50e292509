import * as z from "zod";

/** `ask`: contained commands reach the hosts that the user allows. `off`: they reach nothing. */
const SandboxNetwork = z.enum(["ask", "off"]);

/** `ask`: a server in the sandbox is reachable from outside if the user allows it. `off`: none is. Numbers: these ports are open, others ask. */
const SandboxPorts = z.union([z.enum(["ask", "off"]), z.array(z.int().min(1).max(65_535))]);

/** Returns the shape of the setting `sandbox` of a file. */
export function sandboxFile() {
  return z
    .object({
      network: SandboxNetwork,
      ports: SandboxPorts,
      caches: z.array(z.string()),
      allowRead: z.array(z.string()),
      userCommands: z.boolean(),
    })
    .partial();
}

/** The permissions of commands in the sandbox, beside those that they always have. */
export interface SandboxSettings {
  network: z.infer<typeof SandboxNetwork>;
  ports: z.infer<typeof SandboxPorts>;
  /** Folders of tools that can be written; undefined for the usual ones. */
  caches: readonly string[] | undefined;
  /** Globs of files of the workspace that can be read though they may hold secrets. */
  allowRead: readonly string[];
  /** True if the user's own commands run in the sandbox, too. */
  userCommands: boolean;
}

/** Fills in the defaults. */
export function readSandboxSettings(file: z.infer<ReturnType<typeof sandboxFile>> = {}): SandboxSettings {
  const { network = "ask", ports = "ask", caches, allowRead = [], userCommands = false } = file;
  return { network, ports, caches, allowRead, userCommands };
}
