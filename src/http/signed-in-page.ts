import { SIGN_IN_PATH } from "../../web/account/paths.ts";
import type { RequestContext } from "../context.ts";
import { identifyCaller } from "./caller.ts";
import type { HttpContext } from "./env.ts";
import { searchOf } from "./page-context.ts";
import { redirect, respondErrorPage } from "./respond-page.ts";

/** Responds with a page of who is signed in, or an error page. Who is not signs in first and comes back to the page, not to a form's path. */
export async function withPerson(c: HttpContext, work: (call: RequestContext) => Promise<Response>): Promise<Response> {
  try {
    const call = await identifyCaller(c, "page");
    if (c.env.person !== undefined) return await work(call);
    const next = c.req.method === "GET" ? `?next=${encodeURIComponent(c.req.path + searchOf(c.req.url))}` : "";
    return redirect(c, 303, SIGN_IN_PATH + next);
  } catch (error) {
    return await respondErrorPage(c, error);
  }
}
