import { visibleText } from "@countersign/policy/internal/display/visible-text";
import type { StoreVerbs } from "countersign/internal";
import { actorName } from "../audit/actor.js";
import { type CliIo, type ExitCode, exitCodes, UsageError } from "../cli-io.js";
import { sameDatabase, withStore } from "../with-store.js";

type DeliveryRecord = Awaited<ReturnType<StoreVerbs["findDeliveries"]>>[number];
export type DeliveryState = DeliveryRecord["state"];

interface DatabaseOptions {
  databaseUrl?: string | undefined;
  tenant?: string | undefined;
  json?: boolean | undefined;
}

export interface ListDeliveriesOptions extends DatabaseOptions {
  approval?: string | undefined;
  state?: DeliveryState | undefined;
}

export interface ReplayOptions extends DatabaseOptions {
  by?: string | undefined;
}

const pageSize = 200;

/** `deliveries list`: lists messages of channels. */
export async function listDeliveries(options: ListDeliveriesOptions, io: CliIo): Promise<ExitCode> {
  const { approval: approvalId, state } = options;
  const tenantId = tenantOf(options);
  return withStore(options.databaseUrl, "the deliveries cannot be read", async (store) => {
    let after: { at: Date; id: string } | undefined;
    let found = 0;
    do {
      const page = await store.findDeliveries({ tenantId, approvalId, state, after, limit: pageSize });
      for (const one of page) io.out(options.json ? `${JSON.stringify(one)}\n` : `${lineOf(one)}\n`);
      found += page.length;
      const last = page.length === pageSize ? page.at(-1) : undefined;
      after = last && { at: last.createdAt, id: last.id };
    } while (after);
    if (found === 0 && !options.json) io.out("No deliveries match.\n");
    return exitCodes.ok;
  });
}

/** `deliveries replay`: makes messages due again. The running installation sends them within about a minute. */
export async function replayDeliveries(
  ids: readonly string[],
  options: ReplayOptions,
  io: CliIo,
): Promise<ExitCode> {
  const tenantId = tenantOf(options);
  const by = { id: actorName(options), roles: [], authenticatedBy: "command line" };
  return withStore(options.databaseUrl, "not all deliveries were replayed", async (store) => {
    let code: ExitCode = exitCodes.ok;
    for (const deliveryId of new Set(ids)) {
      const delivery = await store.replayDelivery({ tenantId, by, deliveryId });
      if (delivery?.state !== "due") code = exitCodes.failed;
      if (!delivery) {
        io.err(
          `Unknown delivery ${escaped(deliveryId)}. List deliveries: npx countersign deliveries list${sameDatabase(options.databaseUrl)}\n`,
        );
      } else if (options.json) io.out(`${JSON.stringify(delivery)}\n`);
      else if (delivery.state === "due") io.out(`${deliveryId}: due, to be sent within about a minute\n`);
      else io.err(`${deliveryId}: ${delivery.state}, so it is not sent again\n`);
    }
    return code;
  });
}

/** An empty name probably comes from an unset variable, and must not mean all tenants. */
function tenantOf({ tenant }: DatabaseOptions): string | null {
  if (tenant === "") throw new UsageError("--tenant: must not be empty; omit it for all tenants");
  return tenant ?? null;
}

/** Texts of channels and tenants are escaped, so that they cannot control the terminal. */
function lineOf(delivery: DeliveryRecord): string {
  const { id, state, channel, target, recipient, event, approvalId, tenantId, attempts, lastError } =
    delivery;
  const place = `${channel}${target === null ? "" : `:${visibleText(target, 120)}`}`;
  const to = recipient === null ? "" : ` to ${escaped(recipient.label)}`;
  const about = `${event} of ${visibleText(approvalId, 120)}, tenant ${escaped(tenantId)}`;
  const tried = `${attempts} ${attempts === 1 ? "attempt" : "attempts"}`;
  const problem = lastError === null ? "" : `: ${visibleText(lastError, 300)}`;
  return `${id} ${state} ${place}${to}: ${about}, ${delivery.occurredAt.toISOString()}, ${tried}${problem}`;
}

function escaped(text: string): string {
  return JSON.stringify(visibleText(text, 200));
}
