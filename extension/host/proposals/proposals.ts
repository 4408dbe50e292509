import * as vscode from "vscode";
import type { EditedChange, SelectRequest } from "../../../agent/protocol/dialogs.ts";
import { t } from "../../../webview/l10n.ts";
import { sidesAhead } from "../../editor/edit-diff.ts";
import { textOf, uriOf } from "../../editor/file-text.ts";
import { PROPOSAL_SCHEME, ProposalFiles } from "./proposal-files.ts";

interface Proposal {
  readonly left: vscode.Uri;
  readonly right: vscode.Uri;
  readonly title: string;
  /** The file as it was shown. */
  readonly before: string;
  /** The agent's proposal, as the editor would write it; undefined when it cannot be edited. */
  readonly proposed: string | undefined;
}

interface ProposalPorts {
  /** Called when the user has edited a proposal, or reverted the edit. */
  edited(requestId: string, isEdited: boolean): void;
  /** Called when a used document could not be closed. */
  failed(error: unknown): void;
}

/** Changes that the agent asks about, as diffs whose right side the user may edit before allowing them. */
export class Proposals implements vscode.Disposable {
  readonly #ports: ProposalPorts;
  readonly #files = new ProposalFiles();
  readonly #open = new Map<string, Proposal>();
  /** Proposals that were reported as edited. */
  readonly #edited = new Set<string>();
  #pending: readonly string[] = [];
  readonly #subscriptions: vscode.Disposable[];

  constructor(ports: ProposalPorts) {
    this.#ports = ports;
    const look = ({ uri }: vscode.TextDocument) => {
      if (uri.scheme === PROPOSAL_SCHEME) this.#look(uri.query);
    };
    this.#subscriptions = [
      vscode.workspace.registerFileSystemProvider(PROPOSAL_SCHEME, this.#files, { isCaseSensitive: true }),
      vscode.workspace.onDidChangeTextDocument(({ document }) => look(document)),
      vscode.workspace.onDidCloseTextDocument(look),
    ];
    this.#close(({ scheme }) => scheme === PROPOSAL_SCHEME); // left over from an earlier window
  }

  /** Shows the change that a question is about. @throws Error when that is unknown. */
  async show(request: SelectRequest): Promise<void> {
    const known = this.#open.get(request.id);
    const { left, right, title } = known ?? (await this.#create(request));
    await vscode.commands.executeCommand("vscode.diff", left, right, title, { preview: false });
    this.keepOnly(this.#pending); // the question may have been settled meanwhile
  }

  /** Returns the user's version of a proposal; undefined when it was not edited. */
  editedOf(requestId: string): EditedChange | undefined {
    const proposal = this.#open.get(requestId);
    if (proposal?.proposed === undefined) return undefined;
    const text = documentOf(proposal.right)?.getText() ?? this.#files.textOf(proposal.right);
    const after = text === undefined ? undefined : asShown(text);
    return after === undefined || after === proposal.proposed ? undefined : { before: proposal.before, after };
  }

  /** Returns the question of a diff, by default of the one in the active editor. */
  questionOf(uri: vscode.Uri | undefined): string | undefined {
    const shown = uri ?? vscode.window.activeTextEditor?.document.uri;
    return shown?.scheme === PROPOSAL_SCHEME && this.#open.has(shown.query) ? shown.query : undefined;
  }

  /** Closes the diffs of all other questions, since those are settled. */
  keepOnly(requestIds: readonly string[]): void {
    this.#pending = requestIds;
    for (const [id, { left, right }] of [...this.#open]) {
      if (requestIds.includes(id)) continue;
      this.#open.delete(id);
      this.#edited.delete(id);
      this.#close(({ scheme, query }) => scheme === PROPOSAL_SCHEME && query === id, [left, right]);
    }
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  async #create({ id, approval }: SelectRequest): Promise<Proposal> {
    const preview = approval?.preview;
    const file = preview && uriOf(preview.path);
    const sides = preview && file && sidesAhead(preview.patch, await textOf(file));
    if (file === undefined || sides === undefined)
      throw new Error(t("This change is no longer available. Open the file instead."));
    const side = (authority: string) =>
      vscode.Uri.from({ scheme: PROPOSAL_SCHEME, authority, path: `/${file.path.replace(/^\//, "")}`, query: id });
    const [left, right] = [side("before"), side("after")];
    this.#files.put(left, sides.before, true);
    this.#files.put(right, sides.after, !sides.isWhole);
    const name = vscode.workspace.asRelativePath(file);
    const title = sides.isWhole ? t("{0} (proposed change, editable)", name) : t("{0} (proposed change)", name);
    // Read as it was written here, whatever encoding the user's settings have.
    await vscode.workspace.openTextDocument(left, { encoding: "utf8" });
    const document = await vscode.workspace.openTextDocument(right, { encoding: "utf8" });
    const proposed = sides.isWhole ? asShown(document.getText()) : undefined;
    const proposal = { left, right, title, before: sides.before, proposed };
    this.#open.set(id, proposal);
    return proposal;
  }

  #look(requestId: string): void {
    const isEdited = this.editedOf(requestId) !== undefined;
    if (isEdited === this.#edited.has(requestId)) return;
    if (isEdited) this.#edited.add(requestId);
    else this.#edited.delete(requestId);
    this.#ports.edited(requestId, isEdited);
  }

  #close(isMeant: (uri: vscode.Uri) => boolean, files: readonly vscode.Uri[] = []): void {
    closeTabs(isMeant)
      .catch(this.#ports.failed)
      .finally(() => {
        for (const uri of files) this.#files.remove(uri);
      });
  }
}

/** Closes tabs after saving them in memory, so that the editor does not ask. */
async function closeTabs(isMeant: (uri: vscode.Uri) => boolean): Promise<void> {
  const tabs = vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .filter(({ input }) => {
      if (input instanceof vscode.TabInputTextDiff) return isMeant(input.modified);
      return input instanceof vscode.TabInputText && isMeant(input.uri);
    });
  if (tabs.length === 0) return;
  const unsaved = vscode.workspace.textDocuments.filter(({ isDirty, uri }) => isDirty && isMeant(uri));
  await Promise.all(unsaved.map((document) => document.save()));
  await vscode.window.tabGroups.close(tabs, true);
}

/** Normalizes a text as an editor does: without byte order mark, and with LF line ends. */
function asShown(text: string): string {
  return text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
}

function documentOf(uri: vscode.Uri): vscode.TextDocument | undefined {
  const key = uri.toString();
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === key && !document.isClosed);
}
