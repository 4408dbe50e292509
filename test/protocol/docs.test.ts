import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { SettingsFile } from "../../agent/config/settings.ts";
import { commands } from "../../agent/protocol/commands.ts";
import { UiRequest } from "../../agent/protocol/dialogs.ts";
import { CONTROL_FRAME_TYPES } from "../../agent/protocol/envelope.ts";
import { ERROR_CODES } from "../../agent/protocol/errors.ts";
import { AgentEvent, AssistantMessageEvent } from "../../agent/protocol/events.ts";
import {
  HostModelCancel,
  HostModelRequest,
  HostModelResult,
  HostModelUpdate,
} from "../../agent/protocol/host-models.ts";
import { HostSecretRequest, HostSecretResult } from "../../agent/protocol/host-secrets.ts";
import { HostToolCall, HostToolCancel, HostToolResult, HostToolUpdate } from "../../agent/protocol/host-tools.ts";
import { AgentMessage } from "../../agent/protocol/messages.ts";
import { KnownSessionEntry } from "../../agent/protocol/session-entries.ts";

const lines = readFileSync(new URL("../../docs/protocol.md", import.meta.url), "utf8").split("\n");

/** The lines of one `## ` section. */
function section(title: string): string[] {
  const start = lines.indexOf(`## ${title}`);
  expect(start, `docs/protocol.md has a section "${title}"`).toBeGreaterThan(-1);
  const length = lines.slice(start + 1).findIndex((line) => line.startsWith("## "));
  return lines.slice(start + 1, length === -1 ? undefined : start + 1 + length);
}

/** The names in backticks in the headings of a section. */
function namesInHeadings(title: string): string[] {
  return section(title)
    .filter((line) => line.startsWith("#"))
    .flatMap(namesIn);
}

/** The names in backticks in first cells, of all tables of a section or of those whose first column has this heading. */
function namesInFirstCells(title: string, column?: string): string[] {
  const names: string[] = [];
  let heading: string | undefined;
  for (const line of section(title)) {
    if (!line.startsWith("|")) {
      heading = undefined;
      continue;
    }
    const cell = line.split("|")[1]?.trim() ?? "";
    heading ??= cell;
    if (column === undefined || column === heading) names.push(...namesIn(cell));
  }
  return names;
}

/** The text between a heading and the next one. */
function below(heading: string): string {
  const start = lines.indexOf(heading);
  const length = lines.slice(start + 1).findIndex((line) => line.startsWith("#"));
  return lines.slice(start + 1, start + 1 + length).join("\n");
}

function namesIn(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? "");
}

function sorted(names: Iterable<string>): string[] {
  return [...new Set(names)].sort();
}

