import type { Principal } from "@countersign/policy/internal/shared/principal";
import type { Hono } from "hono";
import * as z from "zod";
import type { ApiContext } from "../api-context.js";
import type { ApiEnv } from "../api-env.js";
import { personSchema } from "../contract/approval-schemas.js";
import { serve } from "../serve.js";

export type Person = z.infer<typeof personSchema>;

/** Returns the people to whom a principal can assign an approval, from the host's directory. */
export type ListPeople = (principal: Principal) => readonly Person[] | Promise<readonly Person[]>;

/** Maximum number of people returned. Others can still be assigned by id. */
const maxPeople = 1000;

/** Routes for assigning, viewing, snoozing, extending and resolving approvals, and for the people directory. */
export function addPeopleRoutes(
  api: Hono<ApiEnv>,
  { countersign, view }: ApiContext,
  people: ListPeople = () => [],
): void {
  serve(api, "listPeople", async (_, c) => {
    const found = await people(c.get("principal"));
    return { items: z.array(personSchema).parse(found.slice(0, maxPeople)) };
  });

  serve(api, "assign", async ({ params, body: { to } }, c) => {
    const principal = c.get("principal");
    const toName = to === null ? undefined : await nameOf(people, principal, to);
    return view(await countersign.assign({ approvalId: params.id, principal, to, toName }), principal);
  });

  serve(api, "setViewing", async ({ params, body: { active } }, c) => {
    const principal = c.get("principal");
    return view(await countersign.setViewing({ approvalId: params.id, principal, active }), principal);
  });

  serve(api, "snooze", async ({ params, body: { until } }, c) => {
    const principal = c.get("principal");
    return view(await countersign.snooze({ approvalId: params.id, principal, until }), principal);
  });

  serve(api, "endSnooze", async ({ params }, c) => {
    const principal = c.get("principal");
    return view(await countersign.snooze({ approvalId: params.id, principal, until: null }), principal);
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

/** The name of a person in the host's directory. A directory that fails does not prevent an assignment. */
async function nameOf(people: ListPeople, principal: Principal, id: string): Promise<string | undefined> {
  try {
    const found = (await people(principal)).find((person) => person.id === id);
    return found && personSchema.parse(found).displayName;
  } catch {
    return undefined;
  }
}
