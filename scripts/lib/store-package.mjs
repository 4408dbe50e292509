import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { listPackaged, tighten, VSCE } from "./build.mjs";
import { ROOT } from "./paths.mjs";
import { run } from "./processes.mjs";
import { ExpectedError, step } from "./report.mjs";

/** Addresses from which vsce knows where pictures and pages lie. */
const REPOSITORY = /^https:\/\/(?:github|gitlab)\.com\/[\w.-]+\/[\w.-]+$/;
/** The agent is bundled, in many parts that are loaded late. */
const MANY_FILES = /This extension consists of \d+ files, out of which \d+ are JavaScript files/;

/**
 * Packages the extension for the Marketplace and Open VSX: the links and pictures of its page lead to the repository.
 * @param {string} file where the package goes.
 * @param {{ repository: string, isPreRelease: boolean }} options the repository's address, such as `https://github.com/owner/tiller`.
 */
export async function packageForStores(file, { repository, isPreRelease }) {
  if (!REPOSITORY.test(repository))
    throw new ExpectedError(
      `--repository needs an address such as https://github.com/owner/tiller, not ${repository}.`,
    );
  await step(`Packaging ${file} for the Marketplace and Open VSX`, async () => {
    const folder = mkdtempSync(join(tmpdir(), "tiller-store-"));
    try {
      await stage(folder, repository);
      const options = ["--no-dependencies", "--out", file, ...(isPreRelease ? ["--pre-release"] : [])];
      const said = await run(process.execPath, [VSCE, "package", ...options], { cwd: folder });
      const warnings = said.split("\n").filter((line) => line.includes("WARNING") && !MANY_FILES.test(line));
      if (warnings.length > 0) throw new ExpectedError(`vsce has a warning:\n${warnings.join("\n")}`);
      await tighten(file);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

/** Copies what belongs into the package, with a manifest that names the repository and nothing of development. */
async function stage(folder, repository) {
  for (const name of [".vscodeignore", ...(await listPackaged())]) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    cpSync(join(ROOT, name), join(folder, name));
  }
  const { scripts, devDependencies, knip, ...manifest } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const links = {
    repository: { type: "git", url: `${repository}.git` },
    bugs: { url: `${repository}/issues` },
    homepage: `${repository}#readme`,
  };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify({ ...manifest, ...links }, null, 2)}\n`);
}
