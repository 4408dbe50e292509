import { readdir, readFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";

const PACKAGE_FOLDER = /^(?:[a-z-]+:)?(.*node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/;
const LEGAL_FILE =
  /^(?:(?:un)?licen[cs]e|copying|notices?|third[-_ ]?party[-_ ]?(?:notices?|licen[cs]es?))(?:[-.][\w.-]+)?$/i;
const LICENSE_FILE = /^(?:(?:un)?licen[cs]e|copying)/i;
const CODE_FILE = /\.(?:[cm]?[jt]sx?|json|map)$/i;

/**
 * Returns the packages that ship.
 * @param {import("esbuild").Metafile[]} metafiles what each bundle was made of
 * @param {[from: string, to: string][]} copies finished files that ship as they are
 * @param {string} root the folder that their paths start from
 * @returns {Map<string, Set<string>>} the folder of each package, and the folders of `dist/` that hold something of it
 */
export function shippedPackages(metafiles, copies, root) {
  const found = new Map();
  const add = (input, output) => {
    const folder = PACKAGE_FOLDER.exec(input)?.[1];
    if (!folder) return;
    const path = resolve(root, folder);
    if (!found.has(path)) found.set(path, new Set());
    found.get(path).add(output.split("/")[1]);
  };
  for (const [output, { inputs }] of metafiles.flatMap(({ outputs }) => Object.entries(outputs))) {
    for (const [input, { bytesInOutput }] of Object.entries(inputs)) if (bytesInOutput > 0) add(input, output);
  }
  for (const [from, to] of copies) add(from, to);
  return found;
}

/** Returns a package's manifest and the texts of all its license and notice files, in order of their paths. */
export async function readPackage(folder) {
  const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && LEGAL_FILE.test(entry.name) && !CODE_FILE.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => !path.slice(folder.length).includes("node_modules"))
    .sort();
  const hasLicense = paths.some((path) => LICENSE_FILE.test(basename(path)));
  return { manifest, hasLicense, texts: await Promise.all(paths.map(readText)) };
}

async function readText(path) {
  const text = await readFile(path, "utf8");
  return text
    .replace(/^\uFEFF/, "")
    .replaceAll("\r\n", "\n")
    .replace(/[ \t]+$/gm, "")
    .replace(/^\n+|\n+$/g, "");
}
