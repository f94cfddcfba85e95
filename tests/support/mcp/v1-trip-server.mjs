import { UrlElicitationRequiredError } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";

/** The tools of a server of SDK v1, which push their questions; `paid` holds the trips whose address was opened. */
export function v1TripServer(McpServer, { did, patienceMs, paid = new Set() }) {
  const server = new McpServer({ name: "trips", version: "1.0.0" });
  const inputSchema = { trip: z.string() };
  const annotations = { destructiveHint: false };
  const text = (words) => ({ content: [{ type: "text", text: words }] });
  const requestedSchema = {
    type: "object",
    properties: { seat: { type: "string", enum: ["aisle", "window"] } },
    required: ["seat"],
  };

  server.registerTool("book", { inputSchema, annotations }, async ({ trip }) => {
    const answer = await server.server
      .elicitInput({ message: `Which seat for ${trip}?`, requestedSchema }, { timeout: patienceMs })
      .catch((error) => ({ action: `none (${error.code})` }));
    did({ tool: "book", trip, answer: answer.action, seat: answer.content?.seat });
    return text(`${answer.action}: ${answer.content?.seat ?? "no seat"}`);
  });
  server.registerTool("pay", { inputSchema, annotations }, async ({ trip }) => {
    const answer = await server.server.elicitInput(
      { mode: "url", message: `Pay for ${trip}`, url: "https://pay.example.com/", elicitationId: "1" },
      { timeout: patienceMs },
    );
    did({ tool: "pay", answer: answer.action });
    return text(`payment: ${answer.action}`);
  });
  server.registerTool("buy", { inputSchema, annotations }, async ({ trip }) => {
    did({ tool: "buy", trip, paid: paid.has(trip) });
    if (paid.has(trip)) return text(`bought ${trip}`);
    const url = `https://pay.example.com/buy?id=${trip}`;
    throw new UrlElicitationRequiredError([
      { mode: "url", message: `Pay for ${trip}`, url, elicitationId: trip },
    ]);
  });
  server.registerTool("book_return", { inputSchema, annotations }, async ({ trip }) => {
    const days = [];
    for (const message of ["Which day there?", "Which day back?"]) {
      const answer = await server.server.elicitInput(
        { message, requestedSchema: { type: "object", properties: { day: { type: "string" } } } },
        { timeout: patienceMs },
      );
      days.push(answer.content?.day ?? answer.action);
    }
    did({ tool: "book_return", trip, days });
    return text(`booked ${trip}: ${days.join(" to ")}`);
  });
  server.registerTool("ask_at_once", { inputSchema, annotations }, async ({ trip }) => {
    const answers = await Promise.all(
      Array.from({ length: Number(trip) }, (_, index) =>
        server.server.elicitInput(
          { message: `Question ${index}`, requestedSchema: { type: "object", properties: {} } },
          { timeout: patienceMs },
        ),
      ),
    );
    const count = (action) => answers.filter((answer) => answer.action === action).length;
    did({ tool: "ask_at_once", declined: count("decline"), cancelled: count("cancel") });
    return text("asked");
  });
  return server;
}
