import { expect, it } from "vitest";
import { fromMemo, toMemo } from "./memo.js";

it("an answer comes back from JSON with its bytes, times and addresses", () => {
  const answer = {
    content: [
      { type: "text", text: "Look" },
      { type: "file", mediaType: "image/png", data: new Uint8Array([0, 255, 7]) },
      {
        type: "file",
        mediaType: "image/png",
        data: { type: "url", url: new URL("https://files.example/1") },
      },
    ],
    providerMetadata: { anthropic: { signature: "abc" } },
    response: { id: "r1", timestamp: new Date(5) },
  };
  expect(fromMemo(JSON.parse(JSON.stringify(toMemo(answer))))).toEqual(answer);
});

it("text has no unpaired surrogate, which an engine would refuse", () => {
  expect(toMemo({ text: "half \ud83d" })).toEqual({ text: "half \ufffd" });
});
