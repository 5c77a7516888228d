import { AppError } from "../../errors.ts";

/** What everyone hears of a share that is unknown or over: the two are not told apart. */
export const shareNotFound = (): AppError =>
  new AppError("NOT_FOUND", "There is no such share, or it has expired. Ask whoever sent you the link for a new one.");
