import type { RequestContext } from "../../../src/context.ts";
import type { AppError } from "../../../src/errors.ts";
import { readPageForm } from "../../../src/http/reading/read-body.ts";
import { pageContext } from "../../../src/http/responding/page-context.ts";
import { redirect, respondPage } from "../../../src/http/responding/respond-page.ts";
import { respondToRefusals } from "../../../src/http/responding/respond-to-refusals.ts";
import type { HttpContext } from "../../../src/http/routing/env.ts";
import { operations } from "../../../src/service/operations.ts";
import { hasSubscription } from "../../../src/service/selling/subscribers.ts";
import { USERS_PATH } from "../paths.ts";
import { renderDeleteUserPage } from "./delete-user-page.tsx";

export const showDeleteUserPage = (c: HttpContext, call: RequestContext): Promise<Response> => respondDeleteUser(c, call);

/** Handles `POST /admin/users/{id}/delete`: deletes the account. */
export async function postDeleteUser(c: HttpContext, call: RequestContext): Promise<Response> {
  const confirm = (await readPageForm(c, call)).get("confirm") ?? "";
  const { admin, adminUser } = pageContext(c).texts;
  const refuse = (problem: string) => (refusal: AppError) => respondDeleteUser(c, call, problem, refusal);
  return await respondToRefusals(
    async () => {
      await operations.deleteUser(c.env.ctx, call, { id: userId(c), confirm });
      return redirect(c, 303, `${USERS_PATH}?deleted`);
    },
    { VALIDATION_FAILED: refuse(adminUser.problem), CONFLICT: refuse(admin.lastAdministrator) },
  );
}

async function respondDeleteUser(c: HttpContext, call: RequestContext, problem?: string, refusal?: AppError): Promise<Response> {
  const user = await operations.getUserDetails(c.env.ctx, call, { id: userId(c) });
  const html = renderDeleteUserPage(pageContext(c), { user, problem, hasSubscription: await hasSubscription(c.env.ctx.db, user.id) });
  return await respondPage(c, { html, refusal });
}

const userId = (c: HttpContext): string => c.req.param("id") ?? "";
