/** Tests that cannot mean anything on Windows, or not under Wine: files or single titles, with the reason. */
export const LISTED: readonly { file: string; title?: string; why: string }[] = [];
