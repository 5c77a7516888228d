import { AppError, type ErrorCode } from "../../errors.ts";

/** Error code → the answer to a refusal with it; `other`: to those with any other code. */
export type RefusalAnswers<Answer> = {
  readonly [Code in ErrorCode | "other"]?: (refusal: AppError) => Answer | Promise<Answer>;
};

/**
 * Runs `work`, such as the operation of a form, and answers its refusals: a page shows the form again with what is wrong, or goes on where
 * nothing is left to do. A refusal without an answer, and any other error, is thrown.
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

/** The field of the request that a VALIDATION_FAILED is about; if of several, the first. */
export const refusedField = ({ fields }: AppError): string | undefined => fields.issues?.[0]?.path.split(".")[0];
