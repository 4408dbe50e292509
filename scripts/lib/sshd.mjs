import { chmodSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeAside } from "./aside.mjs";
import { installDebianPackages } from "./debian.mjs";
import { unpackDebianPackages } from "./debian-unpacked.mjs";
import { SSHD_CACHE } from "./paths.mjs";
import { findOnPath } from "./processes.mjs";
import { ExpectedError, step } from "./report.mjs";

const REASON = "the tests of agents over SSH";
const SSHD_MIB = 20;

/**
 * Makes sure that there are an SSH client and server, and resolves to the program of the server; `TILLER_SSHD` names one to use. The server
 * isn't installed: that would open the machine to logins.
 */
export async function ensureSshd() {
  if (process.platform === "win32") return undefined;
  if (process.platform === "linux" && !findOnPath("ssh")) await installDebianPackages(["openssh-client"], REASON);
  if (process.env.TILLER_SSHD) return process.env.TILLER_SSHD;
  const installed = findOnPath("sshd") ?? ["/usr/sbin/sshd"].find((file) => existsSync(file));
  return installed ?? unpackedSshd();
}

async function unpackedSshd() {
  const starter = join(SSHD_CACHE, "sshd");
  if (existsSync(starter)) return starter;
  if (!findOnPath("apt-get") || !findOnPath("dpkg-deb"))
    throw new ExpectedError(
      `Needed for ${REASON}: an SSH server. Install OpenSSH's, or set TILLER_SSHD to its program.`,
    );
  await step("Unpacking an SSH server (once for this machine)", () =>
    makeAside(SSHD_CACHE, SSHD_MIB, async (building) => {
      await unpackDebianPackages(building, ["openssh-server"]);
      writeFileSync(join(building, "sshd"), starterScript(building));
      chmodSync(join(building, "sshd"), 0o755);
    }),
  );
  return starter;
}

/** Returns a script that starts the unpacked server with its own libraries and, in newer versions, its own parts. */
function starterScript(building) {
  const libraries = ["usr/lib", "lib"]
    .filter((folder) => existsSync(join(building, folder)))
    .flatMap((folder) => readdirSync(join(building, folder)).map((name) => join(SSHD_CACHE, folder, name)))
    .filter((folder) => folder.endsWith("-linux-gnu"));
  const parts = { SshdSessionPath: "sshd-session", SshdAuthPath: "sshd-auth" };
  const options = Object.entries(parts)
    .filter(([, file]) => existsSync(join(building, "usr/lib/openssh", file)))
    .map(([option, file]) => ` -o '${option}=${join(SSHD_CACHE, "usr/lib/openssh", file)}'`)
    .join("");
  return `#!/bin/sh\nLD_LIBRARY_PATH='${libraries.join(":")}' exec '${SSHD_CACHE}/usr/sbin/sshd'${options} "$@"\n`;
}
