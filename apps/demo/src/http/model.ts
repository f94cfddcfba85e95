import { Hono } from "hono";
import { limitBody, maxBodyBytes } from "./body-limits.js";

/** `POST /model/v1/…`: the scripted model, with the API of a provider. */
export function modelRoute(fetch: (request: Request) => Promise<Response>): Hono {
  return new Hono().post("/model/*", limitBody(maxBodyBytes.model), ({ req }) => {
    const url = new URL(req.url);
    url.pathname = url.pathname.slice("/model".length);
    return fetch(new Request(url, req.raw));
  });
}
