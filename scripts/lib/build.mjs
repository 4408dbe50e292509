import { existsSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { ROOT, VSIX } from "./paths.mjs";
import { run } from "./processes.mjs";
import { ExpectedError, step } from "./report.mjs";

const SOURCES = ["agent", "extension", "webview", "scripts/notices", "esbuild.mjs", "package-lock.json"];
const TEXTS = ["extension/l10n", ...readdirSync(ROOT).filter((name) => /^package\.nls.*\.json$/.test(name))];
const NOTICES = "THIRD_PARTY_NOTICES";
const PAGES = ["README.md", "CHANGELOG.md", "LICENSE", NOTICES];
const SHIPPED = ["dist", "media", ...TEXTS, ...PAGES, "package.json", ".vscodeignore"];
const BUNDLES = ["dist/agent/cli.js", "dist/client/index.js", "dist/extension/extension.cjs", "dist/webview/main.js"];
const OUTPUTS = [...BUNDLES, NOTICES];
const MAX_VSIX_BYTES = 3 * 1024 * 1024;

/** Builds the four bundles. */
export async function build() {
  await step("Building", () => run(process.execPath, ["esbuild.mjs"]));
}

/** Builds, unless every bundle and the notices are newer than all sources. */
export async function buildIfStale() {
  if (newest(SOURCES) > oldest(OUTPUTS)) await build();
}

export const VSCE = join(ROOT, "node_modules/@vscode/vsce/vsce");

/** Packages the extension; fails when it is too large or carries packages. */
export async function packageExtension() {
  await step("Packaging tiller.vsix", async () => {
    const options = ["--no-dependencies", "--allow-missing-repository", "--no-rewrite-relative-links"];
    await listPackaged();
    await run(process.execPath, [VSCE, "package", ...options, "--out", VSIX]);
    await tighten(VSIX);
  });
}

/** Returns the paths of the files that belong into the package. @throws ExpectedError if it would hold packages. */
export async function listPackaged() {
  const listed = (await run(process.execPath, [VSCE, "ls", "--no-dependencies"])).split("\n").filter(Boolean);
  const stray = listed.find((line) => line.includes("node_modules/"));
  if (stray) throw new ExpectedError(`The package would hold ${stray}: see .vscodeignore.`);
  return listed;
}

/** Compresses a package well. @throws ExpectedError if it is too large all the same. */
export async function tighten(file) {
  // Loaded here, because the scripts start before their packages are installed.
  const { tightenZip } = await import("./tight-zip.mjs");
  await tightenZip(file);
  const { size } = statSync(file);
  if (size > MAX_VSIX_BYTES) throw new ExpectedError(`${file} has ${size} bytes; ${MAX_VSIX_BYTES} are allowed.`);
}

/** Packages, unless the package is newer than all that it holds. */
export async function packageIfStale() {
  if (newest(SHIPPED) > oldest([VSIX])) await packageExtension();
}

/** The time of the last change under the paths; a folder's own time tells of files that were removed. */
function newest(paths) {
  return Math.max(0, ...paths.map((path) => newestUnder(join(ROOT, path))));
}

function newestUnder(file) {
  if (!existsSync(file)) return 0;
  const stats = statSync(file);
  if (!stats.isDirectory()) return stats.mtimeMs;
  return Math.max(stats.mtimeMs, ...readdirSync(file).map((name) => newestUnder(join(file, name))));
}

function oldest(paths) {
  const files = paths.map((path) => resolve(ROOT, path));
  return Math.min(...files.map((file) => (existsSync(file) ? statSync(file).mtimeMs : 0)));
}
