import { z } from "zod";

/**
 * Who acts. Always made by the host from a verified session or token, never from a request's body.
 * Roles are compared exactly; `displayName` is for people only.
 */
export const principalSchema = z.object({
  id: z.string().min(1),
  tenantId: z.string().min(1),
  roles: z.array(z.string()),
  displayName: z.string().optional(),
  /** How it is known who acts, in a few words for the audit log: `"jwt https://login.example.com/"`. Never a secret. */
  authenticatedBy: z.string().min(1).max(200).optional(),
});

export type Principal = z.infer<typeof principalSchema>;
