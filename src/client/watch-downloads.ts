import { setTimeout as sleep } from "node:timers/promises";
import type { RemoteApi } from "./remote-api.ts";
import { createRequestRetry } from "./retry.ts";

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

interface Watched {
  readonly api: RemoteApi;
  readonly shortId: string;
  /** Of a share without an account, in place of its owner's key. */
  readonly claimToken: string | undefined;
  readonly signal: AbortSignal;
  readonly pollMs?: number;
}

/** Yields each download of a share from now on, until the share ends. Rejects with the server's error, or the signal's reason. */
export async function* watchDownloads(watched: Watched): AsyncGenerator<SeenDownload, void, void> {
  yield* watched.claimToken === undefined ? watchOwned(watched) : watchAnonymous({ ...watched, claimToken: watched.claimToken });
}

async function* watchOwned({ api, shortId, signal, pollMs = POLL_MS }: Watched): AsyncGenerator<SeenDownload, void, void> {
  const retry = createRequestRetry(signal);
  const seen = new Set<string>();
  for (let isFirst = true; ; isFirst = false) {
    const { data } = await retry(({ signal }) => api.call("listShareDownloads", { shortId }, { signal }));
    // Several at the same moment are told apart by their order among those.
    const counts = new Map<string, number>();
    const fresh = data.toReversed().filter((download) => {
      const text = JSON.stringify(download);
      const index = (counts.get(text) ?? 0) + 1;
      counts.set(text, index);
      const id = `${index} ${text}`;
      const isNew = !seen.has(id);
      seen.add(id);
      return isNew;
    });
    if (!isFirst) for (const { at, name, files, client } of fresh) yield { at, name, files, client: client ?? undefined, count: undefined };
    await sleep(pollMs, undefined, { signal });
  }
}

/** Settings that are read by a claim token have the number of downloads alone. */
async function* watchAnonymous({
  api,
  shortId,
  claimToken,
  signal,
  pollMs = POLL_MS,
}: Watched & { readonly claimToken: string }): AsyncGenerator<SeenDownload, void, void> {
  const retry = createRequestRetry(signal);
  let before: number | undefined;
  for (;;) {
    const { downloads } = await retry(({ signal }) => api.call("updateShareSettings", { shortId, claimToken }, { signal }));
    for (let count = (before ?? downloads) + 1; count <= downloads; count += 1)
      yield { at: new Date().toISOString(), name: undefined, files: undefined, client: undefined, count };
    before = downloads;
    await sleep(pollMs, undefined, { signal });
  }
}
