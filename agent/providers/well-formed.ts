const LONE_SURROGATE = /\p{Surrogate}/gu;

/** The text without halves of characters, which services refuse. */
export function wellFormed(text: string): string {
  return text.replace(LONE_SURROGATE, "\ufffd");
}
