import { ensureFolder } from "../../client/shares/account-folders.ts";
import { isLinkOf } from "../../client/shares/subject.ts";
import { type SeenDownload, watchDownloads } from "../../client/shares/watch-downloads.ts";
import { hasBrowser, openInBrowser } from "../../client/sign-in/open-browser.ts";
import { openEncryption, type UploadEncryption } from "../../client/upload-share/encryption.ts";
import { findRequestKey } from "../../client/upload-share/request-key.ts";
import { up } from "../../client/upload-share/up.ts";
import type { UpContext, UpOptions, UpResult } from "../../client/upload-share/up-options.ts";
import { AppError } from "../../errors.ts";
import { countOf } from "../../lib/text/count-of.ts";
import { formatSize } from "../../lib/text/format-size.ts";
import type { Terminal } from "../command.ts";
import { type CommandClient, openClient } from "../options/client-options.ts";
import { type EncryptionValues, readEncryptionTarget, wantsEncryption } from "../options/encryption-options.ts";
import type { NamedRequest } from "../options/request-options.ts";
import { readCode } from "../options/unlock-code.ts";
import { copyText } from "../terminal/copy-text.ts";
import { whileInterruptible } from "../terminal/interrupt.ts";
import type { JsonOutput } from "../terminal/json-output.ts";
import { showTransfer, type TransferProgress } from "../terminal/progress.ts";
import { renderQr } from "../terminal/render-qr.ts";
import { formatTime, toId, toPlain } from "../terminal/text.ts";
import { createWaitLine } from "../terminal/wait-line.ts";
import { wordNote } from "./client-advice.ts";
import { resolveNever } from "./never-expires.ts";

/** The time that running work has to end after Ctrl-C. */
const END_MS = 500;

