import { setTimeout as sleep } from "node:timers/promises";
import type { RequestContext } from "../../../src/context.ts";
import { type AppError, notFound } from "../../../src/errors.ts";
import { readAction } from "../../../src/http/reading/read-action.ts";
import { readPageForm } from "../../../src/http/reading/read-body.ts";
import { pageContext } from "../../../src/http/responding/page-context.ts";
import { redirect, respondPage } from "../../../src/http/responding/respond-page.ts";
import { type RefusalAnswers, refusedField, respondToRefusals } from "../../../src/http/responding/respond-to-refusals.ts";
import type { HttpContext } from "../../../src/http/routing/env.ts";
import type { Output } from "../../../src/service/contract.ts";
import { operations } from "../../../src/service/operations.ts";
import { parseInput } from "../../../src/service/parse-input.ts";
import { webhooksContract } from "../../../src/service/webhooks/contract.ts";
import { withPerson } from "../../account/with-person.ts";
import { formatDuration } from "../../site/format.ts";
import { WEBHOOKS_PATH, webhookPath } from "../paths.ts";
import type { WebhookFields, WebhookProblem } from "./webhook-form.tsx";
import { renderWebhookPage, type WebhookPageProps } from "./webhook-page.tsx";

const PAGE_SIZE = 20;
/** The longest time for which the response to a test waits for its result. Later results appear in the list. */
const TEST_WAIT_MS = 5_000;
const TEST_POLL_MS = 100;

export const showWebhookPage = (c: HttpContext): Promise<Response> =>
  withPerson(c, (call) => respondWebhook(c, call, c.req.param("id") ?? "", {}));

/** Handles `POST /settings/webhooks/:id`: tests, changes and deletes the webhook. */
export const postWebhook = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    const { ctx } = c.env;
    const id = c.req.param("id") ?? "";
    const form = await readPageForm(c, call);
    const { webhooks: texts } = pageContext(c).texts;
    const respond = (outcome: Outcome) => respondWebhook(c, call, id, outcome);
    switch (readAction(form, ["change", "test", "retry", "pause", "resume", "rotate", "delete"])) {
      case "test":
        return await respond(await limited(c, async () => await testResult(c, call, await operations.testWebhook(ctx, call, { id }), id)));
      case "retry":
        return await respond(
          await limited(c, async () => {
            await operations.retryWebhookDelivery(ctx, call, { id, deliveryId: form.get("delivery") ?? "" });
            return { done: texts.retried };
          }),
        );
      case "pause":
        await operations.updateWebhook(ctx, call, { id, status: "paused" });
        return await respond({ done: texts.paused });
      case "resume":
        await operations.updateWebhook(ctx, call, { id, status: "active" });
        return await respond({ done: texts.resumed });
      case "rotate":
        return await respond({ secret: (await operations.rotateWebhookSecret(ctx, call, { id })).secret });
      case "delete":
        await operations.deleteWebhook(ctx, call, { id });
        return redirect(c, 303, `${WEBHOOKS_PATH}?done=deleted`);
      case "change":
        return await change(c, call, id, form);
    }
  });

async function change(c: HttpContext, call: RequestContext, id: string, form: URLSearchParams): Promise<Response> {
  const fields = toFields(form);
  return await respondToRefusals(
    async () => {
      await operations.updateWebhook(c.env.ctx, call, parseInput(webhooksContract.updateWebhook.input, { id, ...fields }));
      return await respondWebhook(c, call, id, { done: pageContext(c).texts.webhooks.saved });
    },
    refusalsOf(c, (problem, refusal) => respondWebhook(c, call, id, { entered: fields, problem }, refusal)),
  );
}

/** Waits for the first attempt of a test, whose result the owner wants to see. */
async function testResult(c: HttpContext, call: RequestContext, { id: deliveryId }: Output<"testWebhook">, id: string): Promise<Outcome> {
  const page = pageContext(c);
  const { webhooks: texts } = page.texts;
  for (let waitedMs = 0; waitedMs < TEST_WAIT_MS; waitedMs += TEST_POLL_MS) {
    const { data } = await operations.listWebhookDeliveries(c.env.ctx, call, { id, limit: PAGE_SIZE });
    const sent = data.find((delivery) => delivery.id === deliveryId);
    if (sent?.deliveredAt && sent.responseStatus !== null) {
      const tookMs = Date.parse(sent.deliveredAt) - Date.parse(sent.createdAt);
      return { done: texts.testOk(sent.responseStatus, formatShort(tookMs, page.language)) };
    }
    if (sent && sent.attempts > 0) return { failed: texts.testFailed(sent.error ?? String(sent.responseStatus)) };
    await sleep(TEST_POLL_MS);
  }
  return { done: texts.tested };
}

const formatShort = (ms: number, language: ReturnType<typeof pageContext>["language"]): string =>
  ms < 1000 ? `${ms} ms` : formatDuration(ms, language);

/** Handles the refusal of too many tests. */
const limited = (c: HttpContext, work: () => Promise<Outcome>): Promise<Outcome> =>
  respondToRefusals(work, { RATE_LIMITED: () => ({ failed: pageContext(c).texts.webhooks.tooMany }) });

/** Reads the values of a webhook's form. */
export const toFields = (form: URLSearchParams): WebhookFields => ({
  url: form.get("url")?.trim() ?? "",
  description: form.get("description") ?? "",
  events: form.getAll("events"),
});

type ShowProblem = (problem: WebhookProblem, refusal: AppError) => Promise<Response>;

/** Returns the responses to refusals, which show the form of a webhook endpoint again with the problem. */
export function refusalsOf(c: HttpContext, show: ShowProblem): RefusalAnswers<Response> {
  const { problems } = pageContext(c).texts.webhooks;
  return {
    VALIDATION_FAILED: (refusal) => {
      const path = refusedField(refusal);
      const field = path === "events" || path === "description" ? path : "url";
      return show({ field, text: problems[field] }, refusal);
    },
    URL_NOT_ALLOWED: (refusal) => show({ field: "url", text: problems.url }, refusal),
    TOO_MANY_WEBHOOKS: (refusal) => show({ field: undefined, text: problems.tooMany }, refusal),
  };
}

type Outcome = Pick<WebhookPageProps, "done" | "failed" | "secret" | "entered" | "problem">;

export async function respondWebhook(
  c: HttpContext,
  call: RequestContext,
  id: string,
  outcome: Outcome,
  refusal?: AppError,
): Promise<Response> {
  const { ctx } = c.env;
  const webhook = (await operations.listWebhooks(ctx, call, {})).find((candidate) => candidate.id === id);
  if (webhook === undefined) throw notFound("webhook endpoint", "It may have been deleted.", "in your account");
  const { data, nextCursor } = await operations.listWebhookDeliveries(ctx, call, { id, limit: PAGE_SIZE, cursor: c.req.query("before") });
  const html = renderWebhookPage(pageContext(c), {
    webhook,
    deliveries: data,
    olderPath: nextCursor === null ? undefined : `${webhookPath(id)}?before=${encodeURIComponent(nextCursor)}`,
    nowMs: ctx.now(),
    ...outcome,
  });
  return await respondPage(c, {
    html,
    refusal,
    hasSecrets: outcome.secret !== undefined,
  });
}
