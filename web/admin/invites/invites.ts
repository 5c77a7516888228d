import type { RequestContext } from "../../../src/context.ts";
import type { AppError } from "../../../src/errors.ts";
import { readAction } from "../../../src/http/reading/read-action.ts";
import { readPageForm } from "../../../src/http/reading/read-body.ts";
import { pageContext } from "../../../src/http/responding/page-context.ts";
import { respondPage } from "../../../src/http/responding/respond-page.ts";
import { respondToRefusals } from "../../../src/http/responding/respond-to-refusals.ts";
import type { HttpContext } from "../../../src/http/routing/env.ts";
import { operations } from "../../../src/service/operations.ts";
import { type InvitesPageProps, renderInvitesPage } from "./invites-page.tsx";

export const showInvitesPage = (c: HttpContext, call: RequestContext): Promise<Response> => respondInvites(c, call, {});

/** Handles `POST /admin/invites`: creates or revokes an invite. */
export async function postInvite(c: HttpContext, call: RequestContext): Promise<Response> {
  const { ctx } = c.env;
  const { admin } = pageContext(c).texts;
  const form = await readPageForm(c, call);
  const action = readAction(form, ["create", "revoke"]);
  return await respondToRefusals(
    async () => {
      if (action === "revoke") {
        await operations.revokeInvite(ctx, call, { id: form.get("id") ?? "" });
        return await respondInvites(c, call, { done: admin.inviteRevoked });
      }
      const email = form.get("email")?.trim() || undefined;
      const created = await operations.createInvite(ctx, call, { email, role: form.get("admin") === "true" ? "admin" : "user" });
      return await respondInvites(c, call, { created });
    },
    {
      // The invite was used or has expired meanwhile, as the list shows.
      NOT_FOUND: () => respondInvites(c, call, {}),
      VALIDATION_FAILED: (refusal) => respondInvites(c, call, { problem: admin.invalidEmail }, refusal),
    },
  );
}

type Outcome = Pick<InvitesPageProps, "created" | "done" | "problem">;

async function respondInvites(c: HttpContext, call: RequestContext, outcome: Outcome, refusal?: AppError): Promise<Response> {
  const { ctx } = c.env;
  const invites = await operations.listOpenInvites(ctx, call, {});
  const html = renderInvitesPage(pageContext(c), { invites, hasMail: ctx.config.mail !== undefined, ...outcome });
  const hasSecrets = outcome.created !== undefined;
  return await respondPage(c, { html, hasSecrets, refusal });
}
