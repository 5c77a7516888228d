import { AppError, type ErrorCode } from "../../errors.ts";

/** Error code → the answer to a refusal with it; `other` is for all other codes. */
export type RefusalAnswers<Answer> = {
  readonly [Code in ErrorCode | "other"]?: (refusal: AppError) => Answer | Promise<Answer>;
};

/**
 * Runs `work`, such as the operation of a form, and answers its refusals, for example by the form with the error. Rethrows a refusal without an
 * answer, and any other error.
 */
export async function respondToRefusals<Result, Answer>(
  work: () => Promise<Result>,
  answers: RefusalAnswers<Answer>,
): Promise<Result | Answer> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const answer = answers[error.code] ?? answers.other;
    if (answer === undefined) throw error;
    return await answer(error);
  }
}

/** Returns the field that a VALIDATION_FAILED names; the first of several. */
export const refusedField = ({ fields }: AppError): string | undefined => fields.issues?.[0]?.path.split(".")[0];
