import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { Principal } from "@countersign/policy/internal/shared/principal";
import type { Context } from "hono";
import type { Approval } from "../approval/approval.js";
import { maySee } from "../approval/who-decides.js";
import type { Countersign } from "../instance/countersign.js";
import type { Stop } from "../stops/stop.js";
import { type Store, storeVerbs } from "../store/store.js";
import type { ApiEnv } from "./api-env.js";
import { approvalView, type ViewOptions } from "./approval-view.js";
import type { ApprovalView } from "./contract/approval-schemas.js";
import { decodeCursor, encodeCursor } from "./cursor.js";

/** Dependencies and helpers shared by all routes. */
export interface ApiContext {
  countersign: Countersign;
  store: Store;
  auditRoles: readonly string[];
  isAuditor(principal: Principal): boolean;
  seesEverything(principal: Principal): boolean;
  mayStop(principal: Principal): boolean;
  /** The database's current time in ISO 8601. */
  serverTime(): Promise<string>;
  /** Reads the engaged stops that `view` shows. If the read fails, `view` keeps using the previous ones. */
  refreshStops(): Promise<void>;
  /** The approval as this reader sees it. */
  view(
    approval: Approval,
    reader: Principal,
    options?: Partial<Pick<ViewOptions, "omitValues" | "stops">>,
  ): ApprovalView;
  /** Shows the items of one list to this reader: with their values, until those fill the list. */
  listView(reader: Principal): (approval: Approval) => ApprovalView;
  /** Builds one page from a query that fetched one item more than the limit, to know whether another page follows. */
  page<Item extends { id: string }, View>(
    found: readonly Item[],
    limit: number,
    at: (item: Item) => Date,
    view: (item: Item) => View,
  ): Promise<{ items: View[]; nextCursor: string | null; serverTime: string }>;
  /** Decodes a cursor into the store's position. */
  after(cursor: string | undefined): { after?: { at: Date; id: string } };
  /** Reads an approval by id. The same error whether it does not exist or the reader may not see it. */
  find(reader: Principal, id: string, options?: { auditorsToo: boolean }): Promise<Approval>;
  /** The same for the caller of a route. */
  read(c: Context<ApiEnv>, id: string, options?: { auditorsToo: boolean }): Promise<Approval>;
}

export function apiContext(
  countersign: Countersign,
  {
    fullViewRoles,
    auditRoles,
    stopRoles,
  }: Record<"fullViewRoles" | "auditRoles" | "stopRoles", readonly string[]>,
): ApiContext {
  const store = storeVerbs(countersign.store);
  const hasOneOf = (wanted: readonly string[]) => (principal: Principal) =>
    principal.roles.some((role) => wanted.includes(role));
  const seesEverything = hasOneOf(fullViewRoles);
  const isAuditor = hasOneOf(auditRoles);
  let stops: readonly Stop[] = [];
  const view: ApiContext["view"] = (approval, reader, options) =>
    approvalView(approval, reader, { stops, ...options, seesEverything: seesEverything(reader) });
  const serverTime = async () => (await store.now()).toISOString();
  const find: ApiContext["find"] = async (reader, id, { auditorsToo } = { auditorsToo: false }) => {
    const approval = await store.getApproval(reader.tenantId, id);
    if (approval && (maySee(approval, reader) || (auditorsToo && isAuditor(reader)))) return approval;
    throw new CountersignError("not_found", "The approval does not exist, or you may not see it");
  };
  return {
    countersign,
    store,
    auditRoles,
    isAuditor,
    seesEverything,
    serverTime,
    mayStop: hasOneOf(stopRoles),
    // For display only: the store checks stops itself before it records an approval and before a call starts.
    refreshStops: async () => {
      stops = await store.engagedStops().catch(() => stops);
    },
    view,
    listView(reader) {
      let left: number | undefined;
      return (approval) => {
        const length = valuesLength(approval);
        // The first one is always shown.
        const omitValues = left !== undefined && length > left;
        left = left === undefined ? listedLength : omitValues ? left : left - length;
        return view(approval, reader, { omitValues });
      };
    },
    async page(found, limit, at, view) {
      const items = found.slice(0, limit);
      const last = items.at(-1);
      return {
        items: items.map(view),
        nextCursor: found.length > limit && last ? encodeCursor({ at: at(last), id: last.id }) : null,
        serverTime: await serverTime(),
      };
    },
    after: (cursor) => (cursor === undefined ? {} : { after: decodeCursor(cursor) }),
    find,
    read: (c, id, options) => find(c.get("principal"), id, options),
  };
}

/** JSON text of arguments and results that a list shows after its first item, in characters. Models decide their length. */
const listedLength = 256 * 1024;

function valuesLength({ inputJson, edited, responseJson, outcomeJson }: Approval): number {
  const texts = [inputJson, edited?.inputJson, responseJson, outcomeJson];
  return texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
}
