import * as z from "zod";
import { describeUri } from "../../../editor/workspace-files.ts";
import { defineHostTool } from "../host-tool.ts";
import { count, listText, nextArgument } from "../listing.ts";
import { filesLike } from "./files-like.ts";

const MAX_FILES = 2_000;

/** Finds files by name, as the editor sees the workspace. */
export const findFiles = defineHostTool({
  name: "vscode_find_files",
  label: "Find files",
  description: "Lists files by glob, as the editor's search sees them.",
  isReadOnly: true,
  input: z.object({
    glob: z.string().min(1).describe("such as **/*.test.ts"),
    exclude: z.string().min(1).optional(),
    gitIgnored: z.boolean().optional(),
    next: nextArgument,
  }),
  async run({ glob, exclude, gitIgnored, next }, { token }) {
    const { files, ignored } = await filesLike(glob, { exclude, gitIgnored }, token);
    const lines = files.slice(0, MAX_FILES).map(describeUri).sort();
    const number = files.length > MAX_FILES ? `More than ${MAX_FILES} files` : count(lines.length, "file");
    const rest = ignored === 0 ? "" : `, without ${ignored} that git ignores (gitIgnored lists them)`;
    return listText({ title: `${number} fit "${glob}"${rest}:`, lines, next });
  },
});
