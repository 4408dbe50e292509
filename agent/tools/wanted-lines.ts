/** Lines that were looked for. */
export interface Want {
  lines: readonly string[];
  /** Words for the model about what it added to the lines of the file. */
  hint?: string;
  /** True if it is right as long as nothing else fits better. */
  isSure?: boolean;
}

const LINE_NUMBER = /^\s*\d+(?:\t| *[|:→] ?)/;
const ELISION = /^\s*(?:\/\/|\/\*|#|--|<!--|;|%)?\s*(?:\[?\s*)(?:\.{3}|…)/;
const CHANGE_MARK = /^[ +-]/;

/** Returns a text as it stands, and without what models add to it, as far as there is any. */
export function cleanedWants(text: string): [Want, ...Want[]] {
  const lines = withoutLastFeed(text).split("\n");
  const said = lines.filter((line) => line.trim() !== "");
  const all = (pattern: RegExp) => said.length > 0 && said.every((line) => pattern.test(line));
  const wants: [Want, ...Want[]] = [{ lines }];
  if (all(LINE_NUMBER)) {
    const hint = "oldText has line numbers in front of its lines; leave them out.";
    wants.push({ lines: lines.map((line) => line.replace(LINE_NUMBER, "")), hint });
  }
  if (lines.some((line) => ELISION.test(line))) {
    const hint = "oldText leaves out lines with an ellipsis; it must have every line, so use several short edits.";
    wants.push(...piecesOf(lines).map((piece) => ({ lines: piece, hint, isSure: true })));
  }
  if (/\\[nt"'\\`$]/.test(text)) {
    const hint = 'oldText has escapes such as \\n or \\" where the file has the characters themselves.';
    wants.push({ lines: withoutLastFeed(withoutEscapes(text)).split("\n"), hint });
  }
  if (/&(?:lt|gt|amp|quot|apos|#\d+);/.test(text)) {
    const hint = "oldText has entities such as &lt; where the file has the characters themselves.";
    wants.push({ lines: withoutEntities(text).split("\n"), hint });
  }
  if (all(CHANGE_MARK) && said.some((line) => /^[+-]/.test(line))) {
    const hint = "oldText has the marks of a diff in front of its lines; give the lines themselves.";
    wants.push({ lines: lines.filter((line) => !line.startsWith("+")).map((line) => line.slice(1)), hint });
  }
  if (/^\s*```/.test(text)) {
    const hint = "oldText has a Markdown fence around it; give the lines in it.";
    wants.push({ lines: lines.filter((line) => !/^\s*```/.test(line)), hint });
  }
  return wants;
}

/** Returns the lines before, between and after ellipses. */
function piecesOf(lines: readonly string[]): string[][] {
  const pieces: string[][] = [[]];
  for (const line of lines) {
    if (ELISION.test(line)) pieces.push([]);
    else pieces.at(-1)?.push(line);
  }
  return pieces.filter((piece) => piece.length > 0);
}

function withoutLastFeed(text: string): string {
  return text.endsWith("\n") && text.length > 1 ? text.slice(0, -1) : text;
}

const ESCAPED: Readonly<Record<string, string>> = { n: "\n", t: "\t" };

function withoutEscapes(text: string): string {
  return text.replace(/\\([nt"'\\`$])/g, (_, character: string) => ESCAPED[character] ?? character);
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

function withoutEntities(text: string): string {
  return text.replace(/&(lt|gt|amp|quot|apos);/g, (_, name: string) => ENTITIES[name] ?? "");
}
