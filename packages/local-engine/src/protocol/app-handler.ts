/** Calls an app of this process. */
export type AppHandler = (request: Request) => Promise<Response>;
