import { execFile } from "node:child_process";
import { copyFile, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { childEnvironment } from "./environment.mjs";
import { ROOT } from "./paths.mjs";

const COMPILER = join(ROOT, "node_modules/typescript/bin/tsc");
const FLAGS = [
  ...["--ignoreConfig", "--declaration", "--emitDeclarationOnly", "--allowImportingTsExtensions", "--skipLibCheck"],
  ...["--strict", "--verbatimModuleSyntax", "--isolatedModules"],
  ...["--target", "es2023", "--module", "nodenext", "--types", "node"],
];

/** The sources of the declarations of `tiller/client` and `tiller/extension`. */
const ENTRIES = ["agent/client/index.ts", "agent/extensions/author.ts"];

/** Writes the type declarations for hosts and for authors of extensions to a folder; they can be used without the schema library and without Node's types. */
export async function declareClient(folder) {
  await rm(folder, { recursive: true, force: true });
  await promisify(execFile)(process.execPath, [COMPILER, ...FLAGS, "--outDir", folder, ...ENTRIES], {
    cwd: ROOT,
    env: childEnvironment(),
  });
  for (const name of ["schema-types.d.ts", "node-types.d.ts"]) {
    await copyFile(join(ROOT, "scripts/declarations", name), join(folder, name));
  }
  const names = await readdir(folder, { recursive: true });
  await Promise.all(names.filter((name) => name.endsWith(".d.ts")).map((name) => redirectImports(join(folder, name))));
}

async function redirectImports(file) {
  const text = await readFile(file, "utf8");
  const redirected = text
    .replace(/import \* as z from "zod"/g, 'import { z } from "../schema-types.js"')
    .replace(/from "zod"/g, 'from "../schema-types.js"')
    .replace(/from "node:\w+"/g, 'from "../node-types.js"')
    .replace(/\bNodeJS\.ProcessEnv\b/g, "Record<string, string | undefined>")
    .replace(/\bBuffer\b/g, "Uint8Array")
    .replace(/from "(\.[^"]*)\.ts"/g, 'from "$1.js"');
  await writeFile(file, redirected);
}
