import { email } from "@countersign/channels/email";
import { inboxPage } from "@countersign/inbox/server";
import { Hono } from "hono";
import { openApiWorld } from "../../support/api-world.js";
import { exampleCard, exampleDelivery } from "../../support/example-delivery.js";
import { listenOn } from "../../support/http/listen-on.js";
import { proposeCall } from "../../support/proposals.js";
import { openMailServer } from "./mail-server.js";

/** Everything in the parts of a mail that a program could take for an address. */
export function addressesIn(...parts: string[]): string[] {
  const found = parts.flatMap((text) => text.match(/https?:\/\/[^\s"'<>]+/gi) ?? []);
  return [...new Set(found.map((address) => address.replaceAll("&amp;", "&")))];
}

/** A mail about a pending call, and the site that it links to. */
export async function openMailed() {
  const world = await openApiWorld();
  const [call] = await proposeCall(world.store);
  if (!call) throw new Error("unreachable");
  const app = new Hono()
    .route(
      "/inbox",
      // Who operates every control would also take back a decision that is held.
      inboxPage({ apiBase: "/api", basePath: "/inbox", signIn: { url: "/sign-in" }, holdMs: 0 }),
    )
    .route("/api", world.api);
  const site = await listenOn(async (request) => app.fetch(request));
  const server = await openMailServer();
  const finance = "finance@example.com";
  const channel = email({ transport: server.url, from: finance, recipients: { default: finance } });
  const card = exampleCard({
    approvalId: call.id,
    digest: call.digest,
    url: `${site.url}/inbox/approvals/${call.id}`,
  });
  await channel.send(
    exampleDelivery({ recipient: { id: finance, label: finance }, card }),
    new AbortController().signal,
  );
  const [arrived] = server.arrived;
  if (!arrived) throw new Error("unreachable");
  return {
    ...{ world, call, site, card, arrived },
    async [Symbol.asyncDispose]() {
      site.close();
      await server[Symbol.asyncDispose]();
      await world[Symbol.asyncDispose]();
    },
  };
}
