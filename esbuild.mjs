// Builds the bundles: the agent (Node, ES modules, with what is needed late in chunks of its own, and threads), the client library for other
// hosts (one CommonJS file), the extension (one CommonJS file) and the chat page (one script with its style sheet and icon font, and three
// scripts that it loads late).
import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress } from "node:zlib";
import { context, transform } from "esbuild";
import subsetFont from "subset-font";
import { lateAcpSchemas } from "./scripts/lib/late-acp-schemas.mjs";
import { pdfTextOnly } from "./scripts/lib/pdf-text-only.mjs";
import { thirdPartyNotices } from "./scripts/notices/third-party-notices.mjs";

const isWatching = process.argv.includes("--watch");
const { resolve } = createRequire(import.meta.url);
const { version } = JSON.parse(await readFile("package.json", "utf8"));

const shared = {
  bundle: true,
  minify: !isWatching,
  sourcemap: isWatching ? "linked" : false,
  // THIRD_PARTY_NOTICES has all of them, with the texts that they refer to.
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
};

/** Leaves zod's messages in fifty languages out of the bundles: ours are in one, and they cost 260 kB and start-up time. */
const englishOnly = {
  name: "english-only",
  setup(build) {
    build.onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: 'export { default as en } from "./en.js";',
    }));
  },
};

/**
 * Leaves out of the pages how zod writes a schema as JSON Schema, which they never do and which takes 18 kB, and how it generates code, which
 * their security policy forbids.
 */
const readingOnly = {
  name: "reading-only",
  setup(build) {
    build.onLoad({ filter: /zod[\\/]v4[\\/]core[\\/](?:json-schema-processors|to-json-schema|doc)\.js$/ }, () => ({
      contents: "module.exports = {};",
    }));
  },
};

/** Leaves the schema compiler of the MCP SDK out: results of tools are shown as they are, and it is half of what the SDK weighs. */
const withoutSchemaCompiler = {
  name: "without-schema-compiler",
  setup(build) {
    build.onLoad({ filter: /@modelcontextprotocol[\\/]sdk[\\/].*[\\/]validation[\\/]ajv-provider\.js$/ }, () => ({
      contents: "export class AjvJsonSchemaValidator {}",
    }));
  },
};

/** Removes from the parser of web pages the code that reads style sheets, feeds, and other trees, which would double the size of the thread. */
const readingPages = {
  name: "reading-pages",
  setup(build) {
    build.onLoad({ filter: /[\\/]cssomnom[\\/].*\.js$/ }, () => ({
      contents: "export const parse = () => ({ cssRules: [] });",
    }));
    build.onLoad({ filter: /[\\/]htmlparser2[\\/]dist[\\/]esm[\\/]index\.js$/ }, () => ({
      contents: 'export { Parser } from "./Parser.js";',
    }));
  },
};

/** The kinds of diagrams that the page draws, and the layout that they need, as their files are called in mermaid's package. */
const DIAGRAMS =
  /\/(?:class|er|flow|gantt|journey|quadrant|sequence|state|timeline|xychart|dagre)(?:Diagram|-)[\w-]*\.mjs$/;

/** Leaves out mermaid's other diagrams, its second layout and its formulas: they would make the extension twice as large. */
const commonDiagrams = {
  name: "common-diagrams",
  setup(build) {
    build.onResolve({ filter: /.*/ }, ({ kind, path, importer }) => {
      const isOther = kind === "dynamic-import" && /[\\/]mermaid[\\/]dist[\\/]/.test(importer) && !DIAGRAMS.test(path);
      return isOther ? { path, namespace: "left-out" } : undefined;
    });
    build.onLoad({ filter: /.*/, namespace: "left-out" }, () => ({
      contents: 'throw new Error("Diagrams of this kind are not drawn here.");',
    }));
  },
};

