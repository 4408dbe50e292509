/** A match of a text with the start of a template. */
export interface TemplateFit {
  /** True if the text is a whole URI of the template. */
  isWhole: boolean;
  /** The variable at the end of the text. */
  open?: {
    name: string;
    value: string;
    /** Replaces its value, and adds the rest of the template up to the next variable. */
    complete(value: string): { uri: string; isWhole: boolean };
  };
}

/** Returns the part of a template before its first variable. */
export function fixedStart(template: string): string {
  return template.split("{", 1)[0] ?? "";
}

/** Matches a text with the start of a template. @returns undefined if they differ. */
export function fitTemplate(template: string, text: string): TemplateFit | undefined {
  const parts = template.split(/\{([^{}]*)\}/); // fixed text, variable, fixed text, …
  let at = 0;
  let open: TemplateFit["open"];
  for (const [index, part] of parts.entries()) {
    if (index % 2 === 0) {
      if (!text.startsWith(part, at)) {
        return part.startsWith(text.slice(at)) ? { isWhole: false, ...(open && { open }) } : undefined;
      }
      at += part.length;
      if (part !== "") open = undefined;
      continue;
    }
    const next = parts[index + 1] ?? "";
    const end = next === "" ? text.length : text.indexOf(next, at);
    const value = text.slice(at, end === -1 ? text.length : end);
    const before = text.slice(0, at);
    const isLast = index + 2 >= parts.length;
    open = {
      name: variableName(part),
      value,
      complete: (given) => ({ uri: `${before}${encode(part, given)}${next}`, isWhole: isLast }),
    };
    at += value.length;
    if (end === -1) return { isWhole: false, open };
  }
  if (at !== text.length) return undefined;
  return { isWhole: open === undefined || open.value !== "", ...(open && { open }) };
}

/** Returns the name in an expression, which may also have an operator before it, further names, and a modifier. */
function variableName(expression: string): string {
  return /[\w.%-]+/.exec(expression)?.[0] ?? expression;
}

function encode(expression: string, value: string): string {
  return /^[+#]/.test(expression) ? encodeURI(value) : encodeURIComponent(value);
}
