import { CountersignError } from "countersign";
import { describe, expect, it } from "vitest";
import { EngineFailure } from "../engine/engine-failure.js";
import { chatRoute } from "./chat.js";

function setUp() {
  const started: unknown[] = [];
  const route = chatRoute({
    openThread: async ({ threadId }) => {
      if (threadId === "foreign") throw new CountersignError("thread_not_found", "There is no such thread");
      return { threadId: threadId ?? "new-thread" };
    },
    startRun: async (message) => {
      if (message.message === "fail") throw new EngineFailure("Inngest does not answer");
      started.push(message);
      return "run-1";
    },
  });
  const post = (body: unknown, token = "demo-requester") =>
    route.request("/chat", {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  return { post, started };
}

describe("POST /chat", () => {
  it("starts a run in a new thread, and ignores a requester in the body", async () => {
    const { post, started } = setUp();
    const response = await post({ message: "Hello", requester: { id: "admin" } });
    expect([response.status, await response.json()]).toEqual([
      202,
      { threadId: "new-thread", runId: "run-1" },
    ]);
    expect(started).toEqual([{ threadId: "new-thread", message: "Hello" }]);
  });

  it("continues an existing thread", async () => {
    const { post } = setUp();
    expect(await (await post({ message: "Hello", threadId: "t1" })).json()).toMatchObject({ threadId: "t1" });
  });

  it.each([
    [{}, "message"],
    [{ message: "  " }, "message"],
    [{ message: 7 }, "message"],
    [{ message: "x".repeat(20_001) }, "message"],
    [{ message: "Hello", threadId: "" }, "threadId"],
    [{ message: "Hello", threadId: 7 }, "threadId"],
    ["{", "body"],
    [[], "body"],
  ])("answers 400 to %j and names the field", async (body, field) => {
    const { post, started } = setUp();
    const response = await post(body);
    expect(response.status).toBe(400);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    const answer = await response.json();
    expect(answer).toMatchObject({ status: 400, errors: [{ field }] });
    expect(answer.detail).toContain(`${field}: `);
    expect(started).toEqual([]);
  });

  it("answers 401 to a person who is not signed in", async () => {
    const { post, started } = setUp();
    const response = await post({ message: "Hello" }, "nobody");
    expect([response.status, response.headers.get("www-authenticate")]).toEqual([401, 'Bearer realm="demo"']);
    expect(started).toEqual([]);
  });

  it("answers 413 to a body that is larger than a message can be", async () => {
    const { post, started } = setUp();
    const response = await post({ message: "Hello", more: "x".repeat(300_000) });
    expect([response.status, await response.json()]).toEqual([
      413,
      expect.objectContaining({ code: "body_too_large" }),
    ]);
    expect(started).toEqual([]);
  });

  it("answers 503 with the reason if the engine does not accept the message", async () => {
    const response = await setUp().post({ message: "fail" });
    expect([response.status, await response.json()]).toEqual([
      503,
      expect.objectContaining({ code: "engine_unavailable", detail: "Inngest does not answer" }),
    ]);
  });

  it("answers 404 for somebody else's thread", async () => {
    const { post, started } = setUp();
    const response = await post({ message: "Hello", threadId: "foreign" });
    expect([response.status, await response.json()]).toEqual([
      404,
      expect.objectContaining({ code: "thread_not_found" }),
    ]);
    expect(started).toEqual([]);
  });
});
