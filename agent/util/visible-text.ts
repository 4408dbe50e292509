/** Characters that cannot be seen, break lines or turn the direction of text, and letters that look like nothing. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;
const ALL_INVISIBLE = new RegExp(INVISIBLE, "gu");

/** True if people may read a text for another one than it is. */
export function hasInvisible(text: string): boolean {
  return INVISIBLE.test(text);
}

/** Returns a text on one line with all characters visible; long space, which would push the rest out of sight, is shortened. */
export function visibleLine(text: string): string {
  return text.replace(ALL_INVISIBLE, " ").replace(/\s{2,}/g, " ");
}
