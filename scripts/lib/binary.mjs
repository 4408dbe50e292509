import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildIfStale } from "./build.mjs";
import { ensureNode, inject, nodeVersion } from "./one-file-node.mjs";
import { ROOT } from "./paths.mjs";
import { run as runProgram } from "./processes.mjs";
import { ExpectedError, note, step } from "./report.mjs";

const TARGETS = ["linux-x64", "linux-arm64", "win-x64"];
const AGENT = join(ROOT, "dist/agent");
const FOLDER = join(ROOT, "dist/binary");

/** Makes the agent as one file that needs no Node, for this machine or the platforms that are given. */
export async function run(args) {
  const targets = args.length === 0 ? [ownPlatform()] : args;
  const unknown = targets.find((target) => !TARGETS.includes(target));
  if (unknown !== undefined)
    throw new ExpectedError(
      `Programs are made for ${TARGETS.join(", ")}, not for ${unknown}. docs/hosts.md tells how to make one for macOS.`,
    );
  await buildIfStale();
  for (const target of targets) {
    const file = await makeBinary(target);
    note(`${file}: ${Math.round(statSync(file).size / 1024 / 1024)} MiB`);
  }
  return 0;
}

/** Makes the program for a platform. @returns its path. */
export async function makeBinary(target) {
  // Only a Node of the same version can pack the files.
  const packer = await ensureNode(ownPlatform(), nodeVersion(target));
  const node = await ensureNode(target);
  const file = join(FOLDER, `tiller-${target}${target.startsWith("win-") ? ".exe" : ""}`);
  await step(`Making ${file}`, async () => {
    mkdirSync(FOLDER, { recursive: true });
    const folder = mkdtempSync(join(tmpdir(), "tiller-binary-"));
    try {
      const made = join(folder, "tiller");
      copyFileSync(node, made);
      chmodSync(made, 0o755);
      await inject(node, made, await pack(packer, folder));
      copyFileSync(made, `${file}.new`);
      renameSync(`${file}.new`, file);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
  return file;
}

/** Packs the files of the agent, and the script that unpacks them. */
async function pack(packer, folder) {
  // Loaded here, because the scripts start before their packages are installed.
  const { build } = await import("esbuild");
  await build({
    entryPoints: [join(ROOT, "agent/one-file.ts")],
    outfile: join(folder, "main.cjs"),
    bundle: true,
    minify: true,
    platform: "node",
    target: "node22",
    format: "cjs",
  });
  const names = filesIn(AGENT);
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const hash = createHash("sha256");
  for (const name of names) hash.update(`${name}\0`).update(readFileSync(join(AGENT, name)));
  writeFileSync(join(folder, "contents"), [`${version}-${hash.digest("hex").slice(0, 16)}`, ...names].join("\n"));
  const assets = Object.fromEntries(names.map((name) => [name, join(AGENT, name)]));
  const config = {
    main: "main.cjs",
    output: "blob",
    disableExperimentalSEAWarning: true,
    assets: { ...assets, contents: "contents" },
  };
  writeFileSync(join(folder, "config.json"), JSON.stringify(config));
  await runProgram(packer, ["--experimental-sea-config", "config.json"], { cwd: folder });
  return join(folder, "blob");
}

function filesIn(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return files.map((file) => file.slice(folder.length + 1).replaceAll("\\", "/")).toSorted();
}

export function ownPlatform() {
  return `${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
}
