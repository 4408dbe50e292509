/** A prompt template that the agent brings itself. A template file of the same name replaces it. */
export interface OwnTemplate {
  name: string;
  description: string;
  argumentHint: string;
  body: string;
}

const LINES_HINT = "<file:lines> [what matters]";

/** The agent's own prompt templates, by what people do with code and changes. */
export const OWN_TEMPLATES: readonly OwnTemplate[] = [
  {
    name: "explain",
    description: "Explain code without changing it",
    argumentHint: LINES_HINT,
    body: `Explain the following code: what it is for, how it works, and what is surprising about it. Read its callers where that helps. Be brief, and change nothing.

$@`,
  },
  {
    name: "fix",
    description: "Find and fix problems in code",
    argumentHint: LINES_HINT,
    body: `Find out what is wrong in the following code: the errors that are reported for it, then mistakes that you can show. Fix them with the smallest change that is right, and check the fix. If nothing is wrong, say so and change nothing.

$@`,
  },
  {
    name: "add-tests",
    description: "Write tests for code and run them",
    argumentHint: LINES_HINT,
    body: `Write tests for the following code. Follow the project's test framework, file names, and style. Cover the usual case, the limits, and the failures. Run the tests. If one shows a mistake in the code, report it and don't change the code.

$@`,
  },
  {
    name: "document",
    description: "Write documentation comments for code",
    argumentHint: LINES_HINT,
    body: `Write documentation comments for the following code, in the style of the file around it. Say what a reader can't see in the signature: units, defaults, errors, and side effects. Change nothing but comments.

$@`,
  },
  {
    name: "edit-lines",
    description: "Rewrite lines of code",
    argumentHint: "<what to change>",
    body: `Rewrite lines of code: $@

Two parts of one file are attached: first the surrounding code, for context; then the lines to rewrite, which may be a single empty line where new code belongs. Answer with the replacement for the second part only, complete and indented to fit the file, in a single code block. Change only what was asked, and add no remarks.`,
  },
  {
    name: "review",
    description: "Review changes without changing anything",
    argumentHint: "[what to review]",
    body: `Review \${@:-the uncommitted changes of the working tree}. Read the code around each change. Look for mistakes, missing tests, and unclear names. List the findings, the most serious first, each as a list item that begins with its path, line, and severity (error, warning, or note), such as \`- src/a.ts:12: error: …\`, and says the consequence. Leave out praise and matters of taste, and change nothing.`,
  },
  {
    name: "init",
    description: "Write or update AGENTS.md for this project",
    argumentHint: "[what matters]",
    body: `Write AGENTS.md in the root of this project: what an agent must know that the code does not show at once. If there is one already, or a CLAUDE.md, keep what is right in it and change only what is wrong or missing.

Look first: the manifest, the scripts, the configuration of the build, the linter, and the tests, the README, and the folders. Name the commands to build, check, and test, and how to run a single test; try those that change nothing. Say where things are, which conventions the code follows, and what to leave alone. Write no more than a page, nothing that is obvious or that you have not seen, and no general advice.

$@`,
  },
  {
    name: "commit-message",
    description: "Write a commit message",
    argumentHint: "[what to say]",
    body: `Write the message for a commit with the attached changes; without an attachment, with the staged changes, or with all if none are staged. The first line is at most 72 characters, says what the change does, and follows the style of the repository's recent messages. If the reason is not plain from the change, add a blank line and a short body that gives it. Answer with the message alone, without a code block or remarks.

$@`,
  },
  {
    name: "pull-request",
    description: "Write the title and description of a pull request",
    argumentHint: "[what to say]",
    body: `Write the title and the description of a pull request with the attached commits and changes; without an attachment, with those of this branch since it left its base. Begin with the title as a Markdown heading, "# " and at most 72 characters. Then say what changes for users and why, what a reviewer should look at first, and how it was tested if the changes show it. Answer with this text alone, without remarks.

$@`,
  },
];
