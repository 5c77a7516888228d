import { createHash } from "node:crypto";
import { addressSubject } from "../auth/address-subject.ts";
import { hashToken } from "../auth/secrets.ts";
import type { Call, Ctx } from "../context.ts";
import { IDEMPOTENCY_KEY } from "../contract/operation.ts";
import { dropIdempotency, type IdempotencyPlace, type IdempotencyState, saveIdempotency, takeIdempotency } from "../db/idempotency.ts";
import { AppError } from "../errors.ts";
import { listLiving } from "../instance.ts";

/** A write that its caller may send again under one key (decisions, "Idempotency"). */
export interface Repeatable {
  readonly call: Call;
  readonly key: string;
  /** The route's method and path template. */
  readonly route: string;
}

export interface RepeatableWork<Answer> {
  /** The digest of what is asked; reads the body where that is a file. */
  digest(): Promise<string>;
  /** Does it. `remember` keeps the answer in the transaction of its effect; without that it is kept right after. */
  run(remember: NonNullable<Call["remember"]>): Promise<Answer>;
}

/**
 * Does a write once for its key: the first time as asked, then the same answer, with `idempotent: true`, for a day. Throws
 * IDEMPOTENCY_IN_PROGRESS before the body is read while the first runs, IDEMPOTENCY_KEY_REUSED for a different body.
 */
export async function doOnce<Answer>(ctx: Ctx, repeatable: Repeatable, work: RepeatableWork<Answer>): Promise<Answer> {
  const place = toPlace(ctx, repeatable);
  const state = await take(ctx, place);
  if (state.kind === "running") throw inProgress();
  if (state.kind === "done") return replay(ctx, state, await work.digest());
  let isKept = false;
  try {
    const keep = async (db: Ctx["db"], answer: unknown, bodyDigest: string): Promise<boolean> => {
      const response = ctx.keyring.encrypt(JSON.stringify(answer));
      return await saveIdempotency(db, place, { holder: ctx.instanceId, bodyDigest, response });
    };
    const answer = await work.run(async (tx, answer, bodyDigest) => {
      isKept = true;
      // Counted as dead meanwhile, and another does it: this one's effect is undone.
      if (!(await keep(tx.db, answer, bodyDigest ?? (await work.digest())))) throw inProgress();
    });
    if (!isKept) await keep(ctx.db, answer, await work.digest());
    return answer;
  } catch (error) {
    await dropIdempotency(ctx.db, place, ctx.instanceId);
    throw error;
  }
}

/** The digest of an input: its members in the order of its schema, files by their own digest. */
export function digestInput(input: unknown): string {
  const text = JSON.stringify(input, (_, value: unknown) =>
    value instanceof Uint8Array ? createHash("sha256").update(value).digest("hex") : value,
  );
  return hashToken(text);
}

async function take(ctx: Ctx, place: IdempotencyPlace): Promise<IdempotencyState> {
  return await ctx.tx(async (ctx) => {
    const nowMs = ctx.now();
    return await takeIdempotency(ctx.db, place, { holder: ctx.instanceId, living: await listLiving(ctx.db, nowMs), nowMs });
  });
}

function toPlace(ctx: Ctx, { call, key, route }: Repeatable): IdempotencyPlace {
  const { minLength, maxLength } = IDEMPOTENCY_KEY;
  if (key.length < minLength || key.length > maxLength) {
    const message = `An Idempotency-Key has ${minLength} to ${maxLength} characters.`;
    throw new AppError("VALIDATION_FAILED", message, { fields: { issues: [{ path: "Idempotency-Key", message }] } });
  }
  const caller = call.actor.kind === "user" ? `user:${call.actor.userId}` : `address:${addressSubject(ctx.keyring, call.address)}`;
  return { caller, route, keyHash: hashToken(key) };
}

function replay<Answer>(ctx: Ctx, { bodyDigest, response }: { bodyDigest: string; response: string }, digest: string): Answer {
  if (digest !== bodyDigest) {
    throw new AppError(
      "IDEMPOTENCY_KEY_REUSED",
      "This Idempotency-Key was sent with another request before. Use a new key for a new request.",
    );
  }
  return withMark(JSON.parse(ctx.keyring.decrypt(response))) as Answer;
}

function withMark(answer: Record<string, unknown>): Record<string, unknown> {
  const marked = Object.entries(answer).map(([name, value]) => [name, name === "data" || name === "file" ? markObject(value) : value]);
  return { ...Object.fromEntries(marked), idempotent: true };
}

const markObject = (value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value, idempotent: true } : value;

const inProgress = (): AppError =>
  new AppError("IDEMPOTENCY_IN_PROGRESS", "The first request with this Idempotency-Key still runs. Ask again in a moment.", {
    headers: { "Retry-After": "2" },
  });
