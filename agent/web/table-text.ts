import type { PageNode } from "./page-document.ts";

/** The maximum number of columns. A wider table is a page's layout, or useless to a model as a table. */
const MAX_COLUMNS = 40;
/** Elements in a cell that one line of a table can't show. */
const BLOCKS = ["table", "pre", "ul", "ol", "blockquote", "h1", "h2", "h3"];

/** Returns a table as Markdown; undefined for a layout table, whose cells are then shown one after another. */
export function tableText(table: PageNode): string | undefined {
  const rows = [...table.getElementsByTagName("tr")].map(cellsOf);
  const columns = Math.max(0, ...rows.map(({ length }) => length));
  if (columns < 2 || columns > MAX_COLUMNS || isLayout(table)) return undefined;
  const [head = [], ...body] = rows.filter(({ length }) => length > 0);
  const line = (cells: readonly string[]) => `| ${filled(cells, columns).join(" | ")} |`;
  const rule = `|${" --- |".repeat(columns)}`;
  const [caption] = table.getElementsByTagName("caption");
  const words = caption?.textContent.trim();
  const lines = [line(head), rule, ...body.map(line)].join("\n");
  return words ? `${words}\n\n${lines}` : lines;
}

function cellsOf(row: PageNode): string[] {
  const cells = [...row.children].filter(({ nodeName }) => nodeName === "TD" || nodeName === "TH");
  return cells.flatMap((cell) => {
    const span = Math.min(MAX_COLUMNS, Number(cell.getAttribute("colspan") ?? 1) || 1);
    return [cellText(cell), ...Array.from({ length: span - 1 }, () => "")];
  });
}

function isLayout(table: PageNode): boolean {
  const has = (name: string) => [...table.getElementsByTagName(name)].length > 0;
  return !has("th") && BLOCKS.some(has);
}

/** Returns a cell as one line, with its code and links. */
function cellText(cell: PageNode): string {
  return inline(cell).replace(/\s+/g, " ").trim().replaceAll("|", "\\|");
}

function inline(node: PageNode): string {
  if (node.nodeType === 3) return node.textContent;
  const text = [...node.childNodes].map(inline).join("");
  const { nodeName } = node;
  if (nodeName === "BR") return " ";
  if (nodeName === "CODE" && text.trim() !== "" && !text.includes("`")) return `\`${text.trim()}\``;
  const address = node.getAttribute("href");
  if (nodeName === "A" && address && text.trim() !== "") return `[${text.trim()}](${address})`;
  return /^(?:P|DIV|LI|PRE|TR|TD|UL|OL)$/.test(nodeName) ? `${text} ` : text;
}

function filled(cells: readonly string[], columns: number): string[] {
  return [...cells, ...Array.from({ length: columns - cells.length }, () => "")];
}
