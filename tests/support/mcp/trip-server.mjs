// A real MCP server of SDK v2, whose tools ask people. Used over HTTP (trip-site.ts) and stdio (trip-stdio.mjs).
import {
  acceptedContent,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  McpServer,
} from "@modelcontextprotocol/server";
import { z } from "zod";

const harmless = { destructiveHint: false };
const seatForm = {
  type: "object",
  properties: {
    seat: {
      type: "string",
      title: "Seat",
      oneOf: [{ const: "aisle", title: "On the aisle" }, { const: "window" }],
    },
  },
  required: ["seat"],
};

/** @param {{ key: Uint8Array, did: (deed: object) => void }} options */
export function tripServers({ key, did }) {
  const codec = createRequestStateCodec({ key, ttlSeconds: 86_400 });
  const spent = new Set();
  return () => {
    const server = new McpServer(
      { name: "trips", version: "1.0.0" },
      { requestState: { verify: codec.verify } },
    );
    const text = (words) => ({ content: [{ type: "text", text: words }] });
    const trip = z.object({ trip: z.string() });

    server.registerTool("book", { inputSchema: trip, annotations: harmless }, async (input, { mcpReq }) => {
      const answer = inputResponse(mcpReq.inputResponses, "seat");
      if (answer.kind === "missing") {
        return inputRequired({
          inputRequests: {
            seat: inputRequired.elicit({
              message: `Which seat for ${input.trip}?`,
              requestedSchema: seatForm,
            }),
          },
          requestState: await codec.mint({ trip: input.trip, id: `${input.trip}-${spent.size}` }),
        });
      }
      const { id, trip: stated } = mcpReq.requestState();
      if (spent.has(id)) return { ...text("this state was used before"), isError: true };
      spent.add(id);
      const content = acceptedContent(mcpReq.inputResponses, "seat");
      did({
        tool: "book",
        trip: stated,
        answer: answer.action,
        seat: content?.seat,
        callId: mcpReq._meta?.["countersign/call-id"],
      });
      return text(content ? `booked ${stated}, ${content.seat}` : `not booked: ${answer.action}`);
    });

    server.registerTool(
      "book_return",
      { inputSchema: trip, annotations: harmless },
      async (input, { mcpReq }) => {
        const round = mcpReq.requestState()?.round ?? 0;
        if (round < 2) {
          return inputRequired({
            inputRequests: {
              day: inputRequired.elicit({
                message: round === 0 ? "Which day there?" : "Which day back?",
                requestedSchema: {
                  type: "object",
                  properties: { day: { type: "string", format: "date" } },
                  required: ["day"],
                },
              }),
            },
            requestState: await codec.mint({
              round: round + 1,
              days: [
                ...(mcpReq.requestState()?.days ?? []),
                acceptedContent(mcpReq.inputResponses, "day")?.day,
              ],
            }),
          });
        }
        const days = [
          ...mcpReq.requestState().days.slice(1),
          acceptedContent(mcpReq.inputResponses, "day")?.day,
        ];
        did({ tool: "book_return", days });
        return text(`booked ${input.trip}: ${days.join(" to ")}`);
      },
    );

    server.registerTool("pay", { inputSchema: trip, annotations: harmless }, async (input, { mcpReq }) => {
      const answer = inputResponse(mcpReq.inputResponses, "payment");
      if (answer.kind === "missing") {
        return inputRequired({
          inputRequests: {
            payment: inputRequired.elicitUrl({
              message: `Pay for ${input.trip}`,
              // A trip that is an address is itself what a person is to open.
              url: URL.canParse(input.trip) ? input.trip : `https://pay.example.com/trips?id=${input.trip}`,
            }),
          },
          requestState: await codec.mint({ trip: input.trip }),
        });
      }
      did({ tool: "pay", answer: answer.action });
      return text(`payment: ${answer.action}`);
    });

    server.registerTool(
      "sign_in",
      { inputSchema: trip, annotations: harmless },
      async (_input, { mcpReq }) => {
        if (mcpReq.inputResponses) did({ tool: "sign_in", responses: mcpReq.inputResponses });
        return inputRequired({
          inputRequests: {
            login: inputRequired.elicit({
              message: "Please sign in",
              requestedSchema: {
                type: "object",
                properties: { user: { type: "string" }, loginPassword: { type: "string" } },
                required: ["user", "loginPassword"],
              },
            }),
          },
        });
      },
    );

    server.registerTool(
      "book_and_pay",
      { inputSchema: trip, annotations: harmless },
      async (input, { mcpReq }) => {
        const answers = Object.fromEntries(
          ["seat", "meal", "payment"].map((key) => [key, inputResponse(mcpReq.inputResponses, key)]),
        );
        if (Object.values(answers).some(({ kind }) => kind === "missing")) {
          const requestedSchema = {
            type: "object",
            properties: { meal: { type: "string" } },
            required: ["meal"],
          };
          return inputRequired({
            inputRequests: {
              seat: inputRequired.elicit({ message: "Which seat?", requestedSchema: seatForm }),
              meal: inputRequired.elicit({ message: "Which meal?", requestedSchema }),
              payment: inputRequired.elicitUrl({ message: "Pay", url: "https://pay.example.com/" }),
            },
            requestState: await codec.mint({ trip: input.trip }),
          });
        }
        const actions = Object.entries(answers).map(([key, { action }]) => `${key}: ${action}`);
        did({ tool: "book_and_pay", seat: acceptedContent(mcpReq.inputResponses, "seat")?.seat });
        return text(actions.join(", "));
      },
    );

    server.registerTool("cancel_trip", { inputSchema: trip }, async (input) => {
      did({ tool: "cancel_trip", trip: input.trip });
      return text(`cancelled ${input.trip}`);
    });
    return server;
  };
}
