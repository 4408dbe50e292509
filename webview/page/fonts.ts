import type { PanelUi } from "../protocol/ui.ts";

/** From this size on, in CSS pixels, there is no room for several things in a row. */
const LARGE_SIZE = 18;

/** Gives the page the fonts that the user has set for chats; what is not set, or is no font, stays as the editor has it. */
export function applyFonts(fonts: PanelUi["fonts"] = {}): void {
  const { size, family, codeSize, codeFamily, codeWeight } = fonts;
  set("--chat-size", "font-size", size === undefined ? undefined : `${size}px`);
  document.documentElement.classList.toggle("has-large-text", size !== undefined && size >= LARGE_SIZE);
  set("--chat-family", "font-family", family);
  set("--chat-code-size", "font-size", codeSize === undefined ? undefined : `${codeSize}px`);
  set("--chat-code-family", "font-family", codeFamily);
  set("--chat-code-weight", "font-weight", codeWeight);
}

function set(variable: string, property: string, value: string | undefined): void {
  const { style } = document.documentElement;
  if (value !== undefined && CSS.supports(property, value)) style.setProperty(variable, value);
  else style.removeProperty(variable);
}
