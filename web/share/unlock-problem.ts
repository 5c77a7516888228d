import type { AppError } from "../../src/errors.ts";
import { UNLOCK_CODE_LENGTH } from "../../src/lib/secrets/ids.ts";
import type { UnlockChallenge } from "../../src/service/shares/unlock-work.ts";
import type { ShareAccess } from "./share-page-props.ts";
import type { UnlockTexts } from "./texts/en.ts";

/** The credentials that the forms of a protected share send. */
export interface SentCredentials {
  readonly unlockCode?: string;
  readonly unlockToken?: string;
  readonly handoffToken?: string;
  readonly challengeId?: string;
  readonly nonce?: string;
}

/** Whether the share's page shows the error next to its form for the code. */
export function isUnlockProblem(error: AppError): boolean {
  return error.code === "UNLOCK_REQUIRED" || error.code === "UNLOCK_INVALID" || retryAtMs(error) !== undefined;
}

type UnlockProblem = Omit<Extract<ShareAccess, { kind: "locked" }>, "kind">;

/** Describes an error of a code or token, the time of the next try, and the required proof of work. */
export function describeUnlockProblem(texts: UnlockTexts, error: AppError, sent: SentCredentials): UnlockProblem {
  const retry = retryAtMs(error);
  const challenge = error.fields.challenge as UnlockChallenge | undefined;
  if (retry !== undefined && challenge) {
    return {
      problem: texts.tooManyWithoutScript,
      retryAtMs: retry,
      work: { challengeId: challenge.challenge_id, difficulty: challenge.difficulty },
    };
  }
  if (retry !== undefined) return { problem: texts.tooMany, retryAtMs: retry };
  const length = sent.unlockCode?.length ?? 0;
  if (length > 0 && length !== UNLOCK_CODE_LENGTH) return { problem: texts.wrongLength(UNLOCK_CODE_LENGTH, length) };
  if (length > 0) return { problem: texts.wrongCode };
  if (sent.handoffToken) return { problem: texts.handoffExpired };
  if (sent.unlockToken) return { problem: texts.tokenExpired };
  return { problem: texts.missing };
}

function retryAtMs({ code, fields }: AppError): number | undefined {
  return code === "RATE_LIMITED" && typeof fields.resetAt === "string" ? Date.parse(fields.resetAt) : undefined;
}
