import { describe, expect, test } from "vitest";
import { SseDecoder } from "../../agent/providers/sse.ts";

const SAMPLE = Buffer.from(': hi\nevent: a\r\ndata: {"x":"Grüße 🙂"}\r\n\r\ndata:one\ndata: two\n\nid: 7\n\ndata: cut');

describe("SseDecoder", () => {
  test("returns the same events wherever the bytes are split", () => {
    for (let at = 0; at <= SAMPLE.length; at += 1) {
      const decoder = new SseDecoder();
      const events = [...decoder.push(SAMPLE.subarray(0, at)), ...decoder.push(SAMPLE.subarray(at))];
      expect(events).toEqual(['{"x":"Grüße 🙂"}', "one\ntwo"]);
    }
  });

  test("refuses an event that is too long, in one line or several", () => {
    const long = new SseDecoder(10);
    expect(() => long.push(Buffer.from("data: 12345678"))).toThrow("longer than 10 characters");
    const many = new SseDecoder(10);
    expect(() => many.push(Buffer.from("data: 1234\ndata: 5678\ndata: 9012\n"))).toThrow("longer than 10 characters");
  });
});
