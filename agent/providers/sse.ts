const DATA_FIELD = "data:";

/** Default limit for one event, in UTF-16 units. */
const MAX_EVENT_LENGTH = 64 * 1024 * 1024;

/**
 * Cuts the bytes of a server-sent event stream into the `data` of its events; other fields carry nothing that is needed.
 * Lines end in LF or CRLF, and every byte is looked at once.
 */
export class SseDecoder {
  readonly #maxLength: number;
  readonly #decoder = new TextDecoder();
  #lineParts: string[] = [];
  #lineLength = 0;
  #data: string[] = [];
  #dataLength = 0;

  constructor(maxLength = MAX_EVENT_LENGTH) {
    this.#maxLength = maxLength;
  }

  /**
   * Takes the next bytes and gives the data of the events that they complete.
   * @throws RangeError when one event is longer than the limit.
   */
  push(bytes: Uint8Array): string[] {
    const text = this.#decoder.decode(bytes, { stream: true });
    const events: string[] = [];
    let start = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
      this.#endLine(text.slice(start, end), events);
      start = end + 1;
    }
    if (start < text.length) this.#keep(text.slice(start));
    return events;
  }

  #keep(part: string): void {
    this.#lineParts.push(part);
    this.#lineLength += part.length;
    this.#checkLength();
  }

  #endLine(part: string, events: string[]): void {
    let line = part;
    if (this.#lineLength > 0) {
      this.#lineParts.push(part);
      line = this.#lineParts.join("");
      this.#lineParts = [];
      this.#lineLength = 0;
    }
    if (line.endsWith("\r")) line = line.slice(0, -1);
    if (line === "") {
      if (this.#data.length > 0) events.push(this.#data.length === 1 ? (this.#data[0] ?? "") : this.#data.join("\n"));
      this.#data = [];
      this.#dataLength = 0;
    } else if (line.startsWith(DATA_FIELD)) {
      const value = line.slice(line.startsWith(" ", DATA_FIELD.length) ? DATA_FIELD.length + 1 : DATA_FIELD.length);
      this.#data.push(value);
      this.#dataLength += value.length;
      this.#checkLength();
    }
  }

  #checkLength(): void {
    if (this.#lineLength + this.#dataLength > this.#maxLength) {
      throw new RangeError(`An event of the stream is longer than ${this.#maxLength} characters.`);
    }
  }
}
