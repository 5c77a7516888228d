/** @jsxImportSource preact */

import { sharePath } from "../share/share-urls.ts";
import { Copyable } from "../site/copyable.tsx";
import { CheckIcon, ClockIcon, InfoIcon, QuestionIcon, WaitIcon } from "../site/icons.tsx";
import { renderDocument } from "../site/layout.tsx";
import type { PageContext } from "../site/page-context.ts";
import type { SaleTexts } from "./texts/en.ts";

/** The state of a purchase without a download. */
export type PurchaseState = keyof SaleTexts["purchase"];

const REFRESH_SECONDS = 5;

const STYLES: Readonly<
  Record<PurchaseState, { readonly tone: "wait" | "note" | "bad"; readonly icon: typeof InfoIcon; readonly waits?: true }>
> = {
  open: { tone: "wait", icon: WaitIcon, waits: true },
  unreachable: { tone: "wait", icon: WaitIcon, waits: true },
  ended: { tone: "note", icon: ClockIcon },
  refunded: { tone: "note", icon: InfoIcon },
  disputed: { tone: "bad", icon: InfoIcon },
  gone: { tone: "note", icon: InfoIcon },
  returning: { tone: "note", icon: InfoIcon },
  off: { tone: "note", icon: InfoIcon },
  used: { tone: "note", icon: CheckIcon },
  unknown: { tone: "note", icon: QuestionIcon },
};

/** States in which the share may still be opened. */
const HAS_SHARE: ReadonlySet<PurchaseState> = new Set(["open", "ended", "refunded"]);

export interface PurchasePageProps {
  readonly state: PurchaseState;
  /** The short ID of the share; undefined if it is not known. */
  readonly shortId?: string | undefined;
  /** The link with which the buyer returns; undefined if it has no use. */
  readonly link?: string | undefined;
}

/** Renders the state of a purchase without a download. While a payment is open, the page refreshes itself. */
export function renderPurchasePage(page: PageContext, { state, shortId, link }: PurchasePageProps): string {
  const { sale: texts } = page.texts;
  const { title, text, next } = texts.purchase[state];
  const { tone, icon: StateIcon, waits } = STYLES[state];
  return renderDocument(page, {
    title,
    refresh: waits ? { seconds: REFRESH_SECONDS } : undefined,
    main: {
      "data-state": `purchase-${state}`,
      "data-say": `${title}. ${text}`,
      ...(waits ? { "data-refresh": "", "data-follow": "" } : {}),
    },
    children: (
      <section class="card message">
        <span class={`badge ${tone}`}>
          <StateIcon />
        </span>
        <h1>{title}</h1>
        <p data-message="">{text}</p>
        <p class="quiet">{next}</p>
        {waits && link !== undefined ? <Copyable page={page} id="purchase-link" label={texts.keepLabel} text={link} /> : null}
        <p class="actions">
          {shortId !== undefined && HAS_SHARE.has(state) ? (
            <a class={waits ? "button plain" : "button"} href={sharePath({ shortId })}>
              {texts.openShare}
            </a>
          ) : (
            <a class="button plain" href="/">
              {page.texts.messages.start}
            </a>
          )}
        </p>
      </section>
    ),
  });
}

/** Renders the page that browsers show briefly before the payment platform. */
export function renderToPaymentPage(page: PageContext, { url }: { readonly url: string }): string {
  const { sale: texts } = page.texts;
  return renderDocument(page, {
    title: texts.leaving,
    main: { "data-state": "leaving" },
    children: (
      <section class="card message">
        <h1>{texts.leaving}</h1>
        <p class="quiet">{texts.leavingText}</p>
        <p class="actions">
          <a class="button" href={url} rel="noreferrer">
            {texts.leave}
          </a>
        </p>
      </section>
    ),
  });
}
