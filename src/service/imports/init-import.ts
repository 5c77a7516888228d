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
import type { SubmissionTarget } from "../requests/limits.ts";
import { findRequest } from "../requests/queries.ts";
import { beginSubmission } from "../requests/submissions.ts";
import { resolveUploader, type Uploader } from "../requests/uploader.ts";
import { publishInput } from "../shares/contract.ts";
import { resolvePublishSettings } from "../shares/publish-settings.ts";
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
  const { url, fileName, uploader } = await validateSource(ctx, call, input);
  const nowMs = ctx.now();
  const id = newUuid(ctx.random, nowMs);
  const jobSecret = newSecret(ctx.random, "job_");
  const { publish, submission } = uploader;
  const tokens = publish.shareShortId ? NO_TOKENS : newShareTokens(ctx.random, actor);
  const begins = submission?.begins && { ...submission.begins, shareToken: newSecret(ctx.random, "share_") };
  const begun = begins && { shortId: begins.shortId, shareToken: begins.shareToken, deletionToken: begins.deletionToken };
  const statusUrl = `${ctx.urls.apiUrl}/files/remote-multipart/${id}`;
  const job = { jobId: id, jobSecret, status: "queued", statusUrl, eventsUrl: `${statusUrl}/events`, ...tokens.shown, ...begun } as const;
  await commitResponse(ctx, call, async (ctx) => {
    if ((await countOpenImports(ctx.db, actor.quotaOwner)) >= MAX_OPEN_IMPORTS) throw tooMany();
    if (begins) await beginSubmission(ctx, call, { requestToken: input.requestToken ?? "", submission: begins });
    await insertImport(ctx.db, {
      id,
      secret_hash: hashToken(jobSecret),
      owner_id: ownerId(uploader.actor),
      ...toCredentialColumns(uploader.actor),
      // An import into a request counts as its sender's among those that are unfinished and wait.
      quota_owner: actor.quotaOwner,
      url: ctx.keyring.encrypt(url),
      requested_name: fileName,
      publish_fields: sealPublishFields(ctx, uploader),
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
  /** The caller or, with a `requestToken`, the account that asks; and how the file is published. */
  readonly uploader: Uploader;
}

/**
 * Validates the URL and the publish fields before any fetch, and counts the import for its rate limit. Throws NO_URL, URL_NOT_ALLOWED and
 * RATE_LIMITED, and as `resolveUploader`, `resolvePublishSettings` and `checkDestination` do.
 */
export async function validateSource(
  ctx: Ctx,
  call: Pick<RequestContext, "actor" | "address">,
  input: Input<"importFile"> | Input<"initImport">,
): Promise<ValidSource> {
  const { url, fileName, ...sent } = input;
  if (!sent.requestToken) checkAnonymousUploads(ctx, call.actor, "Imports");
  if (!URL.canParse(url)) throw noUrl();
  const { publish: sealed, ...destination } = await resolveUploader(ctx, call, sent);
  const { actor, submission } = destination;
  const publish = publishInput.parse(sealed);
  const settings = resolvePublishSettings(publish, { actor, limits: ctx.config.tiers[actor.tier], nowMs: ctx.now() });
  if (submission) await refuseEncryptedRequest(ctx, submission);
  await ctx.imports.fetch.check(url);
  // The upload checks a submission, which may begin with it.
  if (!submission) await ctx.transaction((ctx) => checkDestination(ctx, actor, settings));
  await consumeImportRate(ctx, call);
  return { url, fileName: fileName || null, uploader: { ...destination, publish } };
}

/** Throws ENCRYPTION_REQUIRED for a request that receives only encrypted files: this server would read the bytes. */
async function refuseEncryptedRequest(ctx: Pick<Ctx, "db">, { requestId }: SubmissionTarget): Promise<void> {
  if ((await findRequest(ctx.db, requestId))?.encrypt_to == null) return;
  throw new AppError(
    "ENCRYPTION_REQUIRED",
    "This request is encrypted end to end, so the server must not fetch files for it. Download the file, and send it to the request.",
  );
}

const noUrl = (): AppError =>
  new AppError("NO_URL", "No URL was sent. Send `url`, the file's public http or https URL, such as https://example.org/a.pdf.");
