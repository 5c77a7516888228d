import { setTimeout as sleep } from "node:timers/promises";
import type { Output } from "../../service/contract.ts";
import type { RemoteApi } from "../server/remote-api.ts";
import { waitOf } from "../server/retry.ts";

export type ImportStatus = Output<"getImport">;

export interface ImportFollower {
  readonly api: RemoteApi;
  readonly signal: AbortSignal;
  /** Receives each state of the job. */
  onJob(job: ImportStatus): void;
  /** Receives the reason why the server is asked again later; empty when it has responded. */
  onWait(reason: string): void;
}

interface JobName {
  readonly jobId: string;
  readonly secret?: string | undefined;
}

const PAUSE_MS = { min: 1000, max: 15_000 };

/**
 * Follows an import by its events until it has ended, also after broken connections. Resolves to its last state; rejects with the server's error if
 * the server knows no such job, or with the signal's reason.
 */
export async function followImport({ api, signal, onJob, onWait }: ImportFollower, name: JobName): Promise<ImportStatus> {
  let lastEventId: string | undefined;
  const take = (job: ImportStatus): ImportStatus | undefined => {
    onWait("");
    onJob(job);
    lastEventId = String(Date.parse(job.updatedAt));
    return hasEnded(job) ? job : undefined;
  };
  for (let pauseMs = PAUSE_MS.min; ; pauseMs = Math.min(PAUSE_MS.max, pauseMs * 2)) {
    let waitMs = pauseMs;
    try {
      for await (const job of api.listen("watchImport", { ...name, lastEventId }, { signal })) {
        const ended = take(job);
        if (ended) return ended;
        pauseMs = PAUSE_MS.min;
      }
      const ended = take(await api.call("getImport", name, { signal }));
      if (ended) return ended;
    } catch (error) {
      signal.throwIfAborted();
      waitMs = Math.max(pauseMs, waitOf(error));
      onWait(error instanceof Error ? error.message : "");
    }
    await sleep(waitMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

const hasEnded = ({ status }: ImportStatus): boolean => status === "completed" || status === "failed" || status === "cancelled";
