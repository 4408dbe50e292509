import * as z from "zod";
import type { ChangePreview } from "../protocol/dialogs.ts";
import { describeIssues } from "../protocol/errors.ts";
import { BUILTIN_PATHS } from "./builtin-paths.ts";
import { describeChange } from "./edit-diff.ts";
import { applyReplacements, type Edit, matchEdits } from "./edit-match.ts";
import { TextNotFound, unchanged } from "./edit-refusals.ts";
import { type EditFiles, type LoadedText, localEditFiles } from "./editable-file.ts";
import { applyEdited, describeEdited } from "./edited-change.ts";
import { requireNotebook } from "./notebook.ts";
import { previewChange } from "./preview.ts";
import type { ParsedInput } from "./read-arguments.ts";
import { withFileLock } from "./replace-file.ts";
import { type AnyTool, anyTool, type ToolContext, type ToolOutput, textOutput, toParameters } from "./tool.ts";

const BYTE_ORDER_MARK = "\ufeff";
const SHIFTED_NOTE = " The indentation of the edit was shifted to that of the file.";

const Replacement = z.object({
  oldText: z
    .string()
    .describe("Text to replace. It must occur exactly once in the file, and must not overlap another edit"),
  newText: z.string().describe("The new text"),
  replaceAll: z.boolean().optional().describe("Replace every occurrence"),
});

const EditParameters = z.object({
  path: z.string().min(1).describe("File to change, relative or absolute"),
  edits: z.array(Replacement).describe("The replacements. Each is matched against the file as it was before the call"),
});

/** Forms that models use instead of `edits`: one object, JSON text, or both texts at the top level. */
const LooseForm = z.looseObject({
  edits: z.unknown().optional(),
  oldText: z.unknown().optional(),
  newText: z.unknown().optional(),
  replaceAll: z.unknown().optional(),
});

interface EditInput {
  path: string;
  edits: Edit[];
  /** The only edit came at the top level. */
  isTopLevel: boolean;
}

/** Every form of the arguments. An empty `newText` says something, so no text counts as left out. */
const AcceptedParameters = EditParameters.extend(Replacement.shape).partial({ edits: true });

/** Makes the tool that replaces pieces of a text file. @param files where they are. */
export function editToolOver(files: EditFiles): AnyTool {
  let parameters: Record<string, unknown> | undefined;
  let accepts: Record<string, unknown> | undefined;
  return anyTool<EditInput>({
    name: "edit",
    label: "edit",
    description:
      "Changes a text file by replacing text. Each oldText must occur exactly once in the file: include enough lines to make it unique, and no more. Put all changes of a file into one call.",
    origin: "builtin",
    concurrency: "exclusive",
    isReadOnly: false,
    paths: BUILTIN_PATHS.edit,
    promptSnippet: "Change files by replacing text",
    promptGuidelines: ["Use edit to change existing files. Read the lines first: oldText must match them exactly."],
    get parameters() {
      parameters ??= toParameters(EditParameters);
      return parameters;
    },
    get accepts() {
      accepts ??= toParameters(AcceptedParameters);
      return accepts;
    },
    parse: parseEditInput,
    summarize: ({ path }) => path,
    preview: (input, cwd) => previewEdit(files, input, cwd),
    run: (input, context) => runEdit(files, input, context),
  });
}

/** Replaces pieces of a text file of this machine. */
export const editTool = editToolOver(localEditFiles);

/** Brings the forms that models use instead of `edits` into that form; what it cannot read stays as it is. */
export function listEdits(args: unknown): unknown {
  const form = LooseForm.safeParse(args);
  if (!form.success) return args;
  const { edits, oldText, newText, replaceAll, ...rest } = form.data;
  const isTopLevel = oldText !== undefined || newText !== undefined;
  const listed = toList(edits);
  return {
    ...rest,
    edits: isTopLevel && Array.isArray(listed) ? [...listed, { oldText, newText, replaceAll }] : listed,
  };
}

