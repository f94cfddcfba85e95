import { NextResponse } from "next/server";
import { people } from "../../../lib/people";
import { isFromThisApp, sessionCookie, signSession } from "../../../lib/session";
import { settings } from "../../../lib/settings";

/** Signs in. A real app would check a password, a passkey or an identity provider's answer here. */
export async function POST(request: Request): Promise<Response> {
  if (!isFromThisApp(request)) return new NextResponse("This form belongs to another site", { status: 403 });
  const form = await request.formData();
  const user = people[String(form.get("user"))];
  if (!user) return new NextResponse("There is no such user", { status: 400 });
  const response = NextResponse.redirect(new URL(returnPath(form.get("return")), settings.origin), 303);
  response.cookies.set(sessionCookie.name, await signSession(user.id), sessionCookie.attributes);
  return response;
}

/** Only a path of this app: anything else would make the sign-in page send people elsewhere. */
function returnPath(wanted: FormDataEntryValue | null): string {
  const path = String(wanted ?? "/");
  return new URL(path, settings.origin).origin === new URL(settings.origin).origin ? path : "/";
}
