import { formatSize } from "../lib/format-size.ts";
import type { Terminal } from "./command.ts";
import { formatShortDuration } from "./text.ts";

const REDRAW_MS = 250;
/** Window over which the rate is averaged. */
const RATE_WINDOW_MS = 20_000;

/** Runs `work` with a progress line that is redrawn until `work` ends, and then erased. Shows nothing if `err` is not a terminal. */
export async function showWhile<T>(
  { err, isInteractive = false }: Pick<Terminal, "err" | "isInteractive">,
  work: (show: (render: () => string) => void) => Promise<T>,
): Promise<T> {
  let timer: ReturnType<typeof setInterval> | undefined;
  try {
    return await work((render) => {
      if (isInteractive) timer ??= setInterval(() => void err(`\r\x1b[2K${render()}`), REDRAW_MS);
    });
  } finally {
    clearInterval(timer);
    if (timer) await err("\r\x1b[2K");
  }
}

interface Progress {
  readonly done: { readonly files: number; readonly bytes: number };
  readonly total: { readonly files: number; readonly bytes: number };
  readonly failed: number;
}

/** Creates a function that renders `12 of 2000 files, 1.2 MB of 1 GB, 80 MB/s, 12 s left`. */
export function describeProgress(read: () => Progress, nowMs: () => number = () => performance.now()): () => string {
  let recent: { readonly atMs: number; readonly bytes: number }[] = [{ atMs: nowMs(), bytes: 0 }];
  return () => {
    const { done, total, failed } = read();
    const now = { atMs: nowMs(), bytes: done.bytes };
    recent = [...recent.filter(({ atMs }, index) => now.atMs - atMs <= RATE_WINDOW_MS || index === recent.length - 1), now];
    const oldest = recent[0] ?? now;
    const bytesPerMs = (now.bytes - oldest.bytes) / Math.max(1, now.atMs - oldest.atMs);
    const parts = [
      `${done.files} of ${total.files} files`,
      `${formatSize(done.bytes)} of ${formatSize(total.bytes)}`,
      `${formatSize(bytesPerMs * 1000)}/s`,
      ...(bytesPerMs > 0 ? [`${formatShortDuration((total.bytes - done.bytes) / bytesPerMs)} left`] : []),
      ...(failed > 0 ? [`${failed} failed`] : []),
    ];
    return parts.join(", ");
  };
}
