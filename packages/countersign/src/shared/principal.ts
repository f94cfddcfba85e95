import { z } from "zod";

/**
 * The person or service that acts. Derive it from a verified session or token, never from a request body. Roles are
 * compared exactly; `displayName` is for display only.
 */
export const principalSchema = z.object({
  id: z.string().min(1),
  tenantId: z.string().min(1),
  roles: z.array(z.string()),
  displayName: z.string().optional(),
  /** How the principal was authenticated, for the audit log: `"jwt https://login.example.com/"`. Never a secret. */
  authenticatedBy: z.string().min(1).max(200).optional(),
});

export type Principal = z.infer<typeof principalSchema>;
