import { closeSync, openSync, readFileSync, writeSync } from "node:fs";

/** The fields of `/proc/self/stat` with the addresses of arguments and environment, counted after the program's name. */
const FIRST_ARGUMENT_FIELD = 45;
const FIRST_VARIABLE_FIELD = 47;

/** A piece of what a process was started with, in bytes from the beginning of the block. */
interface Piece {
  readonly start: number;
  readonly end: number;
}

/**
 * Blanks the values of variables in the memory that this process was started with. The system shows that memory to other programs of the
 * user (`ps eww`, `/proc/<pid>/environ`), whatever the process deletes from its environment later.
 * @returns false where the system does not let a process do that: everywhere but on Linux, and in some sandboxes.
 */
export function blankVariables(names: ReadonlySet<string>): boolean {
  return blank("environ", FIRST_VARIABLE_FIELD, (block) =>
    entriesOf(block).flatMap(({ start, end }) => {
      const equals = block.indexOf("=", start);
      const isMeant = equals !== -1 && equals < end && names.has(block.toString("utf8", start, equals));
      return isMeant ? [{ start: equals + 1, end }] : [];
    }),
  );
}

/** Blanks the values of a flag of the command line, as `blankVariables` does. */
export function blankFlag(flag: string): boolean {
  return blank("cmdline", FIRST_ARGUMENT_FIELD, (block) =>
    entriesOf(block).flatMap(({ start, end }, index, all) => {
      const text = block.toString("utf8", start, end);
      if (text.startsWith(`${flag}=`)) return [{ start: start + flag.length + 1, end }];
      return text === flag ? all.slice(index + 1, index + 2) : [];
    }),
  );
}

function blank(file: "environ" | "cmdline", field: number, find: (block: Buffer) => Piece[]): boolean {
  try {
    const block = readFileSync(`/proc/self/${file}`);
    const pieces = find(block);
    if (pieces.length > 0) overwrite(addressOf(block, field), pieces);
    return find(readFileSync(`/proc/self/${file}`)).every(({ start, end }) => start === end);
  } catch {
    return false; // no such files, or not ours to open
  }
}

function addressOf(block: Buffer, field: number): number {
  const stat = readFileSync("/proc/self/stat", "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const start = Number(fields[field]);
  if (Number(fields[field + 1]) - start !== block.length) throw new Error("The block lies somewhere else.");
  return start;
}

function overwrite(address: number, pieces: readonly Piece[]): void {
  const memory = openSync("/proc/self/mem", "r+");
  try {
    for (const { start, end } of pieces) writeSync(memory, Buffer.alloc(end - start), 0, end - start, address + start);
  } finally {
    closeSync(memory);
  }
}

/** The texts of a block; each ends with a zero byte. */
function entriesOf(block: Buffer): Piece[] {
  const entries: Piece[] = [];
  let start = 0;
  for (let end = block.indexOf(0); end !== -1; end = block.indexOf(0, start)) {
    entries.push({ start, end });
    start = end + 1;
  }
  return entries;
}
