import type { ExportFormat } from "../../protocol/commands.ts";
import { AgentError } from "../../protocol/errors.ts";
import { createRedactor, KEEP_SECRETS, type Redactor } from "../../util/redact.ts";
import type { Services } from "../services/services.ts";
import type { Handlers } from "./handler.ts";

/** The commands that write the session to a file for others. */
export function exportHandlers({ session }: Services) {
  const write = async (format: ExportFormat, outputPath: string | undefined, { redact }: Redactor) => {
    const { conversation, options } = session;
    const page = {
      header: conversation.header,
      entries: conversation.entries.map((entry) => ({ entry, known: conversation.known(entry.id) })),
      leafId: conversation.leafId,
      redact,
    };
    const { file, isSaved } = conversation;
    const { exportSession, nothingToExport } = await import("../../session/export/export-file.ts");
    if (!isSaved) throw nothingToExport();
    return exportSession(page, { sessionFile: file, cwd: options.cwd, outputPath, format });
  };
  const hiding = () => createRedactor(session.options.registry.secrets());
  return {
    async export_html({ outputPath }) {
      if (session.conversation.file === undefined) {
        throw new AgentError("invalid_request", "Cannot export in-memory session to HTML");
      }
      return { data: { path: await write("html", outputPath, hiding()) } };
    },
    async export_session({ format, outputPath, keepSecrets }) {
      const redactor = keepSecrets === true ? KEEP_SECRETS : hiding();
      const path = await write(format, outputPath, redactor);
      return { data: { path, hiddenSecrets: redactor.count() } };
    },
  } satisfies Partial<Handlers>;
}
