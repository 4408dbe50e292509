import { fileURLToPath } from "node:url";
import type { ContentBlock, EmbeddedResource, ResourceLink } from "@agentclientprotocol/sdk";
import { type AttachedItem, attachItems } from "../protocol/attached.ts";
import type { ImageContent } from "../protocol/content.ts";
import { invalidParams } from "./errors.ts";

/** A prompt in the form that the agent takes. */
export interface AgentPrompt {
  message: string;
  images: ImageContent[];
}

/**
 * Reads a prompt. Resources become attachments of the message, and links become their address.
 * @throws RequestError for content that was not offered to clients.
 */
export function readPrompt(blocks: readonly ContentBlock[]): AgentPrompt {
  const texts: string[] = [];
  const items: AttachedItem[] = [];
  const images: ImageContent[] = [];
  for (const block of blocks) {
    switch (block.type) {
      case "text":
        texts.push(block.text);
        break;
      case "image":
        images.push({ type: "image", data: block.data, mimeType: block.mimeType });
        break;
      case "resource_link":
        texts.push(linkText(block));
        break;
      case "resource":
        take(block, items, images);
        break;
      case "audio":
        throw invalidParams("Audio can't be sent. Send text, images, or files.");
    }
  }
  return { message: attachItems(texts.join(""), items), images };
}

/** A link in the words that the tools take: a path for a file. */
function linkText({ uri, name }: ResourceLink): string {
  const path = pathOf(uri);
  return path === undefined ? ` ${name === uri ? uri : `${name} (${uri})`} ` : ` @${path} `;
}

function take({ resource }: EmbeddedResource, items: AttachedItem[], images: ImageContent[]): void {
  if ("text" in resource) {
    items.push({ facts: factsOf(resource.uri, resource.text), text: resource.text });
  } else if (resource.mimeType?.startsWith("image/") === true) {
    images.push({ type: "image", data: resource.blob, mimeType: resource.mimeType });
  } else {
    const text = Buffer.from(resource.blob, "base64").toString("utf8");
    if (text.includes("\0") || text.includes("\ufffd")) {
      throw invalidParams(
        `${resource.uri} is neither text nor an image. Send its path, and the agent reads it itself.`,
      );
    }
    items.push({ facts: factsOf(resource.uri, text), text });
  }
}

function factsOf(uri: string, text: string): AttachedItem["facts"] {
  const path = pathOf(uri);
  if (path === undefined) return { kind: "resource", uri };
  const [, first = "1"] = /^#L?(\d+)/.exec(new URL(uri).hash) ?? [];
  const startLine = Number(first);
  return { kind: "file", path, startLine, endLine: startLine + text.split("\n").length - 1 };
}

function pathOf(uri: string): string | undefined {
  if (!uri.startsWith("file:")) return undefined;
  try {
    const url = new URL(uri);
    url.hash = "";
    url.search = "";
    return fileURLToPath(url);
  } catch {
    return undefined; // an address of another machine: it is told as it is
  }
}
