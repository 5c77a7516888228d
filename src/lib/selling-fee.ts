/** What the operator takes of a sale: a share of the amount in hundredths of a percent, and a fixed amount in cents. */
export interface SellingFee {
  readonly basisPoints: number;
  readonly fixedCents: number;
}

/** The fee of a sale in cents, rounded down, so that a seller never gets less than was announced; never more than the amount. */
export const feeOf = (amountCents: number, { basisPoints, fixedCents }: SellingFee): number =>
  Math.min(amountCents, Math.floor((amountCents * basisPoints) / 10_000) + fixedCents);