/** Removes from the icon font the icons for which the page's style sheet has no class: five in six. */
const usedIcons = {
  name: "used-icons",
  setup(build) {
    build.onLoad({ filter: /codicons[\\/]dist[\\/]codicon\.ttf$/ }, async ({ path }) => {
      const style = await readFile("webview/style/icons.css", "utf8");
      const codes = [...style.matchAll(/content: "\\([0-9a-f]+)"/g)].map(([, code]) => Number.parseInt(code, 16));
      const contents = await subsetFont(await readFile(path), String.fromCodePoint(...codes), { targetFormat: "sfnt" });
      return { contents, loader: "file" };
    });
  },
};

/** Returns code that reads a packed file. @param path an expression for its path. */
const unpacked = (path) => `require("node:zlib").brotliDecompressSync(require("node:fs").readFileSync(${path}))`;

/** Makes the image decoder read its packed file. */
const packedDecoder = {
  name: "packed-decoder",
  setup(build) {
    build.onLoad({ filter: /photon-node[\\/]photon_rs\.js$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      const reading = "require('fs').readFileSync(path)";
      if (!text.includes(reading))
        throw new Error(`${path} doesn't read its file as expected: change "packed-decoder".`);
      return { contents: text.replace(reading, () => unpacked('path + ".br"')) };
    });
  },
};

/**
 * Keeps what the agent loads at its start in one file. Every part that is loaded late is made to lean on all of it: otherwise what some of
 * them share with the start would lie in dozens of small files, and reading those costs time at every start.
 */
const startInOneFile = {
  name: "start-in-one-file",
  setup(build) {
    const main = join(import.meta.dirname, "agent", "main.ts");
    build.onResolve({ filter: /^\.{1,2}\// }, ({ kind, path, resolveDir }) => {
      const file = join(resolveDir, path);
      return kind === "dynamic-import" && file !== main ? { path: file, namespace: "late" } : undefined;
    });
    build.onLoad({ filter: /.*/, namespace: "late" }, ({ path }) => ({
      contents: `import ${JSON.stringify(main)};\nexport * from ${JSON.stringify(path)};`,
      resolveDir: dirname(path),
    }));
  },
};

/**
 * Makes CommonJS files of the agent's ES modules, which esbuild can only split as such: Node starts them faster, and lets them keep their
 * compiled code. Their names tell the content of the modules, so they stay.
 */
const asCommonJs = {
  name: "as-common-js",
  setup(build) {
    build.onEnd(async ({ metafile, errors }) => {
      if (errors.length > 0) return;
      await Promise.all(Object.keys(metafile.outputs).map(convert));
      await writeFile("dist/agent/package.json", '{ "type": "commonjs" }\n');
    });
  },
};

/** The CommonJS form of `import()` for a file of the agent, and for a module of Node. */
const requireLate = (name) => `Promise.resolve().then(() => require(${name}))`;
const requireNode = (name) => `Promise.resolve(require(${name})).then((own) => ({ __proto__: own, default: own }))`;

/** Tells the client library and its declarations apart from the ES modules of the package. */
const typedAsCommonJs = {
  name: "typed-as-common-js",
  setup(build) {
    build.onEnd(() => writeFile("dist/client/package.json", '{ "type": "commonjs" }\n'));
  },
};

const FILE_URL = 'const __fileUrl = require("node:url").pathToFileURL(__filename).href;';

async function convert(path) {
  if (!path.endsWith(".js")) return;
  const text = await readFile(path, "utf8");
  const requiring = text
    .replace(/\bimport\(("\.{1,2}\/[\w./-]+")\)/g, (_, name) => requireLate(name))
    .replace(/\bimport\(("node:[\w/]+")\)/g, (_, name) => requireNode(name));
  const { code } = await transform(requiring, {
    format: "cjs",
    platform: "node",
    target: "node20.18",
    minify: shared.minify,
    sourcemap: isWatching && "inline",
    define: { "import.meta.url": "__fileUrl" },
    banner: text.includes("import.meta.url") ? FILE_URL : "",
  });
  await writeFile(path, code);
}

