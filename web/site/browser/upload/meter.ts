/** Measures the speed of an upload over its last seconds. */
const WINDOW_MS = 8000;
/** The shortest measurement. Shorter ones are inaccurate. */
const MIN_MEASURED_MS = 1500;

export interface UploadSpeed {
  readonly bytesPerSecond: number;
  readonly secondsLeft: number;
}

export function createMeter(now: () => number = () => performance.now()) {
  let samples: { readonly timeMs: number; readonly bytes: number }[] = [];
  return {
    /** Starts a new measurement, after a pause or after bytes that were not sent now. */
    reset(): void {
      samples = [];
    },
    /** Returns the speed; undefined until it is known. */
    measure(sentBytes: number, totalBytes: number): UploadSpeed | undefined {
      const timeMs = now();
      const last = samples.at(-1);
      if (last && sentBytes < last.bytes) samples = [];
      samples.push({ timeMs, bytes: sentBytes });
      while (samples.length > 2 && (samples[1]?.timeMs ?? 0) <= timeMs - WINDOW_MS) samples.shift();
      const first = samples[0];
      if (!first || timeMs - first.timeMs < MIN_MEASURED_MS || sentBytes <= first.bytes) return undefined;
      const bytesPerSecond = ((sentBytes - first.bytes) * 1000) / (timeMs - first.timeMs);
      return { bytesPerSecond, secondsLeft: (totalBytes - sentBytes) / bytesPerSecond };
    },
  };
}
