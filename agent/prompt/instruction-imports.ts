import { dirname, relative } from "node:path";
import { resolvePath } from "../util/paths.ts";
import { looksSecret } from "../util/secret-files.ts";
import { type InstructionAccess, type InstructionFile, readInstructions, realPathOf } from "./instruction-file.ts";

/** A chain of imports ends after as many, like in Claude Code (https://code.claude.com/docs/en/memory#import-additional-files). */
const MAX_DEPTH = 4;
const MAX_IMPORTS = 50;
/** Imports that together are longer than this, in UTF-16 units, are left out. */
const MAX_LENGTH = 200_000;

const IMPORT = /(?:^|\s)@((?:[^\s\\]|\\ )+)/g;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const LIST_ITEM = /^\s*(?:[-*+]|\d+[.)])\s/;

/** Returns the paths that a Markdown text imports with `@path`, outside of code. */
export function importsOf(text: string): string[] {
  if (!text.includes("@")) return [];
  const prose = withoutCodeBlocks(text)
    .split(/\n[ \t]*\n/)
    .map(withoutCodeSpans)
    .join("\n\n");
  return [...prose.matchAll(IMPORT)].map(([, path = ""]) => path.replaceAll("\\ ", " "));
}

/**
 * Reads what a file imports, and what that imports, each file once. A path is relative to the file that names it.
 * @param root as for `readInstructions`.
 */
export function readImports(
  file: InstructionFile,
  root: string | undefined,
  access: InstructionAccess,
): InstructionFile[] {
  const found: InstructionFile[] = [];
  const seen = new Set([realPathOf(file.path)]);
  let length = 0;
  const add = (importer: InstructionFile, depth: number): void => {
    if (depth > MAX_DEPTH) return;
    for (const named of importsOf(importer.text)) {
      const path = locate(named, importer.path);
      const real = path && realPathOf(path);
      if (path === undefined || real === undefined || seen.has(real)) continue;
      seen.add(real);
      if (mayHoldSecrets(path, real, root)) {
        access.warn(`${path} is left out because it may hold secrets.`);
        continue;
      }
      const text = readInstructions(path, root, access);
      if (text === undefined) continue;
      length += text.length;
      if (found.length === MAX_IMPORTS || length > MAX_LENGTH) {
        access.warn(`${path} is left out because ${file.path} imports too much.`);
        return;
      }
      const imported = { path, text, kind: file.kind };
      found.push(imported);
      add(imported, depth + 1);
    }
  };
  add(file, 1);
  return found;
}

/** Finds what a path names, also when a sentence goes on behind it. */
function locate(named: string, importer: string): string | undefined {
  const forms = [named, named.replace(/#.*$/, ""), named.replace(/[.,;:!?)\]"'*_]+$/, "")].filter(
    (form) => form !== "",
  );
  return forms.map((form) => resolvePath(dirname(importer), form)).find((path) => realPathOf(path) !== undefined);
}

/** Judges a project's file by its path in the project, whose own folders may have any name. */
function mayHoldSecrets(path: string, real: string, root: string | undefined): boolean {
  return root === undefined ? looksSecret(path) || looksSecret(real) : looksSecret(relative(root, path));
}

function withoutCodeBlocks(text: string): string {
  let fence: string | undefined;
  let isAfterBlank = true;
  let isInList = false;
  let isIndentedCode = false;
  const kept = text.split("\n").map((line) => {
    const marker = FENCE.exec(line)?.[1];
    if (fence !== undefined) {
      if (marker?.startsWith(fence) && line.trim() === marker) fence = undefined;
      return "";
    }
    if (marker !== undefined) {
      fence = marker;
      return "";
    }
    const isBlank = line.trim() === "";
    const isIndented = /^(?: {4}|\t)/.test(line);
    if (!isBlank) {
      isIndentedCode = isIndented && !isInList && (isAfterBlank || isIndentedCode);
      if (!isIndented) isInList = LIST_ITEM.test(line) || (isInList && /^\s/.test(line));
    }
    isAfterBlank = isBlank;
    return isIndentedCode ? "" : line;
  });
  return kept.join("\n");
}

/** Takes the code spans out of a paragraph, in time proportional to its length. */
function withoutCodeSpans(paragraph: string): string {
  const runs = [...paragraph.matchAll(/`+/g)].map(({ 0: marks, index }) => ({ length: marks.length, at: index }));
  const closers = new Map<number, number[]>();
  for (const { length, at } of [...runs].reverse()) {
    const positions = closers.get(length);
    if (positions === undefined) closers.set(length, [at]);
    else positions.push(at);
  }
  let kept = "";
  let from = 0;
  for (const { length, at } of runs) {
    const later = closers.get(length) ?? [];
    while (later.length > 0 && (later.at(-1) ?? 0) <= at) later.pop();
    const closer = later.at(-1);
    if (at < from || closer === undefined) continue;
    kept += `${paragraph.slice(from, at)} code`;
    from = closer + length;
  }
  return kept + paragraph.slice(from);
}
