import type { RequestContext } from "../../src/context.ts";
import { AppError } from "../../src/errors.ts";
import { readPageForm } from "../../src/http/reading/read-body.ts";
import { errorHeaders } from "../../src/http/responding/http-error.ts";
import { pageContext } from "../../src/http/responding/page-context.ts";
import { redirect, respondPage } from "../../src/http/responding/respond-page.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";
import type { Input } from "../../src/service/contract.ts";
import { operations } from "../../src/service/operations.ts";
import { hasSubscription } from "../../src/service/selling/subscribers.ts";
import { USERS_PATH } from "./paths.ts";
import { renderUserPage, type UserPageProps } from "./user-page.tsx";
import { renderUserRemovalPage } from "./user-removal-page.tsx";

/** `GET /admin/users/{id}`. */
export const showUser = (c: HttpContext, call: RequestContext): Promise<Response> =>
  respondUser(c, call, { done: c.req.query("created") === undefined ? undefined : pageContext(c).texts.admin.userCreated });

/** `POST /admin/users/{id}`, by that page's forms. What another administrator changed meanwhile is shown, not overwritten. */
export async function sendUser(c: HttpContext, call: RequestContext): Promise<Response> {
  const form = await readPageForm(c, call);
  try {
    return await respondUser(c, call, await applyForm(c, call, form));
  } catch (error) {
    const problem = error instanceof AppError ? describeProblem(c, form, error) : undefined;
    if (!(error instanceof AppError) || problem === undefined) throw error;
    return await respondUser(c, call, { problem }, error);
  }
}

type Outcome = Pick<UserPageProps, "done" | "problem" | "resetLink">;

async function applyForm(c: HttpContext, call: RequestContext, form: URLSearchParams): Promise<Outcome> {
  const { ctx } = c.env;
  const { admin, adminUser } = pageContext(c).texts;
  const id = userId(c);
  switch (form.get("action")) {
    case "sign-out":
      return { done: admin.signedOut((await operations.signOutUser(ctx, call, { id })).endedSessions) };
    case "reset-link":
      return { resetLink: await operations.createUserResetLink(ctx, call, { id }) };
    case "reset-two-step":
      await operations.resetUserTwoFactor(ctx, call, { id });
      return { done: adminUser.twoStepReset };
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
    case "username":
      return { username: form.get("username")?.trim().toLowerCase() || null };
    default:
      return readTier(form);
  }
}

/** The tier that a form chooses. An end of Pro that was left in the field is not one of the free tier. */
export function readTier(form: URLSearchParams): Pick<Input<"addUser">, "tier" | "proEnd"> {
  if (form.get("tier") !== "pro") return { tier: "free" };
  return { tier: "pro", proEnd: form.get("until")?.trim() || undefined };
}

function describeProblem(c: HttpContext, form: URLSearchParams, { code }: AppError): UserPageProps["problem"] {
  const { admin, adminUser } = pageContext(c).texts;
  const action = form.get("action");
  const username = { field: "username", entered: form.get("username") ?? "" } as const;
  switch (code) {
    case "PRECONDITION_FAILED":
      return admin.changedMeanwhile;
    case "CONFLICT":
      if (action === "username") return { ...username, text: adminUser.usernameTaken };
      return action === "reset-two-step" ? admin.changedMeanwhile : admin.lastAdministrator;
    case "VALIDATION_FAILED":
      if (action === "username") return { ...username, text: adminUser.usernameInvalid };
      return { field: "until", entered: form.get("until") ?? "", text: admin.invalidUntil };
    default:
      return undefined;
  }
}

async function respondUser(c: HttpContext, call: RequestContext, outcome: Outcome, error?: AppError): Promise<Response> {
  const user = await operations.getUserDetails(c.env.ctx, call, { id: userId(c) });
  const html = renderUserPage(pageContext(c), { user, ...outcome });
  const hasSecrets = outcome.resetLink !== undefined;
  return await respondPage(c, { html, hasSecrets, status: error?.status, headers: error && errorHeaders(error) });
}

/** `GET /admin/users/{id}/delete`. */
export const showUserRemoval = (c: HttpContext, call: RequestContext): Promise<Response> => respondRemoval(c, call);

/** `POST /admin/users/{id}/delete`, by that page's form. */
export async function sendUserRemoval(c: HttpContext, call: RequestContext): Promise<Response> {
  const confirm = (await readPageForm(c, call)).get("confirm") ?? "";
  try {
    await operations.deleteUser(c.env.ctx, call, { id: userId(c), confirm });
    return redirect(c, 303, `${USERS_PATH}?deleted`);
  } catch (error) {
    if (!(error instanceof AppError) || (error.code !== "VALIDATION_FAILED" && error.code !== "CONFLICT")) throw error;
    return await respondRemoval(c, call, error);
  }
}

async function respondRemoval(c: HttpContext, call: RequestContext, error?: AppError): Promise<Response> {
  const page = pageContext(c);
  const { admin, adminUser } = page.texts;
  const user = await operations.getUserDetails(c.env.ctx, call, { id: userId(c) });
  const problem = error && (error.code === "CONFLICT" ? admin.lastAdministrator : adminUser.problem);
  const html = renderUserRemovalPage(page, { user, problem, hasSubscription: await hasSubscription(c.env.ctx.db, user.id) });
  return await respondPage(c, { html, status: error?.status, headers: error && errorHeaders(error) });
}

const userId = (c: HttpContext): string => c.req.param("id") ?? "";
