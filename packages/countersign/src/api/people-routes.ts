import type { Hono } from "hono";
import { z } from "zod";
import type { Principal } from "../principal.js";
import type { ApiContext } from "./api-context.js";
import type { ApiEnv } from "./api-env.js";
import { personSchema } from "./contract/approval-schemas.js";
import { serve } from "./serve.js";

export type Person = z.infer<typeof personSchema>;

/** Who can be named to somebody, from the host's own directory. */
export type People = (principal: Principal) => readonly Person[] | Promise<readonly Person[]>;

/** More than these nobody looks through; those who are missing can still be named by their id. */
const mostPeople = 1000;

/** What people do about a call beside deciding it, and who there is to do it. */
export function addPeopleRoutes(
  api: Hono<ApiEnv>,
  { countersign, view }: ApiContext,
  people: People = () => [],
): void {
  serve(api, "listPeople", async (_, c) => {
    const told = await people(c.get("principal"));
    return { items: z.array(personSchema).parse(told.slice(0, mostPeople)) };
  });

  serve(api, "assign", async ({ params, body: { to } }, c) => {
    const principal = c.get("principal");
    return view(await countersign.assign({ approvalId: params.id, principal, to }), principal);
  });

  serve(api, "setViewing", async ({ params, body: { active } }, c) => {
    const principal = c.get("principal");
    return view(await countersign.look({ approvalId: params.id, principal, active }), principal);
  });

  serve(api, "extend", async ({ params, body: { by: byMs } }, c) => {
    const principal = c.get("principal");
    return view(await countersign.extend({ approvalId: params.id, principal, byMs }), principal);
  });

  serve(api, "resolve", async ({ params, body: { outcome, note = null } }, c) => {
    const principal = c.get("principal");
    return view(await countersign.resolve({ approvalId: params.id, principal, outcome, note }), principal);
  });
}
