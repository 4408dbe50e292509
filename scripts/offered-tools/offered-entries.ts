import { createRequire } from "node:module";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";
import * as z from "zod";
import { HostToolDefinition } from "../../agent/protocol/host-tools.ts";
import { OFFERED_TOOLS, type OfferedEntry, offeredEntry } from "../../extension/doors/offered-tools/offered-tools.ts";

const ROOT = join(import.meta.dirname, "../..");

/** To say what a tool is takes nothing of the editor, so nothing of it does anything here; no tool is run. */
const withoutEditor: Plugin = {
  name: "without-editor",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^vscode$/ }, () => ({ path: "vscode", namespace: "without-editor" }));
    onLoad({ filter: /.*/, namespace: "without-editor" }, () => ({
      contents: `
        const nothing = new Proxy(function () {}, {
          get: (_, key) => (key === Symbol.toPrimitive ? () => "" : nothing),
          apply: () => nothing,
          construct: () => nothing,
        });
        // What is imported is copied into another object, which keeps no more than what this one inherits from.
        module.exports = Object.create(nothing);`,
    }));
  },
};

const ENTRY = `
  import { createHostTools } from "./extension/host/host-tools/all-tools.ts";
  const nothing = new Proxy(function () {}, { get: () => nothing, apply: () => nothing });
  export const definitions = createHostTools({ subscriptions: [], allowedCommands: () => [], changes: nothing, highlight: nothing })
    .map((tool) => tool.definition);
`;

const Exports = z.object({ definitions: z.array(HostToolDefinition) });

/** Returns all host tools of the extension, as it describes them to the agent. */
export async function hostToolDefinitions(): Promise<HostToolDefinition[]> {
  const { outputFiles } = await build({
    stdin: { contents: ENTRY, resolveDir: ROOT, loader: "ts" },
    bundle: true,
    platform: "node",
    format: "cjs",
    write: false,
    logLevel: "error",
    plugins: [withoutEditor],
  });
  const module = { exports: {} };
  new Function("module", "exports", "require", outputFiles[0]?.text ?? "")(
    module,
    module.exports,
    createRequire(import.meta.url),
  );
  return Exports.parse(module.exports).definitions;
}

/** Returns the manifest's entries for the tools that are offered to other agents, in order. @throws Error for one that changes something. */
export async function offeredEntries(): Promise<OfferedEntry[]> {
  const definitions = await hostToolDefinitions();
  return [...OFFERED_TOOLS.values()].map((own) => {
    const definition = definitions.find(({ name }) => name === own);
    if (definition === undefined) throw new Error(`There is no tool "${own}".`);
    if (definition.readOnly !== true) throw new Error(`${own} does not only read.`);
    return offeredEntry(definition);
  });
}
