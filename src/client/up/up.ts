import { createHash } from "node:crypto";
import { realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import { AppError } from "../../errors.ts";
import type { Output, RequestInput } from "../../service/contract.ts";
import { type LocalFile, openLocalFile } from "../local-file.ts";
import { type Environment, stateFolder } from "../private-files.ts";
import type { RemoteApi } from "../remote-api.ts";
import type { ShareMemory } from "../share-memory.ts";
import { uploadFile } from "../upload-file.ts";
import { createUploadMemory, NO_UPLOAD_MEMORY, uploadMemoryFolder } from "../upload-memory.ts";
import { collectFiles, type FoundFile, type Problem } from "./collect.ts";
import { openShipment } from "./open-shipment.ts";
import { reconcileShipment, removeFiles } from "./reconcile-shipment.ts";
import { sendShipment } from "./send-shipment.ts";
import { canStream, sendStream, spool } from "./send-stream.ts";
import { linkWithKey, type SourceTransform } from "./source-transform.ts";

export interface UpOptions {
  /** Files and folders, or `stdin` alone. */
  readonly sources: readonly string[] | { readonly stdin: AsyncIterable<Uint8Array> };
  /** In place of the file's own name. */
  readonly name: string | undefined;
  /** Publish fields. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The shipment that gets the files. */
  readonly into: { readonly shortId: string; readonly shareToken: string | undefined } | undefined;
  readonly followLinks: boolean;
  /** Whether to continue an earlier upload, and to remember this one. */
  readonly resumes: boolean;
  /** Whether to save standard input before it is sent. */
  readonly spools: boolean;
  readonly transform?: SourceTransform | undefined;
}

export interface UpContext {
  readonly api: RemoteApi;
  readonly hasKey: boolean;
  /** The address by which the server is reached. */
  readonly url: string;
  readonly shares: ShareMemory;
  readonly env: Environment;
  readonly signal: AbortSignal;
  readonly events: UpEvents;
}

export interface UpEvents {
  /** The link works from now on. Called once. */
  onLink(link: { readonly shortId: string; readonly url: string }): Promise<void>;
  /** Something that is not as the user may expect. */
  onNote(note: string): void;
  onFailed(problem: Problem): void;
  onStart(total: { readonly files: number; readonly bytes: number }): void;
  onProgress(sent: { readonly files: number; readonly bytes: number }): void;
  /** Receives the reason of a wait, or an empty text when it ends. */
  onWait(reason: string): void;
}

export interface UpResult {
  readonly shortId: string;
  readonly url: string;
  readonly files: number;
  readonly sizeBytes: number;
  /** Files that could not be sent. */
  readonly failed: readonly Problem[];
  /** ISO time; null: never. */
  readonly expiresAt: string | null;
  readonly unlockCode?: string | undefined;
  readonly handoffUrl?: string | undefined;
}

/** Sends files, as one share. Rejects with an error that concerns all of them. */
export async function up(options: UpOptions, context: UpContext): Promise<UpResult> {
  if ("stdin" in options.sources) return await upInput(options.sources.stdin, options, context);
  const collected = await collectFiles(options.sources, { followLinks: options.followLinks, signal: context.signal });
  for (const note of collected.notes) context.events.onNote(note);
  for (const problem of collected.unreadable) context.events.onFailed(problem);
  const { transform, name } = options;
  const files = collected.files.map((file) => (name === undefined || collected.isShipment ? file : { ...file, path: name }));
  const sent = transform
    ? files.map((file) => ({ ...file, path: transform.path(file.path), sizeBytes: transform.sizeBytes(file.sizeBytes) }))
    : files;
  const [only] = sent;
  if (only === undefined) throw new AppError("NO_FILE", "There is no file to send.");
  if (collected.isShipment) return await upShipment(sent, collected.unreadable, options, context);
  const file = await openFound(only, transform);
  return await upFile(file, only.path, options, context);
}

/** Opens what is sent for a file. */
async function openFound({ source, path }: FoundFile, transform: SourceTransform | undefined): Promise<LocalFile> {
  const file = await openLocalFile({ path: source, name: path });
  if (!transform) return file;
  try {
    return await transform.wrap(file);
  } catch (error) {
    await file[Symbol.asyncDispose]();
    throw error;
  }
}

/** Takes over the file. */
async function upFile(source: LocalFile, fileName: string, options: UpOptions, context: UpContext): Promise<UpResult> {
  await using file = source;
  const { events } = context;
  events.onStart({ files: 1, bytes: file.sizeBytes });
  const link = linkOnce(options, context);
  const uploaded = await uploadFile(
    { file, fileName, fields: { ...options.fields, ...joining(options), ...(options.into && { relativePath: fileName }) } },
    {
      api: context.api,
      memory: options.resumes ? createUploadMemory(uploadMemoryFolder(context.env)) : NO_UPLOAD_MEMORY,
      signal: context.signal,
      // Its errors are those of the end, which awaits it.
      onShare: (share) => void link(share).catch(() => undefined),
      // Before the upload is forgotten, so that a process that is killed loses no token.
      onStored: (uploaded) => rememberFile(uploaded, options, context),
      onWait: events.onWait,
      onProgress: (bytes) => events.onProgress({ files: bytes === file.sizeBytes ? 1 : 0, bytes }),
    },
  );
  return await finishFile(uploaded, link, options);
}

async function upInput(input: AsyncIterable<Uint8Array>, options: UpOptions, context: UpContext): Promise<UpResult> {
  const { transform, name: named = "stdin", fields } = options;
  const name = transform ? transform.path(named) : named;
  const bytes = transform ? transform.stream(input) : input;
  if (options.spools || !(await canStream(context.api)))
    return await upFile(await spool({ input: bytes, name }, context.signal), name, { ...options, resumes: false }, context);
  const sent = { ...fields, ...joining(options), ...(options.into && { relativePath: name }) };
  const uploaded = await sendStream(
    { input: bytes, name, fields: sent },
    { ...context, onProgress: (bytes) => context.events.onProgress({ files: 0, bytes }) },
  );
  await rememberFile(uploaded, options, context);
  return await finishFile(uploaded, linkOnce(options, context), options);
}

type LinkOnce = (share: { readonly shortId: string; readonly shareUrl: string }) => Promise<string>;

/** Reports the link, the first time. Resolves to it. */
function linkOnce({ transform }: UpOptions, { events }: UpContext): LinkOnce {
  let reported: Promise<void> | undefined;
  return async ({ shortId, shareUrl }) => {
    const url = linkWithKey(shareUrl, transform);
    reported ??= events.onLink({ shortId, url });
    await reported;
    return url;
  };
}

const joining = ({ into }: UpOptions): Readonly<Record<string, unknown>> =>
  into === undefined ? {} : { shareShortId: into.shortId, ...(into.shareToken !== undefined && { shareToken: into.shareToken }) };

async function finishFile(uploaded: Output<"uploadFile">, link: LinkOnce, { transform }: UpOptions): Promise<UpResult> {
  const { shortId, size, expiresAt, unlockCode, handoffUrl } = uploaded;
  const url = await link(uploaded);
  return { shortId, url, files: 1, sizeBytes: size, failed: [], expiresAt, unlockCode, handoffUrl: privateLink(handoffUrl, transform) };
}

const privateLink = (handoffUrl: string | undefined, transform: SourceTransform | undefined): string | undefined =>
  handoffUrl === undefined ? undefined : linkWithKey(handoffUrl, transform);

async function rememberFile(uploaded: Output<"uploadFile">, { into, transform }: UpOptions, context: UpContext): Promise<void> {
  const { id, shortId, name, size, expiresAt, claimToken, deletionToken } = uploaded;
  if (into !== undefined) await rememberAdded(context, into.shortId, [{ id, sizeBytes: size }]);
  if (uploaded.isAnonymous && into === undefined)
    await remember(context, {
      ...{ shortId, name, sizeBytes: size, expiresAt, fileIds: [id], claimToken, deletionToken },
      ...{ url: uploaded.shareUrl, fragmentKey: transform?.fragmentKey },
    });
}

type Remembered = Omit<Parameters<ShareMemory["add"]>[0], "server" | "createdAt">;

async function remember({ shares, url, events }: UpContext, share: Remembered): Promise<void> {
  try {
    await shares.add({ ...share, server: url, createdAt: new Date().toISOString() });
  } catch {
    events.onNote("The share could not be remembered on this device, so other commands cannot change or delete it.");
  }
}

/** Files that were added to a share of this device belong to what it remembers of the share. */
async function rememberAdded(
  { shares, url }: UpContext,
  shortId: string,
  added: readonly { readonly id: string; readonly sizeBytes: number }[],
): Promise<void> {
  const share = await shares.find(shortId, url);
  if (share === undefined) return;
  await shares.update(share, ({ fileIds, sizeBytes }) => {
    const fresh = added.filter(({ id }) => !fileIds.includes(id));
    return {
      fileIds: [...fileIds, ...fresh.map(({ id }) => id)],
      sizeBytes: fresh.reduce((sum, file) => sum + file.sizeBytes, sizeBytes),
    };
  });
}

async function upShipment(
  files: readonly FoundFile[],
  unreadable: readonly Problem[],
  options: UpOptions,
  context: UpContext,
): Promise<UpResult> {
  const { api, hasKey, env, signal, events } = context;
  const { folderId, runId, ...shareFields } = options.fields;
  const server = await api.findServer();
  const opened = await openShipment({
    folder: options.resumes ? join(stateFolder(env), "shipments") : undefined,
    id: await identify(options, api),
    into: options.into && { ...options.into, shareUrl: `${server.siteUrl}/d/${options.into.shortId}` },
    fields: shareFields as RequestInput<"createShare">,
    context,
  });
  const { memory, shipment } = opened;
  const isAnonymous = !hasKey && options.into === undefined;
  const remembered: Remembered = {
    ...{
      shortId: shipment.shortId,
      name: String(shareFields.title ?? nameOf(files)),
      sizeBytes: 0,
      expiresAt: shipment.expiresAt,
      fileIds: [],
    },
    ...{ claimToken: shipment.claimToken, deletionToken: shipment.deletionToken, shareToken: shipment.shareToken },
    ...{ url: shipment.shareUrl, fragmentKey: options.transform?.fragmentKey },
  };
  // At the beginning, so that a share whose upload was broken off can be deleted.
  if (isAnonymous && !opened.continued) await remember(context, remembered);
  const url = await linkOnce(options, context)(shipment);
  if (opened.continued)
    await reconcileShipment({ memory, shipment, share: opened.continued, files, isComplete: unreadable.length === 0 }, context);
  const left = files.filter(({ path, version }) => memory.sent.get(path)?.version !== version);
  const before = { files: files.length - left.length, bytes: sumOf(files) - sumOf(left) };
  const failed: Problem[] = [...unreadable];
  if (before.files > 0) events.onNote(`Continuing: ${before.files} of ${files.length} files are stored already.`);
  events.onStart({ files: files.length, bytes: sumOf(files) });
  events.onProgress(before);
  const { shortId } = shipment;
  await sendShipment(
    {
      shortId,
      shareToken: hasKey ? undefined : shipment.shareToken,
      fields: { ...(folderId != null && { folderId }), ...(runId != null && { runId }) },
      files: left,
    },
    {
      api,
      memory: options.resumes ? createUploadMemory(uploadMemoryFolder(env)) : NO_UPLOAD_MEMORY,
      signal,
      open: (file) => openFound(file, options.transform),
      onWait: events.onWait,
      onProgress: (sent) => events.onProgress({ files: before.files + sent.files, bytes: before.bytes + sent.bytes }),
      async isSent({ path, version }) {
        await memory.refresh();
        return memory.sent.get(path)?.version === version;
      },
      async onSent(sent) {
        // Changed since an earlier run sent them.
        const replaced = sent.flatMap(({ path, id }) => {
          const earlier = memory.sent.get(path)?.id;
          return earlier === undefined || earlier === id ? [] : [{ path, id: earlier }];
        });
        await memory.addSent(sent);
        await removeFiles(replaced, shipment, context);
      },
      onFailed(problem) {
        failed.push(problem);
        events.onFailed(problem);
      },
    },
  );
  const stored = files.filter(({ path }) => memory.sent.has(path));
  if (isAnonymous)
    await remember(context, {
      ...remembered,
      sizeBytes: sumOf(stored),
      fileIds: stored.flatMap(({ path }) => memory.sent.get(path)?.id ?? []),
    });
  if (options.into !== undefined) {
    const added = stored.map(({ path, sizeBytes }) => ({ id: memory.sent.get(path)?.id ?? "", sizeBytes }));
    await rememberAdded(context, shortId, added);
  }
  if (failed.length === 0) await memory.forget();
  const { expiresAt, unlockCode, handoffUrl } = shipment;
  return {
    shortId,
    url,
    files: stored.length,
    sizeBytes: sumOf(stored),
    failed,
    expiresAt,
    unlockCode,
    handoffUrl: privateLink(handoffUrl, options.transform),
  };
}

const sumOf = (files: readonly FoundFile[]): number => files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);

/** For people who list their shares. */
function nameOf(files: readonly FoundFile[]): string {
  const [first = ""] = files.map(({ path }) => path.split("/")[0] ?? "");
  return files.every(({ path }) => path.startsWith(`${first}/`)) || files.length === 1 ? first : `${first}, …`;
}

/** The same for the same command in the same folder. */
async function identify({ sources, fields, into, transform }: UpOptions, api: RemoteApi): Promise<string> {
  const paths = "stdin" in sources ? [] : await Promise.all(sources.map((source) => realpath(resolve(source))));
  const settings = Object.entries(fields).sort(([one], [other]) => (one < other ? -1 : 1));
  return createHash("sha256")
    .update(JSON.stringify([api.identify(), paths, settings, into?.shortId, transform?.id]))
    .digest("hex");
}
