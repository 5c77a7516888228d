import type { Terminal } from "./command.ts";
import { formatBytes, formatDuration } from "./text.ts";

const EVERY_MS = 250;
/** What the rate is taken of. */
const RECENT_MS = 20_000;

/** Gives `work` a line on the screen, which is written anew until `work` ends, and then wiped; nothing where nobody sees it. */
export async function showWhile<T>(
  { err, isInteractive = false }: Pick<Terminal, "err" | "isInteractive">,
  work: (show: (render: () => string) => void) => Promise<T>,
): Promise<T> {
  let timer: ReturnType<typeof setInterval> | undefined;
  try {
    return await work((render) => {
      if (isInteractive) timer ??= setInterval(() => void err(`\r\x1b[2K${render()}`), EVERY_MS);
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

/** `12 of 2000 files, 1.2 MB of 1.0 GB, 80.2 MB/s, 12 s left`, from how it went in the last seconds. */
export function describeProgress(read: () => Progress, nowMs: () => number = () => performance.now()): () => string {
  let recent: { readonly atMs: number; readonly bytes: number }[] = [{ atMs: nowMs(), bytes: 0 }];
  return () => {
    const { done, total, failed } = read();
    const now = { atMs: nowMs(), bytes: done.bytes };
    recent = [...recent.filter(({ atMs }, index) => now.atMs - atMs <= RECENT_MS || index === recent.length - 1), now];
    const oldest = recent[0] ?? now;
    const bytesPerMs = (now.bytes - oldest.bytes) / Math.max(1, now.atMs - oldest.atMs);
    const parts = [
      `${done.files} of ${total.files} files`,
      `${formatBytes(done.bytes)} of ${formatBytes(total.bytes)}`,
      `${formatBytes(bytesPerMs * 1000)}/s`,
      ...(bytesPerMs > 0 ? [`${formatDuration((total.bytes - done.bytes) / bytesPerMs)} left`] : []),
      ...(failed > 0 ? [`${failed} failed`] : []),
    ];
    return parts.join(", ");
  };
}
