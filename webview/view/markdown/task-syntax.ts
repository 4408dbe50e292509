import type MarkdownIt from "markdown-it";

/** The beginning of an item that is a task: `[ ] ` or `[x] `. */
const TASK = /^\[([ xX])\][ \t]+/;

/** Makes a token `task` of the box at the beginning of a list item; its `info` is `x` when the task is done. */
export function addTasks(parser: InstanceType<typeof MarkdownIt>): void {
  parser.core.ruler.after("inline", "tasks", ({ tokens, Token }) => {
    tokens.forEach((token, at) => {
      if (tokens[at - 1]?.type !== "paragraph_open" || tokens[at - 2]?.type !== "list_item_open") return;
      const [first] = token.children ?? [];
      const [box, mark] = (first?.type === "text" && TASK.exec(first.content)) || [];
      if (first === undefined || box === undefined || mark === undefined) return;
      first.content = first.content.slice(box.length);
      const task = new Token("task", "", 0);
      task.info = mark.toLowerCase();
      token.children?.unshift(task);
    });
  });
  parser.renderer.rules.task = (tokens, at) => `[${tokens[at]?.info}]`;
}
