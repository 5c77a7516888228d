import { PASSWORD } from "../../../src/contract/scalars.ts";
import { AppError } from "../../../src/errors.ts";
import { toOwnPath } from "../../../src/http/callers/own-path.ts";
import { signedInCookie, signedOutCookie } from "../../../src/http/callers/session-cookie.ts";
import { readPageForm } from "../../../src/http/reading/read-body.ts";
import { answerRefusals } from "../../../src/http/responding/answer-refusals.ts";
import { pageContext } from "../../../src/http/responding/page-context.ts";
import { redirect, respondPage } from "../../../src/http/responding/respond-page.ts";
import type { HttpContext } from "../../../src/http/routing/env.ts";
import { hashToken } from "../../../src/lib/secrets.ts";
import { operations } from "../../../src/service/operations.ts";
import { signInContract } from "../../../src/service/sign-in/contract.ts";
import { findInvite } from "../../../src/service/sign-in/invites.ts";
import { ADMIN_PATH } from "../../admin/paths.ts";
import { SIGN_UP_PATH, VERIFY_PATH } from "../paths.ts";
import { renderSignUpPage, type SignUpField } from "../sign-up/sign-up-page.tsx";
import { withVisitor } from "../visitor.ts";
import { toSecondStep } from "./second-step.ts";
import { renderSignInPage } from "./sign-in-page.tsx";

/** `GET /signin`. Who is signed in goes on. */
export async function showSignInPage(c: HttpContext): Promise<Response> {
  const next = toOwnPath(c.req.query("next"));
  return c.env.person === undefined ? await respondSignIn(c, { next }) : redirect(c, 303, next ?? "/");
}

/** `POST /signin`, by that page's form. */
export const sendSignIn = (c: HttpContext): Promise<Response> =>
  withVisitor(c, { setsCookie: true }, async (call) => {
    const form = await readPageForm(c, call);
    const login = form.get("login") ?? "";
    const next = toOwnPath(form.get("next"));
    const refuse = (refusal: AppError) => respondSignIn(c, { login, next, refusal });
    return await answerRefusals(
      async () => {
        const input = signInContract.signIn.input.safeParse({ login, password: form.get("password") ?? "" });
        if (!input.success) throw new AppError("UNAUTHENTICATED", "");
        const { sessionToken } = await operations.signIn(c.env.ctx, call, input.data);
        return signedIn(c, sessionToken, next);
      },
      {
        SECOND_FACTOR_REQUIRED: ({ fields }) => toSecondStep(c, fields.signInToken ?? "", next),
        UNAUTHENTICATED: refuse,
        RATE_LIMITED: refuse,
        CONFLICT: refuse,
        FORBIDDEN: refuse,
        VALIDATION_FAILED: refuse,
      },
    );
  });

/** `GET /signup` and `GET /invite/:token`. */
export async function showSignUpPage(c: HttpContext): Promise<Response> {
  return await respondSignUp(c, {});
}

/** `POST /signup` and `POST /invite/:token`, by their form. */
export const sendSignUp = (c: HttpContext): Promise<Response> =>
  withVisitor(c, { setsCookie: true }, async (call) => {
    const form = await readPageForm(c, call);
    const entered = { email: form.get("email")?.trim() ?? "", name: form.get("name")?.trim() ?? "" };
    const input = signInContract.signUp.input.safeParse({ ...entered, password: form.get("password") ?? "", invite: c.req.param("token") });
    if (!input.success) return await respondSignUp(c, { entered, field: toField(input.error.issues[0]?.path[0]) });
    const refuse = (refusal: AppError) => respondSignUp(c, { entered, refusal });
    return await answerRefusals(
      async () => {
        const invite = await inviteOf(c);
        const { sessionToken } = await operations.signUp(c.env.ctx, call, input.data);
        if (invite?.role === "admin") return signedIn(c, sessionToken, ADMIN_PATH);
        // It goes on at once where the address needs no verification.
        return signedIn(c, sessionToken, c.env.ctx.config.mail === undefined ? "/" : VERIFY_PATH);
      },
      { UNAUTHENTICATED: refuse, RATE_LIMITED: refuse, CONFLICT: refuse, FORBIDDEN: refuse, VALIDATION_FAILED: refuse },
    );
  });

