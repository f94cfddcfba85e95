import type { Principal } from "countersign";
import { verifyOrigin } from "countersign/auth";
import { jwtVerify, SignJWT } from "jose";
import { people } from "./people";
import { sessionSecret, settings } from "./settings";

/** The app's own session: a signed cookie that holds the user's id. */
export const sessionCookie = {
  name: "session",
  attributes: {
    httpOnly: true,
    sameSite: "lax",
    secure: settings.origin.startsWith("https:"),
    path: "/",
    maxAge: 12 * 60 * 60,
  },
} as const;

export function signSession(userId: string): Promise<string> {
  return new SignJWT()
    .setProtectedHeader({ alg: "HS256" })
    .setSubject(userId)
    .setIssuedAt()
    .setExpirationTime("12h")
    .sign(sessionSecret());
}

export async function readSession(cookie: string | undefined): Promise<Principal | null> {
  if (!cookie) return null;
  try {
    const { payload } = await jwtVerify(cookie, sessionSecret(), { algorithms: ["HS256"] });
    return people[payload.sub ?? ""] ?? null;
  } catch {
    return null;
  }
}

/** Who sends a request. Requests that change something must come from this app's own pages. */
export async function principalOf(request: Request): Promise<Principal | null> {
  if (!isFromThisApp(request)) return null;
  const cookies = request.headers.get("cookie") ?? "";
  return readSession(new RegExp(`(?:^|; )${sessionCookie.name}=([^;]+)`).exec(cookies)?.[1]);
}

export function isFromThisApp(request: Request): boolean {
  const changesNothing = request.method === "GET" || request.method === "HEAD";
  return changesNothing || verifyOrigin(request, { allowedOrigins: [settings.origin] });
}
