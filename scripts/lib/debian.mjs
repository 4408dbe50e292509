import { execFileSync } from "node:child_process";
import { childEnvironment } from "./environment.mjs";
import { findOnPath, run } from "./processes.mjs";
import { ExpectedError, note, step } from "./report.mjs";

/** Installs those of the Debian packages that are missing, as root or through sudo. `reason` completes "needed for …". */
export async function installDebianPackages(packages, reason) {
  const apt = findOnPath("apt-get");
  if (!apt || !findOnPath("dpkg-query")) {
    note(`Needed for ${reason}, and taken to be there, as there is no apt-get to ask: ${packages.join(" ")}.`);
    return;
  }
  const missing = packages.filter((name) => !isDebianPackageInstalled(name));
  if (missing.length === 0) return;
  const isRoot = process.getuid?.() === 0;
  const sudo = findOnPath("sudo");
  const byHand = `Run this as root, then the same command again:\n  apt-get install -y --no-install-recommends ${missing.join(" ")}`;
  if (!isRoot && !sudo)
    throw new ExpectedError(
      `Needed for ${reason}: ${missing.join(" ")}. Only root may install them, and there is no sudo. ${byHand}`,
    );
  const prefix = isRoot ? [] : [sudo, ...(process.stdin.isTTY ? [] : ["-n"])];
  const env = "DEBIAN_FRONTEND=noninteractive";
  await step(`Installing ${missing.join(", ")} (apt-get, for ${reason})`, async () => {
    try {
      await runWith([...prefix, apt, "-o", "DPkg::Lock::Timeout=300", "update"]);
    } catch (error) {
      note(`apt-get update failed, going on with the lists that are there. ${error.message}`);
    }
    try {
      await runWith([
        ...prefix,
        "env",
        env,
        apt,
        "-o",
        "DPkg::Lock::Timeout=300",
        "install",
        "-y",
        "--no-install-recommends",
        ...missing,
      ]);
    } catch (error) {
      throw new ExpectedError(`${error.message}\n${byHand}`);
    }
  });
}

function isDebianPackageInstalled(name) {
  try {
    const status = execFileSync("dpkg-query", ["--status", name], {
      encoding: "utf8",
      env: childEnvironment(),
      stdio: ["ignore", "pipe", "ignore"],
    });
    return /^Status: install ok installed$/m.test(status);
  } catch {
    return false; // dpkg-query fails for a package that it never heard of.
  }
}

function runWith([command, ...args]) {
  return run(command, args);
}
