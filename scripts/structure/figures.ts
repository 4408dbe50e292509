import { posix } from "node:path";
import type { Import } from "./imports.ts";
import { LAYERS, type Layer } from "./layers.ts";

/** The figures of one house. */
export interface Figures {
  /** Folders with files in them, the house itself included. */
  folders: number;
  /** Files that lie in no folder of the house. */
  looseFiles: string[];
  /** Imports that no row of the table allows. */
  upward: Import[];
  /** Groups of boxes of one folder, files or folders, that import each other in a circle. */
  cycles: string[][];
  /** The number of layers: the longest chain of imports between top-level folders. */
  layers: number;
}

/** Returns the figures of the house with these files and imports. */
export function figuresOf(house: string, files: readonly string[], imports: readonly Import[]): Figures {
  const boxes = boxesByFolder(imports.filter(({ target }) => isWithin(target, house)));
  return {
    folders: new Set(files.map((file) => posix.dirname(file))).size,
    looseFiles: files.filter((file) => posix.dirname(file) === house),
    upward: imports.filter((one) => !isAllowed(one)),
    cycles: [...boxes.values()].flatMap(cyclesOf),
    layers: longestChain(boxes.get(house) ?? new Map()),
  };
}

/** Returns the row of the table that a file belongs to, or undefined when there is none. */
export function layerOf(file: string): Layer | undefined {
  return LAYERS.filter(({ at }) => isWithin(file, at)).sort((a, b) => b.at.length - a.at.length)[0];
}

function isAllowed({ file, target }: Import): boolean {
  const layer = layerOf(file);
  return layer !== undefined && [layer.at, ...layer.mayImport].some((allowed) => isWithin(target, allowed));
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

/** The boxes that each box imports. */
type Graph = Map<string, Set<string>>;

/** Returns for each folder how its files and folders import each other. */
function boxesByFolder(imports: readonly Import[]): Map<string, Graph> {
  const graphs = new Map<string, Graph>();
  for (const { file, target } of imports) {
    const from = file.split("/");
    const to = target.split("/");
    const fork = from.findIndex((part, at) => part !== to[at]);
    if (fork === -1) continue;
    const folder = from.slice(0, fork).join("/");
    const graph = graphs.get(folder) ?? new Map();
    graphs.set(folder, graph);
    const box = from.slice(0, fork + 1).join("/");
    graph.set(box, (graph.get(box) ?? new Set()).add(to.slice(0, fork + 1).join("/")));
  }
  return graphs;
}

/** Returns the groups of boxes that reach each other, each once. */
function cyclesOf(graph: Graph): string[][] {
  const reach = new Map([...graph.keys()].map((box) => [box, reachedFrom(graph, box)]));
  const groups = [...reach.keys()].map((box) =>
    [...(reach.get(box) ?? [])].filter((other) => reach.get(other)?.has(box)).sort(),
  );
  return [...new Map(groups.filter(({ length }) => length > 0).map((group) => [group.join(), group])).values()];
}

function reachedFrom(graph: Graph, start: string): Set<string> {
  const reached = new Set<string>();
  const open = [start];
  for (let box = open.pop(); box !== undefined; box = open.pop()) {
    for (const next of graph.get(box) ?? []) {
      if (reached.has(next)) continue;
      reached.add(next);
      open.push(next);
    }
  }
  return reached;
}

function longestChain(graph: Graph): number {
  const heights = new Map<string, number>();
  const heightOf = (box: string): number => {
    const known = heights.get(box);
    if (known !== undefined) return known;
    heights.set(box, 1); // ends the search where boxes import each other
    const height = 1 + Math.max(0, ...[...(graph.get(box) ?? [])].map(heightOf));
    heights.set(box, height);
    return height;
  };
  return Math.max(0, ...[...graph.keys()].map(heightOf));
}