/** Compresses the bundle of a rarely needed thread to a third of its size. */
const compressed = {
  name: "compressed",
  setup(build) {
    build.onEnd(async ({ metafile, errors }) => {
      if (errors.length > 0) return;
      for (const path of Object.keys(metafile.outputs)) {
        await writeFile(`${path}.br`, await promisify(brotliCompress)(await readFile(path)));
        await rm(path);
      }
    });
  },
};

/** @type {import("esbuild").BuildOptions[]} */
const bundles = [
  {
    ...shared,
    entryPoints: { cli: "agent/cli.ts" },
    outdir: "dist/agent",
    platform: "node",
    target: "node20.18",
    format: "esm",
    splitting: true,
    chunkNames: "chunks/[name]-[hash]",
    mainFields: ["module", "main"],
    // zod reads the user agent to detect Cloudflare Workers; Node would load a module of its own for it.
    define: { TILLER_VERSION: JSON.stringify(version), navigator: "undefined" },
    plugins: [startInOneFile, lateAcpSchemas, asCommonJs],
  },
  {
    // The thread that scales images, beside the chunks that start it.
    ...shared,
    entryPoints: { "scale-worker": "agent/images/scale-worker.ts" },
    outdir: "dist/agent/chunks",
    outExtension: { ".js": ".cjs" },
    platform: "node",
    target: "node20.18",
    format: "cjs",
    plugins: [packedDecoder],
  },
  {
    // The thread that makes Markdown of web pages.
    ...shared,
    entryPoints: { "markdown-worker": "agent/web/markdown-worker.ts" },
    outdir: "dist/agent/chunks",
    outExtension: { ".js": ".cjs" },
    platform: "node",
    target: "node20.18",
    format: "cjs",
    mainFields: ["module", "main"],
    external: ["canvas"],
    sourcemap: false,
    plugins: [readingPages, compressed],
  },
  {
    // The thread that reads the text of PDFs.
    ...shared,
    entryPoints: { "pdf-worker": "agent/images/pdf-worker.ts" },
    outdir: "dist/agent/chunks",
    outExtension: { ".js": ".cjs" },
    platform: "node",
    target: "node20.18",
    format: "cjs",
    sourcemap: false,
    plugins: [pdfTextOnly, compressed],
  },
  {
    ...shared,
    entryPoints: { index: "agent/client/index.ts", extension: "agent/extensions/author.ts" },
    outdir: "dist/client",
    platform: "node",
    target: "node20.18",
    // Also ES modules can import it, by the names in it; the first Nodes that are supported can't require an ES module.
    format: "cjs",
    mainFields: ["module", "main"],
    define: { "import.meta.url": "__fileUrl" },
    banner: { js: FILE_URL },
    plugins: [typedAsCommonJs],
  },
  {
    ...shared,
    entryPoints: { extension: "extension/extension.ts" },
    outdir: "dist/extension",
    outExtension: { ".js": ".cjs" },
    platform: "node",
    target: "node20.18",
    format: "cjs",
    external: ["vscode"],
    mainFields: ["module", "main"],
    // zod reads the user agent to detect Cloudflare Workers; the extension host logs an error each time.
    define: { navigator: "undefined" },
  },
  {
    ...shared,
    entryPoints: {
      main: "webview/main.ts",
      math: "webview/late/math.ts",
      colors: "webview/late/colors.ts",
      panel: "webview/style/panel.css",
      trace: "webview/trace/main.ts",
      "trace-page": "webview/trace/trace.css",
      usage: "webview/usage/main.ts",
      "usage-page": "webview/usage/usage.css",
    },
    outdir: "dist/webview",
    platform: "browser",
    target: "es2022",
    format: "iife",
    loader: { ".ttf": "file" },
    assetNames: "[name]",
    plugins: [readingOnly, usedIcons],
  },
  {
    ...shared,
    entryPoints: { diagrams: "webview/late/diagrams.ts" },
    outdir: "dist/webview",
    platform: "browser",
    target: "es2022",
    format: "iife",
    // A function that the page runs in a frame: a frame has no way to the extension's files of its own.
    banner: { js: "window.tillerDiagramScript = function () {" },
    footer: { js: "};" },
    plugins: [commonDiagrams],
  },
];

