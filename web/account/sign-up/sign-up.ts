import { PASSWORD } from "../../../src/contract/scalars.ts";
import type { AppError } from "../../../src/errors.ts";
import { readPageForm } from "../../../src/http/reading/read-body.ts";
import { pageContext } from "../../../src/http/responding/page-context.ts";
import { respondPage } from "../../../src/http/responding/respond-page.ts";
import { respondToRefusals } from "../../../src/http/responding/respond-to-refusals.ts";
import type { HttpContext } from "../../../src/http/routing/env.ts";
import { hashToken } from "../../../src/lib/secrets/secrets.ts";
import { operations } from "../../../src/service/operations.ts";
import { signInContract } from "../../../src/service/sign-in/contract.ts";
import { findInvite } from "../../../src/service/sign-in/invites.ts";
import { ADMIN_PATH } from "../../admin/paths.ts";
import { SIGN_UP_PATH, VERIFY_PATH } from "../paths.ts";
import { respondSignedIn, waitText } from "../sign-in/sign-in.ts";
import { withVisitor } from "../visitor.ts";
import { renderSignUpPage, type SignUpField } from "./sign-up-page.tsx";

/** Handles `GET /signup` and `GET /invite/:token`. */
export async function showSignUpPage(c: HttpContext): Promise<Response> {
  return await respondSignUp(c, {});
}

/** Handles `POST /signup` and `POST /invite/:token`: creates the account. */
export const postSignUp = (c: HttpContext): Promise<Response> =>
  withVisitor(c, { setsCookie: true }, async (call) => {
    const form = await readPageForm(c, call);
    const entered = { email: form.get("email")?.trim() ?? "", name: form.get("name")?.trim() ?? "" };
    const input = signInContract.signUp.input.safeParse({ ...entered, password: form.get("password") ?? "", invite: c.req.param("token") });
    if (!input.success) return await respondSignUp(c, { entered, field: toField(input.error.issues[0]?.path[0]) });
    const refuse = (refusal: AppError) => respondSignUp(c, { entered, refusal });
    return await respondToRefusals(
      async () => {
        const invite = await inviteOf(c);
        const { sessionToken } = await operations.signUp(c.env.ctx, call, input.data);
        if (invite?.role === "admin") return respondSignedIn(c, sessionToken, ADMIN_PATH);
        // Without mail, no address needs verification, so the new account is used immediately.
        return respondSignedIn(c, sessionToken, c.env.ctx.config.mail === undefined ? "/" : VERIFY_PATH);
      },
      { UNAUTHENTICATED: refuse, RATE_LIMITED: refuse, CONFLICT: refuse, FORBIDDEN: refuse, VALIDATION_FAILED: refuse },
    );
  });

interface SignUpState {
  readonly entered?: { readonly email: string; readonly name: string };
  readonly field?: SignUpField;
  readonly refusal?: AppError;
}

/** Finds the invite of the page's path. */
async function inviteOf(c: HttpContext) {
  const token = c.req.param("token");
  return token === undefined ? undefined : await findInvite(c.env.ctx, hashToken(token));
}

/** The text that explains why signing up needs an invite, or is impossible. */
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
    invite: invite && token !== undefined ? { role: invite.role, email: invite.email, token } : undefined,
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

const toField = (name: PropertyKey | undefined): SignUpField => (name === "email" || name === "name" ? name : "password");
