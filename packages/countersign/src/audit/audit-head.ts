/** The end of a tenant's log: the position and hash of its last entry. */
export interface AuditHead {
  position: number;
  hash: string;
}

/** The head of an empty log, which its first entry names as the previous hash. */
export const emptyAuditHead: AuditHead = { position: 0, hash: "0".repeat(64) };
