import type { Context } from "hono";
import type { Approval } from "../approval/approval.js";
import { maySee } from "../approval/who-decides.js";
import type { Countersign } from "../create-countersign.js";
import { CountersignError } from "../errors.js";
import type { Principal } from "../principal.js";
import type { ApiEnv } from "./api-env.js";
import { approvalView } from "./approval-view.js";
import type { ApprovalView } from "./contract/approval-schemas.js";
import { decodeCursor, encodeCursor } from "./cursor.js";

/** What the routes share. */
export interface ApiContext {
  countersign: Countersign;
  store: Countersign["store"];
  auditRoles: readonly string[];
  isAuditor(principal: Principal): boolean;
  seesEverything(principal: Principal): boolean;
  /** Now, by the database's clock, in ISO 8601. */
  serverTime(): Promise<string>;
  /** The approval as this reader sees it. */
  view(approval: Approval, reader: Principal): ApprovalView;
  /** The approval of an id, or a 404 that does not tell whether there is one. */
  read(c: Context<ApiEnv>, id: string, options?: { auditorsToo: boolean }): Promise<Approval>;
}

export function apiContext(
  countersign: Countersign,
  { fullViewRoles, auditRoles }: { fullViewRoles: readonly string[]; auditRoles: readonly string[] },
): ApiContext {
  const { store } = countersign;
  const hasOneOf = (wanted: readonly string[]) => (principal: Principal) =>
    principal.roles.some((role) => wanted.includes(role));
  const seesEverything = hasOneOf(fullViewRoles);
  const isAuditor = hasOneOf(auditRoles);
  return {
    countersign,
    store,
    auditRoles,
    isAuditor,
    seesEverything,
    serverTime: async () => (await store.now()).toISOString(),
    view: (approval, reader) => approvalView(approval, reader, { seesEverything: seesEverything(reader) }),
    async read(c, id, { auditorsToo } = { auditorsToo: false }) {
      const principal = c.get("principal");
      const approval = await store.getApproval(principal.tenantId, id);
      const may = approval && (maySee(approval, principal) || (auditorsToo && isAuditor(principal)));
      if (!may) throw new CountersignError("not_found", "There is no such approval, or you may not see it");
      return approval;
    },
  };
}

/** One page of what was found with one more than asked for: the items, and where the next page begins. */
export async function pageOf<Item extends { id: string }, View>(
  { serverTime }: Pick<ApiContext, "serverTime">,
  found: readonly Item[],
  limit: number,
  at: (item: Item) => Date,
  view: (item: Item) => View,
): Promise<{ items: View[]; nextCursor: string | null; serverTime: string }> {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return {
    items: items.map(view),
    nextCursor: found.length > limit && last ? encodeCursor({ at: at(last), id: last.id }) : null,
    serverTime: await serverTime(),
  };
}

/** Where a page begins, for the store. */
export function afterOf(cursor: string | undefined): { after?: { at: Date; id: string } } {
  return cursor === undefined ? {} : { after: decodeCursor(cursor) };
}
