import { userPath } from "../../web/admin/paths.ts";
import { renderUserPage, type UserPageProps } from "../../web/admin/user-page.tsx";
import { renderUsersPage, USER_FILTERS, type UsersPageProps } from "../../web/admin/users-page.tsx";
import type { RequestContext } from "../context.ts";
import { AppError } from "../errors.ts";
import type { Input } from "../service/contract.ts";
import { operations } from "../service/operations.ts";
import type { HttpContext } from "./env.ts";
import { errorHeaders } from "./http-error.ts";
import { pageContext } from "./page-context.ts";
import { readPageForm } from "./read-body.ts";
import { redirect, respondPage } from "./respond-page.ts";

/** `GET /admin/users`. */
export const showUsers = (c: HttpContext, call: RequestContext): Promise<Response> => respondUsers(c, call);

/** `POST /admin/users`: creates an account and goes to its page. */
export async function sendNewUser(c: HttpContext, call: RequestContext): Promise<Response> {
  const form = await readPageForm(c, call);
  const entered = { email: form.get("email") ?? "", name: form.get("name") ?? "" };
  try {
    const { id } = await operations.addUser(c.env.ctx, call, entered);
    return redirect(c, 303, `${userPath(id)}?created`);
  } catch (error) {
    if (!(error instanceof AppError) || (error.code !== "CONFLICT" && error.code !== "VALIDATION_FAILED")) throw error;
    const { admin } = pageContext(c).texts;
    return await respondUsers(c, call, { ...entered, text: error.code === "CONFLICT" ? admin.emailTaken : admin.invalidUser }, error);
  }
}

async function respondUsers(
  c: HttpContext,
  call: RequestContext,
  problem?: UsersPageProps["problem"],
  error?: AppError,
): Promise<Response> {
  const filter = USER_FILTERS.find((name) => name === c.req.query("filter")) ?? "people";
  const search = c.req.query("q")?.trim().slice(0, 254) ?? "";
  const cursor = c.req.query("cursor")?.slice(0, 64) || undefined;
  const { data, nextCursor } = await operations.searchUsers(c.env.ctx, call, { search, filter, cursor });
  const html = renderUsersPage(pageContext(c), { users: data, filter, search, nextCursor, isLaterPage: cursor !== undefined, problem });
  return await respondPage(c, { html, status: error?.status, headers: error && errorHeaders(error) });
}

/** `GET /admin/users/{id}`. */
export const showUser = (c: HttpContext, call: RequestContext): Promise<Response> =>
  respondUser(c, call, { done: c.req.query("created") === undefined ? undefined : pageContext(c).texts.admin.userCreated });

/** `POST /admin/users/{id}`, by that page's forms. What another administrator changed meanwhile is shown, not overwritten. */
export async function sendUser(c: HttpContext, call: RequestContext): Promise<Response> {
  const form = await readPageForm(c, call);
  try {
    return await respondUser(c, call, await applyForm(c, call, form));
  } catch (error) {
    const problem = error instanceof AppError ? problemText(c, error) : undefined;
    if (!(error instanceof AppError) || problem === undefined) throw error;
    return await respondUser(c, call, { problem }, error);
  }
}

type Outcome = Pick<UserPageProps, "done" | "problem" | "resetLink">;

async function applyForm(c: HttpContext, call: RequestContext, form: URLSearchParams): Promise<Outcome> {
  const { ctx } = c.env;
  const { admin } = pageContext(c).texts;
  const id = userId(c);
  switch (form.get("action")) {
    case "sign-out":
      return { done: admin.signedOut((await operations.signOutUser(ctx, call, { id })).endedSessions) };
    case "reset-link":
      return { resetLink: await operations.createUserResetLink(ctx, call, { id }) };
    case "revoke-key":
      await operations.revokeUserKey(ctx, call, { id: form.get("key") ?? "" });
      return { done: admin.keyRevoked };
    default:
      await operations.changeUser(ctx, call, { id, version: Number(form.get("version")), ...toChange(form) });
      return { done: admin.saved };
  }
}

function toChange(form: URLSearchParams): Partial<Input<"changeUser">> {
  switch (form.get("action")) {
    case "promote":
      return { role: "admin" };
    case "demote":
      return { role: "user" };
    case "disable":
      return { isDisabled: true };
    case "enable":
      return { isDisabled: false };
    default: {
      const tier = form.get("tier") === "pro" ? "pro" : "free";
      return { tier, proEnd: tier === "pro" ? form.get("until")?.trim() || undefined : undefined };
    }
  }
}

function problemText(c: HttpContext, { code }: AppError): string | undefined {
  const { admin } = pageContext(c).texts;
  if (code === "PRECONDITION_FAILED") return admin.changedMeanwhile;
  if (code === "CONFLICT") return admin.lastAdministrator;
  return code === "VALIDATION_FAILED" ? admin.invalidUntil : undefined;
}

async function respondUser(c: HttpContext, call: RequestContext, outcome: Outcome, error?: AppError): Promise<Response> {
  const user = await operations.getUserDetails(c.env.ctx, call, { id: userId(c) });
  const html = renderUserPage(pageContext(c), { user, ...outcome });
  const hasSecrets = outcome.resetLink !== undefined;
  return await respondPage(c, { html, hasSecrets, status: error?.status, headers: error && errorHeaders(error) });
}

const userId = (c: HttpContext): string => c.req.param("id") ?? "";
