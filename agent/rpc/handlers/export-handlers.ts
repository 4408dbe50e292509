import { AgentError } from "../../protocol/errors.ts";
import type { Handlers } from "./handler.ts";
import type { Services } from "./services.ts";

/** The command that writes the session as a page. */
export function exportHandlers({ session }: Services) {
  return {
    async export_html({ outputPath }) {
      const { conversation, options } = session;
      if (conversation.file === undefined) {
        throw new AgentError("invalid_request", "Cannot export in-memory session to HTML");
      }
      const page = {
        header: conversation.header,
        entries: conversation.entries.map((entry) => ({ entry, known: conversation.known(entry.id) })),
        leafId: conversation.leafId,
        secrets: options.registry.secrets(),
      };
      const { exportSession, nothingToExport } = await import("../../session/export/export-file.ts");
      if (!conversation.isSaved) throw nothingToExport();
      const target = { sessionFile: conversation.file, cwd: options.cwd, outputPath };
      return { data: { path: await exportSession(page, target) } };
    },
  } satisfies Partial<Handlers>;
}
