/** @jsxImportSource preact */
import type { Output } from "../../../src/service/contract.ts";
import { Copyable } from "../../site/copyable.tsx";
import { visibleText } from "../../site/format.ts";
import { Problem } from "../../site/outcome.tsx";
import type { PageContext } from "../../site/page-context.ts";
import { Ago, Ask, Panel } from "../../site/panel.tsx";
import { WEBHOOKS_PATH, webhookPath } from "../paths.ts";
import { renderSettings } from "../settings-layout.tsx";
import { type WebhookFields, WebhookForm, type WebhookProblem } from "./webhook-form.tsx";
import { WebhookStatus, type WebhookView } from "./webhooks-page.tsx";

export type DeliveryView = Output<"listWebhookDeliveries">["data"][number];

export interface WebhookPageProps {
  readonly webhook: WebhookView;
  readonly deliveries: readonly DeliveryView[];
  /** The path of the older deliveries; undefined if there are none. */
  readonly olderPath?: string | undefined;
  readonly nowMs: number;
  /** The change by the last form. */
  readonly done?: string | undefined;
  /** The reason why a test failed. */
  readonly failed?: string | undefined;
  /** The signing secret; shown only once. */
  readonly secret?: string | undefined;
  readonly entered?: WebhookFields | undefined;
  readonly problem?: WebhookProblem | undefined;
}

/** Renders one webhook: its test, settings and deliveries. */
export function renderWebhookPage(page: PageContext, props: WebhookPageProps): string {
  const { webhook, failed, secret, problem } = props;
  const { webhooks: texts } = page.texts;
  const path = webhookPath(webhook.id);
  return renderSettings(page, {
    section: "webhooks",
    title: visibleText(webhook.description ?? new URL(webhook.url).host),
    back: { path: WEBHOOKS_PATH, text: texts.webhooks },
    done: props.done,
    children: (
      <>
        {failed === undefined ? null : <Problem>{failed}</Problem>}
        {secret === undefined ? null : (
          <Panel title={texts.secretTitle} text={texts.secretText} tone="fresh">
            <Copyable page={page} id="secret" label={texts.secret} text={secret} />
          </Panel>
        )}
        <State page={page} webhook={webhook} path={path} />
        <Deliveries page={page} props={props} path={path} />
        <Panel title={texts.settings}>
          <WebhookForm
            page={page}
            path={path}
            action="change"
            submit={texts.save}
            fields={props.entered ?? { ...webhook, description: webhook.description ?? "" }}
            problem={problem}
          />
          <div class="asks">
            <Ask label={texts.rotate} path={path} fields={{ action: "rotate" }} text={texts.rotateText} confirm={texts.rotateConfirm} />
            <Ask
              label={texts.remove}
              path={path}
              fields={{ action: "delete" }}
              text={texts.removeText}
              confirm={texts.removeConfirm}
              tone="danger"
            />
          </div>
        </Panel>
      </>
    ),
  });
}

interface StateProps {
  readonly page: PageContext;
  readonly webhook: WebhookView;
  readonly path: string;
}

function State({ page, webhook, path }: StateProps) {
  const { webhooks: texts } = page.texts;
  const isActive = webhook.status === "active";
  return (
    <section class="card panel">
      <p class="item-name">
        <code>{visibleText(webhook.url)}</code> <WebhookStatus page={page} status={webhook.status} />
      </p>
      {isActive ? null : (
        <p>
          {visibleText(webhook.pausedReason ?? "")} {texts.pausedText}
        </p>
      )}
      <p class="quiet">{texts.testText}</p>
      <form class="choices" method="post" action={path}>
        <button class="button fit" type="submit" name="action" value="test">
          {texts.test}
        </button>
        <button class="button small" type="submit" name="action" value={isActive ? "pause" : "resume"}>
          {isActive ? texts.pause : texts.resume}
        </button>
      </form>
    </section>
  );
}

interface DeliveriesProps {
  readonly page: PageContext;
  readonly props: WebhookPageProps;
  readonly path: string;
}

function Deliveries({ page, props: { deliveries, olderPath, nowMs }, path }: DeliveriesProps) {
  const { webhooks: texts } = page.texts;
  return (
    <Panel title={texts.deliveries} text={deliveries.length === 0 ? texts.noDeliveries : texts.deliveriesText}>
      {deliveries.length === 0 ? null : (
        <ul class="items">
          {deliveries.map((delivery) => (
            <Delivery key={delivery.id} page={page} delivery={delivery} nowMs={nowMs} path={path} />
          ))}
        </ul>
      )}
      <p class="choices">
        <a class="button small" href={path}>
          {texts.refresh}
        </a>
        {olderPath === undefined ? null : (
          <a class="button small" href={olderPath}>
            {texts.older}
          </a>
        )}
      </p>
    </Panel>
  );
}

const TONES = { pending: "wait", delivered: "good", failed: "bad" } as const;

interface DeliveryProps {
  readonly page: PageContext;
  readonly delivery: DeliveryView;
  readonly nowMs: number;
  readonly path: string;
}

function Delivery({ page, delivery, nowMs, path }: DeliveryProps) {
  const { webhooks: texts } = page.texts;
  const { responseStatus, error, nextAttemptAt } = delivery;
  return (
    <li class="item">
      <div class="item-head">
        <p class="item-name">
          <code>{delivery.type}</code> <span class={`tag ${TONES[delivery.status]}`}>{texts.deliveryStates[delivery.status]}</span>
        </p>
        <p class="quiet">
          <Ago page={page} time={delivery.createdAt} nowMs={nowMs} /> · {texts.attempts(delivery.attempts)}
          {responseStatus === null ? null : ` · ${texts.answered(responseStatus)}`}
          {nextAttemptAt === null || Date.parse(nextAttemptAt) <= nowMs ? null : (
            <>
              {` · ${texts.next} `}
              <Ago page={page} time={nextAttemptAt} nowMs={nowMs} />
            </>
          )}
        </p>
        {error === null ? null : <p class="quiet">{visibleText(error)}</p>}
      </div>
      <form method="post" action={path}>
        <input type="hidden" name="delivery" value={delivery.id} />
        <button class="button small" type="submit" name="action" value="retry">
          {texts.retry}
          <span class="unseen">: {delivery.type}</span>
        </button>
      </form>
    </li>
  );
}
