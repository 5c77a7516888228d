import { isAtServer } from "../../client/server/server-address.ts";
import { findNamedShare } from "../../client/shares/named-share.ts";
import type { ShareEvent } from "../../client/shares/share-snapshot.ts";
import { watchAccount, watchShares } from "../../client/shares/watch-shares.ts";
import { AppError } from "../../errors.ts";
import { countOf } from "../../lib/text/count-of.ts";
import { formatSize } from "../../lib/text/format-size.ts";
import type { Output } from "../../service/contract.ts";
import type { Result, Terminal } from "../command.ts";
import type { CommandClient } from "../options/client-options.ts";
import { whileInterruptible } from "../terminal/interrupt.ts";
import type { JsonOutput } from "../terminal/json-output.ts";
import { formatTime, toPlain } from "../terminal/text.ts";
import { createWaitLine } from "../terminal/wait-line.ts";
import { describeScan, describeState, formatExpiry } from "./share-words.ts";

interface WatchCommand {
  readonly client: CommandClient;
  readonly ids: readonly string[];
  readonly everyMs: number;
  readonly terminal: Terminal;
  readonly json: JsonOutput | undefined;
}

type Download = Output<"listShareDownloads">["data"][number];

/** The largest number of watched shares. More would be polled too rarely. */
const MAX_REMEMBERED = 20;

/** Prints the events of shares, until they have ended or a signal stops the command. */
export async function runWatch({ client, ids, everyMs, terminal, json }: WatchCommand): Promise<Result> {
  const { api, quiet } = client;
  const shortIds =
    ids.length === 0 ? await findRemembered(client) : [...new Set(await Promise.all(ids.map((id) => findShortId(client, id))))];
  const onWait = createWaitLine(terminal, { isSilent: quiet });
  const describe = createDescriber();
  return await whileInterruptible(
    () => "",
    async (signal) => {
      let isAnnounced = json !== undefined || quiet;
      const announce = async (): Promise<void> => {
        if (isAnnounced) return;
        isAnnounced = true;
        await terminal.err("Watching for uploads, scans and downloads. Ctrl-C ends this; the shares stay.\n");
      };
      // A named share may not exist. Each one that does has a first event.
      if (shortIds === undefined) await announce();
      const watching = { api, signal, everyMs, onWait };
      for await (const event of shortIds === undefined ? watchAccount(watching) : watchShares(watching, shortIds)) {
        await announce();
        const downloads = event.type === "downloaded" && client.hasKey ? await findDownloads(client, event, signal) : [];
        const last = event.type === "downloaded" && { count: event.count, lastDownloads: downloads };
        if (json) await json.line({ type: event.type, at: new Date().toISOString(), ...event.share, ...last });
        else
          await terminal.out(
            describe(event, downloads)
              .map((text) => `${text}\n`)
              .join(""),
          );
      }
      return { data: { shortIds: shortIds ?? [] }, text: "" };
    },
  );
}

/** Finds the remembered shares of a caller without a key; undefined for the shares of the account. */
async function findRemembered({ hasKey, shares, url }: CommandClient): Promise<readonly string[] | undefined> {
  if (hasKey) return undefined;
  const remembered = (await shares.list()).filter((share) => isAtServer(share, url)).slice(0, MAX_REMEMBERED);
  if (remembered.length > 0) return remembered.map(({ shortId }) => shortId);
  throw new AppError("NOT_FOUND", "This device remembers no shares at this server. Pass the links of shares, or sign in: filehost login");
}

async function findShortId(client: CommandClient, id: string): Promise<string> {
  const { name, remembered } = await findNamedShare(client, id);
  if ("shortId" in name) return name.shortId;
  return remembered?.shortId ?? (await client.api.call("getFile", name)).shortId;
}

/** Finds the newest downloads of an own share, oldest first; none for a foreign share. */
async function findDownloads(
  { api }: CommandClient,
  { share, count }: Extract<ShareEvent, { type: "downloaded" }>,
  signal: AbortSignal,
): Promise<readonly Download[]> {
  try {
    const { data } = await api.call("listShareDownloads", { shortId: share.shortId, limit: Math.min(count, 200) }, { signal });
    return data.toReversed();
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AppError) return [];
    throw error;
  }
}

/** Creates a function that describes an event in lines for a person. A growing upload has one line for each tenth. */
function createDescriber(): (event: ShareEvent, downloads: readonly Download[]) => readonly string[] {
  const tenths = new Map<string, number>();
  return (event, downloads) => {
    const { share } = event;
    const line = (text: string, at = new Date().toISOString()): string =>
      toPlain(`${formatTime(at)}  ${share.shortId}  ${text}: ${share.name}`);
    switch (event.type) {
      case "share":
        return [line(`${describeState(share)}, expires ${formatExpiry(share.expiresAt)}, ${countOf(share.downloads, "download")}`)];
      case "uploading": {
        const tenth = Math.floor(((share.receivedBytes ?? 0) / Math.max(1, share.sizeBytes)) * 10);
        if (tenths.get(share.shortId) === tenth) return [];
        tenths.set(share.shortId, tenth);
        return [line(`Uploading, ${formatSize(share.receivedBytes ?? 0)} of ${formatSize(share.sizeBytes)}`)];
      }
      case "uploaded":
        return [line("Uploaded")];
      case "checked":
        return [line(share.scanStatus === "clean" ? "Checked, ready" : `Checked, ${describeScan(share)}`)];
      case "expiryChanged":
        return [line(`Expires ${formatExpiry(share.expiresAt)}`)];
      case "downloaded":
        if (downloads.length === 0) return [line(`Downloaded, ${countOf(share.downloads, "download")} so far`)];
        return downloads.map(({ at, client }) =>
          line(`Downloaded${client === null ? "" : ` by ${client}`}, ${share.downloads} so far`, at),
        );
      case "ended":
        return [line(`Ended, ${describeState(share)}`)];
    }
  };
}
