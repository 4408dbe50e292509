import type { CommandNode, Script, Word } from "./script.ts";

/** A command that sets no variables; any word of other commands may be the name of a variable. */
const PLAIN_COMMAND = /^(?!(?:read|export|unset|printf|time|command)$)[\w./-]+$/;

/** Returns how often each variable is set in a script: by an assignment, by `for`, or by a command that reads into it. */
export function namesSetIn(script: Script): Map<string, number> {
  const names = new Map<string, number>();
  const add = (name: string) => names.set(name, (names.get(name) ?? 0) + 1);
  const look = (words: readonly Word[]) => {
    for (const { pieces } of words)
      for (const piece of pieces) if (piece.kind === "substitution") visitAll(piece.script);
  };
  const visit = (node: CommandNode) => {
    look(node.redirects.flatMap((redirect) => (redirect.kind === "text" ? [] : [redirect.target])));
    switch (node.type) {
      case "simple":
        look([...node.words, ...node.assignments.map(({ value }) => value)]);
        for (const { name } of node.assignments) add(name);
        if (!PLAIN_COMMAND.test(node.words[0]?.source ?? ""))
          for (const { source } of node.words.slice(1)) add(/^\w*/.exec(source)?.[0] ?? "");
        return;
      case "group":
        return visitAll(node.body);
      case "for":
        look(node.words);
        add(node.name);
        return visitAll(node.body);
      case "if":
      case "loop":
        for (const body of node.bodies) visitAll(body);
    }
  };
  const visitAll = (body: Script) => {
    for (const { pipelines } of body) for (const { pipeline } of pipelines) pipeline.commands.forEach(visit);
  };
  visitAll(script);
  return names;
}
