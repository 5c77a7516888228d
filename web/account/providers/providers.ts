import type { RequestContext } from "../../../src/context.ts";
import type { AppError } from "../../../src/errors.ts";
import { hostCookie, readHostCookie } from "../../../src/http/callers/host-cookie.ts";
import { signedInCookie } from "../../../src/http/callers/session-cookie.ts";
import { readPageForm } from "../../../src/http/reading/read-body.ts";
import { pageContext } from "../../../src/http/responding/page-context.ts";
import { redirect, respondPage } from "../../../src/http/responding/respond-page.ts";
import { respondToRefusals } from "../../../src/http/responding/respond-to-refusals.ts";
import type { HttpContext } from "../../../src/http/routing/env.ts";
import { toOwnPath } from "../../../src/lib/http/own-path.ts";
import { hashToken } from "../../../src/lib/secrets/secrets.ts";
import { ProviderError } from "../../../src/net/identity-provider.ts";
import { requireVerified } from "../../../src/service/accounts/actor.ts";
import { requireProof } from "../../../src/service/accounts/proof-of-identity.ts";
import { operations } from "../../../src/service/operations.ts";
import { type BegunFlow, beginAtProvider, beginProof, logProviderError } from "../../../src/service/sign-in/oidc/begin.ts";
import { finishAtProvider } from "../../../src/service/sign-in/oidc/finish.ts";
import { FLOW_MS } from "../../../src/service/sign-in/oidc/flows.ts";
import { SECURITY_PATH } from "../../settings/paths.ts";
import { respondSecurity } from "../../settings/security/security.ts";
import { respondProve } from "../prove/prove.ts";
import { toSecondStep } from "../sign-in/second-step.ts";
import { withVisitor } from "../visitor.ts";
import { withPerson } from "../with-person.ts";
import { type ProviderProblem, renderLeavingPage, renderProviderProblem } from "./provider-pages.tsx";

const COOKIE = "provider-flow";

/** Handles `POST /signin/oidc`, a form of the sign-in and sign-up pages: sends the browser to the provider. */
export const postProviderSignIn = (c: HttpContext): Promise<Response> =>
  withVisitor(c, { setsCookie: true }, async (call) => {
    const form = await readPageForm(c, call);
    const invite = form.get("invite");
    const next = toOwnPath(form.get("next")) ?? null;
    const invite_hash = invite === null ? null : hashToken(invite);
    return await leave(c, () => beginAtProvider(c.env.ctx, { purpose: "sign-in", session_id: null, invite_hash, next }));
  });

/** Handles `POST /prove/oidc`, a form of the page that asks for a proof: sends the browser to the provider. */
export const postProviderProof = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    const form = await readPageForm(c, call);
    const next = toOwnPath(form.get("next")) ?? null;
    const refuse = (providerRefusal: AppError) => respondProve(c, call, { next: next ?? "/", providerRefusal });
    return await respondToRefusals(() => leave(c, () => beginProof(c.env.ctx, call, { code: form.get("code") ?? "", next })), {
      FORBIDDEN: refuse,
      SECOND_FACTOR_REQUIRED: refuse,
      RATE_LIMITED: refuse,
    });
  });

/** Handles `POST /settings/security/connect`: sends the browser to the provider to connect an identity. */
export const postProviderConnection = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    requireProof(c.env.ctx, call);
    // The address must be verified, because the identity would outlive the reset with which the address's owner takes over the account.
    const { sessionId: session_id } = requireVerified(call.actor);
    return await leave(c, () => beginAtProvider(c.env.ctx, { purpose: "connect", session_id, invite_hash: null, next: null }));
  });

/** Handles `POST /settings/security/disconnect`: disconnects the provider. */
export const postProviderDisconnection = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    const id = (await readPageForm(c, call)).get("id") ?? "";
    return await respondToRefusals(
      async () => {
        await operations.disconnect(c.env.ctx, call, { id });
        return redirect(c, 303, SECURITY_PATH);
      },
      { CONFLICT: (refusal) => respondSecurity(c, call, { connectionProblem: pageContext(c).texts.provider.lastWay }, refusal) },
    );
  });

/** Handles `GET /signin/oidc/callback`, with which the browser returns from the provider. */
export const returnFromProvider = (c: HttpContext): Promise<Response> =>
  withVisitor(c, { setsCookie: false }, async (call) => {
    const response = await finish(c, call);
    response.headers.append("Set-Cookie", hostCookie(c, COOKIE, "", 0));
    return response;
  });

async function finish(c: HttpContext, call: RequestContext): Promise<Response> {
  const outcome = await finishAtProvider(c.env.ctx, call, {
    secret: readHostCookie(c, COOKIE),
    query: new URLSearchParams(c.env.url.search),
  });
  if (outcome.kind === "refused") return await respondProblem(c, outcome.reason);
  if (outcome.kind === "connected") return redirect(c, 303, SECURITY_PATH);
  if (outcome.kind === "code-needed") return toSecondStep(c, outcome.signInToken, outcome.next ?? undefined);
  const response = redirect(c, 303, outcome.next ?? "/");
  if (outcome.kind === "signed-in") response.headers.append("Set-Cookie", signedInCookie(c, outcome.session.sessionToken));
  return response;
}

/**
 * Sends the browser to the provider by a page that refreshes itself. The pages' policy allows forms no redirect to another site, and the provider's
 * host is unknown until it is asked.
 */
async function leave(c: HttpContext, begin: () => Promise<BegunFlow>): Promise<Response> {
  try {
    const { secret, url } = await begin();
    const html = renderLeavingPage(pageContext(c), { url: url.href, provider: providerName(c) });
    const response = await respondPage(c, { html, hasSecrets: true, headers: { Refresh: `0; url=${url.href}` } });
    response.headers.append("Set-Cookie", hostCookie(c, COOKIE, secret, FLOW_MS));
    return response;
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    logProviderError(c.env.ctx, error);
    return await respondProblem(c, error.kind);
  }
}

const STATUSES: Partial<Record<ProviderProblem, number>> = { unavailable: 503, invalid: 400, taken: 409, elsewhere: 409 };

async function respondProblem(c: HttpContext, problem: ProviderProblem): Promise<Response> {
  const html = renderProviderProblem(pageContext(c), { problem, provider: providerName(c) });
  return await respondPage(c, { html, status: STATUSES[problem] ?? 403 });
}

const providerName = (c: HttpContext): string => c.env.site.provider ?? "";
