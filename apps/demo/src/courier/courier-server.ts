import {
  acceptedContent,
  createMcpHandler,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  McpServer,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import type { CourierBooking } from "../desk/desk.js";

const windows = ["8:00 to 12:00", "12:00 to 16:00", "16:00 to 20:00"];
const windowForm = {
  type: "object" as const,
  properties: {
    window: { type: "string" as const, title: "Delivery window", enum: windows },
    note: { type: "string" as const, title: "Note for the courier", maxLength: 200 },
  },
  required: ["window"],
};
const answer = z.object({ window: z.enum(windows), note: z.string().max(200).optional() });
const order = z.object({ orderId: z.string().describe("Such as A-1002") });

export interface CourierServerDeps {
  /** Signs the state of calls that wait for an answer. With another secret after a restart, they fail. */
  secret: Uint8Array;
  book(booking: CourierBooking): Promise<void>;
}

/** The MCP server of a courier company. Its tool asks a person for the delivery window before it books. */
export function courierServer({ secret, book }: CourierServerDeps) {
  const states = createRequestStateCodec<{ orderId: string; bookingId: string }>({
    key: secret,
    ttlSeconds: 7 * 24 * 60 * 60,
  });
  return createMcpHandler(() => {
    const server = new McpServer(
      { name: "courier", version: "1.0.0" },
      { requestState: { verify: states.verify } },
    );
    server.registerTool(
      "book",
      {
        description: "Books a courier for an order. The courier asks for the delivery window.",
        inputSchema: order,
        annotations: { destructiveHint: false },
      },
      async ({ orderId }, { mcpReq }) => {
        if (inputResponse(mcpReq.inputResponses, "window").kind !== "elicit") {
          const message = `When should the courier deliver order ${orderId}?`;
          return inputRequired({
            inputRequests: { window: inputRequired.elicit({ message, requestedSchema: windowForm }) },
            requestState: await states.mint({ orderId, bookingId: crypto.randomUUID() }),
          });
        }
        const state = mcpReq.requestState<{ orderId: string; bookingId: string }>();
        const content = acceptedContent(mcpReq.inputResponses, "window", answer);
        if (!content || !state) return text(`No courier was booked for order ${orderId}.`);
        await book({ ...state, ...content });
        return text(`A courier is booked for order ${state.orderId}, from ${content.window}.`);
      },
    );
    return server;
  });
}

function text(words: string) {
  return { content: [{ type: "text" as const, text: words }] };
}
