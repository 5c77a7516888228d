import { type Polling, poll } from "./poll.ts";
import type { RemoteApi } from "./remote-api.ts";

/** Twelve requests a minute, of the hundred that a caller has. */
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
  /** Of a share without an account, in place of its owner's key. */
  readonly claimToken: string | undefined;
}

/** Yields each download of a share from now on, until the share ends. Rejects with the server's error, or the signal's reason. */
export async function* watchDownloads(watched: Watched): AsyncGenerator<SeenDownload, void, void> {
  yield* watched.claimToken === undefined ? watchOwned(watched) : watchAnonymous({ ...watched, claimToken: watched.claimToken });
}

async function* watchOwned({ api, shortId, signal, onWait }: Watched): AsyncGenerator<SeenDownload, void, void> {
  let seen: ReadonlySet<string> | undefined;
  const look = () => api.call("listShareDownloads", { shortId }, { signal });
  for await (const { data } of poll({ signal, everyMs: POLL_MS, onWait }, look)) {
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
  }
}

/** Settings that are read by a claim token have the number of downloads alone. */
async function* watchAnonymous({
  api,
  shortId,
  claimToken,
  signal,
  onWait,
}: Watched & { readonly claimToken: string }): AsyncGenerator<SeenDownload, void, void> {
  let before: number | undefined;
  const look = () => api.call("updateShareSettings", { shortId, claimToken }, { signal });
  for await (const { downloads } of poll({ signal, everyMs: POLL_MS, onWait }, look)) {
    for (let count = (before ?? downloads) + 1; count <= downloads; count += 1)
      yield { at: new Date().toISOString(), name: undefined, files: undefined, client: undefined, count };
    before = downloads;
  }
}
