import { sep } from "node:path";
import * as vscode from "vscode";
import * as z from "zod";
import { describeUri } from "../../../editor/workspace-files.ts";
import { findFile, newFile } from "../find-file.ts";
import { defineHostTool, HostToolFailed } from "../host-tool.ts";
import { FollowingEdits } from "./following-edits.ts";

const pathArgument = z.string().min(1);

/** Creates a file through the editor. */
export const createFile = defineHostTool({
  name: "vscode_create_file",
  label: "Create file",
  description: "Creates a file so that extensions notice it. For plain files, use write.",
  isReadOnly: false,
  paths: [{ argument: "path", access: "write" }],
  approval: "edit",
  input: z.object({ path: pathArgument, content: z.string().default("") }),
  async run({ path, content }, context) {
    const uri = newFile(path, context.folder);
    if (await exists(uri)) {
      throw new HostToolFailed(`${describeUri(uri)} already exists. Change it with edit, or use another name.`);
    }
    const edit = new vscode.WorkspaceEdit();
    edit.createFile(uri, { contents: Buffer.from(content), overwrite: false });
    await context.recordChanges([uri.fsPath], () => apply(edit, `${describeUri(uri)} could not be created.`));
    return `Created ${describeUri(uri)}.`;
  },
});

/** Renames or moves a file. */
export const moveFile = defineHostTool({
  name: "vscode_move_file",
  label: "Move file",
  description: "Moves or renames a file or folder, and updates imports where the user's settings allow.",
  isReadOnly: false,
  paths: [
    { argument: "path", access: "move" },
    { argument: "to", access: "write" },
  ],
  approval: "edit",
  input: z.object({ path: pathArgument, to: z.string().min(1).describe("the new path") }),
  async run({ path, to }, context) {
    const from = await findAny(path, context.folder);
    const target = newFile(to, context.folder);
    if (await exists(target)) throw new HostToolFailed(`${describeUri(target)} already exists. Use another name.`);
    const edit = new vscode.WorkspaceEdit();
    edit.renameFile(from, target, { overwrite: false });
    const followers = await context.recordChanges([], async () => {
      const edits = new FollowingEdits();
      try {
        await apply(edit, `${describeUri(from)} could not be moved.`);
        return await edits.saved(context.token);
      } finally {
        edits.dispose();
      }
    });
    const others = followers.join(", ");
    const rest = others === "" ? "No other file changed." : `Changed with it: ${others}.`;
    return `Moved ${describeUri(from)} to ${describeUri(target)}. ${rest}`;
  },
});

/** Moves a file to the trash. */
export const deleteFile = defineHostTool({
  name: "vscode_delete_file",
  label: "Delete file",
  description: "Deletes a file or folder so that the user can restore it.",
  isReadOnly: false,
  paths: [{ argument: "path", access: "delete" }],
  input: z.object({ path: pathArgument }),
  async run({ path }, context) {
    const uri = await findAny(path, context.folder);
    refuseUnsaved(uri);
    const edit = new vscode.WorkspaceEdit();
    edit.deleteFile(uri, { recursive: true });
    await context.recordChanges([], () => apply(edit, `${describeUri(uri)} could not be deleted.`));
    return `Deleted ${describeUri(uri)}.`;
  },
});

async function apply(edit: vscode.WorkspaceEdit, failure: string): Promise<void> {
  if (!(await vscode.workspace.applyEdit(edit))) throw new HostToolFailed(failure);
}

/** Finds a file or folder, except the window's own folders. */
async function findAny(path: string, folder: string): Promise<vscode.Uri> {
  const uri = newFile(path, folder);
  if (vscode.workspace.workspaceFolders?.some((own) => own.uri.fsPath === uri.fsPath)) {
    throw new HostToolFailed(`"${path}" is a workspace folder itself. Name something in it.`);
  }
  return (await exists(uri)) ? uri : findFile(path, folder);
}

/** Refuses unsaved files: the editor deletes unsaved changes with the file, and cannot restore them. */
function refuseUnsaved({ fsPath }: vscode.Uri): void {
  const open = [...vscode.workspace.textDocuments, ...vscode.workspace.notebookDocuments];
  const lost = open.filter(
    ({ isDirty, uri }) =>
      isDirty && uri.scheme === "file" && (uri.fsPath === fsPath || uri.fsPath.startsWith(`${fsPath}${sep}`)),
  );
  if (lost.length === 0) return;
  throw new HostToolFailed(
    `The user would lose unsaved changes in ${lost.map(({ uri }) => describeUri(uri)).join(", ")}, so nothing was deleted. Ask the user to save or close it first.`,
  );
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  return vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
}
