import { createHash } from "node:crypto";
import { realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import { MAX_SHIPMENT_FILES } from "../../contract/scalars.ts";
import type { RequestInput } from "../../service/contract.ts";
import { stateFolder } from "../records/private-files.ts";
import { NO_UPLOAD_RECORDS, openUploadRecords, uploadRecordsFolder } from "../records/upload-records.ts";
import type { RemoteApi } from "../server/remote-api.ts";
import { identifySettings } from "../upload-file/identify-settings.ts";
import { type LocalEntry, tooManyFiles, type UnreadablePath } from "./collect.ts";
import { openShipment } from "./open-shipment.ts";
import { reconcileShipment, removeFiles } from "./reconcile-shipment.ts";
import { type Remembered, remember, rememberAdded } from "./remember-share.ts";
import { sendShipment } from "./send-shipment.ts";
import { shareDestination } from "./share-destination.ts";
import { linkOnce, privateLink } from "./share-link.ts";
import { openSource } from "./source-transform.ts";
import { submissionDestination } from "./submission.ts";
import { showsTimes, type UpContext, type UpOptions, type UpResult } from "./up-options.ts";

/** Sends files as one shipment, or to an existing one. `unreadable` has the files that could not be found. */
export async function upShipment(
  files: readonly LocalEntry[],
  unreadable: readonly UnreadablePath[],
  options: UpOptions,
  context: UpContext,
): Promise<UpResult> {
  const { api, hasKey, env, signal, events } = context;
  const { folderId, runId, ...shareFields } = options.fields;
  const server = await api.discoverServer();
  const destination = options.request
    ? submissionDestination(options.request, context)
    : shareDestination(shareFields as RequestInput<"createShare">, context);
  const opened = await openShipment({
    folder: options.resumes ? join(stateFolder(env), "shipments") : undefined,
    id: await identify(options, api),
    into: options.into && { ...options.into, shareUrl: `${server.siteUrl}/d/${options.into.shortId}` },
    destination,
    context,
  });
  const { records, shipment } = opened;
  const ours = new Set([...records.sent.values()].map(({ id }) => id));
  const paths = new Set(files.map(({ path }) => path));
  // A file that was stored although its response was lost, or that another process sends too, is not stored twice.
  const others = opened.continued?.files?.filter(({ id, relativePath }) => !ours.has(id) && !paths.has(relativePath ?? "")) ?? [];
  if (others.length + files.length > MAX_SHIPMENT_FILES) throw tooManyFiles();
  const isAnonymous = !hasKey && options.into === undefined && options.request === undefined;
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
  // The share is remembered at the beginning, so that it can be deleted after an interrupted upload.
  if (isAnonymous && !opened.continued) await remember(context, remembered);
  const url = await linkOnce(options, context)(shipment);
  if (opened.continued)
    await reconcileShipment(
      { records, shipment, destination, found: opened.continued, files, isComplete: unreadable.length === 0 },
      context,
    );
  const left = files.filter(({ path, version }) => records.sent.get(path)?.version !== version);
  const before = { files: files.length - left.length, bytes: sumOf(files) - sumOf(left) };
  const failed: UnreadablePath[] = [...unreadable];
  if (before.files > 0) events.onNote(`Continuing: ${before.files} of ${files.length} files are stored already.`);
  events.onStart({ files: files.length, bytes: sumOf(files) });
  events.onProgress(before);
  const { shortId } = shipment;
  await sendShipment(
    {
      fields: { ...(folderId !== undefined && { folderId }), ...(runId != null && { runId }), ...destination.joining(shipment) },
      files: left,
      isEncrypted: options.transform !== undefined,
      showsTimes: showsTimes(options),
    },
    {
      api,
      records: options.resumes ? openUploadRecords(uploadRecordsFolder(env)) : NO_UPLOAD_RECORDS,
      signal,
      open: (file) => openSource(file, options.transform),
      onWait: events.onWait,
      onProgress: (sent) => events.onProgress({ files: before.files + sent.files, bytes: before.bytes + sent.bytes }),
      async isSent({ path, version }) {
        await records.refresh();
        return records.sent.get(path)?.version === version;
      },
      async onSent(sent) {
        // These files have changed since an earlier run sent them.
        const replaced = sent.flatMap(({ path, id }) => {
          const earlier = records.sent.get(path)?.id;
          return earlier === undefined || earlier === id ? [] : [{ path, id: earlier }];
        });
        await records.addSent(sent);
        await removeFiles(replaced, { shipment, destination }, context);
      },
      onBegun: (file) => records.addUnfinished(file),
      onFailed(problem) {
        failed.push(problem);
        events.onFailed(problem);
      },
    },
  );
  const stored = files.filter(({ path }) => records.sent.has(path));
  if (isAnonymous)
    await remember(context, {
      ...remembered,
      sizeBytes: sumOf(stored),
      fileIds: stored.flatMap(({ path }) => records.sent.get(path)?.id ?? []),
    });
  if (options.into !== undefined) {
    const added = stored.map(({ path, sizeBytes }) => ({ id: records.sent.get(path)?.id ?? "", sizeBytes }));
    await rememberAdded(context, shortId, added);
  }
  if (failed.length === 0) await records.forget();
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

const sumOf = (files: readonly LocalEntry[]): number => files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);

/** Names the shipment in the list of shares. */
function nameOf(files: readonly LocalEntry[]): string {
  const [first = ""] = files.map(({ path }) => path.split("/")[0] ?? "");
  return files.every(({ path }) => path.startsWith(`${first}/`)) || files.length === 1 ? first : `${first}, …`;
}

/** Identifies an upload. Equal commands in one folder have the same identity. */
async function identify({ sources, fields, into, request, transform }: UpOptions, api: RemoteApi): Promise<string> {
  const paths =
    "stdin" in sources ? [] : await Promise.all(sources.map((source) => realpath(resolve(source)).catch(() => resolve(source))));
  const settings = identifySettings(fields);
  return createHash("sha256")
    .update(JSON.stringify([api.identify(), paths, settings, into?.shortId ?? request?.token, transform?.id]))
    .digest("hex");
}
