import type { RequestContext } from "../../src/context.ts";
import { identifyCaller } from "../../src/http/callers/caller.ts";
import { redirect, withErrorPage } from "../../src/http/responding/respond-page.ts";
import { respondToRefusals } from "../../src/http/responding/respond-to-refusals.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";
import { toOwnPath } from "../../src/lib/http/own-path.ts";
import { PROVE_PATH, SIGN_IN_PATH, withNext } from "./paths.ts";

/**
 * Responds with a page for the signed-in person, or an error page. Without a session, the person signs in first; if `work` throws PROOF_REQUIRED, the
 * person proves their identity first (accounts, "Proof"). Both steps return to the page, not to the path of a form.
 */
export const withPerson = (c: HttpContext, work: (call: RequestContext) => Promise<Response>): Promise<Response> =>
  withErrorPage(c, () =>
    respondToRefusals(
      async () => {
        const call = await identifyCaller(c, "page");
        if (c.env.person !== undefined) return await work(call);
        return redirect(c, 303, withNext(SIGN_IN_PATH, c.req.method === "GET" ? ownPath(c) : undefined));
      },
      { PROOF_REQUIRED: () => redirect(c, 303, withNext(PROVE_PATH, c.req.method === "GET" ? ownPath(c) : formsPage(c))) },
    ),
  );

const ownPath = (c: HttpContext): string => c.env.url.pathname + c.env.url.search;

/** Returns the path of the page that contains a form. */
function formsPage(c: HttpContext): string {
  const url = URL.parse(c.req.header("referer") ?? "");
  return (url?.origin === new URL(c.env.ctx.urls.siteUrl).origin && toOwnPath(url.pathname + url.search)) || "/";
}
