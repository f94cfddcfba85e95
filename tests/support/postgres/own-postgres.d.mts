/** A Postgres server that this process has started. */
export interface OwnPostgres {
  /** A superuser's address, without a database. */
  adminUrl: string;
  /** The address for the owner of databases, as applications connect: row-level security binds it. */
  ownerUrl: string;
  /** Path of the server's Unix socket, which costs half as much as TCP; `undefined` on Windows. */
  socket: string | undefined;
  createDatabase(name: string): Promise<void>;
  /** Stops the server and keeps its data; `immediate` as a crash would. */
  halt(mode: "fast" | "immediate"): Promise<void>;
  resume(): Promise<void>;
  /** Stops the server and deletes its data. */
  stop(): Promise<void>;
}

export function startPostgres(options?: { flags?: string[]; folder?: string }): Promise<OwnPostgres>;
