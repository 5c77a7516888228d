import { AppError } from "../../errors.ts";
import type { Output, RequestInput } from "../../service/contract.ts";
import type { PurchaseProof } from "../buy/purchase-proof.ts";
import { ClientError } from "../client-error.ts";
import type { NamedBy } from "../server/choose-server.ts";
import type { RemoteApi } from "../server/remote-api.ts";
import { createRequestRetry, withoutRetry } from "../server/retry.ts";
import type { DownloadTarget } from "./target.ts";

/** What opens a share: a code of the server, or a password of its sender. */
export type UnlockKind = NonNullable<Output<"getShare">["unlockKind"]>;

export interface UnlockAccess {
  readonly api: RemoteApi;
  readonly namedBy: NamedBy;
  readonly signal: AbortSignal;
  /** The code or the password from the command line. */
  readonly code: string | undefined;
  /**
   * Asks a person for the code or the password, or for either if `kind` is not known; undefined if nobody can be asked. `problem` says why the last
   * one was refused.
   */
  askCode?(problem: string | undefined, kind: UnlockKind | undefined): Promise<string>;
  /** Finds the nonce of a proof of work. */
  solve(challenge: { readonly challenge_id: string; readonly difficulty: number }, signal: AbortSignal): Promise<string>;
  /** Proves that a priced share was bought. */
  readonly purchase?: PurchaseProof;
  /** Receives the reason of a wait, or an empty text when the wait ends. */
  onWait(reason: string): void;
}

type LockedTarget = Exclude<DownloadTarget, { readonly kind: "signed" }>;

/** The time after which a new token is requested. An unlock token is valid for 15 minutes. */
const TOKEN_MS = 10 * 60 * 1000;
/** The number of times that a person is asked for the code of one share. */
const MAX_QUESTIONS = 5;

/** The proof that a share is unlocked. */
export interface Unlock {
  isUnlocked(): boolean;
  credentials(): Promise<{ readonly unlockToken?: string }>;
  renew(): Promise<{ readonly shortId: string }>;
}

/** Gets unlock tokens with the token of a private link or with the code. Asks for the code until it is right. */
export function createUnlock({ api, signal, code, askCode, solve, onWait }: UnlockAccess, target: LockedTarget): Unlock {
  let known = code;
  let token: { readonly unlockToken: string; readonly atMs: number } | undefined;
  const retry = createRequestRetry(signal, onWait);

  async function unlockWith(input: RequestInput<"unlockDownload">): Promise<{ readonly shortId: string }> {
    try {
      const { unlockToken, shortId } = await retry(({ signal }) => api.call("unlockDownload", input, { signal }));
      token = { unlockToken, atMs: performance.now() };
      return { shortId };
    } catch (thrown) {
      const error = withoutRetry(thrown);
      const challenge = readChallenge(error);
      if (challenge === undefined || "nonce" in input) throw error;
      onWait("Many wrong codes were tried: proving that this is no program that guesses");
      const nonce = await solve(challenge, signal);
      onWait("");
      return await unlockWith({ ...input, challengeId: challenge.challenge_id, nonce } as RequestInput<"unlockDownload">);
    }
  }

  /** Returns what opens the share; undefined for a file, whose share is not known, and for a server that does not tell. */
  async function findKind(): Promise<UnlockKind | undefined> {
    if (target.kind !== "share") return undefined;
    const { unlockKind } = await retry(({ signal }) => api.call("getShare", { shortId: target.shortId }, { signal }));
    return unlockKind ?? undefined;
  }

  async function renew(): Promise<{ readonly shortId: string }> {
    if (target.kind === "private") return await unlockWith({ handoffToken: target.handoffToken });
    let problem: string | undefined;
    let kind: UnlockKind | undefined;
    for (let questions = 0; ; questions += 1) {
      const isAsked = known === undefined;
      if (known === undefined && (askCode === undefined || questions >= MAX_QUESTIONS)) throw codeRequired(problem);
      if (isAsked && questions === 0) kind = await findKind();
      const unlockCode = known ?? (await askCode?.(problem, kind)) ?? "";
      try {
        const opened = await unlockWith({ ...toSubject(target), unlockCode });
        known = unlockCode;
        return opened;
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== "UNLOCK_INVALID" || !isAsked) throw error;
        problem = error.message;
        kind ??= error.fields.unlockKind ?? undefined;
      }
    }
  }

  return {
    isUnlocked: () => token !== undefined,
    renew,
    async credentials() {
      if (token === undefined) return {};
      if (performance.now() - token.atMs > TOKEN_MS) await renew();
      return { unlockToken: token.unlockToken };
    },
  };
}

const toSubject = (target: Exclude<LockedTarget, { readonly kind: "private" }>) =>
  target.kind === "file" ? { fileId: target.fileId } : { shortId: target.shortId };

function codeRequired(problem: string | undefined): AppError {
  const fields = { unlockRequired: true };
  return problem === undefined
    ? new ClientError("UNLOCK_REQUIRED", "This share is protected.", { fields, advice: [{ kind: "passCode" }] })
    : new AppError("UNLOCK_INVALID", problem, { fields });
}

function readChallenge(error: unknown): { readonly challenge_id: string; readonly difficulty: number } | undefined {
  const challenge =
    error instanceof AppError && error.code === "RATE_LIMITED" ? (error.fields as Record<string, unknown>).challenge : undefined;
  const { challenge_id, difficulty } = (challenge ?? {}) as { challenge_id?: unknown; difficulty?: unknown };
  return typeof challenge_id === "string" && typeof difficulty === "number" ? { challenge_id, difficulty } : undefined;
}
