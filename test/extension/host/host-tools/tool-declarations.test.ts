import { beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import type { HostToolDefinition } from "../../../../agent/protocol/host-tools.ts";
import { hostToolDefinitions } from "../../../../scripts/offered-tools/offered-entries.ts";

/** Names of arguments that are paths, as far as names tell. */
const PATH_LIKE = /path|file|folder|dir$|directory|uri|url|^(to|from|before|after|source|target)$/i;
/** Arguments that are called like a path and are none. */
const NO_PATHS = ["vscode_get_diagnostics source", "vscode_edit_notebook source"];

const Schema = z.looseObject({
  properties: z.record(z.string(), z.unknown()).optional(),
  items: z.unknown().optional(),
  anyOf: z.array(z.unknown()).optional(),
});

let definitions: HostToolDefinition[];
let byName: (name: string) => HostToolDefinition | undefined;

beforeAll(async () => {
  definitions = (await hostToolDefinitions()).filter(({ hidden }) => hidden !== true);
  byName = (name) => definitions.find((one) => one.name === name);
});

/** The arguments of a schema, as declarations name them. */
function argumentsOf(schema: unknown, prefix = ""): string[] {
  const { properties, items, anyOf } = Schema.safeParse(schema).data ?? {};
  return [
    ...Object.entries(properties ?? {}).flatMap(([name, member]) => {
      const path = prefix === "" ? name : `${prefix}.${name}`;
      return [path, ...argumentsOf(member, path)];
    }),
    ...(items === undefined ? [] : [`${prefix}[]`, ...argumentsOf(items, `${prefix}[]`)]),
    ...(anyOf ?? []).flatMap((one) => argumentsOf(one, prefix)),
  ];
}

/** True when an argument is a single value with a name like a path's. */
function isPathLike(argument: string, all: readonly string[]): boolean {
  const isWhole = all.some((other) => other.startsWith(`${argument}.`) || other.startsWith(`${argument}[`));
  const name = argument.split(".").at(-1)?.replace("[]", "") ?? "";
  return !isWhole && PATH_LIKE.test(name);
}

describe("tools that the extension registers", () => {
  it("are all included", () => {
    expect(definitions.length).toBeGreaterThan(40);
  });

  it("declare every argument that is a path", () => {
    const undeclared = definitions.flatMap(({ name, parameters, paths = [] }) => {
      const all = argumentsOf(parameters);
      return all
        .filter((argument) => isPathLike(argument, all) && !paths.some((path) => path.argument === argument))
        .map((argument) => `${name} ${argument}`)
        .filter((argument) => !NO_PATHS.includes(argument));
    });
    expect(undeclared).toEqual([]);
  });

  it("declare only existing arguments", () => {
    const unknown = definitions.flatMap(({ name, parameters, paths = [], command, subject = [] }) => {
      const all = new Set(argumentsOf(parameters));
      const declared = [
        ...paths.map(({ argument }) => argument),
        ...(command === undefined ? [] : [command]),
        ...subject,
      ];
      return declared.filter((argument) => !all.has(argument)).map((argument) => `${name} ${argument}`);
    });
    expect(unknown).toEqual([]);
  });

  it("declare only reading when they are read-only", () => {
    const changing = definitions.filter(
      ({ readOnly, paths = [] }) => readOnly === true && paths.some(({ access }) => access !== "read"),
    );
    expect(changing).toEqual([]);
  });

  it("are judged by name alone when nothing says which files they change", () => {
    const named = definitions.filter(
      ({ readOnly, approval, paths, command, subject }) =>
        readOnly !== true && approval !== "always" && (paths ?? command ?? subject) === undefined,
    );
    expect(named.map(({ name }) => name)).toEqual(["vscode_apply_code_action"]);
  });

  it.each([
    ["vscode_apply_edit", [{ argument: "edits[].path", access: "write" }]],
    ["vscode_create_file", [{ argument: "path", access: "write" }]],
    [
      "vscode_move_file",
      [
        { argument: "path", access: "move" },
        { argument: "to", access: "write" },
      ],
    ],
    ["vscode_delete_file", [{ argument: "path", access: "delete" }]],
    ["vscode_edit_notebook", [{ argument: "path", access: "write" }]],
  ])("%s declares what it does to which files", (name, paths) => {
    expect(byName(name)?.paths).toEqual(paths);
  });

  it("declare the argument that is a command or task", () => {
    expect(byName("vscode_run_in_terminal")?.command).toBe("command");
    expect(byName("vscode_run_task")?.subject).toEqual(["task"]);
  });
});
