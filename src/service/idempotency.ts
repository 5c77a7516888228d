import { createHash } from "node:crypto";
import type { z } from "zod";
import type { AdministratorCall, Ctx, RequestContext, SaveResponse, TransactionCtx } from "../context.ts";
import { IDEMPOTENCY_KEY } from "../contract/operation.ts";
import { withoutSecrets } from "../contract/secret.ts";
import { AppError, invalidField } from "../errors.ts";
import { listLiveInstances } from "../jobs/instances.ts";
import { hashToken } from "../lib/secrets/secrets.ts";
import { userSubject } from "./accounts/actor.ts";
import { checkCredential } from "./accounts/credential.ts";
import { addressSubject } from "./accounts/rate-limits.ts";
import {
  type IdempotencyKey,
  type IdempotencyState,
  releaseIdempotencyKey,
  reserveIdempotencyKey,
  saveIdempotentResponse,
} from "./idempotency-queries.ts";

/** A write sent with an `Idempotency-Key` (idempotency, "Idempotency"). */
export interface IdempotentRequest {
  readonly call: RequestContext;
  readonly key: string;
  /** The method and path template of the route. */
  readonly route: string;
}

/** An idempotent write: its work, its digest and its response. */
export interface IdempotentWork<Output, ResponseBody> {
  /** Computes the digest of the request. Reads a streamed body unless `bodyDigest` is its digest. */
  digest(bodyDigest?: string): Promise<string>;
  /** Runs the write. Its `commitResponse` stores the response with `saveResponse`. */
  run(saveResponse: SaveResponse): Promise<Output>;
  toResponse(output: Output): ResponseBody;
  /** Throws if the caller no longer meets the write's requirements beyond its scope. */
  checkRepeat?(): void;
  /** The schema of the response, which marks its secrets. */
  readonly responseSchema: z.ZodType;
  /** Whether a repeated write has the same effect and response, so that the response may be stored after the transaction. */
  readonly repeatable?: boolean | undefined;
}

/**
 * Runs a write once per key. For a day, repeats resolve to the stored response with `idempotent: true`; another credential gets it without secrets.
 * Throws IDEMPOTENCY_IN_PROGRESS while the first request runs, IDEMPOTENCY_KEY_REUSED for another body, and a plain error if work that is not
 * repeatable stored no response.
 */
export async function withIdempotency<Output, ResponseBody>(
  ctx: Ctx,
  request: IdempotentRequest,
  work: IdempotentWork<Output, ResponseBody>,
): Promise<ResponseBody> {
  const key = toIdempotencyKey(ctx, request);
  // Uses a keyed digest, because an input may contain a short secret, such as the code of a share.
  const digest = async (streamDigest?: string): Promise<string> => ctx.keyring.sign(`idempotency ${await work.digest(streamDigest)}`);
  const state = await reserveKey(ctx, key);
  if (state.kind === "running") throw inProgress();
  const credential = toCredential(ctx, request.call);
  if (state.kind === "done") {
    work.checkRepeat?.();
    const response = replay(ctx, state, await digest());
    return (state.credential === credential ? response : withhold(work.responseSchema, response)) as ResponseBody;
  }
  let isSaved = false;
  const save = async ({ db }: Pick<Ctx, "db">, output: Output, streamDigest?: string): Promise<boolean> => {
    const bodyDigest = await digest(streamDigest);
    const response = ctx.keyring.encrypt(JSON.stringify(work.toResponse(output)));
    return await saveIdempotentResponse(db, key, { holder: ctx.instanceId, bodyDigest, response, credential });
  };
  try {
    const output = await work.run(async (ctx, output, streamDigest) => {
      isSaved = true;
      // Rolls back, because this instance lost its lease and another instance took over the request.
      if (!(await save(ctx, output as Output, streamDigest))) throw inProgress();
    });
    if (!isSaved && !work.repeatable) throw new Error(`${request.route} stored no response in its transaction`);
    if (!isSaved) await save(ctx, output);
    return work.toResponse(output);
  } catch (error) {
    await releaseIdempotencyKey(ctx.db, key, ctx.instanceId);
    throw error;
  }
}

/**
 * Runs the transaction of a call and stores the response in it if the call has an `Idempotency-Key`. Throws UNAUTHENTICATED, and changes nothing, if
 * the call's key or session has ended since the request began.
 */
export async function commitResponse<Output>(
  ctx: Ctx,
  call: Pick<AdministratorCall, "actor" | "saveResponse">,
  work: (ctx: TransactionCtx) => Promise<Output>,
): Promise<Output> {
  return await commitWithoutCredentialCheck(ctx, call, async (ctx) => {
    await checkCredential(ctx, call.actor);
    return await work(ctx);
  });
}

