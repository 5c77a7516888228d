import { hashToken } from "../../auth/secrets.ts";
import { countOpenImports, insertImport } from "../../db/imports.ts";
import { enqueueJob } from "../../db/jobs.ts";
import { fairKey, ownerId } from "../../domain/actor.ts";
import { newSecret, newUuid } from "../../domain/alphabet.ts";
import { AppError } from "../../errors.ts";
import type { Operation } from "../operation.ts";
import { acceptSource } from "./accept-source.ts";

/** The kind of the job that carries imports out. */
export const IMPORT_JOB = "import";
const MAX_OPEN = 100;

/** `POST /files/remote-multipart/init`: writes the job, durably; it runs by itself. */
export const initImport: Operation<"initImport"> = async (ctx, call, input) => {
  const { actor, remember } = call;
  const { url, fileName, publish } = await acceptSource(ctx, call, input);
  const nowMs = ctx.now();
  const id = newUuid(ctx.random, nowMs);
  const jobSecret = newSecret(ctx.random, "job_");
  const tokens =
    actor.kind === "anonymous" ? { claimToken: newSecret(ctx.random, "claim_"), deletionToken: newSecret(ctx.random, "del_") } : {};
  const statusUrl = `${ctx.addresses.baseUrl}/files/remote-multipart/${id}`;
  const data = { jobId: id, jobSecret, status: "queued", statusUrl, eventsUrl: `${statusUrl}/events`, ...tokens } as const;
  await ctx.tx(async (ctx) => {
    if ((await countOpenImports(ctx.db, actor.quotaOwner)) >= MAX_OPEN) throw tooMany();
    await insertImport(ctx.db, {
      id,
      secret_hash: hashToken(jobSecret),
      owner_id: ownerId(actor),
      key_id: actor.kind === "user" ? actor.keyId : null,
      quota_owner: actor.quotaOwner,
      url: ctx.keyring.encrypt(url),
      file_name: fileName,
      publish: JSON.stringify(publish),
      claim_hash: tokens.claimToken ? hashToken(tokens.claimToken) : null,
      deletion_hash: tokens.deletionToken ? hashToken(tokens.deletionToken) : null,
      status: "queued",
      phase: "waiting",
      created_at: nowMs,
      updated_at: nowMs,
    });
    const job = { id: newUuid(ctx.random, nowMs), kind: IMPORT_JOB, subject: id, runAtMs: nowMs, nowMs };
    await enqueueJob(ctx.db, { ...job, fairKey: fairKey(actor.quotaOwner) });
    await remember?.(ctx, { success: true, data });
  });
  ctx.wakeJobs();
  return { success: true, data };
};

const tooMany = (): AppError =>
  new AppError("TOO_MANY_UPLOADS", `There are ${MAX_OPEN} unfinished imports already. Wait for some, or cancel them.`, {
    headers: { "Retry-After": "60" },
  });
