import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { childEnvironment } from "./environment.mjs";
import { ROOT } from "./paths.mjs";
import { run } from "./processes.mjs";
import { ExpectedError } from "./report.mjs";

/** Unpacks Debian packages, and those they need that this machine hasn't installed, into a folder. Installs nothing, so that it needs no rights. */
export async function unpackDebianPackages(folder, packages, extraPackages = []) {
  const names = [...new Set([...(await neededPackages(packages)), ...extraPackages])];
  const debs = join(folder, "debs");
  mkdirSync(debs);
  await apt(["download", ...names], debs);
  for (const name of readdirSync(debs)) await run("dpkg-deb", ["-x", join(debs, name), folder], { cwd: debs });
  rmSync(debs, { recursive: true });
}

async function neededPackages(packages) {
  const options = ["install", "--simulate", "--no-install-recommends", "--reinstall"];
  const said = await apt([...options, ...packages], ROOT);
  return [...said.matchAll(/^Inst (\S+) /gm)].map(([, name]) => name);
}

async function apt(args, cwd) {
  try {
    return await run("apt-get", args, { cwd, env: childEnvironment({ LC_ALL: "C" }) });
  } catch (error) {
    throw new ExpectedError(
      `${error.message}\nIf Debian's lists of packages are missing or old, run this as root, then the same command again:\n  apt-get update`,
    );
  }
}
