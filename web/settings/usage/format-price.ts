import { joinUnits } from "../../../src/lib/text/format-size.ts";
import type { PageContext } from "../../site/page-context.ts";

/** A price that is paid periodically. */
export interface PeriodPrice {
  /** The amount in the smallest unit of the currency, as Stripe counts it. */
  readonly amount: number;
  /** The currency by ISO 4217, such as `USD`. */
  readonly currency: string;
  /** The number of intervals that one payment covers. */
  readonly count: number;
  readonly unit: "day" | "week" | "month" | "year";
}

/** Currencies without a smaller unit that Stripe counts in hundredths nevertheless. */
const IN_HUNDREDTHS: ReadonlySet<string> = new Set(["ISK", "UGX"]);

/** Formats a price with its period: `$9.00 a month`, `€24.00 every 3 months`. */
export function formatPeriodPrice({ texts, language }: Pick<PageContext, "texts" | "language">, price: PeriodPrice): string {
  const { amount, currency, count, unit } = price;
  const locale = language === "en" ? "en-US" : language;
  const money = new Intl.NumberFormat(locale, { style: "currency", currency });
  const digits = IN_HUNDREDTHS.has(currency) ? 2 : (money.resolvedOptions().maximumFractionDigits ?? 2);
  const text = money.format(amount / 10 ** digits);
  if (count === 1) return `${text} ${texts.pro.per[unit]}`;
  return texts.pro.each(text, joinUnits(new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long" }).format(count)));
}
