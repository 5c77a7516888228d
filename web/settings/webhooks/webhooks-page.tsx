/** @jsxImportSource preact */
import type { Output } from "../../../src/service/contract.ts";
import { EmptyState } from "../../site/empty-state.tsx";
import { visibleText } from "../../site/format.ts";
import type { PageContext } from "../../site/page-context.ts";
import { Panel } from "../../site/panel.tsx";
import { WEBHOOKS_PATH, webhookPath } from "../paths.ts";
import { renderSettings } from "../settings-layout.tsx";
import { type WebhookFields, WebhookForm, type WebhookProblem } from "./webhook-form.tsx";

export type WebhookView = Output<"listWebhooks">[number];

export interface WebhooksPageProps {
  readonly webhooks: readonly WebhookView[];
  /** The change by the last form. */
  readonly done?: string | undefined;
  readonly entered?: WebhookFields | undefined;
  readonly problem?: WebhookProblem | undefined;
}

const EMPTY: WebhookFields = { url: "", description: "", events: ["file.ready", "file.failed"] };

/** Renders the account's webhooks. */
export function renderWebhooksPage(page: PageContext, { webhooks, done, entered = EMPTY, problem }: WebhooksPageProps): string {
  const { webhooks: texts } = page.texts;
  return renderSettings(page, {
    section: "webhooks",
    intro: texts.intro,
    done,
    children: (
      <>
        {webhooks.length === 0 ? (
          <EmptyState title={texts.none} text={texts.noneText} />
        ) : (
          <section class="card panel" aria-label={texts.count(webhooks.length)}>
            <ul class="items">
              {webhooks.map((webhook) => (
                <WebhookItem key={webhook.id} page={page} webhook={webhook} />
              ))}
            </ul>
          </section>
        )}
        <Panel title={texts.newWebhook}>
          <WebhookForm page={page} path={WEBHOOKS_PATH} action="create" submit={texts.create} fields={entered} problem={problem} />
        </Panel>
      </>
    ),
  });
}

function WebhookItem({ page, webhook }: { readonly page: PageContext; readonly webhook: WebhookView }) {
  return (
    <li class="item">
      <div class="item-head">
        <p class="item-name">
          <a href={webhookPath(webhook.id)}>{visibleText(webhook.url)}</a> <WebhookStatus page={page} status={webhook.status} />
        </p>
        {webhook.description === null ? null : (
          <p>
            <bdi>{visibleText(webhook.description)}</bdi>
          </p>
        )}
        <p class="quiet">{webhook.events.join(" · ")}</p>
      </div>
    </li>
  );
}

export function WebhookStatus({ page, status }: { readonly page: PageContext; readonly status: WebhookView["status"] }) {
  return <span class={status === "active" ? "tag good" : "tag note"}>{page.texts.webhooks.statuses[status]}</span>;
}
