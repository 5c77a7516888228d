import type { ShareAccess } from "../../web/share-view.ts";
import type { AppError } from "../errors.ts";
import type { UnlockChallenge } from "../service/shares/unlock-proof.ts";

/** The credentials that the forms of a protected share send. */
export interface Credentials {
  readonly unlockCode?: string;
  readonly unlockToken?: string;
  readonly handoffToken?: string;
  readonly challengeId?: string;
  readonly nonce?: string;
}

/** Length of an unlock code (sharing, "Protection"). */
export const UNLOCK_CODE_LENGTH = 6;

/** Reads a form's code in upper case, without the spaces and dashes that people type or paste. */
export function readUnlockCode(form: URLSearchParams): string | undefined {
  return form
    .get("unlockCode")
    ?.replace(/[\s\p{Pd}\p{Cf}_.]/gu, "")
    .toUpperCase();
}

/** Whether the share's page shows the error next to its form for the code. */
export function isUnlockProblem(error: AppError): boolean {
  return error.code === "UNLOCK_REQUIRED" || error.code === "UNLOCK_INVALID" || retryAtMs(error) !== undefined;
}

type UnlockProblem = Omit<Extract<ShareAccess, { kind: "locked" }>, "kind">;

/** Describes an error of a code or token, when to try again, and the proof of work required until then. */
export function describeUnlockProblem(error: AppError, sent: Credentials): UnlockProblem {
  const retry = retryAtMs(error);
  const challenge = error.fields.challenge as UnlockChallenge | undefined;
  if (retry !== undefined && challenge) {
    return {
      problem: "Too many wrong codes. Turn on JavaScript to try again.",
      retryAtMs: retry,
      work: { challengeId: challenge.challenge_id, difficulty: challenge.difficulty },
    };
  }
  if (retry !== undefined) return { problem: "Too many wrong codes.", retryAtMs: retry };
  const length = sent.unlockCode?.length ?? 0;
  if (length > 0 && length !== UNLOCK_CODE_LENGTH)
    return { problem: `The code has ${UNLOCK_CODE_LENGTH} characters; you entered ${length}.` };
  if (length > 0) return { problem: "Wrong code. Check it and try again." };
  if (sent.handoffToken) return { problem: "This private link has expired. Ask the sender for a new one." };
  if (sent.unlockToken) return { problem: "Your access has expired or the code has changed. Enter the current code." };
  return { problem: "Enter the code first." };
}

function retryAtMs({ code, fields }: AppError): number | undefined {
  return code === "RATE_LIMITED" && typeof fields.resetAt === "string" ? Date.parse(fields.resetAt) : undefined;
}
