import { describe, expect, test } from "vitest";
import * as z from "zod";
import { SETTING_SHAPES } from "../../../extension/editor/setting-shapes.ts";
import { readManifest, readProjectFile } from "../../support/manifest.ts";

const manifest = await readManifest();
const groups = manifest.contributes.configuration;
const settings = groups.flatMap(({ properties }) => Object.entries(properties));
const shapes = Object.entries(SETTING_SHAPES);

/** The limits of a value in a JSON schema. */
const Limits = z.looseObject({
  enum: z.array(z.string()).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
});

function limitsOf(shape: z.ZodType): z.infer<typeof Limits> {
  const schema = Limits.parse(z.toJSONSchema(shape, { io: "output" }));
  const parts = z.array(z.looseObject({ enum: z.array(z.string()).optional(), const: z.string().optional() }));
  const either = parts.safeParse(schema.anyOf).data;
  const values = either?.flatMap((part) => part.enum ?? (part.const === undefined ? [] : [part.const]));
  return values === undefined ? schema : { ...schema, enum: values };
}

describe("the settings", () => {
  test("in the manifest are those that the extension reads", () => {
    expect(settings.map(([name]) => name).sort()).toEqual(shapes.map(([name]) => `tiller.${name}`).sort());
  });

  test("are in four groups, each setting at its own position", () => {
    expect(groups.map(({ title }) => title)).toEqual(["Agent", "Chat", "Approvals", "Advanced"]);
    for (const { properties } of groups) {
      const orders = Object.values(properties).map(({ order }) => order);
      expect([...new Set(orders)]).toEqual(orders);
    }
  });

  test.each(shapes)("%s has the default, values and limits that the extension uses", (name, shape) => {
    const setting = settings.find(([key]) => key === `tiller.${name}`)?.[1];
    expect(shape.parse(setting?.default)).toEqual(setting?.default);
    const { enum: values, minimum, maximum } = limitsOf(shape);
    expect([...(setting?.enum ?? [])].sort()).toEqual([...(values ?? [])].sort());
    expect(setting?.enumDescriptions ?? []).toHaveLength(setting?.enum?.length ?? 0);
    expect(setting?.minimum).toBe(minimum);
    expect(setting?.maximum).toBe(maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum);
  });

  test("that cannot be read have their defaults, but load nothing of the project and ask about every command", () => {
    const wrong = Object.fromEntries(shapes.map(([name, shape]) => [`tiller.${name}`, shape.parse(Symbol("wrong"))]));
    const defaults = Object.fromEntries(settings.map(([name, setting]) => [name, setting.default]));
    expect(wrong).toEqual({
      ...defaults,
      "tiller.agent.loadProjectResources": false,
      "tiller.askForReadOnlyCommands": true,
    });
  });

  test("that select the model need trust", () => {
    expect(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations).toEqual(["tiller.model"]);
  });

  test("are described in docs/settings.md, in their groups, with defaults and a lock where trust is needed", async () => {
    const page = await readProjectFile("docs/settings.md");
    const { restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
    for (const { title, properties } of groups) {
      const section = page.split(`### ${title}\n`)[1]?.split("\n#")[0] ?? "";
      const rows = [...section.matchAll(/^\| `(tiller\.[\w.]+)`( 🔒)? \| `(.*?)` \| /gm)];
      const told = rows.map(([, name, lock, value]) => [
        name,
        { isLocked: lock !== undefined, value: JSON.parse(value ?? "") },
      ]);
      const settings = Object.entries(properties).map(([name, setting]) => [
        name,
        { isLocked: restrictedConfigurations.includes(name), value: setting.default },
      ]);
      expect(Object.fromEntries(told)).toEqual(Object.fromEntries(settings));
    }
  });
});
