/** @jsxImportSource preact */
import { feeOf, type SellingFee } from "../../../src/contract/selling-fee.ts";
import type { Output } from "../../../src/service/contract.ts";
import { FILES_PATH } from "../../files/file-views.ts";
import { SELLER_COUNTRIES } from "../../selling/countries.ts";
import { formatFee } from "../../selling/fee.ts";
import { sharePath } from "../../share/share-urls.ts";
import { EmptyState } from "../../site/empty-state.tsx";
import { formatDollars, visibleText } from "../../site/format.ts";
import { Problem } from "../../site/outcome.tsx";
import type { PageContext } from "../../site/page-context.ts";
import { Ask, Panel } from "../../site/panel.tsx";
import { PROFILE_PATH, SELLING_PATH } from "../paths.ts";
import { renderSettings } from "../settings-layout.tsx";

/** A sale of the list of `GET /purchases/sales`. */
export type SaleView = Output<"listSales">["data"][number];

export interface SellingPageProps {
  readonly readyToSell: boolean;
  readonly detailsSubmitted: boolean;
  readonly payoutsEnabled: boolean;
  /** Whether Stripe has an account for the seller. */
  readonly hasAccount: boolean;
  readonly fee: SellingFee;
  readonly sales: readonly SaleView[];
  readonly nextCursor: string | null;
  /** A note about the last action: the seller returned from Stripe, its page had expired, a sale was refunded, or Stripe does not respond. */
  readonly note?: "back" | "again" | "refunded" | "unreachable" | undefined;
  readonly problem?: string | undefined;
}

const EXAMPLE_CENTS = 1000;

/** Renders the seller account, the operator's fee, and the sales. */
export function renderSellingPage(page: PageContext, props: SellingPageProps): string {
  const { selling: texts } = page.texts;
  return renderSettings(page, {
    section: "selling",
    intro: texts.intro,
    done: props.note === "back" || props.note === "refunded" ? texts[props.note] : undefined,
    children: (
      <>
        {props.problem === undefined ? null : <Problem>{props.problem}</Problem>}
        <Account page={page} {...props} />
        <Fee page={page} fee={props.fee} />
        <Sales page={page} sales={props.sales} nextCursor={props.nextCursor} />
      </>
    ),
  });
}

type State = keyof PageContext["texts"]["selling"]["states"];

function toState({ readyToSell, detailsSubmitted, payoutsEnabled, hasAccount }: SellingPageProps): State {
  if (readyToSell) return payoutsEnabled ? "ready" : "noPayouts";
  if (!hasAccount) return "none";
  return detailsSubmitted ? "refused" : "started";
}

function Account({ page, ...props }: SellingPageProps & { readonly page: PageContext }) {
  const { selling: texts } = page.texts;
  const state = toState(props);
  const { title, text } = texts.states[state];
  return (
    <Panel title={title} text={text}>
      {props.readyToSell ? (
        <p>
          <a href={FILES_PATH}>{texts.choose}</a>
        </p>
      ) : null}
      {props.note === "again" || props.note === "unreachable" ? <p role="status">{texts[props.note]}</p> : null}
      <form class="selling-account" method="post" action={SELLING_PATH}>
        {state === "none" ? <CountryField page={page} /> : null}
        {state === "none" || state === "started" ? (
          <button class="button" type="submit" name="action" value="onboard">
            {state === "none" ? texts.setUp : texts.goOn}
          </button>
        ) : (
          <button class="button plain" type="submit" name="action" value="login">
            {texts.dashboard}
          </button>
        )}
      </form>
    </Panel>
  );
}

function CountryField({ page: { texts, language } }: { readonly page: PageContext }) {
  const names = new Intl.DisplayNames(language, { type: "region" });
  const countries = SELLER_COUNTRIES.map((code) => ({ code, name: names.of(code) ?? code })).toSorted((one, other) =>
    one.name.localeCompare(other.name, language),
  );
  return (
    <>
      <label class="field" for="country">
        {texts.selling.country}
      </label>
      <select id="country" name="country" aria-describedby="country-hint">
        <option value="">{texts.selling.countryDefault}</option>
        {countries.map(({ code, name }) => (
          <option key={code} value={code}>
            {name}
          </option>
        ))}
      </select>
      <p class="quiet" id="country-hint">
        {texts.selling.countryHint}
      </p>
    </>
  );
}

function Fee({ page, fee }: { readonly page: PageContext; readonly fee: SellingFee }) {
  const { texts, language, person } = page;
  const { selling } = texts;
  const text = formatFee(selling, language, fee);
  const seller = EXAMPLE_CENTS - feeOf(EXAMPLE_CENTS, fee);
  return (
    <Panel title={selling.fee}>
      <p>
        {text === undefined ? (
          selling.noFee
        ) : (
          <>
            {selling.feeText(text)} {selling.feeExample(formatDollars(EXAMPLE_CENTS, language), formatDollars(seller, language))}
          </>
        )}
      </p>
      {person === undefined ? null : (
        <p class="quiet">
          {selling.nameShown(visibleText(person.name))} <a href={PROFILE_PATH}>{selling.changeName}</a>
        </p>
      )}
    </Panel>
  );
}

function Sales({ page, sales, nextCursor }: Pick<SellingPageProps, "sales" | "nextCursor"> & { readonly page: PageContext }) {
  const { texts, language } = page;
  const { selling } = texts;
  if (sales.length === 0) return <EmptyState title={selling.noSales} text={selling.noSalesText} />;
  const { columns } = selling;
  const days = new Intl.DateTimeFormat(language === "en" ? "en-GB" : language, { dateStyle: "medium", timeZone: "UTC" });
  const money = (cents: number): string => formatDollars(cents, language);
  return (
    <Panel title={selling.sales} text={selling.refundNote}>
      <table class="sales">
        <thead>
          <tr>
            <th scope="col">{columns.date}</th>
            <th scope="col">{columns.title}</th>
            <th scope="col" class="number">
              {columns.price}
            </th>
            <th scope="col" class="number">
              {columns.fee}
            </th>
            <th scope="col" class="number">
              {columns.yours}
            </th>
            <th scope="col">{columns.state}</th>
          </tr>
        </thead>
        <tbody>
          {sales.map((sale) => (
            <tr key={sale.id}>
              <td data-label={columns.date}>
                <span class="nowrap">{days.format(Date.parse(sale.paidAt))}</span>
              </td>
              <td data-label={columns.title}>
                {sale.title === null ? (
                  selling.deleted
                ) : (
                  <a href={sharePath(sale)}>
                    <bdi>{visibleText(sale.title)}</bdi>
                  </a>
                )}
              </td>
              <td class="number" data-label={columns.price}>
                {money(sale.priceCents)}
              </td>
              <td class="number" data-label={columns.fee}>
                {money(sale.feeCents)}
              </td>
              <td class="number" data-label={columns.yours}>
                {money(sale.sellerCents)}
              </td>
              <td data-label={columns.state}>
                <span class={`sale-state ${sale.state}`}>{selling.saleStates[sale.state]}</span>
                {sale.state === "paid" ? (
                  <Ask
                    label={selling.refund}
                    about={sale.title === null ? selling.deleted : visibleText(sale.title)}
                    path={SELLING_PATH}
                    fields={{ action: "refund", id: sale.id }}
                    text={selling.refundText}
                    confirm={selling.refund}
                    tone="danger"
                  />
                ) : null}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {nextCursor === null ? null : (
        <p>
          <a class="button small" href={`${SELLING_PATH}?cursor=${nextCursor}`} rel="next">
            {selling.older}
          </a>
        </p>
      )}
    </Panel>
  );
}
