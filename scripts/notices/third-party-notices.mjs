import { readFile } from "node:fs/promises";
import { usableLicense } from "./licenses.mjs";
import { readPackage, shippedPackages } from "./packages.mjs";

/** The license in the license file of packages whose `package.json` names none. */
const STATED_IN_FILE = { khroma: "MIT" };

/** Sentences that a license requires besides its text and the author. */
const ALSO_SAID = { "CC-BY-4.0": "Used without changes, under https://creativecommons.org/licenses/by/4.0/" };

const HEAD = `THIRD-PARTY NOTICES

Tiller contains the packages below, whole or in part. \`npm run build\` makes this list from what goes into the bundles.
"In" names the folders of dist/ that hold something of a package.`;
const RULE = `\n\n${"=".repeat(80)}\n`;

/**
 * Returns the notices for all packages that ship, and the problems that forbid shipping. The text depends only on the packages.
 * @param {object} shipped
 * @param {import("esbuild").Metafile[]} shipped.metafiles of all bundles
 * @param {[from: string, to: string][]} shipped.copies of finished files into `dist/`
 * @param {string} shipped.root the folder that their paths start from
 * @returns {Promise<{ text: string, problems: string[] }>}
 */
export async function thirdPartyNotices({ metafiles, copies, root }) {
  const carriers = await readCarriers();
  const folders = [...shippedPackages(metafiles, copies, root)];
  const found = await Promise.all(folders.map(([folder, parts]) => describe(folder, [...parts].sort(), carriers)));
  const entries = [...new Map(found.flat().map((entry) => [entry.title, entry])).values()];
  entries.sort((one, other) => (one.title < other.title ? -1 : 1));
  return {
    text: `${[HEAD, ...entries.map(({ title, facts, text }) => `${title}\n${facts.join("\n")}\n\n${text}`)].join(RULE)}\n`,
    problems: entries.flatMap(({ problem }) => problem ?? []),
  };
}

/** Returns the entry of a package and those of the packages that its published files contain. */
async function describe(folder, parts, carriers) {
  const { manifest, hasLicense, texts } = await readPackage(folder);
  const title = `${manifest.name} ${manifest.version}`;
  const stated = STATED_IN_FILE[manifest.name] ?? manifest.license;
  const license = typeof stated === "string" ? usableLicense(stated) : undefined;
  const entry = {
    title,
    facts: [
      license === stated ? `License: ${license}` : `License: ${license}, chosen from ${stated}`,
      ...sourceFacts(manifest),
      `In: ${parts.join(", ")}`,
      ...(ALSO_SAID[license] ? [ALSO_SAID[license]] : []),
    ],
    text: texts.join("\n\n"),
    problem: problemOf({ title, manifest, stated, license, hasLicense, carriers }),
  };
  const carried = carriers.get(manifest.name)?.groups ?? [];
  return [entry, ...carried.map((group) => ({ ...group, facts: [...group.facts, `In: ${parts.join(", ")}`] }))];
}

function sourceFacts({ author, homepage, repository }) {
  const by = typeof author === "string" ? author : author?.name;
  const source = typeof repository === "string" ? repository : (repository?.url ?? homepage);
  const address = source?.replace(/^git\+/, "").replace(/\.git$/, "");
  return [...(by ? [`By: ${by}`] : []), ...(address ? [`Source: ${address}`] : [])];
}

/** Returns why a package must not ship and what to do about it; undefined if it may ship. */
function problemOf({ title, manifest, stated, license, hasLicense, carriers }) {
  if (!stated)
    return `${title} states no license in its package.json. Name it in STATED_IN_FILE of scripts/notices/third-party-notices.mjs if its license file does, or use another package.`;
  if (!license)
    return `${title} is under ${stated}, which scripts/notices/licenses.mjs does not allow. Use another package.`;
  if (!hasLicense) return `${title} (${license}) has no license file. Ask its authors for one, or use another package.`;
  const known = carriers.get(manifest.name)?.version;
  if (!known || known === manifest.version) return undefined;
  return `${title}: scripts/notices/carried.json says which packages version ${known} carries in its files. Check them and name the new version there.`;
}

/** Reads which packages others carry in their published files, by the name of the carrier. */
async function readCarriers() {
  const carriers = new Map();
  for (const [carrier, groups] of Object.entries(JSON.parse(await readBeside("carried.json")))) {
    const [, name, version] = /^(.+)@(.+)$/.exec(carrier);
    carriers.set(name, { version, groups: await Promise.all(groups.map((group) => carriedEntry(group, name))) });
  }
  return carriers;
}

async function carriedEntry({ packages, license, copyright }, carrier) {
  const text = await readBeside(`texts/${license}.txt`);
  return {
    title: packages.map((one) => one.replace(/(?<=.)@/, " ")).join("\n"),
    facts: [`License: ${license}`, `Carried by: ${carrier}`],
    text: `${copyright}\n\n${text.trimEnd()}`,
  };
}

function readBeside(name) {
  return readFile(new URL(name, import.meta.url), "utf8");
}
