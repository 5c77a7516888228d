import { AppError } from "../../src/errors.ts";
import { identifyCaller } from "../../src/http/callers/caller.ts";
import { toOwnPath } from "../../src/http/callers/own-path.ts";
import { endedSignInCookie, readSignInToken } from "../../src/http/callers/session-cookie.ts";
import { readPageForm } from "../../src/http/reading/read-body.ts";
import { errorHeaders } from "../../src/http/responding/http-error.ts";
import { pageContext } from "../../src/http/responding/page-context.ts";
import { redirect, respondErrorPage, respondPage } from "../../src/http/responding/respond-page.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";
import { operations } from "../../src/service/operations.ts";
import { signInContract } from "../../src/service/sign-in/contract.ts";
import { type CodePageProps, renderCodePage } from "./code-page.tsx";
import { SIGN_IN_PATH } from "./paths.ts";
import { withNext } from "./second-step.ts";
import { signedIn, waitText } from "./sign-in.ts";

/** `GET /signin/code?next=…`. Without the password it has no meaning. */
export async function showCodePage(c: HttpContext): Promise<Response> {
  const next = toOwnPath(c.req.query("next"));
  return readSignInToken(c) === undefined ? redirect(c, 303, withNext(SIGN_IN_PATH, next)) : await respondCode(c, { next });
}

/** `POST /signin/code`, by that page's forms. */
export async function sendCode(c: HttpContext): Promise<Response> {
  try {
    const call = await identifyCaller(c, "page", { setsCookie: true });
    const form = await readPageForm(c, call);
    const next = toOwnPath(form.get("next"));
    const input = signInContract.signInWithCode.input.safeParse({ signInToken: readSignInToken(c), code: form.get("code") ?? "" });
    if (!input.success) return redirect(c, 303, withNext(SIGN_IN_PATH, next));
    try {
      const { sessionToken } = await operations.signInWithCode(c.env.ctx, call, input.data);
      const response = signedIn(c, sessionToken, next);
      response.headers.append("Set-Cookie", endedSignInCookie(c));
      return response;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (error.code === "UNAUTHENTICATED") return redirect(c, 303, withNext(SIGN_IN_PATH, next));
      if (error.code !== "FORBIDDEN" && error.code !== "RATE_LIMITED") throw error;
      return await respondCode(c, { next, kind: form.get("kind") === "recovery" ? "recovery" : "app", error });
    }
  } catch (error) {
    return await respondErrorPage(c, error);
  }
}

interface CodeState {
  readonly next: string | undefined;
  readonly kind?: "app" | "recovery";
  readonly error?: AppError;
}

async function respondCode(c: HttpContext, { next, kind = "app", error }: CodeState): Promise<Response> {
  const page = pageContext(c);
  const { wrongCode, wrongRecoveryCode } = page.texts.factors;
  const problem: CodePageProps["problem"] = error && {
    kind,
    text: waitText(c, error) ?? (kind === "app" ? wrongCode : wrongRecoveryCode),
  };
  return await respondPage(c, {
    html: renderCodePage(page, { next, problem }),
    status: error?.status,
    headers: error && errorHeaders(error),
  });
}
