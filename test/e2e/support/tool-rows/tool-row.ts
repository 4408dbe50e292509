/** One call of a tool, and what the model reads of it. */
export interface ToolRow {
  readonly tool: string;
  /** The arguments, or what makes them of the results so far. */
  readonly args: ToolArguments;
  readonly isGood: boolean;
  /** Parts of the result. */
  readonly says: readonly (string | RegExp)[];
  /** Set where the user is asked although the agent may do everything. */
  readonly isAsked?: true;
  /** The user's answer to the tool's own question. */
  readonly answer?: string;
}

type ToolArguments = Readonly<Record<string, unknown>> | ((earlier: string) => Readonly<Record<string, unknown>>);

/** Calls that go in one message, so that they run at the same time. */
export type ToolStep = readonly ToolRow[];

/** A call that works. */
export function good(tool: string, args: ToolArguments, ...says: (string | RegExp)[]): ToolRow {
  return { tool, args, isGood: true, says };
}

/** A call that fails, with a text that tells the model what to do. */
export function bad(tool: string, args: ToolArguments, ...says: (string | RegExp)[]): ToolRow {
  return { tool, args, isGood: false, says };
}

/** A call that the user is asked about in every mode, and allows. */
export function asked(row: ToolRow): ToolRow {
  return { ...row, isAsked: true };
}
