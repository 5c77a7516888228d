import { AppError } from "../../errors.ts";
import { type Polling, poll } from "../server/poll.ts";
import type { RemoteApi } from "../server/remote-api.ts";

/** The pause between polls. Each poll uses two of the hundred requests a minute that a caller has. */
const POLL_MS = 5000;

export interface SeenDownload {
  /** ISO time of the download. */
  readonly at: string;
  /** The name of the file, or of one of `files`; undefined for a share without an account. */
  readonly name: string | undefined;
  /** The number of files of one request, such as a ZIP. */
  readonly files: number | undefined;
  /** `browser`, `cli`, `bot` or `other`, if it is known. */
  readonly client: string | undefined;
  /** The number of downloads of the share's most downloaded file; only for a share without an account. */
  readonly count: number | undefined;
}

interface Watched extends Omit<Polling, "everyMs"> {
  readonly api: RemoteApi;
  readonly shortId: string;
  /** The claim token of a share without an account, used in place of its owner's key. */
  readonly claimToken: string | undefined;
  /** Whether the share is new. If it is, earlier downloads are yielded too. */
  readonly isNew: boolean;
}

/**
 * Yields each download of a share from now on, until the share ends. Rejects with NOT_FOUND at the end of the share, with the server's error, or the
 * signal's reason.
 */
export async function* watchDownloads(watched: Watched): AsyncGenerator<SeenDownload, void, void> {
  yield* watched.claimToken === undefined ? watchOwned(watched) : watchAnonymous({ ...watched, claimToken: watched.claimToken });
}

async function* watchOwned({ api, shortId, signal, onWait, isNew }: Watched): AsyncGenerator<SeenDownload, void, void> {
  let seen: ReadonlySet<string> | undefined = isNew ? new Set() : undefined;
  // The downloads of a share can be listed after its end. The end is read first, so that the list includes the last downloads.
  const look = async () => {
    const end = await api.call("getShare", { shortId }, { signal }).then(() => undefined, ifNotFound);
    return { end, ...(await api.call("listShareDownloads", { shortId }, { signal })) };
  };
  for await (const { data, end } of poll({ signal, everyMs: POLL_MS, onWait }, look)) {
    // Downloads with the same time are distinguished by their order.
    const counts = new Map<string, number>();
    const listed = data.toReversed().map((download) => {
      const text = JSON.stringify(download);
      const index = (counts.get(text) ?? 0) + 1;
      counts.set(text, index);
      return { download, id: `${index} ${text}` };
    });
    const before = seen;
    seen = new Set([...(before ?? []), ...listed.map(({ id }) => id)]);
    for (const { download, id } of listed) {
      const { at, name, files, client } = download;
      if (before && !before.has(id)) yield { at, name, files, client: client ?? undefined, count: undefined };
    }
    if (end) throw end;
  }
}

function ifNotFound(error: unknown): AppError {
  if (error instanceof AppError && error.code === "NOT_FOUND") return error;
  throw error;
}

/** Watches by a claim token, with which the settings show only the number of downloads. */
async function* watchAnonymous({
  api,
  shortId,
  claimToken,
  signal,
  onWait,
  isNew,
}: Watched & { readonly claimToken: string }): AsyncGenerator<SeenDownload, void, void> {
  let before = isNew ? 0 : undefined;
  function* until(downloads: number): Generator<SeenDownload, void, void> {
    for (let count = (before ?? downloads) + 1; count <= downloads; count += 1)
      yield { at: new Date().toISOString(), name: undefined, files: undefined, client: undefined, count };
    before = downloads;
  }
  const look = () => api.call("updateShareSettings", { shortId, claimToken }, { signal });
  try {
    for await (const { downloads } of poll({ signal, everyMs: POLL_MS, onWait }, look)) yield* until(downloads);
  } catch (error) {
    // The last download of a limited share has ended the share.
    if (error instanceof AppError && error.code === "NOT_FOUND") {
      const [info] = (await api.call("getFileInfo", { file_code: shortId }, { signal })).result;
      if (info?.status === 200) yield* until(Number(info.download));
    }
    throw error;
  }
}
