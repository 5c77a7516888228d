/** The operator's fee of a sale: a part of the amount in hundredths of a percent, and a fixed amount in cents. */
export interface SellingFee {
  readonly basisPoints: number;
  readonly fixedCents: number;
}

/** Returns the fee of a sale in cents, rounded down, so that a seller never gets less than was announced. It never exceeds the amount. */
export const feeOf = (amountCents: number, { basisPoints, fixedCents }: SellingFee): number =>
  Math.min(amountCents, Math.floor((amountCents * basisPoints) / 10_000) + fixedCents);