/** `POST /signout`, by the form of the settings, or by one of a page on which somebody else is to go on. */
export const sendSignOut = (c: HttpContext): Promise<Response> =>
  withVisitor(c, { setsCookie: false }, async (call) => {
    const next = toOwnPath((await readPageForm(c, call)).get("next"));
    if (call.actor.kind === "user") await operations.signOut(c.env.ctx, call, {});
    const response = redirect(c, 303, next ?? "/");
    response.headers.append("Set-Cookie", signedOutCookie(c));
    return response;
  });

/** Signs the browser in and goes on. */
export function signedIn(c: HttpContext, token: string, next = "/"): Response {
  const response = redirect(c, 303, next);
  response.headers.append("Set-Cookie", signedInCookie(c, token));
  return response;
}

interface SignInState {
  readonly login?: string;
  readonly next?: string | undefined;
  readonly refusal?: AppError;
  readonly passkeyRefusal?: AppError;
}

export async function respondSignIn(c: HttpContext, { login, next, refusal, passkeyRefusal }: SignInState): Promise<Response> {
  const page = pageContext(c);
  const { wrong, wrongOrNew } = page.texts.account.problems;
  const html = renderSignInPage(page, {
    login,
    next,
    problem: refusal && (waitText(c, refusal) ?? (c.env.ctx.config.mail === undefined ? wrong : wrongOrNew)),
    passkeyProblem: passkeyRefusal && (waitText(c, passkeyRefusal) ?? page.texts.passkeys.problems.signIn),
    canSignUp: c.env.ctx.config.signUp === "open",
    canReset: c.env.ctx.config.mail !== undefined,
  });
  return await respondPage(c, { html, refusal: refusal ?? passkeyRefusal });
}

interface SignUpState {
  readonly entered?: { readonly email: string; readonly name: string };
  readonly field?: SignUpField;
  readonly refusal?: AppError;
}

/** The invite of the page's path. */
async function inviteOf(c: HttpContext) {
  const token = c.req.param("token");
  return token === undefined ? undefined : await findInvite(c.env.ctx, hashToken(token));
}

/** Why nobody can sign up without an invite. */
const CLOSED = { open: undefined, invite: "inviteOnly", closed: "closed" } as const;

async function respondSignUp(c: HttpContext, { entered, field, refusal }: SignUpState): Promise<Response> {
  const { ctx } = c.env;
  const page = pageContext(c);
  const { problems } = page.texts.account;
  const token = c.req.param("token");
  const invite = await inviteOf(c);
  const closed = token === undefined ? CLOSED[ctx.config.signUp] : invite === undefined ? "inviteEnded" : undefined;
  const fieldTexts = { email: problems.email, name: problems.name, password: problems.password(PASSWORD.minLength, PASSWORD.maxLength) };
  const html = renderSignUpPage(page, {
    path: token === undefined ? SIGN_UP_PATH : `/invite/${encodeURIComponent(token)}`,
    entered,
    invite: invite && token !== undefined ? { role: invite.role, token } : undefined,
    closed,
    problem: field
      ? { field, text: fieldTexts[field] }
      : refusal && { field: undefined, text: waitText(c, refusal) ?? (refusal.code === "CONFLICT" ? problems.taken : problems.invite) },
  });
  return await respondPage(c, {
    html,
    status: field ? 400 : closed ? 403 : undefined,
    refusal,
    hasSecrets: token !== undefined,
  });
}

/** How long to wait after too many attempts; undefined for other errors. */
export const waitText = (c: HttpContext, { retryAfterSeconds }: AppError): string | undefined =>
  retryAfterSeconds === undefined ? undefined : pageContext(c).texts.account.problems.tooMany(Math.ceil(retryAfterSeconds / 60));

const toField = (name: PropertyKey | undefined): SignUpField => (name === "email" || name === "name" ? name : "password");
