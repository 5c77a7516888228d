import type { RequestContext } from "../../../src/context.ts";
import type { AppError } from "../../../src/errors.ts";
import { signedInCookie } from "../../../src/http/callers/session-cookie.ts";
import { readPageForm } from "../../../src/http/reading/read-body.ts";
import { pageContext } from "../../../src/http/responding/page-context.ts";
import { redirect, respondPage } from "../../../src/http/responding/respond-page.ts";
import { respondToRefusals } from "../../../src/http/responding/respond-to-refusals.ts";
import type { HttpContext } from "../../../src/http/routing/env.ts";
import { findSignedIn } from "../../../src/service/accounts/sessions.ts";
import { operations } from "../../../src/service/operations.ts";
import { findAccountLink } from "../../../src/service/sign-in/account-links.ts";
import { EMAIL_PANEL } from "../../settings/email/email-page.tsx";
import { PROFILE_PATH } from "../../settings/paths.ts";
import { renderLinkResult } from "../link-result-page.tsx";
import { VERIFY_PATH } from "../paths.ts";
import { waitText } from "../sign-in/sign-in.ts";
import { withVisitor } from "../visitor.ts";
import { withPerson } from "../with-person.ts";
import { renderVerificationLink, renderVerifyPage, type VerifyPageProps } from "./verify-page.tsx";

/** Handles `GET /verify`. Redirects a person whose address is verified and proved to the profile. */
export const showVerifyPage = (c: HttpContext): Promise<Response> => withPerson(c, (call) => respondVerify(c, call, {}));

/** Handles `POST /verify`: mails the link again. */
export const postVerificationAgain = (c: HttpContext): Promise<Response> =>
  withPerson(c, (call) =>
    respondToRefusals(
      async () => {
        await operations.resendVerification(c.env.ctx, call, {});
        return await respondVerify(c, call, { done: pageContext(c).texts.accountLinks.sentAgain });
      },
      {
        CONFLICT: () => redirect(c, 303, "/"),
        RATE_LIMITED: (refusal) => respondVerify(c, call, { problem: waitText(c, refusal) }, refusal),
      },
    ),
  );

type Outcome = Omit<VerifyPageProps, "email">;

async function respondVerify(c: HttpContext, call: RequestContext, outcome: Outcome, refusal?: AppError): Promise<Response> {
  const { ctx, person } = c.env;
  const email = person?.unverifiedEmail;
  if (email === undefined) {
    const { isProved } = await operations.getEmail(ctx, call, {});
    return redirect(c, 303, isProved || !ctx.config.mail ? "/" : `${PROFILE_PATH}#${EMAIL_PANEL}`);
  }
  const html = renderVerifyPage(pageContext(c), { email, ...outcome });
  return await respondPage(c, { html, refusal });
}

/** Handles `GET /verify/:token`. */
export async function showVerificationLinkPage(c: HttpContext): Promise<Response> {
  const link = await findAccountLink(c.env.ctx, tokenOf(c), "verify");
  return link ? await respondLink(c, link) : await respondEnded(c);
}

const tokenOf = (c: HttpContext): string => c.req.param("token") ?? "";

/** Handles `POST /verify/:token`. A browser that is not signed in to the account signs in with the password. */
export const postVerificationLink = (c: HttpContext): Promise<Response> =>
  withVisitor(c, { setsCookie: true }, async (call) => {
    const link = await findAccountLink(c.env.ctx, tokenOf(c), "verify");
    if (!link) return await respondEnded(c);
    const showEnded = () => respondEnded(c);
    if (isOfPerson(c, link)) return await respondToRefusals(() => verify(c, call), { FORBIDDEN: showEnded });
    const password = (await readPageForm(c, call)).get("password") ?? "";
    const refuse = (refusal: AppError) => respondLink(c, link, refusal);
    return await respondToRefusals(
      async () => {
        const { sessionToken } = await operations.signIn(c.env.ctx, call, { login: link.user_id, password: password.slice(0, 128) });
        return await verifyInSession(c, call, sessionToken);
      },
      { UNAUTHENTICATED: refuse, RATE_LIMITED: refuse, FORBIDDEN: showEnded },
    );
  });

/** Verifies in a session that this request started. A refusal ends the session, because its token is not sent to the browser. */
async function verifyInSession(c: HttpContext, call: RequestContext, sessionToken: string): Promise<Response> {
  c.env.person = await findSignedIn(c.env.ctx, sessionToken);
  const ownCall = { ...call, actor: c.env.person?.actor ?? call.actor };
  try {
    const response = await verify(c, ownCall);
    response.headers.append("Set-Cookie", signedInCookie(c, sessionToken));
    return response;
  } catch (error) {
    await operations.signOut(c.env.ctx, ownCall, {});
    c.env.person = undefined;
    throw error;
  }
}

type VerificationLink = NonNullable<Awaited<ReturnType<typeof findAccountLink>>>;

const isOfPerson = (c: HttpContext, { user_id }: VerificationLink): boolean => c.env.person?.actor.userId === user_id;

async function verify(c: HttpContext, call: RequestContext): Promise<Response> {
  const wasVerified = c.env.person?.unverifiedEmail === undefined;
  await operations.verifyEmail(c.env.ctx, call, { token: tokenOf(c) });
  // The banner of this page must not ask for the verification any longer.
  if (c.env.person) c.env.person = { ...c.env.person, unverifiedEmail: undefined };
  const texts = pageContext(c).texts.accountLinks;
  const text = wasVerified ? texts.provedText : texts.verifiedText;
  const next = { path: "/", text: texts.goOn };
  return await respondPage(c, { html: renderLinkResult(pageContext(c), { isDone: true, title: texts.verified, text, next }) });
}

async function respondLink(c: HttpContext, link: VerificationLink, refusal?: AppError): Promise<Response> {
  const page = pageContext(c);
  const html = renderVerificationLink(page, {
    path: `${VERIFY_PATH}/${encodeURIComponent(tokenOf(c))}`,
    email: isOfPerson(c, link) ? undefined : (link.mailed_to ?? ""),
    problem: refusal && (waitText(c, refusal) ?? page.texts.accountLinks.wrongPassword),
  });
  return await respondPage(c, { html, refusal, hasSecrets: true });
}

async function respondEnded(c: HttpContext): Promise<Response> {
  const texts = pageContext(c).texts.accountLinks;
  const next = { path: VERIFY_PATH, text: texts.sendAgain };
  const html = renderLinkResult(pageContext(c), { isDone: false, title: texts.linkEnded, text: texts.verifyEnded, next });
  return await respondPage(c, { html, status: 403 });
}
