import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";

const ROOT = join(import.meta.dirname, "../..");

const Setting = z.looseObject({
  type: z.string(),
  default: z.unknown(),
  order: z.int(),
  scope: z.enum(["window", "resource", "machine", "application"]),
  enum: z.array(z.string()).optional(),
  enumDescriptions: z.array(z.string()).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
});

const MenuItem = z.object({
  command: z.string().optional(),
  when: z.string().optional(),
  group: z.string().optional(),
});

const Manifest = z.object({
  capabilities: z.object({
    untrustedWorkspaces: z.object({ restrictedConfigurations: z.array(z.string()) }),
  }),
  contributes: z.object({
    commands: z.array(
      z.object({
        command: z.string(),
        title: z.string(),
        category: z.string().optional(),
        icon: z.string().optional(),
      }),
    ),
    menus: z.record(z.string(), z.array(MenuItem)),
    keybindings: z.array(
      z.object({
        command: z.string(),
        key: z.string(),
        mac: z.string().optional(),
        win: z.string().optional(),
        linux: z.string().optional(),
        when: z.string().optional(),
      }),
    ),
    configuration: z.array(z.object({ title: z.string(), properties: z.record(z.string(), Setting) })),
    walkthroughs: z.array(
      z.object({
        id: z.string(),
        steps: z.array(
          z.object({
            id: z.string(),
            description: z.string(),
            media: z.object({ svg: z.string(), altText: z.string() }),
            completionEvents: z.array(z.string()).min(1),
          }),
        ),
      }),
    ),
  }),
});
export type Manifest = z.infer<typeof Manifest>;

/** Reads the extension's manifest, with its English texts in place of their keys. */
export async function readManifest(): Promise<Manifest> {
  const texts = z.record(z.string(), z.string()).parse(JSON.parse(await readProjectFile("package.nls.json")));
  const source = (await readProjectFile("package.json")).replace(/"%([\w.-]+)%"/g, (_, key: string) =>
    JSON.stringify(texts[key] ?? `no text ${key}`),
  );
  return Manifest.parse(JSON.parse(source));
}

/** Reads a file of the project. @param path from the project's root. */
export function readProjectFile(path: string): Promise<string> {
  return readFile(join(ROOT, path), "utf8");
}
