import type { Ctx, RequestContext, TransactionCtx } from "../../context.ts";
import { invalidField } from "../../errors.ts";
import type { UploadResult } from "../files/contract.ts";
import { foldersOfActor } from "../files/folder-tree.ts";
import { commitWithoutCredentialCheck, digestInput } from "../idempotency.ts";
import { type FormProof, resolveUploader, type Uploader } from "../requests/uploader.ts";
import { countAliasRequest } from "../shares/aliases.ts";
import type { PasswordHash, PublishInput, SentPublish } from "../shares/contract.ts";
import { insertShipment } from "../shares/create-share.ts";
import { readPublish } from "../shares/read-publish.ts";
import { type HashPassword, hashFor } from "../shares/share-password.ts";
import { abortUploads } from "./abort-upload.ts";
import {
  digestStream,
  finalizeStream,
  releaseUnusedReservation,
  type StagedStream,
  type StreamInput,
  stageStream,
} from "./upload-stream.ts";

/** A file of a form that is being read. */
export type StreamedFile = Pick<StreamInput, "name" | "type" | "body">;

/**
 * Reads a form once: passes each file to `receive`, with the fields that precede it in the form, and resolves to the results of `receive` and
 * all fields. If it rejects, no `receive` is still running.
 */
export type ReadForm = <T>(
  receive: (file: StreamedFile, publish: SentPublish) => Promise<T>,
) => Promise<{ readonly results: readonly T[]; readonly publish: SentPublish }>;

/** The response to a form: one upload, or all uploads if the form has several files. */
export interface FormResponse {
  readonly success: true;
  readonly data: UploadResult | { readonly files: readonly UploadResult[]; readonly idempotent?: boolean };
}

export function toFormResponse(uploads: readonly UploadResult[]): FormResponse {
  const [only] = uploads;
  return { success: true, data: uploads.length === 1 && only ? only : { files: uploads } };
}

/** Returns the digest of a form, by which a repeated request is recognized. A form with one file has the digest of a stream. */
export function digestForm(files: readonly { readonly name: string; readonly sha256: string }[], publish: SentPublish): string {
  const [only] = files;
  return files.length === 1 && only ? digestStream({ name: only.name, publish }, only.sha256) : digestInput({ files, publish });
}

export interface FormTarget {
  /** Whether several files get one share, whose secrets the first upload has. By default, each file gets its own share. */
  readonly isOneShare?: boolean;
  /** The request that receives the files as one submission. */
  readonly request?: FormProof & { readonly requestToken: string };
}

/** Uploads the files of a form, all in one commit or none. Each file after the first counts as another request. */
export async function storeForm(
  ctx: Ctx,
  call: Pick<RequestContext, "actor" | "address" | "saveResponse" | "countRequests">,
  read: ReadForm,
  { isOneShare = false, request }: FormTarget = {},
): Promise<readonly UploadResult[]> {
  const { countRequests } = call;
  let submission: Promise<Uploader> | undefined;
  let hasArrived = false;
  // A password after the files waits long for its hash, because the bytes would be lost.
  const hash = hashOnce((password) => hashFor(ctx, call, { isPatient: hasArrived })(password));
  const seal = (publish: SentPublish): Promise<PublishInput> => readPublish(ctx, call, publish, hash);
  const findUploader = async (publish: SentPublish): Promise<Uploader> => {
    const requestToken = publish.requestToken ?? request?.requestToken;
    if (!requestToken) return { actor: call.actor, publish: await seal(publish) };
    // All files of a form belong to one submission, which the first file begins, or which a receipt names.
    submission ??= resolveUploader(ctx, call, { ...publish, requestToken }, request);
    const uploader = await submission;
    const { relativePath, modifiedAt, executable } = publish;
    return { ...uploader, publish: { ...uploader.publish, relativePath, modifiedAt, executable } };
  };
  const staging: Promise<StagedStream>[] = [];
  // Files of a form arrive one after the other, so storage that the previous file did not need is free for the next.
  const stage = async (
    previous: Promise<StagedStream> | undefined,
    input: Omit<StreamInput, "publish">,
    publish: SentPublish,
  ): Promise<StagedStream> => {
    if (previous) await releaseUnusedReservation(ctx, await previous);
    const { actor, ...uploader } = await findUploader(publish);
    return await stageStream(ctx, actor, { ...input, ...uploader });
  };
  try {
    const { results, publish } = await read((file, publish) => {
      const previous = staging.at(-1);
      if (previous) countRequests?.(2);
      const staged = stage(previous, { ...file, sizeBytes: undefined }, publish);
      staging.push(staged);
      return staged;
    });
    hasArrived = true;
    const files = results.map(({ input: { name }, sha256 }) => ({ name, sha256 }));
    const settings = await seal(publish);
    // An alias that preceded a file was counted when the upload of the file started.
    const { alias } = settings;
    const isCounted = results.some(({ input }) => input.publish.alias === alias);
    if (alias && !submission && !isCounted) await countAliasRequest(ctx, call.actor);
    const work = async (ctx: TransactionCtx): Promise<readonly UploadResult[]> => {
      if (submission) {
        // A file that preceded the token in the form was staged as the caller's own.
        if (results.some(({ input }) => input.submission === undefined))
          throw invalidField("requestToken", "Send `requestToken` before the first file of the form.");
        const { actor } = await submission;
        const received: UploadResult[] = [];
        for (const staged of results) received.push(await finalizeStream(ctx, actor, staged, staged.input.publish));
        return received;
      }
      if (isOneShare && results.length > 1) return await finalizeShipment(ctx, call, results, settings);
      const folders = foldersOfActor(ctx, call.actor);
      const uploads: UploadResult[] = [];
      for (const staged of results) uploads.push(await finalizeStream(ctx, call.actor, staged, settings, folders));
      return uploads;
    };
    const uploads = await commitWithoutCredentialCheck(ctx, call, work, digestForm(files, publish));
    ctx.wakeJobs();
    return uploads;
  } catch (error) {
    const staged = (await Promise.allSettled(staging)).flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    await abortUploads(
      ctx,
      staged.map(({ upload }) => upload),
    );
    throw error;
  }
}

/** Returns a function that hashes the password of a form only once for all its files. */
function hashOnce(hash: HashPassword): HashPassword {
  let last: { readonly password: string; readonly hash: Promise<PasswordHash> } | undefined;
  return async (password) => {
    if (last?.password !== password) last = { password, hash: hash(password) };
    return await last.hash;
  };
}

/** Opens a shipment and adds the files to it. The files of an account keep their folder and run. */
async function finalizeShipment(
  ctx: TransactionCtx,
  call: Pick<RequestContext, "actor" | "address">,
  files: readonly StagedStream[],
  publish: PublishInput,
): Promise<UploadResult[]> {
  const { shareToken, expiresAt: _, ...secrets } = await insertShipment(ctx, call, publish);
  const { folderId, runId } = publish;
  const joining = { shareShortId: secrets.shortId, ...(call.actor.kind === "anonymous" ? { shareToken } : { folderId, runId }) };
  const uploads: UploadResult[] = [];
  for (const staged of files) uploads.push(await finalizeStream(ctx, call.actor, staged, joining));
  return uploads.map((upload, index) => (index === 0 ? { ...upload, ...secrets } : upload));
}
