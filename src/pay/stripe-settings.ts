import type { SellingFee } from "../contract/selling-fee.ts";

/** A plan that the operator sells for Pro. */
export interface Plan {
  readonly id: string;
  readonly name: string;
  /** The ID of the plan's recurring price at Stripe. */
  readonly stripePrice: string;
}

/** The settings of payments. */
export interface PaymentSettings {
  readonly secretKey: string;
  /** Secrets of the webhooks at Stripe: one for the operator's account, and one for the sellers' accounts. Empty without webhooks. */
  readonly webhookSecrets: readonly string[];
  /** URL of the payment platform's API, without a path and a slash at the end. */
  readonly apiUrl: string;
  readonly fee: SellingFee;
  readonly plans: readonly Plan[];
}

const FEE = /^(?:(\d{1,2}(?:\.\d{1,2})?)%)?(?:(?:^|\+)(\d{1,6}))?$/;

/** Parses a fee such as `5%+30`, `2.5%` or `50` (cents); undefined for other text. */
export function parseSellingFee(text: string): SellingFee | undefined {
  const match = FEE.exec(text.replaceAll(" ", ""));
  if (!match || text.trim() === "") return undefined;
  return { basisPoints: Math.round(Number(match[1] ?? 0) * 100), fixedCents: Number(match[2] ?? 0) };
}
