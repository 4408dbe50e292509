import * as vscode from "vscode";

/** A symbol of a file, from the tree that services return. */
export interface FlatSymbol {
  readonly name: string;
  readonly kind: vscode.SymbolKind;
  readonly detail: string;
  /** The name of its parent; empty at the top level. */
  readonly container: string;
  readonly depth: number;
  /** The range of the name where the service gives it, else the full range. */
  readonly range: vscode.Range;
  readonly fullRange: vscode.Range;
}

/** Flattens the symbols of a file, each after its parent. */
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

/** Returns the name of a symbol kind, such as `function` or `class`. */
export function kindName(kind: vscode.SymbolKind): string {
  return (vscode.SymbolKind[kind] ?? "symbol").toLowerCase();
}
