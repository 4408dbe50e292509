import * as vscode from "vscode";
import { errorMessage } from "../../agent/protocol/errors.ts";
import type { SessionHistory, SessionRow } from "./session-history.ts";
import { sessionIcon, stateWords } from "./session-tree.ts";
import { sessionTitle, shortAge } from "./session-words.ts";

/** A search begins when the user has not typed for so long. */
const SEARCH_DELAY_MS = 150;

/** What can be done to a session from the list. */
export interface HistoryActions {
  open(row: SessionRow): Promise<void>;
  openInEditor(row: SessionRow): Promise<void>;
  /** These resolve to whether anything was changed. */
  rename(row: SessionRow): Promise<boolean>;
  remove(row: SessionRow): Promise<boolean>;
  exportPage(row: SessionRow): Promise<void>;
}

interface SessionPick extends vscode.QuickPickItem {
  readonly row?: SessionRow;
  /** Where the next page begins. */
  readonly cursor?: string;
}

const EDITOR: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("link-external"), tooltip: "Open in Editor" };
const RENAME: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("edit"), tooltip: "Rename" };
const EXPORT: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("export"), tooltip: "Export as HTML" };
const DELETE: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("trash"), tooltip: "Delete" };

/** Lists the sessions of the project; what is typed is looked for in all that was said in them. Resolves when the list is closed. */
export async function showHistory(history: SessionHistory, actions: HistoryActions): Promise<void> {
  const pick = vscode.window.createQuickPick<SessionPick>();
  const reader = new ResultReader(pick, history);
  pick.title = "Sessions of This Project";
  pick.placeholder = "Search in names and in all that was said";
  pick.onDidChangeValue(() => reader.readSoon());
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
      if (button === EDITOR) finish(() => actions.openInEditor(row));
      if (button === EXPORT) finish(() => actions.exportPage(row));
      // Their input boxes take the place of the list, which then comes back.
      const again = (isChanged: boolean) => (isChanged ? showHistory(history, actions) : undefined);
      if (button === RENAME) finish(async () => again(await actions.rename(row)));
      if (button === DELETE) finish(async () => again(await actions.remove(row)));
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

/** Fills the list with what the search finds; only the newest search counts. */
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
      this.#pick.title = `Sessions of This Project (${page.total})`;
      this.#pick.busy = false;
    } catch (error) {
      if (generation !== this.#generation) return;
      this.#pick.busy = false;
      this.#pick.items = [{ label: "The sessions could not be read", detail: errorMessage(error), alwaysShow: true }];
    }
  }
}

function picksOf(rows: readonly SessionRow[], cursor: string | undefined, total: number): SessionPick[] {
  if (rows.length === 0) return [{ label: "Nothing was found", alwaysShow: true }];
  const picks = rows.map(pickOf);
  if (cursor === undefined) return picks;
  return [...picks, { label: `Show More (${total - rows.length} left)`, alwaysShow: true, cursor }];
}

function pickOf(row: SessionRow): SessionPick {
  const { summary } = row;
  const age = shortAge(summary.modifiedAt, Date.now());
  const words = stateWords(row);
  const detail = summary.problem ?? summary.match?.text ?? "";
  return {
    row,
    label: `$(${sessionIcon(row).id}) ${sessionTitle(summary)}`,
    description: words === "" ? age : `${age} · ${words}`,
    ...(detail === "" ? {} : { detail }),
    alwaysShow: true,
    buttons: summary.problem === undefined ? [EDITOR, RENAME, EXPORT, DELETE] : [DELETE],
  };
}
