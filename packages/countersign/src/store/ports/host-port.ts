// Do not import Drizzle here: public declarations include this file.

/** The inbox preferences of people. */
export interface HostPort {
  /** A person's inbox preferences as they were saved, or `null` if there are none. */
  getPreferences(tenantId: string, principalId: string): Promise<unknown>;
  setPreferences(tenantId: string, principalId: string, data: Record<string, unknown>): Promise<void>;
}
