import * as vscode from "vscode";

/** A place in a file. Lines are 1-based, both included. */
export interface MenuPlace {
  readonly uri: vscode.Uri;
  readonly lines?: { readonly startLine: number; readonly endLine: number };
}

/** Returns the files that a menu of the explorer or of tabs applies to: the one below the pointer, and those selected with it. */
export function chosenFiles(args: readonly unknown[]): vscode.Uri[] {
  const [first, chosen] = args;
  const all = Array.isArray(chosen) ? chosen.filter((one) => one instanceof vscode.Uri) : [];
  if (all.length > 0) return all;
  return first instanceof vscode.Uri ? [first] : [];
}

/** Returns the files that a menu of the source control view applies to: some of its lines, or a whole group. */
export function changedFiles(args: readonly unknown[]): vscode.Uri[] {
  return args.flat().flatMap((one) => {
    const states = field(one, "resourceStates");
    if (Array.isArray(states)) return changedFiles(states);
    const uri = field(one, "resourceUri");
    return uri instanceof vscode.Uri ? [uri] : [];
  });
}

/** Reads a test, or a message about one, from the argument of a menu. */
export function chosenTest(argument: unknown): { readonly place: MenuPlace; readonly message?: string } | undefined {
  const test = field(argument, "test") ?? argument;
  const uri = field(test, "uri");
  if (!(uri instanceof vscode.Uri)) return undefined;
  const message = wordMessage(field(field(argument, "message"), "message"));
  return { place: placeOf(uri, field(test, "range")), ...(message === undefined ? {} : { message }) };
}

/** Reads a cell of a notebook from the argument of its toolbar. */
export function chosenCell(
  argument: unknown,
): { readonly document: vscode.TextDocument; readonly number: number } | undefined {
  const uri = field(field(argument, "document"), "uri");
  const index = field(argument, "index");
  if (!(uri instanceof vscode.Uri) || typeof index !== "number") return undefined;
  const document = vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri.toString());
  return document === undefined ? undefined : { document, number: index + 1 };
}

function placeOf(uri: vscode.Uri, range: unknown): MenuPlace {
  if (!(range instanceof vscode.Range)) return { uri };
  return { uri, lines: { startLine: range.start.line + 1, endLine: range.end.line + 1 } };
}

function wordMessage(message: unknown): string | undefined {
  if (message instanceof vscode.MarkdownString) return message.value;
  return typeof message === "string" ? message : undefined;
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
