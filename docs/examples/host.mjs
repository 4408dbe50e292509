// A host for the agent in Node: `node host.mjs "your prompt"`. It prints the response as it streams, registers one tool, and passes the
// questions of the agent to you in the terminal. Run `npm run build` first; elsewhere import from "tiller/client".
import { createInterface } from "node:readline/promises";
import { startTiller } from "tiller/client";

const prompt = process.argv[2] ?? "What time is it here? Use the clock tool.";
const terminal = createInterface({ input: process.stdin, output: process.stderr });

const tiller = await startTiller({
  args: ["--no-session", "--permission-mode", "confirm"],
  // A question that has no function here is answered with "cancelled".
  dialogs: {
    async select({ title, options }, signal) {
      const list = options.map((option, index) => `  ${index + 1}. ${option}`).join("\n");
      const choice = await terminal.question(`${title}\n${list}\n> `, { signal });
      return options[Number(choice) - 1];
    },
    async confirm({ title, message }, signal) {
      const answer = await terminal.question(`${title}: ${message} (y/n) `, { signal });
      return answer.trim().toLowerCase() === "y";
    },
    input: ({ title }, signal) => terminal.question(`${title}: `, { signal }),
  },
  onStderr: (text) => process.stderr.write(text),
});

try {
  await tiller.setCustomTools([
    {
      name: "clock",
      description: "Tells the time of day where the user is.",
      parameters: {
        type: "object",
        properties: { timeZone: { type: "string", description: "IANA name, such as Europe/Paris" } },
      },
      readOnly: true,
      // What is thrown here becomes an error that the model can read.
      run: ({ timeZone }) => new Date().toLocaleTimeString("en-GB", { timeZone: timeZone?.toString() }),
    },
  ]);
  tiller.on("message_update", ({ assistantMessageEvent: event }) => {
    if (event.type === "text_delta") process.stdout.write(event.delta);
  });
  tiller.on("tool_execution_start", ({ toolName, args }) => {
    process.stderr.write(`[${toolName} ${JSON.stringify(args)}]\n`);
  });
  const { answer } = await tiller.promptAndWait(prompt);
  process.stdout.write("\n");
  if (answer?.stopReason === "error") throw new Error(answer.errorMessage);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  terminal.close();
  await tiller.stop();
}
