import { join, relative } from "node:path";
import type { Node, SourceFile } from "typescript/unstable/ast";
import { API } from "typescript/unstable/sync";

const ROOT = join(import.meta.dirname, "../..");
/** The projects whose files show texts, and the folders of those files. */
const PROJECTS = ["tsconfig.json", "webview/tsconfig.json"];
const FOLDERS = ["extension/", "webview/"];

/** A parsed file of the extension or the page. */
export interface Source {
  /** Relative to the project's folder, with slashes. */
  readonly path: string;
  readonly tree: SourceFile;
}

/** Calls `use` with the parsed files of extension and page; the trees are good until it returns. */
export function withSources<Result>(use: (sources: readonly Source[]) => Result): Result {
  const api = new API({ cwd: ROOT });
  try {
    const projects = api.updateSnapshot({ openProjects: PROJECTS.map((file) => join(ROOT, file)) }).getProjects();
    const sources = new Map<string, Source>();
    for (const { program } of projects) {
      for (const name of program.getSourceFileNames()) {
        const path = relative(ROOT, name).replaceAll("\\", "/");
        const tree = FOLDERS.some((folder) => path.startsWith(folder)) ? program.getSourceFile(name) : undefined;
        if (tree !== undefined) sources.set(path, { path, tree });
      }
    }
    return use([...sources.values()].sort((one, other) => (one.path < other.path ? -1 : 1)));
  } finally {
    api.close();
  }
}

/** Calls `visit` with every node of a file, parents first, along with those that it is in, the nearest last. */
export function walk(tree: SourceFile, visit: (node: Node, parents: readonly Node[]) => void): void {
  const parents: Node[] = [tree];
  const step = (node: Node): void => {
    visit(node, parents);
    parents.push(node);
    node.forEachChild(step);
    parents.pop();
  };
  tree.forEachChild(step);
}

/** `extension/chat/chat.ts:12`, for messages. */
export function placeOf({ path, tree }: Source, node: Node): string {
  return `${path}:${tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1}`;
}
