import { personWith } from "../demo-principals.js";
import { demoPeople } from "../inbox-people.js";

/** Who asks in the chat. The demo's tokens are public. */
export const requesterToken = "demo-requester";

/** Who can decide beside the chat. */
export const deciders = demoPeople
  .filter(({ token }) => token !== requesterToken)
  .map((person) => ({ ...person, roles: personWith(person.token)?.roles ?? [] }));

/**
 * `fetch` without cookies: each side of the page acts for its own token, whoever is signed in to the inbox in this
 * browser.
 */
export function fetchWithoutCookies(request: Request): Promise<Response> {
  return fetch(new Request(request, { credentials: "omit" }));
}
