import * as vscode from "vscode";
import { errorMessage } from "../../../agent/protocol/errors.ts";
import { t } from "../../../webview/l10n.ts";
import type { SessionHistory, SessionRow } from "./session-history.ts";
import { sessionIcon, stateWords } from "./session-items.ts";
import { sessionTitle, shortAge } from "./session-words.ts";

/** Delay between the last keystroke and a search, in milliseconds. */
const SEARCH_DELAY_MS = 150;

/** Actions on a session of the list. */
export interface HistoryActions {
  open(row: SessionRow): Promise<void>;
  openInEditor(row: SessionRow): Promise<void>;
  /** `rename` and `remove` resolve to true when anything was changed. */
  rename(row: SessionRow): Promise<boolean>;
  remove(row: SessionRow): Promise<boolean>;
  exportPage(row: SessionRow): Promise<void>;
}

interface SessionPick extends vscode.QuickPickItem {
  readonly row?: SessionRow;
  /** The start of the next page. */
  readonly cursor?: string;
}

interface RowButtons {
  readonly editor: vscode.QuickInputButton;
  readonly rename: vscode.QuickInputButton;
  readonly export: vscode.QuickInputButton;
  readonly remove: vscode.QuickInputButton;
}

let made: RowButtons | undefined;

/** Returns the buttons of a line: always the same objects, since they are told apart by identity. */
function rowButtons(): RowButtons {
  const icon = (name: string) => new vscode.ThemeIcon(name);
  made ??= {
    editor: { iconPath: icon("link-external"), tooltip: t("Open in Editor") },
    rename: { iconPath: icon("edit"), tooltip: t("Rename") },
    export: { iconPath: icon("export"), tooltip: t("Export") },
    remove: { iconPath: icon("trash"), tooltip: t("Delete") },
  };
  return made;
}

/** Lists the sessions of the project and searches everything said in them. Resolves when the list is closed. */
export async function showHistory(history: SessionHistory, actions: HistoryActions): Promise<void> {
  const pick = vscode.window.createQuickPick<SessionPick>();
  const reader = new ResultReader(pick, history);
  pick.title = t("Sessions in This Workspace");
  pick.placeholder = t("Search session names and messages");
  pick.matchOnDetail = true; // marks what was searched for
  pick.onDidChangeValue(() => reader.readSoon());
  const buttons = rowButtons();
  const chosen = new Promise<(() => Promise<unknown>) | undefined>((resolve) => {
    const finish = (action: () => Promise<unknown>) => {
      resolve(action);
      pick.hide();
    };
    pick.onDidAccept(() => {
      const [item] = pick.selectedItems;
      const row = item?.row;
      if (item?.cursor !== undefined) reader.readMore(item.cursor);
      else if (row !== undefined && row.summary.problem === undefined) finish(() => actions.open(row));
    });
    pick.onDidTriggerItemButton(({ button, item: { row } }) => {
      if (row === undefined) return;
      if (button === buttons.editor) finish(() => actions.openInEditor(row));
      if (button === buttons.export) finish(() => actions.exportPage(row));
      // Their input boxes replace the list, which is then shown again.
      const again = (isChanged: boolean) => (isChanged ? showHistory(history, actions) : undefined);
      if (button === buttons.rename) finish(async () => again(await actions.rename(row)));
      if (button === buttons.remove) finish(async () => again(await actions.remove(row)));
    });
    pick.onDidHide(() => resolve(undefined));
  });
  pick.show();
  reader.readNow();
  const action = await chosen;
  reader.stop();
  pick.dispose();
  await action?.();
}

/** Fills the list with the results of a search; only the latest search counts. */
class ResultReader {
  readonly #pick: vscode.QuickPick<SessionPick>;
  readonly #history: SessionHistory;
  #timer: NodeJS.Timeout | undefined;
  #generation = 0;
  #rows: readonly SessionRow[] = [];

  constructor(pick: vscode.QuickPick<SessionPick>, history: SessionHistory) {
    this.#pick = pick;
    this.#history = history;
  }

  readSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.readNow(), SEARCH_DELAY_MS);
  }

  readNow(): void {
    this.#rows = [];
    void this.#read(undefined);
  }

  readMore(cursor: string): void {
    void this.#read(cursor);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#generation += 1;
  }

  async #read(cursor: string | undefined): Promise<void> {
    this.#generation += 1;
    const generation = this.#generation;
    this.#pick.busy = true;
    try {
      const page = await this.#history.list({ query: this.#pick.value.trim(), cursor });
      if (page === undefined || generation !== this.#generation) return;
      this.#rows = [...this.#rows, ...page.rows];
      this.#pick.items = picksOf(this.#rows, page.nextCursor, page.total);
      this.#pick.title = t("Sessions in This Workspace ({0})", page.total);
      this.#pick.busy = false;
    } catch (error) {
      if (generation !== this.#generation) return;
      this.#pick.busy = false;
      this.#pick.items = [{ label: t("Couldn't load sessions"), detail: errorMessage(error), alwaysShow: true }];
    }
  }
}

function picksOf(rows: readonly SessionRow[], cursor: string | undefined, total: number): SessionPick[] {
  if (rows.length === 0) return [{ label: t("No matching sessions"), alwaysShow: true }];
  const picks = rows.map(pickOf);
  if (cursor === undefined) return picks;
  return [...picks, { label: t("Show More ({0} left)", total - rows.length), alwaysShow: true, cursor }];
}

function pickOf(row: SessionRow): SessionPick {
  const { summary } = row;
  const { editor, rename, remove, export: exportButton } = rowButtons();
  const age = shortAge(summary.modifiedAt, Date.now());
  const words = stateWords(row);
  const title = sessionTitle(summary);
  const found = summary.match?.text ?? "";
  const detail = summary.problem ?? (found === title ? "" : found);
  return {
    row,
    label: `$(${sessionIcon(row).id}) ${title}`,
    description: words === "" ? age : `${age} · ${words}`,
    ...(detail === "" ? {} : { detail }),
    alwaysShow: true,
    buttons: summary.problem === undefined ? [editor, rename, exportButton, remove] : [remove],
  };
}
