import { isSecretName } from "./secret-names.ts";

/** Maximum length of a variable's value, in UTF-16 units. */
const MAX_VALUE_CHARS = 300;

/** A paused program as the debugger reports it. */
export interface StoppedProgram {
  readonly frames: readonly {
    readonly name: string;
    readonly line: number;
    readonly source?: { readonly name?: string | undefined; readonly path?: string | undefined } | undefined;
  }[];
  /** The index of the frame that is inspected. */
  readonly at: number;
  readonly scopes: readonly {
    readonly name: string;
    readonly variables: readonly {
      readonly name: string;
      readonly value: string;
      readonly type?: string | undefined;
    }[];
  }[];
  /** Maximum number of variables of a scope. */
  readonly maxVariables: number;
}

/** Formats the stack and the variables for a model. Omits values of variables whose names suggest secrets. */
export function debugReport({ frames, at, scopes, maxVariables }: StoppedProgram): string {
  const stack = frames.map(({ name, line, source }, index) => {
    const place = source?.path ?? source?.name ?? "unknown source";
    return `${index === at ? ">" : " "} ${name} (${place}:${line})`;
  });
  const parts = ["Stack, the frame that is looked at marked:", ...stack];
  for (const { name, variables } of scopes) {
    parts.push("", `${name}:`);
    for (const variable of variables.slice(0, maxVariables)) parts.push(`  ${line(variable)}`);
    if (variables.length > maxVariables) parts.push(`  [only the first ${maxVariables} are told]`);
  }
  return parts.join("\n");
}

function line({ name, value, type }: { name: string; value: string; type?: string | undefined }): string {
  const kind = type === undefined || type === "" ? "" : `: ${type}`;
  if (isSecretName(name)) return `${name}${kind} = [left out: looks like a secret]`;
  const flat = value.replace(/\s+/g, " ");
  return `${name}${kind} = ${flat.length > MAX_VALUE_CHARS ? `${flat.slice(0, MAX_VALUE_CHARS)}…` : flat}`;
}
