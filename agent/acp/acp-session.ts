import type { ContentBlock, PromptResponse, SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk";
import { type CustomTool, CustomTools, toolDefinition } from "../client/custom-tools.ts";
import { DialogAnswers, isDialog } from "../client/dialog-answers.ts";
import type { FrameClient, RpcListeners } from "../client/frame-client.ts";
import type { CommandResult } from "../protocol/commands.ts";
import type { ImageContent } from "../protocol/content.ts";
import type { UiRequest } from "../protocol/dialogs.ts";
import { errorMessage } from "../protocol/errors.ts";
import type { AgentEvent } from "../protocol/events.ts";
import { SessionDialogs } from "./asks/session-dialogs.ts";
import { TextQuestions } from "./asks/text-questions.ts";
import { ClientFiles } from "./client/client-files.ts";
import type { ClientLink } from "./client/client-link.ts";
import { terminalTools } from "./client/client-terminals.ts";
import { configOptions, modeState } from "./config-options.ts";
import { type AgentSurroundings, LocalAgent, type Pace } from "./local-agent.ts";
import { readPrompt } from "./prompt-blocks.ts";
import { SessionChoices } from "./session-choices.ts";
import { ownCommand, SessionFacts } from "./session-facts.ts";
import { Turns } from "./turns.ts";
import { EventUpdates } from "./updates/event-updates.ts";
import { planUpdate } from "./updates/plan.ts";
import { replay } from "./updates/replay.ts";
import { SessionFeed } from "./updates/session-feed.ts";

/** What the client is told of a session that it opens. */
export interface OpenedSession {
  modes: SessionModeState;
  configOptions: SessionConfigOption[];
}

interface SessionParts {
  link: ClientLink;
  pace: Pace;
  cwd: string;
}

/** One session of a client. */
export class AcpSession {
  /** Selects modes, models, and thinking levels. */
  readonly choices: SessionChoices;
  readonly #link: ClientLink;
  readonly #cwd: string;
  readonly #feed: SessionFeed;
  readonly #agent: LocalAgent;
  readonly #updates: EventUpdates;
  readonly #turns: Turns;
  readonly #questions: TextQuestions;
  readonly #files: ClientFiles;
  readonly #dialogs: DialogAnswers;
  readonly #tools: CustomTools;
  readonly #facts: SessionFacts;
  #id = "";

  constructor({ link, pace, cwd }: SessionParts) {
    this.#link = link;
    this.#cwd = cwd;
    const sessionId = () => this.#id;
    this.#feed = new SessionFeed(link);
    this.#updates = new EventUpdates(this.#feed, cwd);
    this.#agent = new LocalAgent(pace, this.#listeners());
    const { client } = this.#agent;
    this.#turns = new Turns(() => client.request("abort", {}));
    this.#questions = new TextQuestions(this.#feed, () => this.#turns.pause());
    const { calls } = this.#updates;
    this.#files = new ClientFiles({ link, sessionId, onChange: (id, change) => calls.showChange(id, change) });
    const asks = { link, sessionId, calls, files: this.#files, texts: this.#questions };
    this.#dialogs = new DialogAnswers(
      new SessionDialogs(asks),
      (id, answer) => client.answer(id, answer),
      (error) => this.#feed.notice("error", "A question couldn't be asked.", errorMessage(error)),
    );
    this.#tools = new CustomTools((frame) => client.send(frame));
    this.#facts = new SessionFacts(client, this.#feed);
    this.choices = new SessionChoices(client, this.#facts);
  }

  /** The ID by which the client and the session file know it. */
  get id(): string {
    return this.#id;
  }

  /** Resolves when it has ended, whoever ended it. */
  get ended(): Promise<void> {
    return this.#agent.ended;
  }

  get #client(): FrameClient {
    return this.#agent.client;
  }

  /** @throws UsageError or AgentError when the session cannot be opened. */
  async start(surroundings: AgentSurroundings): Promise<void> {
    await this.#agent.start(surroundings);
    this.#id = (await this.#facts.state()).sessionId;
    const tools = [...this.#files.tools(), ...this.#terminals()];
    await this.#client.request("set_host_tools", { tools: tools.map(toolDefinition) });
    this.#tools.replace(tools);
  }

  /** True if a model can answer. */
  async hasModel(): Promise<boolean> {
    const { models } = await this.#client.request("get_available_models", {});
    return models.length > 0;
  }

  /** Sends the whole conversation to the client. */
  async replay(): Promise<void> {
    this.#feed.open(this.#id);
    const { messages } = await this.#client.request("get_messages", {});
    replay(messages, this.#feed, this.#cwd);
    const { todoPhases } = await this.#facts.state();
    if (todoPhases.length > 0) this.#feed.send(planUpdate(todoPhases));
  }

  /** Returns what can be chosen. */
  async describe(): Promise<OpenedSession> {
    const choices = await this.#facts.firstChoices();
    return { modes: modeState(choices), configOptions: configOptions(choices) };
  }

  /** From here on, the client gets updates, beginning with what it should know. */
  open(): void {
    this.#feed.open(this.#id);
    void this.#facts.tell();
  }

  /** Resolves when the run of the prompt is over. @throws RequestError or RequestFailed if it is refused or fails. */
  prompt(blocks: readonly ContentBlock[]): Promise<PromptResponse> {
    const { message, images } = readPrompt(blocks);
    if (this.#questions.take(message)) return this.#turns.join();
    const command = ownCommand(message);
    if (command !== undefined) return this.#turns.take(() => command.run(this.#client));
    return this.#turns.take(() => this.#send(message, images));
  }

  /** Ends the run, and leaves questions unanswered. */
  async cancel(): Promise<void> {
    this.#questions.cancel();
    this.#files.cancel();
    await this.#turns.cancel();
  }

  /** Ends the session in order. */
  async close(): Promise<void> {
    this.#turns.leave();
    await this.#agent.stop();
  }

  async #send(message: string, images: ImageContent[]): Promise<CommandResult<"prompt">> {
    this.#updates.expectMessage(true);
    let isRun = false;
    try {
      const answer = await this.#client.request("prompt", { message, images });
      isRun = answer.disposition !== "handled";
      return answer;
    } finally {
      if (!isRun) this.#updates.expectMessage(false);
    }
  }

  #terminals(): CustomTool[] {
    const { calls } = this.#updates;
    return terminalTools({
      link: this.#link,
      sessionId: () => this.#id,
      show: (toolCallId, content) => calls.show(toolCallId, content),
    });
  }

  #listeners(): RpcListeners {
    return {
      event: (event) => this.#event(event),
      uiRequest: (request) => this.#asked(request),
      hostToolCall: (call) => void this.#tools.run(call),
      hostToolCancel: ({ targetId }) => this.#tools.cancel(targetId),
      problem: ({ kind, frameType = "", error }) =>
        console.error(`ACP: ${kind} ${frameType} ${error === undefined ? "" : errorMessage(error)}`),
      closed: (reason) => {
        this.#questions.cancel();
        this.#files.cancel();
        this.#dialogs.withdrawAll();
        this.#tools.cancelAll();
        this.#turns.close(reason);
      },
    };
  }

  #event(event: AgentEvent): void {
    this.#updates.take(event);
    if (event.type === "turn_end" || event.type === "compaction_end") void this.#facts.tellUsage();
    if (event.type === "agent_settled" || event.type === "thinking_level_changed") void this.#facts.tell();
    this.#turns.event(event);
  }

  #asked(request: UiRequest): void {
    if (isDialog(request)) void this.#dialogs.ask(request);
    else if (request.method === "cancel") this.#dialogs.withdraw(request.targetId);
    else if (request.method === "notify") this.#feed.notice(request.notifyType ?? "info", request.message);
    else this.#feed.meta({ ui: request });
  }
}
