import type { ShareAccess } from "../../web/share-view.ts";
import type { AppError } from "../errors.ts";
import type { UnlockChallenge } from "../operations/protection/unlock-work.ts";

/** What the forms of a protected share send; undefined where it is not there. */
export interface Credentials {
  readonly unlockCode?: string;
  readonly unlockToken?: string;
  readonly handoffToken?: string;
  readonly challengeId?: string;
  readonly nonce?: string;
}

/** Characters of an unlock code (interface, "Protection credentials"). */
export const UNLOCK_CODE_LENGTH = 6;

/** The code of a form as it is meant: people write it in groups, and paste it with spaces. */
export function readUnlockCode(form: URLSearchParams): string | undefined {
  return form
    .get("unlockCode")
    ?.replace(/[\s\p{Pd}\p{Cf}_.]/gu, "")
    .toUpperCase();
}

/** Whether the page of a share can say what is the matter beside its form for the code. */
export function isUnlockProblem(error: AppError): boolean {
  return error.code === "UNLOCK_REQUIRED" || error.code === "UNLOCK_INVALID" || retryAtMs(error) !== undefined;
}

type UnlockProblem = Omit<Extract<ShareAccess, { kind: "locked" }>, "kind">;

/** A sentence for whoever typed, or for whom a token did not hold any more; when codes are heard again, and what a code costs until then. */
export function describeUnlockProblem(error: AppError, sent: Credentials): UnlockProblem {
  const retry = retryAtMs(error);
  const challenge = error.fields.challenge as UnlockChallenge | undefined;
  if (retry !== undefined && challenge) {
    return {
      problem: "Someone is guessing this code, so your browser has to do some work to try one. That needs JavaScript.",
      retryAtMs: retry,
      work: { challengeId: challenge.challenge_id, difficulty: challenge.difficulty },
    };
  }
  if (retry !== undefined) return { problem: "Too many wrong codes.", retryAtMs: retry };
  const length = sent.unlockCode?.length ?? 0;
  if (length > 0 && length !== UNLOCK_CODE_LENGTH)
    return { problem: `The code has ${UNLOCK_CODE_LENGTH} characters, and this one ${length}.` };
  if (length > 0) return { problem: "That is not the code. Look at it once more, or ask the sender for it." };
  if (sent.handoffToken) return { problem: "This private link holds no more. Enter the code, or ask the sender for the present link." };
  if (sent.unlockToken) return { problem: "That was a while ago, or the code has changed. Enter the present code." };
  return { problem: "Enter the unlock code first." };
}

function retryAtMs({ code, fields }: AppError): number | undefined {
  return code === "RATE_LIMITED" && typeof fields.resetAt === "string" ? Date.parse(fields.resetAt) : undefined;
}
