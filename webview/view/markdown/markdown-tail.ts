import { type Block, isLooseList, parseBlocks } from "./markdown.ts";

/** The end of a growing text: the blocks that may still change. Of a long list, quote or table only the last parts are parsed again. */
export class MarkdownTail {
  /** Everything from the start of the first of its blocks. */
  #source = "";
  #open: OpenParts | undefined;

  add(text: string): void {
    this.#source += text;
    if (this.#open) this.#open.source += text;
  }

  /** Its blocks. The first may lack the parts that it had before. */
  parse(): Block[] {
    return this.#parseOpen() ?? parseBlocks(this.#source);
  }

  /**
   * Removes the blocks that later text can't change.
   * @param blocks what `parse` has just returned.
   * @returns how many of them these are.
   */
  letGo(blocks: readonly Block[]): number {
    const source = this.#open?.source ?? this.#source;
    const done = completeCount(blocks, source);
    if (done > 0) {
      this.#source = source.slice(lineOffset(source, blocks[done]?.line ?? 0));
      this.#open = undefined;
    } else if (blocks.length === 1 && blocks[0]) {
      this.#letGoOfParts(blocks[0], source);
    }
    return done;
  }

  /** The code of a fence that has just been drawn, with its first line. */
  get source(): string {
    return this.#source;
  }

  #parseOpen(): Block[] | undefined {
    if (this.#open === undefined) return undefined;
    const { source, before, kind, isLoose } = this.#open;
    const [first, ...others] = parseBlocks(source, { isLoose: isLoose === true });
    const isSame = first !== undefined && kindOf(first) === kind;
    // An empty line between the last items makes paragraphs of all.
    if (isSame && (isLoose !== false || isLooseList(first) !== true))
      return [{ ...first, partsBefore: before }, ...others];
    this.#open = undefined;
    return undefined;
  }

  #letGoOfParts(block: Block, source: string): void {
    const { parts = [], partsBefore } = block;
    const done = completeCount(parts, source);
    const isLoose = isLooseList(block);
    if (done === 0 || (isList(block) && isLoose === undefined)) return;
    const rows = isTable(block) ? lineOffset(source, parts[0]?.line ?? 0) : 0;
    this.#open = {
      // Rows are those of a table only below its head.
      source: source.slice(0, rows) + source.slice(lineOffset(source, parts[done]?.line ?? 0)),
      before: partsBefore + done,
      kind: kindOf(block),
      isLoose: isList(block) ? isLoose : undefined,
    };
  }
}

/** The rest of a block whose first parts are complete; it is parsed again. */
interface OpenParts {
  source: string;
  before: number;
  kind: string;
  /** Of a list: whether its items are paragraphs. */
  isLoose: boolean | undefined;
}

/** Returns the number of complete blocks: all before the last, unless an unfinished line may still change others. */
function completeCount(blocks: readonly Block[], source: string): number {
  const last = blocks.at(-1);
  const lastLine = Math.max(source.lastIndexOf("\n"), source.lastIndexOf("\r")) + 1;
  // The address that a name gets below counts for the blocks above, and is not there yet.
  if (last === undefined || /^[\s>]*\[/.test(source.slice(lastLine))) return 0;
  // It may join the block before it, as `#` does when it turns out to be `#tag`.
  const isJoining = lastLine < source.length && lineOffset(source, last.line) >= lastLine;
  return Math.max(0, blocks.length - (isJoining ? 2 : 1));
}

function isList({ tokens }: Block): boolean {
  return tokens[0]?.tag === "ul" || tokens[0]?.tag === "ol";
}

function isTable({ tokens }: Block): boolean {
  return tokens[0]?.tag === "table";
}

/** Returns the properties that a block shares with its continuation after a cut. The number of a list isn't one of them. */
function kindOf(block: Block): string {
  const [first] = block.tokens;
  return isTable(block) ? block.html : `${first?.tag}${first?.markup}`;
}

/** Returns the start of the 0-based `line` of `text`, or the end of the text. Lines end at `\n`, `\r\n`, or `\r`, as in Markdown. */
function lineOffset(text: string, line: number): number {
  const ends = /\r\n?|\n/g;
  let offset = 0;
  for (let passed = 0; passed < line; passed += 1) {
    if (!ends.exec(text)) return text.length;
    offset = ends.lastIndex;
  }
  return offset;
}
