import type { AppError } from "../../src/errors.ts";
import type { FoundShare } from "../../src/service/shares/queries.ts";
import { findWrongLength, normalizeUnlockText, unlockKind } from "../../src/service/shares/share-password.ts";
import type { UnlockChallenge } from "../../src/service/shares/unlock-work.ts";
import type { LockedAccess } from "./share-page-props.ts";
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
export function isUnlockProblem(error: AppError, { unlockCode }: SentCredentials): boolean {
  if (error.code === "UNAVAILABLE") return Boolean(unlockCode);
  return error.code === "UNLOCK_REQUIRED" || error.code === "UNLOCK_INVALID" || retryAtMs(error) !== undefined;
}

type UnlockProblem = Omit<LockedAccess, "kind">;

interface Try {
  readonly sent: SentCredentials;
  readonly share: Pick<FoundShare, "unlock_hash">;
}

/** Describes an error of a code, password or token, the time of the next try, and the required proof of work. */
export function describeUnlockProblem(unlockTexts: UnlockTexts, error: AppError, { sent, share }: Try): UnlockProblem {
  const texts = unlockKind(share) === "password" ? unlockTexts.password : unlockTexts;
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
  if (error.code === "UNAVAILABLE") return { problem: unlockTexts.busy };
  const entered = normalizeUnlockText(share, sent.unlockCode ?? "");
  if (entered !== "") {
    const wrong = findWrongLength(share, entered);
    return { problem: wrong ? texts.wrongLength(wrong.required, wrong.length) : texts.wrongCode };
  }
  if (sent.handoffToken) return { problem: unlockTexts.handoffExpired };
  if (sent.unlockToken) return { problem: texts.tokenExpired };
  return { problem: texts.missing };
}

function retryAtMs({ code, fields }: AppError): number | undefined {
  return code === "RATE_LIMITED" && typeof fields.resetAt === "string" ? Date.parse(fields.resetAt) : undefined;
}
