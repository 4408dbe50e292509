import { copyFileSync, existsSync, linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeAside } from "./aside.mjs";
import { unpackDebianPackages } from "./debian-unpacked.mjs";
import { childEnvironment } from "./environment.mjs";
import { ensureNode, inject } from "./one-file-node.mjs";
import { ROOT, WINDOWS_CACHE } from "./paths.mjs";
import { exitCodeOf, findOnPath } from "./processes.mjs";
import { ExpectedError, step } from "./report.mjs";

/** Raise it when something else belongs into the prefix. */
const PREFIX_VERSION = 1;

const WINE_PACKAGES = ["wine64", "libwine"];
const WINE_MIB = 1_000;
const PREFIX_MIB = 1_200;
const LIBRARIES = "usr/lib/x86_64-linux-gnu";

/**
 * Makes sure that there are a Wine, a Node for Windows and a folder with a Windows in it. All of them lie in the cache: Wine isn't installed,
 * because that would need root, and the fonts that it brings would change how pages look.
 * @returns how to start a program of Windows: the programs and their environment.
 */
export async function ensureWine() {
  if (process.platform !== "linux" || process.arch !== "x64")
    throw new ExpectedError("Windows is tested with Wine, which these scripts set up on Linux on x64 only.");
  const wineFolder = await ensureUnpacked();
  const node = await ensureNode("win-x64");
  const wine = join(wineFolder, "usr/lib/wine/wine64");
  const prefix = join(WINDOWS_CACHE, `prefix-${PREFIX_VERSION}`);
  const env = {
    WINEDEBUG: "-all",
    WINEDLLOVERRIDES: "taskkill.exe=n", // ours instead of Wine's
    WINEPREFIX: prefix,
    LD_LIBRARY_PATH: [LIBRARIES, "lib/x86_64-linux-gnu"].map((folder) => join(wineFolder, folder)).join(":"),
  };
  await ensurePrefix({ wine, wineFolder, prefix, env, node });
  return { wine, node, env, prefix };
}

/** Unpacks Wine with the libraries that this machine lacks. */
async function ensureUnpacked() {
  const folder = join(WINDOWS_CACHE, "wine");
  if (existsSync(folder)) return folder;
  if (!findOnPath("apt-get") || !findOnPath("dpkg-deb"))
    throw new ExpectedError("Wine comes from Debian's packages, and there is no apt-get or dpkg-deb here.");
  await step("Unpacking Wine (once for this machine, 100 MB from Debian)", () =>
    makeAside(folder, WINE_MIB, async (building) => {
      await unpackDebianPackages(building, WINE_PACKAGES, ["libz-mingw-w64"]);
      // Debian's is a script that looks in /usr/lib.
      const server = join(building, "usr/lib/wine/wineserver");
      rmSync(server);
      symlinkSync("wineserver64", server);
    }),
  );
  return folder;
}

/** Makes the folder with a Windows 10 in it, and puts the programs there that tests need. */
async function ensurePrefix({ wine, wineFolder, prefix, env, node }) {
  if (existsSync(prefix)) return;
  await step("Making a Windows (once for this machine, half a minute)", () =>
    makeAside(prefix, PREFIX_MIB, async (building) => {
      const own = childEnvironment({ ...env, WINEPREFIX: building });
      const system = join(building, "drive_c/windows/system32");
      mkdirSync(system, { recursive: true });
      copyFileSync(join(wineFolder, "usr/x86_64-w64-mingw32/lib/zlib1.dll"), join(system, "zlib1.dll"));
      const start = (args) => exitCodeOf(wine, args, { cwd: building, env: own, stdio: "ignore" });
      if ((await start(["winecfg", "-v", "win10"])) !== 0) throw new ExpectedError("Wine's winecfg failed.");
      // Wine's PowerShell does nothing, and would be found.
      rmSync(join(system, "WindowsPowerShell"), { recursive: true });
      const git = join(building, "drive_c/Program Files/Git/bin");
      mkdirSync(git, { recursive: true });
      await makeProgram(join(git, "bash.exe"), { node, folder: building, start });
      rmSync(join(system, "taskkill.exe"));
      linkSync(join(git, "bash.exe"), join(system, "taskkill.exe"));
      // It fails if Windows has ended already.
      await exitCodeOf(join(wineFolder, "usr/lib/wine/wineserver64"), ["-k"], { env: own, stdio: "ignore" });
    }),
  );
}

/** Makes one program of Node and `test/windows/programs.cjs`. */
async function makeProgram(file, { node, folder, start }) {
  // Loaded here, because the scripts start before their packages are installed.
  const { build } = await import("esbuild");
  const script = join(folder, "programs.cjs");
  const blob = join(folder, "programs.blob");
  const config = join(folder, "programs.json");
  await build({
    entryPoints: [join(ROOT, "test/windows/programs.cjs")],
    outfile: script,
    bundle: true,
    platform: "node",
    format: "cjs",
  });
  writeFileSync(
    config,
    JSON.stringify({ main: "programs.cjs", output: "programs.blob", disableExperimentalSEAWarning: true }),
  );
  // Its own version has to write it.
  if ((await start([node, "--experimental-sea-config", "programs.json"])) !== 0)
    throw new ExpectedError("Node for Windows couldn't pack a script.");
  copyFileSync(node, file);
  await inject(node, file, blob);
  for (const part of [script, blob, config]) rmSync(part);
}
