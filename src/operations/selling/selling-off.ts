import { AppError } from "../../errors.ts";

export const SELLING_OFF_MESSAGE = "Selling is off on this server. Share files without a price; there is nothing to set up or to pay.";

/** What every call about money is refused with, whatever else it says. */
export const sellingOff = (): AppError => new AppError("SELLING_OFF", SELLING_OFF_MESSAGE);
