/** @jsxImportSource preact */
import { formatSize } from "../../../src/lib/text/format-size.ts";
import { LocalTime } from "../../share/share-components.tsx";
import { formatDuration, visibleText } from "../../site/format.ts";
import type { PageContext } from "../../site/page-context.ts";
import { Panel } from "../../site/panel.tsx";
import { USAGE_PATH } from "../paths.ts";
import { formatPeriodPrice, type PeriodPrice } from "./format-price.ts";

export interface PlanView {
  readonly id: string;
  readonly name: string;
  readonly price: PeriodPrice | undefined;
}

/** The account's Pro and the ways to get it. */
export interface ProView {
  /** The operator's page on which Pro is paid, outside this server. */
  readonly upgradeUrl: string | undefined;
  /** The plans that are paid at Stripe; empty if there are none. */
  readonly plans: readonly PlanView[];
  readonly subscription:
    | { readonly plan: string | undefined; readonly isLate: boolean; readonly paidUntilMs: number; readonly endsThen: boolean }
    | undefined;
  /** Whether Stripe has bills for the account. */
  readonly hasPaid: boolean;
  readonly isUnverified: boolean;
  /** The limits of Pro. */
  readonly limits: { readonly storageBytes: number; readonly fileBytes: number; readonly retentionMs: number };
}

export interface ProPanelProps {
  readonly page: PageContext;
  readonly pro: ProView;
  readonly hasPro: boolean;
  /** Whether the account's Pro ends at a known time. */
  readonly hasEnd: boolean;
  /** Whether a recent payment is not confirmed yet. */
  readonly isWaiting: boolean;
}

/** Renders the account's Pro, or the plans that it can buy; nothing on servers that do not sell Pro. */
export function ProPanel(props: ProPanelProps) {
  const { page, pro, hasPro, isWaiting } = props;
  const { upgradeUrl, plans, subscription, hasPaid } = pro;
  if (isWaiting) return <Waiting page={page} />;
  if (subscription !== undefined) return <Subscription page={page} subscription={subscription} />;
  if (upgradeUrl !== undefined) return <Elsewhere page={page} pro={pro} hasPro={hasPro} url={upgradeUrl} />;
  return plans.length > 0 || hasPaid ? <Plans {...props} /> : null;
}

const giftOf = ({ texts, language }: PageContext, { storageBytes, fileBytes, retentionMs }: ProView["limits"]): string =>
  texts.pro.gives(formatSize(storageBytes, language), formatSize(fileBytes, language), formatDuration(retentionMs, language));

function Waiting({ page: { texts } }: { readonly page: PageContext }) {
  const { pro } = texts;
  return (
    <Panel id="pro" title={pro.waiting} text={<span role="status">{pro.waitingText}</span>}>
      <p>
        <a href={USAGE_PATH}>{pro.notPaid}</a>
      </p>
    </Panel>
  );
}

interface SubscriptionProps {
  readonly page: PageContext;
  readonly subscription: NonNullable<ProView["subscription"]>;
}

function Subscription({ page, subscription: { plan, isLate, paidUntilMs, endsThen } }: SubscriptionProps) {
  const { pro } = page.texts;
  const name = plan === undefined ? pro.plan : visibleText(plan);
  const [before = "", after = ""] = (endsThen ? pro.ends : pro.renews)(name, "\n").split("\n");
  return (
    <Panel id="pro" title={pro.yours}>
      {isLate ? (
        <p class="problem">{pro.late(name)}</p>
      ) : (
        <p>
          {before}
          <LocalTime timeMs={paidUntilMs} page={page} />
          {after}
        </p>
      )}
      <PortalForm label={endsThen ? pro.resume : pro.manage} />
    </Panel>
  );
}

const PortalForm = ({ label }: { readonly label: string }) => (
  <form class="pro-form" method="post" action={USAGE_PATH}>
    <button class="button plain" type="submit" name="action" value="portal">
      {label}
    </button>
  </form>
);

interface ElsewhereProps extends Pick<ProPanelProps, "page" | "pro" | "hasPro"> {
  readonly url: string;
}

function Elsewhere({ page, pro, hasPro, url }: ElsewhereProps) {
  const { pro: texts } = page.texts;
  return (
    <Panel id="pro" title={hasPro ? texts.yours : texts.title} text={hasPro ? undefined : giftOf(page, pro.limits)}>
      <p>{texts.elsewhere}</p>
      <p>
        <a class={hasPro ? "button small" : "button"} href={url} rel="noreferrer">
          {texts.open}
        </a>
      </p>
    </Panel>
  );
}

function Plans({ page, pro: { plans, hasPaid, isUnverified, limits }, hasPro, hasEnd }: ProPanelProps) {
  const { pro } = page.texts;
  const isGiven = hasPro && !hasEnd;
  const isSold = !isGiven && plans.length > 0;
  return (
    <Panel id="pro" title={isGiven ? pro.yours : pro.title} text={isSold ? giftOf(page, limits) : undefined}>
      {isGiven ? <p>{pro.given}</p> : null}
      {isSold && isUnverified ? <p>{pro.unverified}</p> : null}
      {isSold && !isUnverified ? (
        <>
          <ul class="items plans">
            {plans.map((plan) => (
              <Plan key={plan.id} page={page} plan={plan} />
            ))}
          </ul>
          <p class="quiet">{pro.payAtStripe}</p>
        </>
      ) : null}
      {hasPaid ? <PortalForm label={pro.bills} /> : null}
    </Panel>
  );
}

function Plan({ page, plan: { id, name, price } }: { readonly page: PageContext; readonly plan: PlanView }) {
  return (
    <li class="item">
      <p class="item-head">
        <strong>
          <bdi>{visibleText(name)}</bdi>
        </strong>
        {price === undefined ? null : <span class="quiet">{formatPeriodPrice(page, price)}</span>}
      </p>
      <form class="pro-form" method="post" action={USAGE_PATH}>
        <input type="hidden" name="plan" value={id} />
        <button class="button small" type="submit" name="action" value="buy">
          {page.texts.pro.buy(visibleText(name))}
        </button>
      </form>
    </li>
  );
}
