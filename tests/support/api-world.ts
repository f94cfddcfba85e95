import { allow, ask, definePolicy, deny, type Policy, type Principal } from "countersign";
import { type Countersign, createCountersign } from "countersign/agent-kit";
import { type ApprovalsApiOptions, approvalsApi } from "countersign/hono";
import { Inngest } from "inngest";
import { freshPostgres } from "./databases.js";
import { postgresStore } from "./store.js";

/** The principal of each bearer token. */
const people: Record<string, Principal> = {
  requester: { id: "requester", tenantId: "acme", roles: ["requester"] },
  finance: { id: "finance", tenantId: "acme", roles: ["finance"], displayName: "Fin" },
  lead: { id: "lead", tenantId: "acme", roles: ["lead"] },
  auditor: { id: "auditor", tenantId: "acme", roles: ["auditor"] },
  stranger: { id: "stranger", tenantId: "other", roles: ["finance"] },
};

const policy = definePolicy({
  tools: {
    lookup: allow(),
    refund: ask({ approvers: { roles: ["finance", "lead"] } }),
    "refund.undo": ask({ approvers: { roles: ["finance", "lead"] } }),
    erase: deny("Never"),
    purge: ({ effects, reversible }) => (effects?.length === 1 && reversible ? allow() : deny("Too much")),
  },
});

/** The principal of a request's bearer token. */
export function knownByToken(request: Request): Principal | null {
  return people[request.headers.get("authorization")?.replace("Bearer ", "") ?? ""] ?? null;
}

/** All people of the principal's tenant. */
const peopleOf = ({ tenantId }: Principal) =>
  Object.values(people).filter((person) => person.tenantId === tenantId);

export interface ApiWorldOptions extends Partial<ApprovalsApiOptions> {
  /** @default a fresh database */
  database?: Awaited<ReturnType<typeof freshPostgres>> | undefined;
  /** @default rules in code */
  policy?: Policy;
  /** Milliseconds by which the database's time is ahead. @default 0 */
  clockOffset?: () => number;
}

/** An instance on Postgres and its API, for tests that put calls into the store themselves and run no agent. */
export async function openApiWorld({
  database: given,
  policy: own,
  clockOffset = () => 0,
  ...options
}: ApiWorldOptions = {}) {
  const database = given ?? (await freshPostgres(8));
  const store = postgresStore({ client: database.postgres, clockOffset });
  await store.migrate();
  const countersign: Countersign = createCountersign({
    // No run waits for these calls, so wake-ups go nowhere.
    inngest: new Inngest({
      id: "api",
      isDev: true,
      baseUrl: "http://engine.invalid",
      fetch: async () => Response.json({ ids: ["sent"], status: 200 }),
    }),
    store,
    policy: own ?? policy,
    tenantId: "acme",
  });
  const api = approvalsApi(countersign, {
    ...{ authenticate: knownByToken, rateLimit: false, people: peopleOf },
    ...options,
  });
  return {
    database,
    store,
    countersign,
    api,
    request: (token: string, path: string, init: RequestInit = {}) =>
      api.request(path, {
        ...init,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...init.headers },
      }),
    async [Symbol.asyncDispose]() {
      await store.close();
      await database[Symbol.asyncDispose]();
    },
  };
}
