import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";

const REPOSITORY = "https://github.com/somebody/tiller";
const require = createRequire(import.meta.url);
const { readZip, readVSIXPackage } = require("@vscode/vsce/out/zip.js");
const { buildIfStale } = require("../../scripts/lib/build.mjs");
const { packageForStores } = require("../../scripts/lib/store-package.mjs");
const Properties = z.array(z.object({ $: z.object({ Id: z.string(), Value: z.string() }) }));

let folder: string;
let file: string;
let files: Map<string, Buffer>;

beforeAll(async () => {
  await buildIfStale();
  folder = mkdtempSync(join(tmpdir(), "tiller-store-test-"));
  file = join(folder, "tiller.vsix");
  await packageForStores(file, { repository: REPOSITORY, isPreRelease: true });
  files = await readZip(file, () => true);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The text of a file of the package. */
const text = (name: string) => String(files.get(name));

describe("the package for the Marketplace and Open VSX", () => {
  it("says what the stores show", async () => {
    const { manifest, xmlManifest } = await readVSIXPackage(file);
    expect(manifest).toMatchObject({
      pricing: "Free",
      preview: true,
      repository: { type: "git", url: `${REPOSITORY}.git` },
      bugs: { url: `${REPOSITORY}/issues` },
      galleryBanner: { color: expect.stringMatching(/^#[0-9a-f]{6}$/), theme: "dark" },
    });
    expect([manifest.scripts, manifest.devDependencies, manifest.knip]).toEqual([undefined, undefined, undefined]);
    expect(manifest.keywords.length).toBeLessThanOrEqual(30);
    const [{ Property }] = xmlManifest.PackageManifest.Metadata[0].Properties;
    const properties = Object.fromEntries(Properties.parse(Property).map(({ $ }) => [$.Id, $.Value]));
    expect(properties).toMatchObject({
      "Microsoft.VisualStudio.Code.PreRelease": "true",
      "Microsoft.VisualStudio.Services.Content.Pricing": "Free",
      "Microsoft.VisualStudio.Services.Links.GitHub": `${REPOSITORY}.git`,
      "Microsoft.VisualStudio.Services.Links.Support": `${REPOSITORY}/issues`,
    });
  });

  it("has an icon that is large enough, and a license", () => {
    const icon = files.get("extension/media/icon.png");
    expect(icon?.readUInt32BE(16)).toBeGreaterThanOrEqual(128);
    expect(icon?.readUInt32BE(20)).toBe(icon?.readUInt32BE(16));
    expect(text("extension/license.txt")).toContain("MIT License");
  });

  it("has pages whose pictures and links lead to the repository", () => {
    for (const name of ["extension/readme.md", "extension/changelog.md"]) {
      const targets = [...text(name).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
      const elsewhere = targets.filter((target) => !/^(?:https:\/\/|#)/.test(target));
      expect(targets.length).toBeGreaterThan(0);
      expect(elsewhere).toEqual([]);
    }
    const pictures = [...text("extension/readme.md").matchAll(/!\[[^\]]*\]\(([^)\s]+)\)/g)].map(([, target]) => target);
    expect(pictures).toContain(`${REPOSITORY}/raw/HEAD/media/screenshot.png`);
    expect(pictures.filter((picture) => picture?.endsWith(".svg"))).toEqual([]);
  });

  it("is refused for a repository whose pictures wouldn't be found", async () => {
    await expect(
      packageForStores(join(folder, "other.vsix"), { repository: "git@example.com:tiller", isPreRelease: false }),
    ).rejects.toThrow("--repository needs an address such as https://github.com/owner/tiller");
  });
});
