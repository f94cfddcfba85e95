// What the API shows of a call that a delivery desk proposed.
import type { Principal } from "countersign";
import { type ApprovalView, approvalsApi } from "countersign/hono";
import type { DeliveryDesk } from "./delivery-desk.js";
import { recordingInngest } from "./recording-inngest.js";

const ada: Principal = { id: "ada", tenantId: "acme", roles: [] };
/** Sees what the rules hide. */
export const auditor: Principal = { ...ada, roles: ["auditor"] };

async function ask<T>(desk: DeliveryDesk, path: string, reader: Principal): Promise<T> {
  const { inngest } = recordingInngest();
  const api = approvalsApi(desk.instance({ inngest }), {
    authenticate: () => reader,
    fullViewRoles: ["auditor"],
  });
  const response = await api.request(path);
  if (response.status !== 200) throw new Error(`${path}: ${await response.text()}`);
  return response.json() as Promise<T>;
}

/** The call with all that the reader may see. */
export const viewOf = (desk: DeliveryDesk, { id }: { id: string }, reader = ada) =>
  ask<ApprovalView>(desk, `/approvals/${id}`, reader);

/** The call in a list that leaves out the arguments. */
export async function rowOf(desk: DeliveryDesk, { id }: { id: string }): Promise<ApprovalView> {
  const { items } = await ask<{ items: ApprovalView[] }>(desk, "/approvals?fields=row", auditor);
  const row = items.find((item) => item.id === id);
  if (!row) throw new Error("The call is not in the list");
  return row;
}