interface UpCommand {
  readonly names: readonly string[];
  readonly isInput: boolean;
  /** Publish fields, without the folder. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly request: NamedRequest | undefined;
  readonly options: EncryptionValues & {
    readonly url: string | undefined;
    readonly profile: string | undefined;
    readonly "key-file": string | undefined;
    readonly quiet: boolean;
    readonly name: string | undefined;
    readonly into: string | undefined;
    readonly request: string | undefined;
    readonly code: string | undefined;
    readonly folder: string | undefined;
    readonly copy: boolean;
    readonly qr: boolean;
    readonly open: boolean;
    readonly watch: boolean;
    readonly times: boolean;
    readonly "no-times": boolean;
    readonly "follow-links": boolean;
    readonly "no-resume": boolean;
    readonly spool: boolean;
  };
  readonly terminal: Terminal;
  readonly json: JsonOutput | undefined;
}

/** Sends the files of the command, and shows the progress. Prints the code and the private link of the share. */
export async function runUp(command: UpCommand): Promise<UpResult> {
  const { options, terminal, json, isInput } = command;
  const links = [options.into, options.request].filter((link) => link !== undefined);
  const client = await openClient({ command: "up", options, terminal, links, isAnonymous: options.request !== undefined });
  const advice = isInput
    ? "Stopped. Standard input cannot be continued: run the command again."
    : "Stopped. The same command continues it.";
  // The code is read before the transfer is shown, because a person may be asked.
  const unlockCode = command.request && (await readCode(terminal, options.code, client));
  const requestKey = command.request && (await findRequestKey(client.api, command.request));
  const encryption =
    requestKey !== undefined || wantsEncryption(options) ? await prepareEncryption(command, client, requestKey) : undefined;
  const result = await whileInterruptible(
    () => (options["no-resume"] ? "Stopped." : advice),
    async (signal) => {
      const sent = showTransfer({ terminal, json, quiet: options.quiet }, async (progress) =>
        up(
          {
            ...(await toUpOptions(command, client)),
            request: command.request && { ...command.request, unlockCode },
            transform: encryption?.transform,
          },
          { ...client, env: terminal.env, signal, events: toEvents(command, client, progress) },
        ),
      );
      return await endSoon(sent, signal);
    },
  );
  const notes = [
    ...(requestKey === undefined ? [] : ["Encrypted: only the owner of the request can read the files and their names."]),
    ...(encryption?.transform.fragmentKey === undefined ? [] : ["The key is only in the link. Nobody can decrypt the files without it."]),
    ...(result.unlockCode === undefined ? [] : [`Unlock code: ${result.unlockCode}`]),
    ...(result.handoffUrl === undefined ? [] : [`Private link, which needs no code: ${result.handoffUrl}`]),
  ];
  // The codes and links are shown only once, so --quiet does not hide them.
  if (!json) for (const note of notes) await terminal.err(`${note}\n`);
  if (result.failed.length === 0) await encryption?.forget();
  if (options.watch) {
    if (!json && !options.quiet) await terminal.err(`${describeSent(result, options)}\n`);
    await watch(command, client, result);
  }
  return result;
}

/** Describes what was sent. The expiry of a shipment that gets more files is not known. */
export function describeSent(
  { files, sizeBytes, expiresAt }: UpResult,
  to: { readonly request?: unknown; readonly into?: unknown },
): string {
  const sent = `Sent ${countOf(files, "file")}, ${formatSize(sizeBytes)}.`;
  if (to.request !== undefined) return `${sent} The link is your receipt: it shows what you sent, and removes it.`;
  if (expiresAt !== null) return `${sent} Expires ${formatTime(expiresAt)}.`;
  return to.into === undefined ? `${sent} Never expires.` : sent;
}

/** Whether attributes are sent. The files of an account keep them unless `--no-times` is given. */
const keepsTimes = ({ options }: UpCommand, { hasKey }: Pick<CommandClient, "hasKey">): boolean =>
  options.times || (hasKey && !options["no-times"]);

async function prepareEncryption(
  command: UpCommand,
  { url, shares, hasKey }: CommandClient,
  requestKey: string | undefined,
): Promise<UploadEncryption> {
  const { names, isInput, options, terminal } = command;
  if (requestKey !== undefined) checkRequestEncryption(command);
  const into = options.into === undefined ? undefined : toId(options.into);
  const fragment = into === undefined ? undefined : (await shares.find(into, url))?.fragmentKey;
  return await openEncryption({
    target:
      requestKey === undefined ? await readEncryptionTarget(options, terminal, fragment) : { kind: "recipients", recipients: [requestKey] },
    hidesNames: requestKey !== undefined || options["encrypt-name"],
    keepsTimes: keepsTimes(command, { hasKey }),
    subject: { server: url, sources: names, into },
    env: terminal.env,
    resumes: !options["no-resume"] && !isInput,
  });
}

/** Throws VALIDATION_FAILED for files that cannot be encrypted as the request demands. */
function checkRequestEncryption({ isInput, options }: UpCommand): void {
  const hasReader = options.recipient.length > 0 || options.passphrase || options["passphrase-file"] !== undefined;
  if (hasReader) throw new AppError("VALIDATION_FAILED", "This request has its own key. Leave out the options that encrypt for others.");
  if (isInput)
    throw new AppError(
      "VALIDATION_FAILED",
      "This request is encrypted with its names, for which the size must be known. Save standard input to a file, and send that.",
    );
}

async function toUpOptions(command: UpCommand, client: CommandClient): Promise<UpOptions> {
  const { names, isInput, fields, options, terminal } = command;
  const folder = options.folder === undefined ? undefined : await ensureFolder(client.api, options.folder);
  const chosen = await resolveNever(client, fields);
  const into = options.into === undefined ? undefined : toId(options.into);
  if (into !== undefined && !client.hasKey && (await client.shares.find(into, client.url))?.shareToken === undefined)
    throw new AppError("UNAUTHENTICATED", `${into} was not opened on this device. Adding files to it requires its owner's key.`);
  return {
    sources: isInput ? { stdin: terminal.input() } : names,
    name: options.name,
    fields: { ...chosen, ...(folder !== undefined && { folderId: folder.id }) },
    into:
      into === undefined
        ? undefined
        : { shortId: into, shareToken: client.hasKey ? undefined : (await client.shares.find(into, client.url))?.shareToken },
    followLinks: options["follow-links"],
    keepsTimes: keepsTimes(command, client),
    resumes: !options["no-resume"],
    spools: options.spool,
  };
}

function toEvents(
  { names, isInput, options, terminal, json }: UpCommand,
  client: CommandClient,
  progress: TransferProgress,
): UpContext["events"] {
  const name = isInput ? (options.name ?? "standard input") : names.length === 1 ? (names[0] ?? "") : countOf(names.length, "item");
  let total: { readonly files: number; readonly bytes: number } | undefined;
  let sent = { files: 0, bytes: 0 };
  let waiting = "";
  const note = (text: string): void => void progress.note(text);
  const show = (): void =>
    progress.show(() => ({
      ...{ action: "Sending", name, doneBytes: sent.bytes, totalBytes: total?.bytes },
      ...(total !== undefined && total.files > 1 && { files: { done: sent.files, total: total.files } }),
      ...(waiting !== "" && { waiting: "waiting for the connection" }),
    }));
  async function openPage(url: string): Promise<void> {
    if (!(await isLinkOf(client, url))) note("The link leads to another site than that of the server, and is not opened.");
    else if (!hasBrowser(terminal.env) || !(await openInBrowser(new URL(url), terminal.env))) note("No browser could be opened.");
  }
  if (isInput) show();
  return {
    async onLink({ shortId, url }) {
      if (json) await progress.event({ type: "link", shortId, url });
      else await progress.result(url);
      if (options.copy)
        note((await copyText(url, terminal)) ? "The link is on the clipboard." : "There is no clipboard here. Copy the link.");
      if (options.qr && !json) for (const line of renderQr(url)) await progress.note(line);
      if (options.open) await openPage(url);
    },
    onNote(problem, advice) {
      const text = wordNote(problem, advice);
      note(text);
      void progress.event({ type: "note", text });
    },
    onFailed(problem) {
      void progress.event({ type: "failed", ...problem });
      note(`${problem.path}: ${problem.error}`);
    },
    onStart(all) {
      total = all;
      if (all.bytes > 0) show();
    },
    onProgress(now) {
      sent = { ...now };
    },
    onWait(reason) {
      if (reason !== "" && waiting === "") note(`${reason} Trying again.`);
      waiting = reason;
    },
  };
}

/** Settles with `work`. After the signal has aborted, rejects after `END_MS` at the latest, so that a person does not wait. */
async function endSoon<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  work.catch(() => undefined);
  const aborted = new Promise<never>((_, reject) => {
    const end = (): void => void setTimeout(() => reject(signal.reason), END_MS);
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
  return await Promise.race([work, aborted]);
}

/** Prints each download until Ctrl-C, or until the share ends. */
async function watch(
  { options, terminal, json }: UpCommand,
  { api, hasKey, shares, url }: CommandClient,
  { shortId }: UpResult,
): Promise<void> {
  const claimToken = hasKey ? undefined : (await shares.find(shortId, url))?.claimToken;
  const onWait = createWaitLine(terminal, { isSilent: json !== undefined });
  await whileInterruptible(
    () => "",
    async (signal) => {
      if (!json) await terminal.err("Waiting for downloads. Ctrl-C ends this; the link stays.\n");
      try {
        const isNew = options.into === undefined;
        for await (const download of watchDownloads({ api, shortId, claimToken, signal, onWait, isNew })) {
          if (json) await json.line({ type: "download", ...download });
          else await terminal.err(`${describeDownload(download)}\n`);
        }
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof AppError) || error.code !== "NOT_FOUND") throw error;
        if (!json) await terminal.err("The share has ended.\n");
      }
    },
  );
}

function describeDownload({ at, name, files = 1, client, count }: SeenDownload): string {
  const what = files > 1 ? `${countOf(files, "file")}` : name ? toPlain(name) : "";
  const by = client === undefined ? "" : ` (${client})`;
  return `${formatTime(at)}  Downloaded${what === "" ? "" : `: ${what}`}${by}${count === undefined ? "" : `: ${countOf(count, "download")} so far`}`;
}
