import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { type Conversation, scriptedModel } from "@countersign/testing";
import type { ApprovalView } from "countersign/hono";
import { freshPostgres } from "../databases.js";
import { inTurns } from "../desk-tools.js";
import { eventually } from "../harness.js";
import { freePort } from "../http/free-port.mjs";

const program = fileURLToPath(new URL("trip-process.mjs", import.meta.url));

/** An installation on real Postgres whose process can be killed and started again; the model outlives it. */
export async function killableDesk({ url }: { url: string }) {
  const database = await freshPostgres(1);
  const conversations: Conversation[] = [];
  const reply = inTurns({ toolCalls: [{ name: "trips-book", input: { trip: "Oslo" } }] });
  const model = await scriptedModel({
    reply: (conversation) => {
      conversations.push(conversation);
      return reply(conversation);
    },
  }).listen();
  const port = await freePort();
  let child: ChildProcess | undefined;
  let output = "";

  const desk = {
    async start() {
      child = fork(program, {
        env: {
          PATH: process.env.PATH,
          DATABASE_URL: database.url,
          MODEL_URL: model.url,
          TRIP_URL: url,
          PORT: String(port),
        },
        stdio: ["ignore", "pipe", "pipe", "ipc"],
      });
      for (const stream of [child.stdout, child.stderr]) stream?.on("data", (text) => (output += text));
      const gone = once(child, "exit").then(() => {
        throw new Error(`The process ended:\n${output}`);
      });
      await Promise.race([once(child, "message"), gone]);
      gone.catch(() => undefined);
    },
    /** Ends the process at once, as `kill -9` does. */
    async kill() {
      child?.kill("SIGKILL");
      if (child?.signalCode === null) await once(child, "exit");
    },
    say: () => fetch(`http://127.0.0.1:${port}/say`, { method: "POST" }),
    async call(path: string, body?: unknown) {
      const response = await fetch(`http://127.0.0.1:${port}/api${path}`, {
        method: body === undefined ? "GET" : "POST",
        headers: { authorization: "Bearer finance", "content-type": "application/json" },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: await response.json() };
    },
    question: (): Promise<ApprovalView> =>
      eventually(async () => (await desk.call("/approvals?status=pending")).body.items[0], "a question"),
    respond: ({ id, digest }: ApprovalView, response: unknown) =>
      desk.call(`/approvals/${id}/decision`, { type: "respond", digest, response }),
    /** The conversation that the model gets after its call. */
    modelInput: () =>
      eventually(() => conversations[1] && JSON.stringify(conversations[1]), "the model goes on"),
    async [Symbol.asyncDispose]() {
      await desk.kill();
      await model.close();
      await database[Symbol.asyncDispose]();
    },
  };
  return desk;
}
