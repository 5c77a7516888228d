import type { RequestContext } from "../../../src/context.ts";
import type { AppError } from "../../../src/errors.ts";
import { readPageForm } from "../../../src/http/reading/read-body.ts";
import { pageContext } from "../../../src/http/responding/page-context.ts";
import { respondPage } from "../../../src/http/responding/respond-page.ts";
import { respondToRefusals } from "../../../src/http/responding/respond-to-refusals.ts";
import type { HttpContext } from "../../../src/http/routing/env.ts";
import { operations } from "../../../src/service/operations.ts";
import { parseInput } from "../../../src/service/parse-input.ts";
import { webhooksContract } from "../../../src/service/webhooks/contract.ts";
import { withPerson } from "../../account/with-person.ts";
import { refusalsOf, respondWebhook, toFields } from "./webhook.ts";
import { renderWebhooksPage, type WebhooksPageProps } from "./webhooks-page.tsx";

export const showWebhooksPage = (c: HttpContext): Promise<Response> =>
  withPerson(c, (call) =>
    respondWebhooks(c, call, { done: c.req.query("done") === "deleted" ? pageContext(c).texts.webhooks.removed : undefined }),
  );

/** Handles `POST /settings/webhooks`: creates a webhook, and shows it with its secret. */
export const postNewWebhook = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    const { ctx } = c.env;
    const fields = toFields(await readPageForm(c, call));
    return await respondToRefusals(
      async () => {
        const { id, secret } = await operations.createWebhook(ctx, call, parseInput(webhooksContract.createWebhook.input, fields));
        return await respondWebhook(c, call, id, { secret, done: pageContext(c).texts.webhooks.created });
      },
      refusalsOf(c, (problem, refusal) => respondWebhooks(c, call, { entered: fields, problem }, refusal)),
    );
  });

async function respondWebhooks(
  c: HttpContext,
  call: RequestContext,
  outcome: Omit<WebhooksPageProps, "webhooks">,
  refusal?: AppError,
): Promise<Response> {
  const webhooks = await operations.listWebhooks(c.env.ctx, call, {});
  const html = renderWebhooksPage(pageContext(c), { webhooks, ...outcome });
  return await respondPage(c, { html, refusal });
}
