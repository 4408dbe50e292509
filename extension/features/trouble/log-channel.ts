import type * as vscode from "vscode";
import type { LogLevel, LogLines } from "./log-lines.ts";

/** The editor's log without secrets: everything goes through `lines` before it is written. */
export class LogChannel implements vscode.LogOutputChannel {
  readonly #channel: vscode.LogOutputChannel;
  readonly #lines: LogLines;

  constructor(channel: vscode.LogOutputChannel, lines: LogLines) {
    this.#channel = channel;
    this.#lines = lines;
  }

  get name(): string {
    return this.#channel.name;
  }

  get logLevel(): vscode.LogLevel {
    return this.#channel.logLevel;
  }

  get onDidChangeLogLevel(): vscode.Event<vscode.LogLevel> {
    return this.#channel.onDidChangeLogLevel;
  }

  trace(text: string): void {
    this.#write("trace", text);
  }

  debug(text: string): void {
    this.#write("debug", text);
  }

  info(text: string): void {
    this.#write("info", text);
  }

  warn(text: string): void {
    this.#write("warn", text);
  }

  error(text: string | Error): void {
    this.#write("error", text instanceof Error ? (text.stack ?? text.message) : text);
  }

  append(text: string): void {
    this.info(text);
  }

  appendLine(text: string): void {
    this.info(text);
  }

  replace(text: string): void {
    this.#channel.replace(this.#lines.take("trace", text));
  }

  clear(): void {
    this.#channel.clear();
  }

  show(place?: vscode.ViewColumn | boolean, preserveFocus?: boolean): void {
    this.#channel.show(typeof place === "boolean" ? place : preserveFocus);
  }

  hide(): void {
    this.#channel.hide();
  }

  dispose(): void {
    this.#channel.dispose();
  }

  #write(level: LogLevel, text: string): void {
    this.#channel[level](this.#lines.take(level, text));
  }
}
