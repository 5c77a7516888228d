import type { RequestContext } from "../../../src/context.ts";
import type { AppError } from "../../../src/errors.ts";
import { readAction } from "../../../src/http/reading/read-action.ts";
import { readPageForm } from "../../../src/http/reading/read-body.ts";
import { pageContext } from "../../../src/http/responding/page-context.ts";
import { respondPage } from "../../../src/http/responding/respond-page.ts";
import { respondToRefusals } from "../../../src/http/responding/respond-to-refusals.ts";
import type { HttpContext } from "../../../src/http/routing/env.ts";
import type { Input } from "../../../src/service/contract.ts";
import { operations } from "../../../src/service/operations.ts";
import { renderUserPage, type UserPageProps } from "./user-page.tsx";

export const showUserPage = (c: HttpContext, call: RequestContext): Promise<Response> =>
  respondUser(c, call, { done: c.req.query("created") === undefined ? undefined : pageContext(c).texts.admin.userCreated });

const ACTIONS = [
  "sign-out",
  "reset-link",
  "reset-two-step",
  "revoke-key",
  "promote",
  "demote",
  "disable",
  "enable",
  "username",
  "tier",
] as const;

type Action = (typeof ACTIONS)[number];

/** Handles `POST /admin/users/{id}`. Shows a change that another administrator made meanwhile, and does not overwrite it. */
export async function postUser(c: HttpContext, call: RequestContext): Promise<Response> {
  const form = await readPageForm(c, call);
  const { admin, adminUser } = pageContext(c).texts;
  const action = readAction(form, ACTIONS);
  const username = { field: "username", entered: form.get("username") ?? "" } as const;
  const conflict = action === "reset-two-step" ? admin.changedMeanwhile : admin.lastAdministrator;
  const until = { field: "until", entered: form.get("until") ?? "", text: admin.invalidUntil } as const;
  const refuse = (problem: UserPageProps["problem"]) => (refusal: AppError) => respondUser(c, call, { problem }, refusal);
  return await respondToRefusals(async () => await respondUser(c, call, await applyForm(c, call, { action, form })), {
    PRECONDITION_FAILED: refuse(admin.changedMeanwhile),
    CONFLICT: refuse(action === "username" ? { ...username, text: adminUser.usernameTaken } : conflict),
    VALIDATION_FAILED: refuse(action === "username" ? { ...username, text: adminUser.usernameInvalid } : until),
  });
}

type Outcome = Pick<UserPageProps, "done" | "problem" | "resetLink">;

interface UserForm {
  readonly action: Action;
  readonly form: URLSearchParams;
}

async function applyForm(c: HttpContext, call: RequestContext, { action, form }: UserForm): Promise<Outcome> {
  const { ctx } = c.env;
  const { admin, adminUser } = pageContext(c).texts;
  const id = userId(c);
  switch (action) {
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
      await operations.changeUser(ctx, call, { id, version: Number(form.get("version")), ...toChange(action, form) });
      return { done: admin.saved };
  }
}

type Change = Exclude<Action, "sign-out" | "reset-link" | "reset-two-step" | "revoke-key">;

function toChange(action: Change, form: URLSearchParams): Partial<Input<"changeUser">> {
  switch (action) {
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
    case "tier":
      return readTier(form);
  }
}

/** Reads the tier that a form chooses. Ignores an end of Pro in the field of the free tier. */
export function readTier(form: URLSearchParams): Pick<Input<"addUser">, "tier" | "proEnd"> {
  if (form.get("tier") !== "pro") return { tier: "free" };
  return { tier: "pro", proEnd: form.get("until")?.trim() || undefined };
}

async function respondUser(c: HttpContext, call: RequestContext, outcome: Outcome, refusal?: AppError): Promise<Response> {
  const user = await operations.getUserDetails(c.env.ctx, call, { id: userId(c) });
  const html = renderUserPage(pageContext(c), { user, nowMs: c.env.ctx.now(), ...outcome });
  const hasSecrets = outcome.resetLink !== undefined;
  return await respondPage(c, { html, hasSecrets, refusal });
}

const userId = (c: HttpContext): string => c.req.param("id") ?? "";
