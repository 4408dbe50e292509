import http, { type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import * as z from "zod";
import { startServer } from "./local-server.ts";
import { ScriptedModel } from "./scripted-model.ts";

const PATH =
  /^\/v1\/projects\/my-project\/locations\/global\/publishers\/anthropic\/models\/([^/:]+):streamRawPredict$/;

const Body = z.looseObject({ anthropic_version: z.literal("vertex-2023-10-16"), model: z.never().optional() });

/** A server that accepts requests for Claude like Vertex AI, and passes them to the scripted model. */
export class VertexFront {
  readonly model: ScriptedModel;
  readonly requests: { path: string; authorization: string | undefined }[] = [];
  #url = "";
  #stop: () => Promise<void> = async () => undefined;

  private constructor(model: ScriptedModel) {
    this.model = model;
  }

  static async start(): Promise<VertexFront> {
    const front = new VertexFront(await ScriptedModel.start());
    const server = await startServer((request, response) => void front.#serve(request, response));
    front.#url = server.url;
    front.#stop = server.stop;
    return front;
  }

  get url(): string {
    return this.#url;
  }

  async stop(): Promise<void> {
    await this.#stop();
    await this.model.stop();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = "", headers } = request;
    const { authorization, "x-api-key": apiKey, ...others } = headers;
    const model = PATH.exec(url)?.[1];
    const body = Body.safeParse(JSON.parse(await text(request)));
    if (model === undefined) return refuse(response, 404, "NOT_FOUND", `There is no ${url}`);
    if (authorization === undefined || apiKey !== undefined || authorization === "Bearer bad-key") {
      return refuse(response, 401, "UNAUTHENTICATED", "Request had invalid authentication credentials.");
    }
    if (!body.success) return refuse(response, 400, "INVALID_ARGUMENT", z.prettifyError(body.error));
    this.requests.push({ path: url, authorization });
    const { anthropic_version, ...rest } = body.data;
    const json = JSON.stringify({ ...rest, model: decodeURIComponent(model) });
    const behind = http.request(`${this.model.url}/v1/messages`, {
      method: "POST",
      headers: { ...others, "content-length": Buffer.byteLength(json), "x-api-key": "test-key" },
    });
    behind.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.on("error", () => response.destroy());
      answer.pipe(response);
    });
    response.on("close", () => behind.destroy());
    behind.on("error", () => response.destroy());
    behind.end(json);
  }
}

function refuse(response: ServerResponse, code: number, status: string, message: string): void {
  response.writeHead(code, { "content-type": "application/json" });
  response.end(JSON.stringify({ error: { code, message, status } }));
}