function parseEditInput(args: unknown): ParsedInput<EditInput> {
  const form = LooseForm.safeParse(args);
  if (!form.success) return { ok: false, problems: describeIssues(form.error) };
  const isTopLevel = form.data.oldText !== undefined || form.data.newText !== undefined;
  const parsed = EditParameters.safeParse(listEdits(args));
  if (!parsed.success) return { ok: false, problems: describeIssues(parsed.error) };
  return { ok: true, input: { ...parsed.data, isTopLevel: isTopLevel && parsed.data.edits.length === 1 } };
}

function toList(edits: unknown): unknown {
  if (edits === undefined || edits === null) return [];
  if (Array.isArray(edits)) return edits;
  if (typeof edits === "object") return [edits];
  if (typeof edits !== "string") return edits;
  try {
    const value: unknown = JSON.parse(edits);
    return typeof value === "string" ? value : toList(value);
  } catch {
    return edits; // the schema says what is wrong with it
  }
}

async function runEdit(files: EditFiles, input: EditInput, context: ToolContext): Promise<ToolOutput> {
  const { path: shownPath, edits, isTopLevel } = input;
  const { edited } = context;
  if (edits.length === 0) throw new Error("Edit tool input is invalid. edits must contain at least one replacement.");
  const change = await withFileLock(files.locate(context.cwd, shownPath), async (path) => {
    if (context.signal.aborted) throw new Error("Operation aborted");
    const file = await files.load(path, shownPath);
    const { before, after: proposed, replacements } = applySeen(path, file, input, context);
    const after = edited ? await applyEdited({ path: shownPath, current: before, proposed }, edited) : proposed;
    requireNotebook(path, shownPath, { before, after });
    if (after === before) throw unchanged(shownPath, edits.length, before, replacements[0]);
    if (context.signal.aborted) throw new Error("Operation aborted");
    if (!(await file.isUnchanged())) throw new Error(changedText(shownPath));
    await files.save(path, before === file.text ? after : BYTE_ORDER_MARK + after, shownPath);
    context.seenFiles?.noteChange(path);
    return { before, after, proposed, replacements };
  });
  const { replacements } = change;
  const text =
    isTopLevel && replacements.length === 1
      ? `Successfully replaced text in ${shownPath}.`
      : `Successfully replaced ${replacements.length} block(s) in ${shownPath}.`;
  const shift = replacements.some(({ isShifted }) => isShifted) ? SHIFTED_NOTE : "";
  const note = edited ? await describeEdited(shownPath, change.proposed, change.after) : "";
  return textOutput(text + shift + note, await describeChange(shownPath, change.before, change.after));
}

async function previewEdit(files: EditFiles, input: EditInput, cwd: string): Promise<ChangePreview | undefined> {
  const path = await files.locate(cwd, input.path);
  const { before, after } = applyEdits((await files.load(path, input.path)).text, input);
  return previewChange({ path, shownPath: input.path }, before, after);
}

/** As `applyEdits`; if a text is not there, the model is also told whether it knows the file as it is. */
function applySeen(path: string, { text, stamp }: LoadedText, input: EditInput, { seenFiles }: ToolContext) {
  try {
    return applyEdits(text, input);
  } catch (error) {
    if (!(error instanceof TextNotFound) || stamp === undefined || seenFiles === undefined) throw error;
    throw new Error(`${error.message}\n${seenFiles.describe(path, stamp)}`, { cause: error });
  }
}

/** The text before and after, without a byte order mark. @throws Error with a text for the model when an edit does not fit. */
function applyEdits(text: string, { path, edits }: EditInput) {
  const before = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  const replacements = matchEdits(before, edits, path);
  return { before, after: applyReplacements(before, replacements), replacements };
}

function changedText(path: string): string {
  return `${path} changed during the edit, so nothing was written. Read it again and retry.`;
}
