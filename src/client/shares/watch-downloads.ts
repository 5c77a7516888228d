import { AppError } from "../../errors.ts";
import { type Polling, poll } from "../server/poll.ts";
import type { RemoteApi } from "../server/remote-api.ts";

/** Two requests each time, of the hundred in a minute that a caller has. */
const POLL_MS = 5000;

export interface SeenDownload {
  /** ISO time. */
  readonly at: string;
  /** The file, or one of `files`; undefined for a share without an account. */
  readonly name: string | undefined;
  /** Files of one request, such as those of a ZIP. */
  readonly files: number | undefined;
  /** `browser`, `cli`, `bot` or `other`, if it is known. */
  readonly client: string | undefined;
  /** Downloads so far, of a share without an account: of the file that has the most. */
  readonly count: number | undefined;
}

interface Watched extends Omit<Polling, "everyMs"> {
  readonly api: RemoteApi;
  readonly shortId: string;
  /** The token of a share without an account, in place of its owner's key. */
  readonly claimToken: string | undefined;
  /** Whether the share is new: then what was downloaded already is yielded too. */
  readonly isNew: boolean;
}

/** Yields each download of a share from now on, until the share ends. Rejects with NOT_FOUND then, with the server's error, or the signal's reason. */
export async function* watchDownloads(watched: Watched): AsyncGenerator<SeenDownload, void, void> {
  yield* watched.claimToken === undefined ? watchOwned(watched) : watchAnonymous({ ...watched, claimToken: watched.claimToken });
}

async function* watchOwned({ api, shortId, signal, onWait, isNew }: Watched): AsyncGenerator<SeenDownload, void, void> {
  let seen: ReadonlySet<string> | undefined = isNew ? new Set() : undefined;
  // The downloads of a share can be listed after its end. The end is read first, so that the last ones are among them.
  const look = async () => {
    const end = await api.call("getShare", { shortId }, { signal }).then(() => undefined, ifNotFound);
    return { end, ...(await api.call("listShareDownloads", { shortId }, { signal })) };
  };
  for await (const { data, end } of poll({ signal, everyMs: POLL_MS, onWait }, look)) {
    // Several at the same moment are told apart by their order among those.
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

/** Settings that are read by a claim token have the number of downloads alone. */
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
    // The last download of a limited share has ended it.
    if (error instanceof AppError && error.code === "NOT_FOUND") {
      const [info] = (await api.call("getFileInfo", { file_code: shortId }, { signal })).result;
      if (info?.status === 200) yield* until(Number(info.download));
    }
    throw error;
  }
}