/**
 * Runs the transaction of an upload like `commitResponse`, but does not check the call's credential, so that rotating a key ends no long upload.
 * `bodyDigest` is the digest of a streamed body.
 */
export async function commitWithoutCredentialCheck<Output>(
  ctx: Ctx,
  { saveResponse }: Pick<RequestContext, "saveResponse">,
  work: (ctx: TransactionCtx) => Promise<Output>,
  bodyDigest?: string,
): Promise<Output> {
  return await ctx.transaction(async (ctx) => {
    const output = await work(ctx);
    await saveResponse?.(ctx, output, bodyDigest);
    return output;
  });
}

/** Computes the digest of an input: its members in the order of its schema, and bytes by their SHA-256. */
export function digestInput(input: unknown): string {
  const text = JSON.stringify(input, (_, value: unknown) =>
    value instanceof Uint8Array ? createHash("sha256").update(value).digest("hex") : value,
  );
  return hashToken(text);
}

async function reserveKey(ctx: Ctx, key: IdempotencyKey): Promise<IdempotencyState> {
  return await ctx.transaction(async (ctx) => {
    const nowMs = ctx.now();
    return await reserveIdempotencyKey(ctx.db, key, {
      holder: ctx.instanceId,
      liveInstances: await listLiveInstances(ctx),
      nowMs,
    });
  });
}

function toIdempotencyKey(ctx: Ctx, { call, key, route }: IdempotentRequest): IdempotencyKey {
  const { minLength, maxLength } = IDEMPOTENCY_KEY;
  if (key.length < minLength || key.length > maxLength) {
    throw invalidField("Idempotency-Key", `The Idempotency-Key is not valid. Use ${minLength} to ${maxLength} characters.`);
  }
  return { caller: toCaller(ctx, call), route, keyHash: hashToken(key) };
}

/** Returns the caller of a key. Each session is a separate caller, because another session of the account must not get its responses. */
function toCaller(
  { keyring }: Pick<Ctx, "keyring">,
  { actor, address, guestSession }: Pick<RequestContext, "actor" | "address" | "guestSession">,
): string {
  if (actor.kind === "anonymous" && guestSession !== undefined) return `guest:${guestSession}`;
  if (actor.kind === "anonymous") return `address:${addressSubject(keyring, address)}`;
  return actor.sessionId === null ? userSubject(actor.userId) : `session:${actor.sessionId}`;
}

/**
 * Identifies the credential that may get the secrets of a response again: the key's ID, which rotation does not change, the session, or the consent
 * of an application. An anonymous caller is identified by the `Idempotency-Key` alone.
 */
export function toCredential(ctx: Pick<Ctx, "keyring">, call: Pick<RequestContext, "actor" | "address" | "guestSession">): string {
  const { actor } = call;
  if (actor.kind === "anonymous") return toCaller(ctx, call);
  if (actor.keyId !== null) return `key:${actor.keyId}`;
  if (actor.consentId !== undefined) return `consent:${actor.consentId}`;
  return actor.accessTokenId === undefined ? toCaller(ctx, call) : `token:${actor.accessTokenId}`;
}

function replay(ctx: Ctx, { bodyDigest, response }: { bodyDigest: string; response: string }, digest: string): Record<string, unknown> {
  if (digest !== bodyDigest) {
    throw new AppError("IDEMPOTENCY_KEY_REUSED", "This Idempotency-Key was already used for another request. Send a new key.");
  }
  return withMark(JSON.parse(ctx.keyring.decrypt(response)), "idempotent");
}

/** Removes the secrets from a response, and marks it if it had any. */
function withhold(schema: z.ZodType, response: Record<string, unknown>): Record<string, unknown> {
  const { value, isWithheld } = withoutSecrets(schema, response);
  return isWithheld ? withMark(value as Record<string, unknown>, "secretsWithheld") : response;
}

/** Adds a mark to a response and to its data. */
function withMark(response: Record<string, unknown>, mark: "idempotent" | "secretsWithheld"): Record<string, unknown> {
  const markObject = (value: unknown): unknown =>
    typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value, [mark]: true } : value;
  const marked = Object.entries(response).map(([name, value]) => [name, name === "data" || name === "file" ? markObject(value) : value]);
  return { ...Object.fromEntries(marked), [mark]: true };
}

const inProgress = (): AppError =>
  new AppError("IDEMPOTENCY_IN_PROGRESS", "The first request with this Idempotency-Key is still running. Try again in a moment.", {
    retryAfterSeconds: 2,
  });
