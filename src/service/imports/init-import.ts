import type { Ctx, RequestContext } from "../../context.ts";
import { AppError } from "../../errors.ts";
import { enqueueJob } from "../../jobs/queue.ts";
import { newSecret, newUuid } from "../../lib/secrets/ids.ts";
import { hashToken } from "../../lib/secrets/secrets.ts";
import { checkAnonymousUploads, fairKey, ownerId, toCredentialColumns } from "../accounts/actor.ts";
import { consumeImportRate } from "../accounts/import-rate.ts";
import type { Input } from "../contract.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { type PublishInput, publishInput } from "../shares/contract.ts";
import { resolvePublishSettings } from "../shares/publish-settings.ts";
import { nameShipment } from "../shares/read-publish.ts";
import { sealPassword } from "../shares/share-password.ts";
import { NO_TOKENS, newShareTokens } from "../shares/share-tokens.ts";
import { checkDestination } from "../uploads/check-destination.ts";
import { sealPublishFields } from "./publish-fields.ts";
import { countOpenImports, insertImport } from "./queries.ts";

/** The kind of the job that runs imports. */
export const IMPORT_JOB = "import";
const MAX_OPEN_IMPORTS = 100;

/** `POST /files/remote-multipart/init`: creates an import job, which runs in the background. */
export const initImport: Operation<"initImport"> = async (ctx, call, input) => {
  const { actor } = call;
  const { url, fileName, publish } = await validateSource(ctx, call, input);
  const nowMs = ctx.now();
  const id = newUuid(ctx.random, nowMs);
  const jobSecret = newSecret(ctx.random, "job_");
  const tokens = publish.shareShortId ? NO_TOKENS : newShareTokens(ctx.random, actor);
  const statusUrl = `${ctx.urls.apiUrl}/files/remote-multipart/${id}`;
  const job = { jobId: id, jobSecret, status: "queued", statusUrl, eventsUrl: `${statusUrl}/events`, ...tokens.shown } as const;
  await commitResponse(ctx, call, async (ctx) => {
    if ((await countOpenImports(ctx.db, actor.quotaOwner)) >= MAX_OPEN_IMPORTS) throw tooMany();
    await insertImport(ctx.db, {
      id,
      secret_hash: hashToken(jobSecret),
      owner_id: ownerId(actor),
      ...toCredentialColumns(actor),
      quota_owner: actor.quotaOwner,
      url: ctx.keyring.encrypt(url),
      requested_name: fileName,
      publish_fields: sealPublishFields(ctx, publish),
      ...tokens.columns,
      status: "queued",
      phase: "waiting",
      created_at: nowMs,
      updated_at: nowMs,
    });
    const importJob = { id: newUuid(ctx.random, nowMs), kind: IMPORT_JOB, subject: id, runAtMs: nowMs, nowMs };
    await enqueueJob(ctx.db, { ...importJob, fairKey: fairKey(actor.quotaOwner) });
    return job;
  });
  ctx.wakeJobs();
  return job;
};

const tooMany = (): AppError =>
  new AppError("TOO_MANY_UPLOADS", `You already have ${MAX_OPEN_IMPORTS} unfinished imports. Wait for one to finish, or cancel one.`, {
    retryAfterSeconds: 60,
  });

export interface ValidSource {
  readonly url: string;
  readonly fileName: string | null;
  readonly publish: PublishInput;
}

/**
 * Validates the URL and the publish fields before any fetch, and counts the import for its rate limit. Throws NO_URL, URL_NOT_ALLOWED and
 * RATE_LIMITED, and as `resolvePublishSettings` and `checkDestination` do.
 */
export async function validateSource(
  ctx: Ctx,
  call: Pick<RequestContext, "actor" | "address">,
  input: Input<"importFile"> | Input<"initImport">,
): Promise<ValidSource> {
  const { actor } = call;
  checkAnonymousUploads(ctx, actor, "Imports");
  if (!URL.canParse(input.url)) throw noUrl();
  const { password: _, ...fields } = await nameShipment(ctx.db, input);
  const settings = resolvePublishSettings(publishInput.parse(fields), { actor, limits: ctx.config.tiers[actor.tier], nowMs: ctx.now() });
  await ctx.imports.fetch.check(input.url);
  await ctx.transaction((ctx) => checkDestination(ctx, actor, settings));
  await consumeImportRate(ctx, call);
  const publish = publishInput.parse(await sealPassword(ctx, call, { ...fields, password: input.password }));
  return { url: input.url, fileName: input.fileName || null, publish };
}

const noUrl = (): AppError =>
  new AppError("NO_URL", "No URL was sent. Send `url`, the file's public http or https URL, such as https://example.org/a.pdf.");
