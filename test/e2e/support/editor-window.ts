import type { FrameLocator, Locator, Page } from "playwright-core";
import type { ExtensionHost, HostFunction } from "./host-bridge.ts";

const EXTENSION_ID = "tiller-dev.tiller";

/** One window of the editor: the markup that is VS Code's own is known here only. */
export class EditorWindow {
  readonly page: Page;
  /** The warnings and errors in the browser's console since the window was opened. */
  readonly consoleProblems: readonly string[];
  #host: ExtensionHost;
  readonly #load: (navigate: () => Promise<unknown>) => Promise<ExtensionHost>;

  constructor(
    page: Page,
    {
      host,
      load,
      consoleProblems,
    }: {
      readonly host: ExtensionHost;
      readonly load: (navigate: () => Promise<unknown>) => Promise<ExtensionHost>;
      readonly consoleProblems: readonly string[];
    },
  ) {
    this.page = page;
    this.consoleProblems = consoleProblems;
    this.#host = host;
    this.#load = load;
  }

  /** The chat page. */
  get chat(): FrameLocator {
    return this.page.frameLocator(`iframe.webview[src*="extensionId=${EXTENSION_ID}"]`).frameLocator("#active-frame");
  }

  get composer(): Locator {
    return this.chat.getByRole("textbox", { name: "Message", exact: true });
  }

  get conversation(): Locator {
    return this.chat.getByRole("log", { name: "Chat" });
  }

  /** The entries of the quick pick that is open. */
  quickPickOption(name: string | RegExp): Locator {
    return this.page.locator(".quick-input-list").getByRole("option", { name });
  }

  /** Returns the entries that a search leaves. */
  get quickPickRows(): Locator {
    return this.quickInput.locator(".monaco-list-row");
  }

  get quickInput(): Locator {
    return this.page.locator(".quick-input-widget");
  }

  get dialog(): Locator {
    return this.page.getByRole("dialog");
  }

  get statusBar(): Locator {
    return this.page.locator(".statusbar");
  }

  notification(text: string | RegExp): Locator {
    return this.page.locator(".notification-toast").filter({ hasText: text });
  }

  editorTab(name: string | RegExp): Locator {
    return this.page.locator(".tabs-container").getByRole("tab", { name });
  }

  /** The view in which the user selects which parts of an edit are applied. */
  get refactorPreview(): Locator {
    return this.page.locator(".bulk-edit-panel");
  }

  /** Brings the chat to the front and waits until one can type in it. */
  async showChat(): Promise<void> {
    await this.evaluate((vscode) => vscode.commands.executeCommand("tiller.focusChat"));
    await this.composer.waitFor();
  }

  /** Ends what a test has left in the window, and begins a new conversation. */
  async tidy(): Promise<void> {
    await this.evaluate(async (vscode) => {
      for (const id of ["workbench.action.closeQuickOpen", "notifications.clearAll", "tiller.stop"])
        await vscode.commands.executeCommand(id);
      for (const document of vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty)) {
        await vscode.window.showTextDocument(document);
        await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
      }
      for (const notebook of vscode.workspace.notebookDocuments.filter(({ isDirty }) => isDirty)) {
        await vscode.window.showNotebookDocument(notebook);
        await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
      }
      await vscode.commands.executeCommand("workbench.action.closeAllEditors");
      await vscode.commands.executeCommand("tiller.newSession");
    });
    await this.conversation.getByRole("article").first().waitFor({ state: "detached" });
    await this.composer.fill("");
  }

  /** Closes the side bar that the chat is in. */
  async hideChat(): Promise<void> {
    await this.evaluate((vscode) => vscode.commands.executeCommand("workbench.action.closeAuxiliaryBar"));
    await this.composer.waitFor({ state: "hidden" });
  }

  /** The card of a tool call: its line, which opens it. */
  toolCard(name: string | RegExp): Locator {
    return this.conversation.getByRole("button", { name });
  }

  /** A question in the conversation. */
  question(title: string | RegExp): Locator {
    return this.conversation.getByRole("group", { name: title });
  }

  /** Answers the pending approval of a tool in the conversation. */
  async approve(toolName: string, answer: string | RegExp): Promise<void> {
    const button = this.question(new RegExp(`^Allow ${toolName}\\?`)).getByRole("button", { name: answer });
    await button.waitFor();
    const handle = await button.elementHandle();
    await handle?.click();
    // The next question may look the same: it must not be this one that is answered once more.
    await handle?.waitForElementState("hidden");
  }

  async send(text: string): Promise<void> {
    await this.composer.fill(text);
    await this.chat.getByRole("button", { name: "Send", exact: true }).click();
    // Out of the way: notifications come up under the pointer, and its hint would cover their buttons.
    await this.page.mouse.move(0, 0);
  }

  /** Runs a command of the palette by its whole title. */
  async runCommand(title: string): Promise<void> {
    await this.page.keyboard.press("F1");
    const box = this.page.locator(".quick-input-widget input.input");
    await box.fill(`>${title}`);
    await this.quickPickOption(title).first().waitFor();
    await box.press("Enter");
  }

  async answerInput(text: string): Promise<void> {
    const box = this.page.locator(".quick-input-widget input.input");
    await box.fill(text);
    await box.press("Enter");
  }

  /** Runs a function in the extension host of this window. */
  evaluate<A = undefined>(run: HostFunction<A | undefined>, argument?: A): Promise<unknown> {
    return this.#host.evaluate(run, argument);
  }

  /** Reloads the window as a person would. */
  async reload(): Promise<void> {
    this.#host = await this.#load(async () => {
      await Promise.all([this.page.waitForEvent("load"), this.runCommand("Developer: Reload Window")]);
    });
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }
}
