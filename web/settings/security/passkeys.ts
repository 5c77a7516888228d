import type { RequestContext } from "../../../src/context.ts";
import { AppError } from "../../../src/errors.ts";
import { readAction } from "../../../src/http/reading/read-action.ts";
import { readPageForm } from "../../../src/http/reading/read-body.ts";
import { pageContext } from "../../../src/http/responding/page-context.ts";
import { respondPage } from "../../../src/http/responding/respond-page.ts";
import { respondToRefusals } from "../../../src/http/responding/respond-to-refusals.ts";
import type { HttpContext } from "../../../src/http/routing/env.ts";
import { requireUser } from "../../../src/service/accounts/actor.ts";
import { provedUntilMs } from "../../../src/service/accounts/proof-of-identity.ts";
import { operations } from "../../../src/service/operations.ts";
import { PASSKEY, passkeyContract } from "../../../src/service/sign-in/passkey-contract.ts";
import { readCredential } from "../../account/passkeys/passkeys.ts";
import { waitText } from "../../account/sign-in/sign-in.ts";
import { withPerson } from "../../account/with-person.ts";
import { type PasskeysPageProps, renderPasskeysPage } from "./passkeys-page.tsx";

export const showPasskeysPage = (c: HttpContext): Promise<Response> => withPerson(c, (call) => respondPasskeys(c, call, {}));

/** Handles `POST /settings/security/passkeys`: adds, renames and removes passkeys. */
export const postPasskeys = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    const { ctx } = c.env;
    const form = await readPageForm(c, call);
    const { passkeys: texts } = pageContext(c).texts;
    const id = form.get("id") ?? "";
    const action = readAction(form, ["add", "rename", "remove"]);
    const refuse = (problem: string) => (refusal: AppError) =>
      respondPasskeys(c, call, { problem: waitText(c, refusal) ?? problem }, refusal);
    return await respondToRefusals(
      async () => {
        if (action === "rename") {
          const { name } = passkeyContract.renamePasskey.input.parse({
            id: "-",
            name: form.get("name")?.slice(0, PASSKEY.maxNameLength) ?? "",
          });
          await operations.renamePasskey(ctx, call, { id, name });
          return await respondPasskeys(c, call, { done: texts.renamed });
        }
        if (action === "remove") {
          await operations.removePasskey(ctx, call, { id });
          return await respondPasskeys(c, call, { done: texts.removed });
        }
        const input = passkeyContract.addPasskey.input.safeParse({ credential: readCredential(form) });
        if (!input.success) throw new AppError("FORBIDDEN", "");
        await operations.addPasskey(ctx, call, input.data);
        return await respondPasskeys(c, call, { done: texts.added });
      },
      {
        NOT_FOUND: () => respondPasskeys(c, call, { done: texts.gone }),
        CONFLICT: refuse(action === "remove" ? texts.problems.lastWay : texts.problems.already),
        FORBIDDEN: refuse(texts.problems.add),
        RATE_LIMITED: refuse(texts.problems.add),
      },
    );
  });

type Outcome = Pick<PasskeysPageProps, "done" | "problem">;

async function respondPasskeys(c: HttpContext, call: RequestContext, outcome: Outcome, refusal?: AppError): Promise<Response> {
  const { ctx } = c.env;
  const html = renderPasskeysPage(pageContext(c), {
    passkeys: await operations.listPasskeys(ctx, call, {}),
    nowMs: ctx.now(),
    isProved: provedUntilMs(ctx, requireUser(call.actor)) !== undefined,
    maxNameLength: PASSKEY.maxNameLength,
    ...outcome,
  });
  return await respondPage(c, { html, refusal });
}
