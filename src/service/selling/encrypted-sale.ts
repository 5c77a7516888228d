import { AppError } from "../../errors.ts";

/**
 * Creates the error for an encrypted file with a price: its key follows the `#` of the link, which a buyer loses at the payment platform (selling,
 * "Prices").
 */
export const encryptedSale = (): AppError =>
  new AppError(
    "CONFLICT",
    "Encrypted files cannot be sold, because the payment page drops the key in the link. Send them unencrypted, or without a price.",
  );
