import { AppError } from "../../errors.ts";

/**
 * Creates the error for an encrypted file with a price: its key follows the `#` of the link, which a buyer loses at the payment platform (selling,
 * "Prices").
 */
export const encryptedSale = (): AppError =>
  new AppError(
    "CONFLICT",
    "Encrypted files cannot be sold: buyers would lose the key in the link on their way through the payment. Send them unencrypted, or without a price.",
  );
