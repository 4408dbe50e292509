import { findPrograms } from "./programs.ts";
import { proveSeatbelt, Seatbelt } from "./seatbelt.ts";
import { type Stand, Standing, type StandingOptions } from "./standing.ts";

const SYSTEMS: Readonly<Record<string, string>> = { win32: "Windows" };

/** The system that sandboxes are made on. */
export interface SandboxSystem {
  platform: NodeJS.Platform;
  /** The path of `sandbox-exec` on macOS. */
  sandboxExec: string;
}

export const THIS_SYSTEM: SandboxSystem = { platform: process.platform, sandboxExec: "/usr/bin/sandbox-exec" };

/** The outcome of the test of each `sandbox-exec`, which no agent repeats. */
const proofs = new Map<string, Promise<void>>();

/** Makes a sandbox that stands. @throws Error with the reason when there is none. */
export type MakeStand = (options: StandingOptions) => Promise<Stand>;

/** Finds what makes sandboxes on a system. @throws Error that says why nothing does, or what to install. */
export async function findStands({ platform, sandboxExec }: SandboxSystem, env: NodeJS.ProcessEnv): Promise<MakeStand> {
  if (platform === "darwin") {
    const proof = proofs.get(sandboxExec) ?? proveSeatbelt(sandboxExec, env);
    proofs.set(sandboxExec, proof);
    await proof;
    return (options) => Seatbelt.start(sandboxExec, options);
  }
  if (platform !== "linux") throw new Error(`there is none for ${SYSTEMS[platform] ?? platform} yet`);
  const programs = await findPrograms(env);
  return (options) => Standing.start(programs, options);
}
