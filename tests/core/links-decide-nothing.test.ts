import { expect, it } from "vitest";
import { addressesIn, openMailed } from "../channels/email/mailed-call.js";

it("a program that follows every link of a mail, with any method and as anyone, decides nothing", async () => {
  await using mailed = await openMailed();
  const { world, call, card, arrived } = mailed;
  const addresses = addressesIn(String(arrived?.mail.text), String(arrived?.mail.html));
  expect(addresses).toContain(card.url);
  expect(arrived?.mail.html).not.toContain("<form");
  // A decision needs the digest, which the mail does not hold.
  expect(`${arrived?.mail.text}${arrived?.mail.html}`).not.toContain(call.digest);

  const decision = JSON.stringify({ type: "approve", digest: call.digest });
  const statuses: number[] = [];
  for (const address of addresses) {
    for (const method of ["HEAD", "GET", "POST", "PUT", "OPTIONS"]) {
      for (const authorization of ["", "Bearer finance"]) {
        const body = method === "POST" || method === "PUT" ? decision : null;
        const headers = { authorization, "content-type": "application/json" };
        const { status } = await fetch(address, { method, body, headers, redirect: "manual" });
        statuses.push(status);
      }
    }
  }
  expect(statuses).toContain(200);
  const after = await world.request("finance", `/approvals/${call.id}`);
  expect(await after.json()).toMatchObject({ status: "pending", votes: [] });
  // The same decision succeeds through the API, by a person who is signed in.
  const decided = await world.request("finance", `/approvals/${call.id}/decision`, {
    method: "POST",
    body: decision,
  });
  expect(decided.status).toBe(200);
});
