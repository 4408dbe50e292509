import * as vscode from "vscode";
import * as z from "zod";
import { defineHostTool, HostToolFailed } from "../host-tool.ts";

const MAX_OPTIONS = 20;

/** Asks the user a question. */
export const askUser = defineHostTool({
  name: "vscode_ask_user",
  label: "Ask the user",
  description: "Asks the user to select one of your options or write an answer. Ask only what you can't find out.",
  isReadOnly: true,
  input: z.object({
    question: z.string().min(1).max(2_000),
    options: z.array(z.string().min(1).max(200)).max(MAX_OPTIONS).default([]),
  }),
  async run({ question, options }, context) {
    const answer = await context.ask(
      options.length === 0
        ? { method: "input", title: question }
        : { method: "select", title: question, options: [...new Set(options)] },
    );
    if (answer.type === "value") return `The user answered: ${answer.value}`;
    throw new HostToolFailed("The user didn't answer. Continue with what you know, or say what you need.");
  },
});

/** Shows the user a notification, without waiting. */
export const notifyUser = defineHostTool({
  name: "vscode_notify",
  label: "Notify",
  description: "Shows the user a notification, for what they must see outside the chat.",
  isReadOnly: true,
  input: z.object({
    message: z.string().min(1).max(500),
    level: z.enum(["info", "warning", "error"]).default("info"),
  }),
  async run({ message, level }) {
    const show = {
      info: vscode.window.showInformationMessage,
      warning: vscode.window.showWarningMessage,
      error: vscode.window.showErrorMessage,
    }[level];
    void show(message);
    return "Shown.";
  },
});
