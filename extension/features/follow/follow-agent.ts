import type * as vscode from "vscode";
import { errorMessage } from "../../../agent/protocol/errors.ts";
import type { AgentEvent } from "../../../agent/protocol/events.ts";
import type { Chat } from "../../chat/chat.ts";
import type { Chats } from "../../window/chats.ts";
import type { FollowEditor } from "./follow-editor.ts";
import { type FollowTarget, FollowTargets } from "./follow-target.ts";
import { Follower } from "./follower.ts";

const KEY = "tiller.follow";

interface FollowParts {
  readonly chats: Chats;
  /** Stores for this workspace whether the agent is followed. */
  readonly store: vscode.Memento;
  readonly log: vscode.LogOutputChannel;
}

/**
 * Shows the place where the agent of the focused chat works, even while that chat is hidden: users who give the editor all the room still want
 * to watch.
 */
export class FollowAgent implements vscode.Disposable {
  readonly #parts: FollowParts;
  readonly #follower: Follower<{ readonly target: FollowTarget; readonly folder: string }>;
  readonly #subscriptions: vscode.Disposable[];
  #editor: Promise<FollowEditor> | undefined;

  constructor(parts: FollowParts) {
    this.#parts = parts;
    const { chats, store, log } = parts;
    this.#follower = new Follower(store.get<unknown>(KEY) === true, {
      show: ({ target, folder }) =>
        this.#load()
          .then((editor) => editor.show(target, folder))
          .catch((error: unknown) => log.warn(`The agent could not be followed: ${errorMessage(error)}`)),
      changed: () => this.#tell(),
    });
    this.#subscriptions = [
      chats.onDidTell(({ chat, event }) => this.#observe(chat, event)),
      chats.onDidChange(() => this.#tell()),
    ];
    this.#tell();
  }

  /** Starts or stops following, and stores the choice. */
  async toggle(): Promise<void> {
    this.#follower.toggle();
    if (this.#follower.state === "off") await this.#fade();
    await this.#parts.store.update(KEY, this.#follower.state !== "off");
  }

  dispose(): void {
    this.#follower.dispose();
    for (const subscription of this.#subscriptions) subscription.dispose();
    void this.#editor?.then((editor) => editor.dispose());
  }

  #observe(chat: Chat, event: AgentEvent): void {
    const target = chat.parts.of(FollowTargets).read(event);
    if (chat !== this.#parts.chats.focused) return;
    if (event.type === "agent_start") this.#follower.begin();
    if (event.type === "agent_settled") void this.#fade();
    if (target !== undefined) this.#follower.arrive({ target, folder: chat.session.folder });
  }

  /** Loads the editor part when the first place is shown. */
  #load(): Promise<FollowEditor> {
    this.#editor ??= import("./follow-editor.ts").then(
      (module) => new module.FollowEditor({ busy: () => this.#follower.pause(), left: () => this.#follower.resume() }),
    );
    return this.#editor;
  }

  async #fade(): Promise<void> {
    (await this.#editor)?.fade();
  }

  /** Updates the state of the button on every page. */
  #tell(): void {
    const follow = this.#follower.state;
    for (const { transcript } of this.#parts.chats.hub.chats) {
      if (transcript.ui.follow !== follow) transcript.dispatch({ type: "host_ui", ui: { follow } });
    }
  }
}
