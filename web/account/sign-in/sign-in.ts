import { AppError } from "../../../src/errors.ts";
import { signedInCookie, signOutBrowser } from "../../../src/http/callers/session-cookie.ts";
import { readPageForm } from "../../../src/http/reading/read-body.ts";
import { pageContext } from "../../../src/http/responding/page-context.ts";
import { redirect, respondPage } from "../../../src/http/responding/respond-page.ts";
import { respondToRefusals } from "../../../src/http/responding/respond-to-refusals.ts";
import type { HttpContext } from "../../../src/http/routing/env.ts";
import { toOwnPath } from "../../../src/lib/http/own-path.ts";
import { operations } from "../../../src/service/operations.ts";
import { signInContract } from "../../../src/service/sign-in/contract.ts";
import { withVisitor } from "../visitor.ts";
import { toSecondStep } from "./second-step.ts";
import { renderSignInPage } from "./sign-in-page.tsx";

/** Handles `GET /signin`. Redirects a signed-in person to the page that required the sign-in. */
export async function showSignInPage(c: HttpContext): Promise<Response> {
  const next = toOwnPath(c.req.query("next"));
  return c.env.person === undefined ? await respondSignIn(c, { next }) : redirect(c, 303, next ?? "/");
}

/** Handles `POST /signin`: checks the password, and signs in. */
export const postSignIn = (c: HttpContext): Promise<Response> =>
  withVisitor(c, { setsCookie: true }, async (call) => {
    const form = await readPageForm(c, call);
    const login = form.get("login") ?? "";
    const next = toOwnPath(form.get("next"));
    const refuse = (refusal: AppError) => respondSignIn(c, { login, next, refusal });
    return await respondToRefusals(
      async () => {
        const input = signInContract.signIn.input.safeParse({ login, password: form.get("password") ?? "" });
        if (!input.success) throw new AppError("UNAUTHENTICATED", "");
        const { sessionToken } = await operations.signIn(c.env.ctx, call, input.data);
        return respondSignedIn(c, sessionToken, next);
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

/** Handles `POST /signout`, the form of the settings, and of pages that another person may continue. */
export const postSignOut = (c: HttpContext): Promise<Response> =>
  withVisitor(c, { setsCookie: false }, async (call) => {
    const next = toOwnPath((await readPageForm(c, call)).get("next"));
    if (call.actor.kind === "user") await operations.signOut(c.env.ctx, call, {});
    const response = redirect(c, 303, next ?? "/");
    signOutBrowser(c, response);
    return response;
  });

/** Signs the browser in and redirects to the page that required it. */
export function respondSignedIn(c: HttpContext, token: string, next = "/"): Response {
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
  });
  return await respondPage(c, { html, refusal: refusal ?? passkeyRefusal });
}

/** Returns the text of the wait after too many attempts; undefined for other errors. */
export const waitText = (c: HttpContext, { retryAfterSeconds }: AppError): string | undefined =>
  retryAfterSeconds === undefined ? undefined : pageContext(c).texts.account.problems.tooMany(Math.ceil(retryAfterSeconds / 60));
