import type { RequestContext } from "../../../src/context.ts";
import { sessionToken } from "../../../src/http/callers/session-cookie.ts";
import { readPageForm } from "../../../src/http/reading/read-body.ts";
import { pageContext } from "../../../src/http/responding/page-context.ts";
import { redirect, respondMessage, respondPage } from "../../../src/http/responding/respond-page.ts";
import type { HttpContext } from "../../../src/http/routing/env.ts";
import { beginAuthorization, type ConsentRequest, decide, requireConsentRights } from "../../../src/service/oauth/authorize.ts";
import { SIGN_IN_PATH, withNext } from "../paths.ts";
import { withVisitor } from "../visitor.ts";
import { withPerson } from "../with-person.ts";
import { renderConsentPage, renderWrongRequestPage } from "./consent-page.tsx";

/** Handles `GET /oauth/authorize`: asks the signed-in person for their consent to the request of an application (oauth, "Consent"). */
export const showConsentPage = (c: HttpContext): Promise<Response> =>
  withVisitor(c, { setsCookie: false }, async () => {
    const query = c.env.url.searchParams;
    const authorization = await beginAuthorization(c.env.ctx, query, c.env.person && sessionToken(c));
    switch (authorization.kind) {
      case "refused":
        return await respondMessage(c, { kind: "unknownApplication", status: 400 });
      // Anybody can register an address, so the browser is not redirected there without the person's action.
      case "wrong":
        return await respondPage(c, { status: 400, html: renderWrongRequestPage(pageContext(c), authorization) });
      case "signIn":
        return redirect(c, 303, withNext(SIGN_IN_PATH, c.env.url.pathname + c.env.url.search));
      case "ask":
        return await withPerson(c, async (call) => {
          requireConsentRights(c.env.ctx, call);
          return await respondConsent(c, authorization.request);
        });
    }
  });

/** Handles the form of `POST /oauth/authorize`: redirects the browser to the application with a code, or with the refusal. */
export const postConsent = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call: RequestContext) => {
    const form = await readPageForm(c, call);
    const url = await decide(c.env.ctx, call, {
      signed: form.get("request") ?? "",
      account: form.get("account") ?? "",
      allows: form.get("decision") === "allow",
      sessionToken: sessionToken(c) ?? "",
    });
    // The page was open for too long, or belongs to another account, so it is shown again.
    return redirect(c, 303, url ?? c.env.url.pathname + c.env.url.search);
  });

async function respondConsent(c: HttpContext, request: ConsentRequest): Promise<Response> {
  const page = pageContext(c);
  const html = renderConsentPage(page, {
    ...request,
    path: c.env.url.pathname + c.env.url.search,
    account: c.env.person?.name ?? "",
    accountId: c.env.person?.actor.userId ?? "",
  });
  return await respondPage(c, { html, formTargets: [formTarget(request.redirectUri)] });
}

/** Returns the address in the form of the page's policy, which cannot express IPv6 addresses and private schemes. */
function formTarget(redirectUri: string): string {
  const { protocol, origin, hostname } = new URL(redirectUri);
  const isNamed = (protocol === "https:" || protocol === "http:") && !hostname.startsWith("[");
  return isNamed ? origin : protocol;
}
