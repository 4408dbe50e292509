import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { thirdPartyNotices } from "../../scripts/notices/third-party-notices.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const MANIFEST = z.object({ name: z.string(), version: z.string() });
const OUTPUTS = z.object({
  outputs: z.record(z.string(), z.object({ inputs: z.record(z.string(), z.object({ bytesInOutput: z.number() })) })),
});

describe("the notices that the build writes", () => {
  let notices: string;
  let metafiles: z.infer<typeof OUTPUTS>[];
  let outputs: z.infer<typeof OUTPUTS>["outputs"];
  let files: string[];

  beforeAll(async () => {
    notices = await readFile(join(ROOT, "THIRD_PARTY_NOTICES"), "utf8");
    metafiles = z.array(OUTPUTS).parse(JSON.parse(await readFile(join(ROOT, "dist/metafiles.json"), "utf8")));
    outputs = Object.assign({}, ...metafiles.map((metafile) => metafile.outputs));
    const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
    files = inputs
      .filter(([path, { bytesInOutput }]) => bytesInOutput > 0 && path.includes("node_modules/"))
      .map(([path]) => resolve(ROOT, path));
  });

  it("name each package in the bundles, with its version and license text", async () => {
    const folders = new Set(files.map((file) => file.replace(/(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\/.*/, "$1")));
    expect(folders.size).toBeGreaterThan(70);
    for (const folder of folders) {
      const { name, version } = MANIFEST.parse(JSON.parse(await readFile(join(folder, "package.json"), "utf8")));
      expect(notices).toContain(`\n${name} ${version}\nLicense: `);
      const license = (await readdir(folder)).filter((file) => /^licen[cs]e/i.test(file));
      const text = await readFile(join(folder, license[0] ?? "no license file"), "utf8");
      expect(words(notices)).toContain(words(text));
    }
  });

  it("name each package whose module paths occur in a finished file", async () => {
    const finished = ["jiti/dist/babel.cjs", "@vscode/webview-ui-toolkit/dist/toolkit.min.js"];
    const texts = [...new Set([...files, ...finished.map((file) => join(ROOT, "node_modules", file))])]
      .filter((file) => !file.endsWith(".ttf"))
      .map((file) => readFile(file, "utf8"));
    const carried = (await Promise.all(texts)).flatMap((text) => [
      ...text.matchAll(/node_modules\/\.pnpm\/((?:@[^+/]+\+)?[^@/]+)@([^_/"]+)/g),
    ]);
    const names = new Set(carried.map(([, name = "", version]) => `${name.replace("+", "/")} ${version}`));
    expect(names.size).toBeGreaterThan(50);
    for (const name of names) expect(notices).toContain(`\n${name}\n`);
  });

  it("cover every file of a package that ships without being bundled", async () => {
    const shipped = await Promise.all(["agent", "extension", "webview"].map((part) => filesUnder(`dist/${part}`)));
    const others = shipped
      .flat()
      .filter((file) => !(file.replace(/\.br$/, "") in outputs) && file !== "dist/agent/package.json");
    expect(others).toEqual([
      "dist/agent/chunks/photon_rs_bg.wasm.br",
      "dist/agent/dist/babel.cjs",
      "dist/agent/dist/babel.cjs.br",
      "dist/webview/toolkit.min.js",
    ]);
    expect(notices).toMatch(/\njiti \S+\nLicense: MIT\n[^=]*?In: agent\n/);
    expect(notices).toMatch(/\n@vscode\/webview-ui-toolkit \S+\nLicense: MIT\n[^=]*?In: webview\n/);
  });

  it("credit the authors of the icons as their license asks", () => {
    const [, icons = ""] = notices.split("\n@vscode/codicons ");
    expect(icons.slice(0, 400)).toContain("License: CC-BY-4.0\nBy: Microsoft Corporation\nSource: https://github.com/");
    expect(icons.slice(0, 400)).toContain("Used without changes, under https://creativecommons.org/licenses/by/4.0/\n");
  });

  it("name the license that is used where a package offers a choice", () => {
    expect(notices).toContain("License: Apache-2.0, chosen from (MPL-2.0 OR Apache-2.0)\n");
  });

  it("are the same bytes whatever the order of the bundles", async () => {
    const copies = [
      ["node_modules/jiti/dist/babel.cjs", "dist/agent/dist/babel.cjs.br"],
      ["node_modules/@vscode/webview-ui-toolkit/dist/toolkit.min.js", "dist/webview/toolkit.min.js"],
    ] as const;
    expect(await thirdPartyNotices({ metafiles: metafiles.toReversed(), copies, root: ROOT })).toEqual({
      text: notices,
      problems: [],
    });
  });
});

describe("a bundled package", () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tiller-notices-"));
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** Bundles a program that imports packages made from these files. @returns the notices for it. */
  async function noticesFor(packages: Record<string, Record<string, string>>) {
    const root = await mkdtemp(join(folder, "project-"));
    for (const [name, contents] of Object.entries(packages)) {
      const all = { "index.js": "console.log(1);", ...contents };
      for (const [file, text] of Object.entries(all)) {
        const path = join(root, "node_modules", name, file);
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, text);
      }
    }
    const program = Object.keys(packages).map((name) => `import "${name}";`);
    await writeFile(join(root, "main.js"), program.join("\n"));
    const { metafile } = await build({
      entryPoints: ["main.js"],
      outdir: "dist/agent",
      bundle: true,
      write: false,
      metafile: true,
      absWorkingDir: root,
    });
    return thirdPartyNotices({ metafiles: [metafile], copies: [], root });
  }

  function manifest(name: string, license?: string): string {
    return JSON.stringify({ name, version: "1.2.3", license });
  }

  it("must have an allowed license", async () => {
    const { problems } = await noticesFor({
      greedy: { "package.json": manifest("greedy", "GPL-3.0-only"), LICENSE: "Share alike." },
      kind: { "package.json": manifest("kind", "MIT"), LICENSE: "Take it." },
    });
    expect(problems).toEqual([
      "greedy 1.2.3 is under GPL-3.0-only, which scripts/notices/licenses.mjs does not allow. Use another package.",
    ]);
  });

  it.each(["(MIT AND GPL-3.0-only)", "SEE LICENSE IN terms.txt", "mit", "(MIT", "GPL-2.0-only OR (ISC AND SSPL-1.0)"])(
    "must not be under %s",
    async (license) => {
      const { problems } = await noticesFor({ odd: { "package.json": manifest("odd", license), LICENSE: "Terms." } });
      expect(problems).toEqual([expect.stringContaining(`odd 1.2.3 is under ${license}, which`)]);
    },
  );

  it.each([
    ["(GPL-3.0-only OR MIT)", "MIT, chosen from (GPL-3.0-only OR MIT)"],
    ["MIT OR Apache-2.0", "MIT, chosen from MIT OR Apache-2.0"],
    [
      "GPL-2.0-only OR (ISC AND BSD-3-Clause)",
      "ISC AND BSD-3-Clause, chosen from GPL-2.0-only OR (ISC AND BSD-3-Clause)",
    ],
    ["BlueOak-1.0.0", "BlueOak-1.0.0"],
  ])("can be under %s", async (license, said) => {
    const { text, problems } = await noticesFor({
      fine: { "package.json": manifest("fine", license), LICENSE: "Terms." },
    });
    expect(problems).toEqual([]);
    expect(text).toContain(`\nfine 1.2.3\nLicense: ${said}\nIn: agent\n\nTerms.\n`);
  });

  it("must state its license and include the text", async () => {
    const { problems } = await noticesFor({
      bare: { "package.json": manifest("bare", "MIT"), NOTICE: "Made by many." },
      silent: { "package.json": manifest("silent"), LICENSE: "Terms." },
    });
    expect(problems).toEqual([
      "bare 1.2.3 (MIT) has no license file. Ask its authors for one, or use another package.",
      expect.stringContaining("silent 1.2.3 states no license in its package.json."),
    ]);
  });

  it("is named with its NOTICE file and the licenses of code from others", async () => {
    const { text } = await noticesFor({
      "@scope/big": {
        "package.json": manifest("@scope/big", "Apache-2.0"),
        "LICENSE.txt": "\uFEFFTerms.\r\nMore terms.\r\n",
        NOTICE: "Made by many.",
        "src/taken/LICENSE.md": "Terms of the taken.",
        "license.js": "code",
        "node_modules/other/LICENSE": "Terms of a package that is not bundled.",
      },
    });
    const [, section] = text.split("\n@scope/big 1.2.3\n");
    expect(section).toBe(
      "License: Apache-2.0\nIn: agent\n\nTerms.\nMore terms.\n\nMade by many.\n\nTerms of the taken.\n",
    );
  });

  it("is checked again when another version of it may contain other packages", async () => {
    const { problems } = await noticesFor({ jiti: { "package.json": manifest("jiti", "MIT"), LICENSE: "Terms." } });
    expect(problems).toEqual([
      expect.stringMatching(/^jiti 1\.2\.3: .*carried\.json says which packages version \S+ carries/),
    ]);
  });
});

/** Returns a text with single spaces between its words. */
function words(text: string): string {
  return text.replace(/[\s\uFEFF]+/g, " ").trim();
}

async function filesUnder(folder: string): Promise<string[]> {
  const entries = await readdir(join(ROOT, folder), { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return paths.map((path) => relative(ROOT, path)).sort();
}
