import { PASSWORD } from "../../src/contract/scalars.ts";
import { AppError } from "../../src/errors.ts";
import { identifyCaller } from "../../src/http/callers/caller.ts";
import { toOwnPath } from "../../src/http/callers/own-path.ts";
import { signedInCookie, signedOutCookie } from "../../src/http/callers/session-cookie.ts";
import { readPageForm } from "../../src/http/reading/read-body.ts";
import { errorHeaders } from "../../src/http/responding/http-error.ts";
import { pageContext } from "../../src/http/responding/page-context.ts";
import { redirect, respondErrorPage, respondPage } from "../../src/http/responding/respond-page.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";
import { hashToken } from "../../src/lib/secrets.ts";
import { operations } from "../../src/service/operations.ts";
import { signInContract } from "../../src/service/sign-in/contract.ts";
import { findInvite } from "../../src/service/sign-in/invites.ts";
import { ADMIN_PATH } from "../admin/paths.ts";
import { SIGN_UP_PATH, VERIFY_PATH } from "./paths.ts";
import { toSecondStep } from "./second-step.ts";
import { renderSignInPage } from "./sign-in-page.tsx";
import { renderSignUpPage, type SignUpField } from "./sign-up-page.tsx";

/** `GET /signin`. Who is signed in goes on. */
export async function showSignInPage(c: HttpContext): Promise<Response> {
  const next = toOwnPath(c.req.query("next"));
  return c.env.person === undefined ? await respondSignIn(c, { next }) : redirect(c, 303, next ?? "/");
}

/** `POST /signin`, by that page's form. */
export async function sendSignIn(c: HttpContext): Promise<Response> {
  try {
    const call = await identifyCaller(c, "page", { setsCookie: true });
    const form = await readPageForm(c, call);
    const login = form.get("login") ?? "";
    const next = toOwnPath(form.get("next"));
    const input = signInContract.signIn.input.safeParse({ login, password: form.get("password") ?? "" });
    if (!input.success) return await respondSignIn(c, { login, next, error: new AppError("UNAUTHENTICATED", "") });
    try {
      const { sessionToken } = await operations.signIn(c.env.ctx, call, input.data);
      return signedIn(c, sessionToken, next);
    } catch (error) {
      const signInToken = error instanceof AppError ? error.fields.signInToken : undefined;
      if (signInToken !== undefined) return toSecondStep(c, signInToken, next);
      if (!isShownInForm(error)) throw error;
      return await respondSignIn(c, { login, next, error });
    }
  } catch (error) {
    return await respondErrorPage(c, error);
  }
}

/** `GET /signup` and `GET /invite/:token`. */
export async function showSignUpPage(c: HttpContext): Promise<Response> {
  return await respondSignUp(c, {});
}

/** `POST /signup` and `POST /invite/:token`, by their form. */
export async function sendSignUp(c: HttpContext): Promise<Response> {
  try {
    const call = await identifyCaller(c, "page", { setsCookie: true });
    const form = await readPageForm(c, call);
    const entered = { email: form.get("email")?.trim() ?? "", name: form.get("name")?.trim() ?? "" };
    const input = signInContract.signUp.input.safeParse({ ...entered, password: form.get("password") ?? "", invite: c.req.param("token") });
    if (!input.success) return await respondSignUp(c, { entered, field: toField(input.error.issues[0]?.path[0]) });
    try {
      const invite = await inviteOf(c);
      const { sessionToken } = await operations.signUp(c.env.ctx, call, input.data);
      if (invite?.role === "admin") return signedIn(c, sessionToken, ADMIN_PATH);
      // It goes on at once where the address needs no verification.
      return signedIn(c, sessionToken, c.env.ctx.config.mail === undefined ? "/" : VERIFY_PATH);
    } catch (error) {
      if (!isShownInForm(error)) throw error;
      return await respondSignUp(c, { entered, error });
    }
  } catch (error) {
    return await respondErrorPage(c, error);
  }
}

/** `POST /signout`, by the form of the settings, or by one of a page on which somebody else is to go on. */
export async function sendSignOut(c: HttpContext): Promise<Response> {
  try {
    const call = await identifyCaller(c, "page");
    const next = toOwnPath((await readPageForm(c, call)).get("next"));
    if (call.actor.kind === "user") await operations.signOut(c.env.ctx, call, {});
    const response = redirect(c, 303, next ?? "/");
    response.headers.append("Set-Cookie", signedOutCookie(c));
    return response;
  } catch (error) {
    return await respondErrorPage(c, error);
  }
}

/** Signs the browser in and goes on. */
export function signedIn(c: HttpContext, token: string, next = "/"): Response {
  const response = redirect(c, 303, next);
  response.headers.append("Set-Cookie", signedInCookie(c, token));
  return response;
}

const isShownInForm = (error: unknown): error is AppError =>
  error instanceof AppError && ["UNAUTHENTICATED", "RATE_LIMITED", "CONFLICT", "FORBIDDEN", "VALIDATION_FAILED"].includes(error.code);

interface SignInState {
  readonly login?: string;
  readonly next?: string | undefined;
  readonly error?: AppError;
  readonly passkeyError?: AppError;
}

export async function respondSignIn(c: HttpContext, { login, next, error, passkeyError }: SignInState): Promise<Response> {
  const page = pageContext(c);
  const { wrong, wrongOrNew } = page.texts.account.problems;
  const html = renderSignInPage(page, {
    login,
    next,
    problem: error && (waitText(c, error) ?? (c.env.ctx.config.mail === undefined ? wrong : wrongOrNew)),
    passkeyProblem: passkeyError && (waitText(c, passkeyError) ?? page.texts.passkeys.problems.signIn),
    canSignUp: c.env.ctx.config.signUp === "open",
    canReset: c.env.ctx.config.mail !== undefined,
  });
  const refusal = error ?? passkeyError;
  return await respondPage(c, { html, status: refusal?.status, headers: refusal && errorHeaders(refusal) });
}

interface SignUpState {
  readonly entered?: { readonly email: string; readonly name: string };
  readonly field?: SignUpField;
  readonly error?: AppError;
}

/** The invite of the page's path. */
async function inviteOf(c: HttpContext) {
  const token = c.req.param("token");
  return token === undefined ? undefined : await findInvite(c.env.ctx, hashToken(token));
}

/** Why nobody can sign up without an invite. */
const CLOSED = { open: undefined, invite: "inviteOnly", closed: "closed" } as const;

async function respondSignUp(c: HttpContext, { entered, field, error }: SignUpState): Promise<Response> {
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
      : error && { field: undefined, text: waitText(c, error) ?? (error.code === "CONFLICT" ? problems.taken : problems.invite) },
  });
  return await respondPage(c, {
    html,
    status: field ? 400 : closed ? 403 : error?.status,
    headers: error && errorHeaders(error),
    hasSecrets: token !== undefined,
  });
}

/** How long to wait after too many attempts; undefined for other errors. */
export const waitText = (c: HttpContext, { retryAfterSeconds }: AppError): string | undefined =>
  retryAfterSeconds === undefined ? undefined : pageContext(c).texts.account.problems.tooMany(Math.ceil(retryAfterSeconds / 60));

const toField = (name: PropertyKey | undefined): SignUpField => (name === "email" || name === "name" ? name : "password");