/** The path at which the loader of extensions finds its translator. It needs it only for new and changed extensions. */
const TRANSLATOR = "dist/agent/dist/babel.cjs";

const copies = [
  // The controls come as one finished script; bundling them anew saves nothing and costs 110 kB.
  [resolve("@vscode/webview-ui-toolkit/dist/toolkit.min.js"), "dist/webview/toolkit.min.js"],
  [join(dirname(resolve("jiti/package.json")), "dist/babel.cjs"), `${TRANSLATOR}.br`],
  // The decoder of images reads this file when it is loaded, and it is loaded with the first image that has to be made smaller.
  [resolve("@silvia-odwyer/photon-node/photon_rs_bg.wasm"), "dist/agent/chunks/photon_rs_bg.wasm.br"],
];

/** Returns a WebAssembly module without the names of its functions, which are a tenth of it; other bytes unchanged. */
function withoutNames(bytes) {
  if (bytes.readUInt32LE(0) !== 0x6d736100) return bytes;
  const kept = [bytes.subarray(0, 8)];
  for (let at = 8; at < bytes.length; ) {
    const start = at;
    const isCustom = bytes[at++] === 0;
    let size = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++];
      size += (byte & 127) * 2 ** shift;
      if (byte < 128) break;
    }
    at += size;
    if (!isCustom) kept.push(bytes.subarray(start, at));
  }
  return Buffer.concat(kept);
}

/** Copies the finished files. Large ones that few sessions need are packed: with Brotli the extension is 240 kB smaller than with its own zip. */
async function copyAll() {
  for (const [from, to] of copies) {
    await mkdir(dirname(to), { recursive: true });
    if (to.endsWith(".br")) await writeFile(to, await promisify(brotliCompress)(withoutNames(await readFile(from))));
    else await copyFile(from, to);
  }
  await writeFile(TRANSLATOR, `module._compile(${unpacked('__filename + ".br"')}.toString(), __filename);\n`);
}

/** The lines that the editor's background task waits for. */
const watchReporter = {
  name: "watch-reporter",
  setup(build) {
    build.onStart(() => console.log("[watch] build started"));
    build.onEnd(() => console.log("[watch] build finished"));
  },
};

/** Writes the notices for the packages in the bundles. If a package must not ship, removes the products and fails the build. */
async function writeNotices(metafiles) {
  const { text, problems } = await thirdPartyNotices({ metafiles, copies, root: import.meta.dirname });
  await writeFile("dist/metafiles.json", JSON.stringify(metafiles));
  await writeFile("THIRD_PARTY_NOTICES", text);
  if (problems.length === 0) return;
  await removeProducts();
  for (const problem of problems) console.error(`✗ ${problem}`);
  process.exitCode = 1;
}

async function removeProducts() {
  await rm("dist", { recursive: true, force: true });
  await rm("THIRD_PARTY_NOTICES", { force: true });
}

const metafiles = [];
if (!isWatching) await removeProducts();
await copyAll();
for (const options of bundles) {
  const { plugins: own = [] } = options;
  const plugins = [...own, englishOnly, withoutSchemaCompiler, ...(isWatching ? [watchReporter] : [])];
  const build = await context({ ...options, plugins });
  if (isWatching) {
    await build.watch();
  } else {
    const { metafile } = await build.rebuild();
    metafiles.push(metafile);
    await build.dispose();
  }
}
if (!isWatching) await writeNotices(metafiles);
