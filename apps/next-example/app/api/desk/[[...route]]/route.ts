import { approvalsApi } from "countersign/hono";
import { toNextHandlers } from "countersign/next";
import { countersign } from "../../../../lib/countersign";
import { principalOf } from "../../../../lib/session";

export const dynamic = "force-dynamic";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = toNextHandlers(
  approvalsApi(countersign, { authenticate: principalOf }),
  { basePath: "/api/desk" },
);
