import { applyEdits, findNodeAtLocation, getNodeValue, modify, type ParseError, parseTree } from "jsonc-parser";
import * as z from "zod";
import { t } from "../../../webview/l10n.ts";

/** A model of a server that speaks chat completions, as `models.json` names it. */
export interface NewModel {
  readonly provider: string;
  readonly baseUrl: string;
  /** The name of the environment variable with the key; absent for a server without one. */
  readonly apiKey?: string | undefined;
  readonly id: string;
}

const FORMATTING = { formattingOptions: { insertSpaces: true, tabSize: 2 } };
const Models = z.array(z.looseObject({ id: z.string() })).catch([]);

/**
 * Adds a model to the text of `models.json`, and its provider if that is new; comments and everything else stay. A model that is there already
 * changes nothing. @throws Error if the text is no JSON with comments.
 */
export function addModel(text: string, { provider, baseUrl, apiKey, id }: NewModel): string {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  if (text.trim() !== "" && (tree === undefined || errors.length > 0)) {
    throw new Error(t("models.json has mistakes. Fix them, then try again."));
  }
  const path = ["providers", provider];
  const entry = tree && findNodeAtLocation(tree, path);
  if (entry === undefined) {
    const value = { baseUrl, api: "openai-completions", ...(apiKey === undefined ? {} : { apiKey }), models: [{ id }] };
    return applyEdits(text, modify(text, path, value, FORMATTING));
  }
  const list = findNodeAtLocation(entry, ["models"]);
  const models = Models.parse(list === undefined ? [] : getNodeValue(list));
  if (models.some((model) => model.id === id)) return text;
  if (list === undefined) return applyEdits(text, modify(text, [...path, "models"], [{ id }], FORMATTING));
  const place = [...path, "models", models.length];
  return applyEdits(text, modify(text, place, { id }, { ...FORMATTING, isArrayInsertion: true }));
}
