import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** For a whole build, on a machine that has other work to do. */
const BUILD_TIMEOUT_MS = 60_000;
const PACKED = z.tuple([z.object({ files: z.array(z.object({ path: z.string() })) })]);

describe("the notices for third-party packages", () => {
  it("are in the packaged extension", async () => {
    const vsce = join(ROOT, "node_modules/@vscode/vsce/vsce");
    const { stdout } = await promisify(execFile)(process.execPath, [vsce, "ls", "--no-dependencies"], { cwd: ROOT });
    const files = stdout.trim().split("\n");
    expect(files).toContain("THIRD_PARTY_NOTICES");
    expect(files).not.toContain("dist/metafiles.json");
  });

  it("are in the npm package", async () => {
    const args = ["pack", "--dry-run", "--json", "--ignore-scripts"];
    const { stdout } = await promisify(execFile)("npm", args, { cwd: ROOT });
    const files = PACKED.parse(JSON.parse(stdout))[0].files.map(({ path }) => path);
    expect(files).toContain("THIRD_PARTY_NOTICES");
    expect(files).not.toContain("dist/metafiles.json");
  });
});

describe("a build with a license that is not allowed", () => {
  it(
    "fails and leaves no output",
    async () => {
      const checkout = await mkdtemp(join(tmpdir(), "tiller-build-"));
      onTestFinished(() => rm(checkout, { recursive: true, force: true }));
      for (const name of ["agent", "extension", "webview", "scripts", "package.json", "tsconfig.json", "esbuild.mjs"]) {
        await cp(join(ROOT, name), join(checkout, name), { recursive: true });
      }
      const modules = join(checkout, "node_modules");
      await mkdir(modules);
      for (const name of await readdir(join(ROOT, "node_modules"))) {
        if (name !== "ignore") await symlink(join(ROOT, "node_modules", name), join(modules, name));
      }
      await cp(join(ROOT, "node_modules/ignore"), join(modules, "ignore"), { recursive: true });
      const manifest = await readFile(join(modules, "ignore/package.json"), "utf8");
      await writeFile(join(modules, "ignore/package.json"), manifest.replace('"MIT"', '"SSPL-1.0"'));

      const failed = promisify(execFile)(process.execPath, ["esbuild.mjs"], { cwd: checkout });

      await expect(failed).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringMatching(
          /^✗ ignore \S+ is under SSPL-1\.0, which scripts\/notices\/licenses\.mjs does not allow\. [^\n]+\n$/,
        ),
      });
      expect(await readdir(checkout)).not.toContain("dist");
      expect(await readdir(checkout)).not.toContain("THIRD_PARTY_NOTICES");
    },
    BUILD_TIMEOUT_MS,
  );
});
