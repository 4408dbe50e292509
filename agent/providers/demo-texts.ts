/** The introduction of the demo model, before its first answer. */
export const INTRODUCTION = `**I am Tiller's demo, not a language model.** I follow a small script, so that you can see how everything looks and works without a key. \
To talk to a real model, run the command **Tiller: Set API Key**, or set \`ANTHROPIC_API_KEY\` before the agent starts.\n\n`;

/** The words that the demo model understands. */
export const HELP = `I only know these words; the tools that they call are real:

| say | and I |
|---|---|
| \`read <file>\` | read a file with \`read\` |
| \`run <command>\` | run a shell command with \`bash\` |
| \`edit <file>\` | read the file and add a comment with \`edit\` (say it again to take it away) |
| \`diagnostics\` | ask the editor for its problems |
| \`open <file>\` | show a file in the editor |
| \`selection\` | look at what you have selected |
| \`long\` | write a long answer with headings, a table and code |
| \`help\` | show this list |

Anything else gets you a short tour of this folder.`;

const CODE_SAMPLE = `\`\`\`ts
/** Counts the occurrences of each word in a text. */
export function countWords(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of text.toLowerCase().match(/\\p{L}+/gu) ?? []) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}
\`\`\``;

const SECTIONS = [
  [
    "Why this answer is long",
    "A chat has to stay quick while a long answer comes in. This one is here so that you can scroll up, select text and type while it still grows.",
  ],
  [
    "How a turn runs",
    "You say something, the model answers, and where it asks for a tool the tool runs and its result goes back to the model. That repeats until the model has nothing more to ask for.",
  ],
  [
    "What you can do meanwhile",
    "Type a message to steer: it joins after the running tools. Queue one for later: it waits for the end. Or press stop: everything that runs is ended at once.",
  ],
  [
    "Where things are kept",
    "Every conversation is a file of JSON lines that is only ever added to. You can open it later, go back to an earlier message, and go on from there.",
  ],
] as const;

/** A long answer in markdown. */
export function longAnswer(): string {
  const parts = ["# A long answer\n\nThis text is fixed; nothing in it was thought up for you."];
  for (const round of [1, 2, 3]) {
    for (const [title, body] of SECTIONS)
      parts.push(`## ${round}. ${title}\n\n${body}`, `${body} (${title}, part ${round}.)`);
    parts.push(
      "| step | who | what |\n|---:|---|---|\n| 1 | you | say what you want |\n| 2 | model | asks for tools |\n| 3 | agent | runs them |\n| 4 | model | answers |",
      CODE_SAMPLE,
      "1. First this\n2. then that:\n   - with a detail\n   - and *another*, in `code`\n3. and so on.",
      "> A quotation, for the looks of it.",
    );
  }
  parts.push("That is the end of the long answer.");
  return parts.join("\n\n");
}