describe("docs/protocol.md", () => {
  it("has a heading for every command, and for nothing else", () => {
    expect(sorted(namesInHeadings("Commands"))).toEqual(sorted(Object.keys(commands)));
  });

  it("lists every command in its overview, and nothing else", () => {
    const listed = namesInFirstCells("Commands", "Command");
    expect(sorted(listed)).toEqual(sorted(Object.keys(commands)));
  });

  it("lists every event type once", () => {
    const types = AgentEvent.options.map((event) => event.shape.type.value);
    const listed = namesInFirstCells("Events", "Event");
    expect([...listed].sort()).toEqual(sorted(types));
  });

  it("names every field of a command below its heading", () => {
    const missing: string[] = [];
    for (const [command, { params }] of Object.entries(commands)) {
      const text = below(`#### \`${command}\``);
      for (const field of Object.keys(params.shape)) {
        if (!namesIn(text).includes(field)) missing.push(`${command}.${field}`);
      }
    }
    expect(missing).toEqual([]);
  });

  it("names every field of an event in its row", () => {
    const missing: string[] = [];
    for (const { shape } of AgentEvent.options) {
      const type = shape.type.value;
      const row = section("Events").find((line) => line.startsWith(`| \`${type}\` |`)) ?? "";
      for (const field of Object.keys(shape)) {
        if (field !== "type" && !namesIn(row).includes(field)) missing.push(`${type}.${field}`);
      }
    }
    expect(missing).toEqual([]);
  });

  it("lists every step of a streaming answer", () => {
    const types = AssistantMessageEvent.options.map((event) => event.shape.type.value);
    expect(sorted(namesInFirstCells("Events", "`type`"))).toEqual(sorted([...types, "type"]));
  });

  it("lists every dialog method", () => {
    const methods = UiRequest.options.map((request) => request.unwrap().shape.method.value);
    expect(sorted(namesInFirstCells("Dialogs", "Method"))).toEqual(sorted(methods));
  });

  it("lists every host tool frame", () => {
    const types = [HostToolCall, HostToolUpdate, HostToolResult, HostToolCancel].map(
      (frame) => frame.unwrap().shape.type.value,
    );
    expect(sorted(namesInFirstCells("Host tools", "Frame"))).toEqual(sorted(types));
  });

  it("lists every host model frame", () => {
    const frames = [HostModelRequest, HostModelUpdate, HostModelResult, HostModelCancel];
    const types = frames.map((frame) => frame.unwrap().shape.type.value);
    expect(sorted(namesInFirstCells("Host models", "Frame"))).toEqual(sorted(types));
  });

  it("lists every host secret frame", () => {
    const types = [HostSecretRequest, HostSecretResult].map((frame) => frame.unwrap().shape.type.value);
    expect(sorted(namesInFirstCells("Host secrets", "Frame"))).toEqual(sorted(types));
  });

  it("lists every control frame as one without an answer", () => {
    expect(namesIn(section("Order and concurrency").find((line) => line.startsWith("| control")) ?? "")).toEqual([
      ...CONTROL_FRAME_TYPES,
    ]);
  });

  it("lists every type of session entry", () => {
    const types = KnownSessionEntry.options.map((entry) => entry.shape.type.value);
    expect(sorted(namesInFirstCells("Session files", "Entry"))).toEqual(sorted(types));
  });

  it("lists every role of a message", () => {
    const roles = AgentMessage.options.map((message) => message.shape.role.value);
    expect(sorted(namesInFirstCells("Data types", "`role`"))).toEqual(sorted([...roles, "role"]));
  });

  it("lists every error code", () => {
    expect(sorted(namesInFirstCells("Commands and responses", "Code"))).toEqual([...ERROR_CODES].sort());
  });

  it("has a target for every link within the page", () => {
    const anchors = lines.filter((line) => line.startsWith("#")).map(anchorOf);
    const links = lines.flatMap((line) => [...line.matchAll(/\]\(#([^)]+)\)/g)].map((match) => match[1] ?? ""));
    expect(links.length).toBeGreaterThan(20);
    expect(sorted(links).filter((link) => !anchors.includes(link))).toEqual([]);
  });

  it("shows only transcripts whose whole frames are JSON", () => {
    const frames = lines.filter((line) => /^[<>] \{/.test(line) && !line.includes("…"));
    expect(frames.length).toBeGreaterThan(20);
    for (const frame of frames) expect(() => JSON.parse(frame.slice(2)), frame).not.toThrow();
  });
});

describe("docs/settings.md", () => {
  const settings = readFileSync(new URL("../../docs/settings.md", import.meta.url), "utf8");

  it("has a row for every key of a settings file, and no other", () => {
    const keys = Object.entries(SettingsFile.unwrap().shape).flatMap(([key, schema]) => {
      const inner = schema.unwrap();
      return inner instanceof z.ZodObject ? Object.keys(inner.shape).map((name) => `${key}.${name}`) : [key];
    });
    const table = settings.slice(settings.indexOf("| Key |"), settings.indexOf("## Precedence")).split("\n");
    const rows = table.filter((line) => line.startsWith("| `"));
    expect(sorted(rows.flatMap((row) => namesIn(row.split("|")[1] ?? "")))).toEqual(sorted(keys));
  });
});

/** The anchor that a heading gets on the usual forges. */
function anchorOf(heading: string): string {
  return heading
    .replace(/^#+ /, "")
    .toLowerCase()
    .replace(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");
}
