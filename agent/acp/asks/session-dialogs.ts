import type { DialogCallbacks, DialogOf, EditedChoice } from "../../client/dialog-answers.ts";
import type { DialogRequest } from "../../protocol/dialogs.ts";
import type { ClientFiles } from "../client/client-files.ts";
import type { ClientLink } from "../client/client-link.ts";
import type { ToolCalls } from "../updates/tool-calls.ts";
import { textContent } from "../updates/tool-content.ts";
import { formOf, readForm } from "./elicitation.ts";
import {
  approvalAnswers,
  approvalContent,
  choiceAnswers,
  type OfferedAnswer,
  readAnswer,
  readReason,
  yesOrNo,
} from "./permission.ts";
import type { TextQuestions } from "./text-questions.ts";

interface DialogParts {
  link: ClientLink;
  sessionId(): string;
  calls: ToolCalls;
  files: ClientFiles;
  /** Asks by messages what the client has no form for. */
  texts: TextQuestions;
}

/**
 * Asks the client's user: approvals as permissions; other questions by forms if the client has them, or else choices as permissions, and texts
 * by messages.
 */
export class SessionDialogs implements Required<DialogCallbacks> {
  readonly #parts: DialogParts;

  constructor(parts: DialogParts) {
    this.#parts = parts;
  }

  select = async (request: DialogOf<"select">, signal: AbortSignal): Promise<string | EditedChoice | undefined> => {
    if (request.approval !== undefined) return this.#approve(request.approval, signal);
    if (this.#hasForms) return this.#text(await this.#form(request, signal));
    return this.#choose(request, choiceAnswers(request.options), signal);
  };

  confirm = async (request: DialogOf<"confirm">, signal: AbortSignal): Promise<boolean | undefined> => {
    if (this.#hasForms) return (await this.#form(request, signal)) === true;
    const answer = await this.#choose(request, yesOrNo(), signal, request.message);
    return answer === undefined ? undefined : answer === "yes";
  };

  input = async (request: DialogOf<"input">, signal: AbortSignal): Promise<string | undefined> => {
    if (request.password === true) return this.#parts.texts.refuseSecret(request.title);
    if (this.#hasForms) return this.#text(await this.#form(request, signal));
    return this.#parts.texts.ask(request.title, request.placeholder, signal);
  };

  editor = async (request: DialogOf<"editor">, signal: AbortSignal): Promise<string | undefined> => {
    if (this.#hasForms) return this.#text(await this.#form(request, signal));
    return this.#parts.texts.ask(request.title, request.prefill, signal);
  };

  get #hasForms(): boolean {
    return this.#parts.link.capabilities.elicitation?.form != null;
  }

  async #approve(
    approval: NonNullable<DialogOf<"select">["approval"]>,
    signal: AbortSignal,
  ): Promise<string | EditedChoice | undefined> {
    const { link, sessionId, files, calls } = this.#parts;
    const answers = approvalAnswers(approval);
    const change = approval.preview === undefined ? undefined : await files.proposed(approval.preview);
    const response = await link.request(
      "session/request_permission",
      {
        sessionId: sessionId(),
        toolCall: {
          toolCallId: approval.toolCallId,
          status: "pending",
          content: approvalContent(approval, change),
          ...calls.viewOf(approval.toolCallId, approval.tool),
        },
        options: answers.map(({ option }) => option),
      },
      signal,
    );
    const value = readAnswer(response, answers);
    const reason = value === approval.deny ? readReason(response) : undefined;
    return value === undefined || reason === undefined ? value : { value, reason };
  }

  /** Asks by a permission of its own call, which the client shows with the answers as buttons. */
  async #choose(
    request: DialogRequest,
    answers: readonly OfferedAnswer[],
    signal: AbortSignal,
    message?: string,
  ): Promise<string | undefined> {
    const { link, sessionId, calls } = this.#parts;
    const toolCallId = `question-${request.id}`;
    const toolCall = {
      toolCallId,
      title: request.title,
      kind: "think" as const,
      content: message === undefined ? [] : [textContent(message)],
    };
    calls.open(toolCall);
    let value: string | undefined;
    try {
      const options = answers.map(({ option }) => option);
      const asked = { sessionId: sessionId(), toolCall: { ...toolCall, status: "pending" as const }, options };
      value = readAnswer(await link.request("session/request_permission", asked, signal), answers);
    } finally {
      const answer = value === undefined ? "No answer" : value;
      const result = { content: [{ type: "text" as const, text: answer }] };
      calls.end({ toolCallId, toolName: "question", result, isError: value === undefined });
    }
    return value;
  }

  async #form(request: DialogRequest, signal: AbortSignal): Promise<string | boolean | undefined> {
    const { link, sessionId } = this.#parts;
    return readForm(await link.request("elicitation/create", formOf(sessionId(), request), signal));
  }

  #text(answer: string | boolean | undefined): string | undefined {
    return typeof answer === "string" ? answer : undefined;
  }
}
