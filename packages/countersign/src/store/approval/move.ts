import type { WithdrawalCause } from "@countersign/policy/internal/display/withdrawal-text";
import { statusesBefore } from "@countersign/policy/internal/shared/approval-status";
import { and, eq, exists, isNull, or } from "drizzle-orm";
import type { Approval } from "../../approval/approval.js";
import type { HandlerKind } from "../../approval/handler-kind.js";
import type { Evidence } from "../../evidence/check-evidence.js";
import { saltedHash } from "../../evidence/salted-hash.js";
import { audit } from "../audit/audit.js";
import { builtOnce, type ValueOf, valueFor } from "../built-once.js";
import type { Transaction } from "../database.js";
import { consuming } from "../evidence/evidence.js";
import { approvalFromRow } from "../rows/approval-row.js";
import { hasStatus } from "../rows/has-status.js";
import { approvals } from "../schema.js";

/** The columns that a transition may write, besides the status and its time. */
interface Written {
  outcomeJson?: string;
  outcomeToken?: string | null;
  handlerKind?: HandlerKind;
  startedBy?: string | null;
  withdrawalCause?: WithdrawalCause;
}

type MovedTo = "executing" | "executed" | "failed" | "interrupted" | "withdrawn" | "expired";

/** What must hold for a transition besides its status: unused evidence, which it consumes, or the run that started the call. */
interface Provided {
  evidence?: Evidence | undefined;
  startedBy?: string | null;
}

/** One transition that {@link statusesBefore} allows, with its audit entry; `undefined` if it does not apply. */
export async function move(
  session: Transaction,
  approvalId: string,
  to: MovedTo,
  set: Written = {},
  data: object = {},
  { evidence: using, startedBy: by }: Provided = {},
): Promise<Approval | undefined> {
  const columns = Object.keys(set) as (keyof Written)[];
  const provided = { usesEvidence: using !== undefined, isOfRun: by !== undefined };
  const name = [to, provided.usesEvidence, provided.isOfRun, ...columns].join(" ");
  const statement = moves.get(name) ?? moving(to, columns, provided);
  moves.set(name, statement);
  const [row] = await statement(session, { ...noValues, ...set, approvalId, evidenceId: using?.id, by });
  if (!row) return undefined;
  audit(session, {
    tenantId: row.tenantId,
    approvalId,
    type: `approval.${to}`,
    notify: row.notify,
    data: {
      digest: row.digest,
      ...(set.withdrawalCause ? { cause: set.withdrawalCause } : {}),
      ...(set.outcomeJson === undefined ? {} : { outcomeHash: saltedHash(row, set.outcomeJson) }),
      ...data,
    },
  });
  return approvalFromRow(row);
}

/** The statements of {@link move}, by what they write. */
const moves = new Map<string, ReturnType<typeof moving>>();

/** Every place of a statement has a value, also one that it does not write. */
const noValues = {
  outcomeJson: undefined,
  outcomeToken: undefined,
  handlerKind: undefined,
  startedBy: undefined,
  withdrawalCause: undefined,
};

function moving(
  to: MovedTo,
  columns: readonly (keyof Written)[],
  { usesEvidence, isOfRun }: { usesEvidence: boolean; isOfRun: boolean },
) {
  return builtOnce((session, value: ValueOf<"approvalId" | "evidenceId" | "by" | keyof Written>) => {
    const { db, now } = session;
    const used = usesEvidence ? db.$with("used").as(consuming(session, value("evidenceId"))) : undefined;
    return (used ? db.with(used) : db)
      .update(approvals)
      .set({
        ...Object.fromEntries(columns.map((column) => [column, valueFor(approvals[column], value(column))])),
        status: to,
        [to === "executing" ? "startedAt" : "finishedAt"]: now,
      })
      .where(
        and(
          eq(approvals.id, value("approvalId")),
          hasStatus(...statusesBefore(to)),
          isOfRun ? or(isNull(approvals.startedBy), eq(approvals.startedBy, value("by"))) : undefined,
          used && exists(db.select({ id: used.id }).from(used)),
        ),
      )
      .returning();
  });
}
