import * as vscode from "vscode";

/** A symbol of a file, out of the tree that services give. */
export interface FlatSymbol {
  readonly name: string;
  readonly kind: vscode.SymbolKind;
  readonly detail: string;
  /** Name of what it stands in; empty at the top. */
  readonly container: string;
  readonly depth: number;
  /** Of the name where the service tells, else of all. */
  readonly range: vscode.Range;
  readonly fullRange: vscode.Range;
}

/** All symbols of a file, each behind what it stands in. */
export function flatten(symbols: readonly (vscode.DocumentSymbol | vscode.SymbolInformation)[]): FlatSymbol[] {
  return symbols.flatMap((symbol) => flattenOne(symbol, "", 0));
}

function flattenOne(
  symbol: vscode.DocumentSymbol | vscode.SymbolInformation,
  container: string,
  depth: number,
): FlatSymbol[] {
  const { name, kind } = symbol;
  if (!("children" in symbol)) {
    const { range } = symbol.location;
    return [{ name, kind, detail: "", container: symbol.containerName, depth, range, fullRange: range }];
  }
  const own = {
    name,
    kind,
    detail: symbol.detail,
    container,
    depth,
    range: symbol.selectionRange,
    fullRange: symbol.range,
  };
  return [own, ...symbol.children.flatMap((child) => flattenOne(child, name, depth + 1))];
}

/** The name of a kind of symbol, as in `function` or `class`. */
export function kindName(kind: vscode.SymbolKind): string {
  return (vscode.SymbolKind[kind] ?? "symbol").toLowerCase();
}
