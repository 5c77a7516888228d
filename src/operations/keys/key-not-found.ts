import { AppError } from "../../errors.ts";

/** For a key that is unknown, revoked or someone else's: which of them is not told. */
export const keyNotFound = (): AppError =>
  new AppError("NOT_FOUND", "There is no such key in your account. List your keys with GET /keys to find its id.");
