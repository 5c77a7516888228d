import { AppError, type ErrorCode } from "../../errors.ts";

/** An item that was not changed, and the reason. */
export interface Refusal {
  readonly id: string;
  readonly errorCode: ErrorCode;
  readonly error: string;
  /** The number of buyers, for HAS_BUYERS. */
  readonly buyers?: number | undefined;
}

/**
 * Passes each ID to `change`, once. `change` refuses an ID with NOT_FOUND or an error such as CONFLICT before it changes anything; the other IDs are
 * changed. Rethrows other errors.
 */
export async function changeEach<Changed>(
  ids: readonly string[],
  change: (id: string) => Promise<Changed>,
): Promise<{ readonly done: Changed[]; readonly refused: Refusal[] }> {
  const done: Changed[] = [];
  const refused: Refusal[] = [];
  for (const id of new Set(ids)) {
    try {
      done.push(await change(id));
    } catch (error) {
      if (!(error instanceof AppError && (error.status === 404 || error.status === 409))) throw error;
      const { buyers } = error.fields ?? {};
      refused.push({ id, errorCode: error.code, error: error.message, ...(typeof buyers === "number" && { buyers }) });
    }
  }
  return { done, refused };
}
