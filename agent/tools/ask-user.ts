import * as z from "zod";
import { type AnyTool, defineTool, textOutput } from "./tool.ts";

/** Asks the user. Each promise resolves to undefined without an answer. */
export interface UserQuestions {
  select(
    title: string,
    options: readonly string[],
    dialog: { signal?: AbortSignal | undefined },
  ): Promise<string | undefined>;
  input(
    title: string,
    placeholder?: string,
    dialog?: { signal?: AbortSignal | undefined },
  ): Promise<string | undefined>;
}

/** The user, as the tool reaches them. */
export interface UserPort {
  /** True if the model may ask now. */
  isAsked(): boolean;
  /** Undefined while nobody can answer. */
  questions(): UserQuestions | undefined;
}

const OTHER = "Another answer…";

const AskUserInput = z.object({
  question: z.string().trim().min(1).describe("One question"),
  choices: z.array(z.string().trim().min(1)).min(2).max(8).describe("Short answers; the best one first"),
});

/** Makes the tool that asks the user a question with choices. The model is told of it while it plans. */
export function askUserTool({ isAsked, questions }: UserPort): AnyTool {
  return defineTool({
    name: "ask_user",
    description:
      "Asks the user one question, with choices; the user may also write another answer. For decisions that only the user can make and that you can't find out yourself.",
    input: AskUserInput,
    concurrency: "exclusive",
    isReadOnly: true,
    isOffered: () => isAsked() && questions() !== undefined,
    summarize: ({ question }) => question,
    run: async ({ question, choices }, { signal }) => {
      const user = questions();
      const options = [...new Set(choices), OTHER];
      const chosen = await user?.select(question, options, { signal });
      const answer = chosen === OTHER ? await user?.input(question, undefined, { signal }) : chosen;
      signal.throwIfAborted();
      return textOutput(answer || "The user gave no answer. Decide yourself, and say so in the plan.");
    },
  });
}
