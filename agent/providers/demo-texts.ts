/** The introduction of the demo model, before its first answer. */
export const INTRODUCTION = `**I'm Tiller's demo, not a language model.** I follow a small script, so you can see how everything looks and works without an API key. \
To use a real model, run **Tiller: Set Up a Model**, or set \`ANTHROPIC_API_KEY\` before the agent starts.\n\n`;

/** The words that the demo model understands. */
export const HELP = `I only know these commands, but the tools they call are real:

| You say | I |
|---|---|
| \`read <file>\` | read a file with \`read\` |
| \`run <command>\` | run a shell command with \`bash\` |
| \`edit <file>\` | read the file and add a comment with \`edit\` (say it again to remove the comment) |
| \`diagnostics\` | get the problems from the editor |
| \`open <file>\` | open a file in the editor |
| \`selection\` | look at what you have selected |
| \`long\` | write a long response with headings, a table, and code |
| \`help\` | show this list |

Say anything else for a short tour of this folder.`;

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
    "Why this response is long",
    "A chat should stay fast while a long response streams in. Scroll up, select text, and type while this one grows.",
  ],
  [
    "How a turn runs",
    "You send a message, and the model responds. When it calls a tool, the agent runs the tool and returns the result to the model. This repeats until the model needs no more tools.",
  ],
  [
    "What you can do in the meantime",
    "Send a message to steer: the agent reads it after the current step. Queue a follow-up: it sends when the run is done. Or select Stop to end everything at once.",
  ],
  [
    "Where sessions are stored",
    "Every session is a file of JSON lines that only grows. You can reopen it, restore an earlier message, and continue from there.",
  ],
] as const;

/** A long answer in markdown. */
export function longAnswer(): string {
  const parts = ["# A long response\n\nThis text is always the same; nothing in it was written for you."];
  for (const round of [1, 2, 3]) {
    for (const [title, body] of SECTIONS)
      parts.push(`## ${round}. ${title}\n\n${body}`, `${body} (${title}, part ${round}.)`);
    parts.push(
      "| step | who | what |\n|---:|---|---|\n| 1 | you | say what you want |\n| 2 | model | calls tools |\n| 3 | agent | runs them |\n| 4 | model | responds |",
      CODE_SAMPLE,
      "1. First this\n2. then that:\n   - with a detail\n   - and *another*, in `code`\n3. and so on.",
      "> A quotation, to show how it looks.",
    );
  }
  parts.push("That's the end of the long response.");
  return parts.join("\n\n");
}
