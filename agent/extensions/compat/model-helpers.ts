import { Type } from "typebox";

/** One of several texts, in the form that every provider understands. */
function StringEnum(values: readonly string[], options: { description?: string; default?: string } = {}) {
  return Type.Unsafe({ type: "string", enum: [...values], ...options });
}

/** What extensions may import of pi's model library without calling a model. */
export const modelHelpers = { Type, StringEnum };
