import { feeOf, type SellingFee } from "../../src/contract/selling-fee.ts";
import type { ShareSettingsTexts } from "../share/texts/en.ts";
import { formatDollars } from "../site/format.ts";
import type { Language } from "../texts/languages.ts";

/** Formats the operator's fee, such as `5% and $0.30`; undefined if there is none. */
export function formatFee(
  texts: { and(percent: string, fixed: string): string },
  language: Language,
  { basisPoints, fixedCents }: SellingFee,
): string | undefined {
  const percent = (basisPoints / 10_000).toLocaleString(language, { style: "percent", maximumFractionDigits: 2 });
  const fixed = formatDollars(fixedCents, language);
  if (basisPoints === 0) return fixedCents === 0 ? undefined : fixed;
  return fixedCents === 0 ? percent : texts.and(percent, fixed);
}

/** Describes the effect of the fee on a price, in a sentence. `priceCents` is null without a price. */
export function describeFee(
  { priceFee: texts }: ShareSettingsTexts,
  language: Language,
  fee: SellingFee,
  priceCents: number | null,
): string {
  const text = formatFee(texts, language, fee);
  if (text === undefined) return texts.none;
  if (priceCents === null) return texts.ofEach(text);
  return texts.ofPrice(formatDollars(priceCents, language), formatDollars(priceCents - feeOf(priceCents, fee), language), text);
}

/** Reads the price in a field, in cents; null for an empty field, undefined if it is no price. */
export function readPrice(text: string): number | null | undefined {
  const [, dollars, cents = ""] = /^(\d{1,6})(?:[.,](\d{1,2}))?$/.exec(text.trim().replace(/^\$\s*|\s*\$$/g, "")) ?? [];
  if (text.trim() === "") return null;
  if (dollars === undefined) return undefined;
  const priceCents = Number(dollars) * 100 + Number(cents.padEnd(2, "0"));
  if (priceCents === 0) return null;
  return priceCents < MIN_PRICE_CENTS ? undefined : priceCents;
}

const MIN_PRICE_CENTS = 100;

/** Formats a price for a field. */
export const toPriceField = (priceCents: number | null): string => (priceCents === null ? "" : (priceCents / 100).toFixed(2));
