import * as vscode from "vscode";
import { errorMessage } from "../../agent/protocol/errors.ts";
import { t } from "../../webview/l10n.ts";
import type { AddCommand } from "../doors/context-menus/add-to-chat.ts";
import { findOffered, OFFERED_TOOLS } from "../doors/offered-tools/offered-tools.ts";
import { CODE_ACTION_KINDS, codeActions } from "../doors/problems/problem-actions.ts";
import type { CodeTask } from "../doors/problems/selection-tasks.ts";
import { tabIcon } from "../editor/tab-icon.ts";
import type { Mentions } from "../features/composer/mentions.ts";
import type { SessionHistory } from "../features/sessions/session-history.ts";
import type { ChangeTracker } from "../host/changes/change-tracker.ts";
import type { Chats } from "../window/chats.ts";
import { NoModel } from "../window/quiet-runs.ts";

interface DoorServices {
  readonly context: vscode.ExtensionContext;
  readonly chats: Chats;
  readonly history: SessionHistory;
  readonly mentions: Mentions;
  readonly changes: ChangeTracker;
  readonly log: vscode.LogOutputChannel;
}

type Door = (...args: unknown[]) => Promise<void>;

const ADD_COMMANDS: readonly AddCommand[] = [
  "tiller.addSelection",
  "tiller.addFile",
  "tiller.addChanges",
  "tiller.addTerminal",
  "tiller.addTerminalSelection",
  "tiller.addTest",
  "tiller.addCell",
];

/** Registers the ways into Tiller from other parts of the editor. The code of each is loaded on first use. */
export function registerDoors(services: DoorServices): vscode.Disposable[] {
  const { log } = services;
  /** Wraps a door so that its failures are shown to the user. */
  const guarded =
    (name: string, door: Door): Door =>
    async (...args) => {
      try {
        await door(...args);
      } catch (error) {
        log.error(`${name} failed: ${errorMessage(error)}`);
        void showError(error);
      }
    };
  const command = (id: string, door: Door) => vscode.commands.registerCommand(id, guarded(id, door));
  const ask = (task: "fix" | "explain"): Door => {
    return async (place) =>
      (await import("../doors/problems/ask-about-problem.ts")).askAboutProblem(task, place, services);
  };
  const onCode = (task: CodeTask): Door => {
    return async (place) => (await import("../doors/problems/selection-tasks.ts")).runCodeTask(task, place, services);
  };
  const commands: Record<string, Door> = {
    "tiller.fixProblem": ask("fix"),
    "tiller.explainProblem": ask("explain"),
    "tiller.editLines": async () => (await import("../doors/problems/edit-lines.ts")).editLines(services),
    "tiller.explain": onCode("explain"),
    "tiller.fix": onCode("fix"),
    "tiller.addTests": onCode("add-tests"),
    "tiller.document": onCode("document"),
    "tiller.generateCommitMessage": async (source) =>
      (await import("../doors/source-control/commit-message.ts")).generateCommitMessage(source, services.chats),
    "tiller.reviewGitChanges": async (source) => {
      const { chats, context } = services;
      const { reviewChanges } = await import("../doors/source-control/review-changes.ts");
      await reviewChanges(source, { chats, subscriptions: context.subscriptions });
    },
    "tiller.clearFindings": async () => (await import("../doors/source-control/review-changes.ts")).clearFindings(),
    "tiller.createPullRequestText": async (source) =>
      (await import("../doors/source-control/pull-request.ts")).createPullRequestText(source, services.chats),
    "tiller.copyPullRequestText": async (uri) =>
      (await import("../doors/source-control/pull-request.ts")).copyPullRequestText(uri),
  };
  const openLink = guarded("A link", async (uri) => {
    if (uri instanceof vscode.Uri) await (await import("../doors/links/open-link.ts")).openLink(uri, services);
  });
  return [
    ...ADD_COMMANDS.map((id) =>
      command(id, async (...args) =>
        (await import("../doors/context-menus/add-to-chat.ts")).addToChat(id, args, services),
      ),
    ),
    ...Object.entries(commands).map(([id, door]) => command(id, door)),
    vscode.languages.registerCodeActionsProvider({ scheme: "file" }, codeActions, {
      providedCodeActionKinds: CODE_ACTION_KINDS,
    }),
    vscode.window.registerUriHandler({ handleUri: openLink }),
    participant(services),
    ...offeredTools(services),
  ];
}

async function showError(error: unknown): Promise<void> {
  if (!(error instanceof NoModel)) return void vscode.window.showErrorMessage(errorMessage(error));
  const setUp = t("Set Up a Model");
  const chosen = await vscode.window.showErrorMessage(error.message, setUp);
  if (chosen === setUp) await vscode.commands.executeCommand(error.command);
}

/** Registers `@tiller` in the editor's own chat. */
function participant({ context, chats }: DoorServices): vscode.Disposable {
  const made = vscode.chat.createChatParticipant("tiller.agent", async (request, history, stream, token) => {
    const { handleNativeRequest } = await import("../doors/participant/participant.ts");
    return handleNativeRequest(request, history, stream, token, chats);
  });
  made.iconPath = tabIcon(context.extensionUri);
  made.followupProvider = {
    provideFollowups: async (result) => (await import("../doors/participant/participant.ts")).nativeFollowups(result),
  };
  return made;
}

/** Registers our read-only editor tools for other agents in the editor. */
function offeredTools({ chats, log }: DoorServices): vscode.Disposable[] {
  const toolOf = (own: string) => findOffered(chats.hostTools.everything, own);
  const load = () => import("../doors/offered-tools/run-offered-tool.ts");
  return [...OFFERED_TOOLS].map(([name, own]) =>
    vscode.lm.registerTool<object>(name, {
      prepareInvocation: async ({ input }) => (await load()).prepareOfferedTool(input),
      invoke: async ({ input }, token) => (await load()).runOfferedTool(toolOf(own), input, token, log),
    }),
  );
}
