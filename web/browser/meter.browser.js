/** Measures an upload's progress and estimates the remaining time. Loaded when the first file is sent. */

/** @param {number} totalBytes */
export function createMeter(totalBytes) {
  const startMs = performance.now();
  let skippedBytes = 0;
  return {
    doneBytes: 0,
    percent() {
      return totalBytes === 0 ? 100 : (this.doneBytes / totalBytes) * 100;
    },
    /** Excludes bytes of an earlier attempt from the estimate. @param {number} bytes */
    skip(bytes) {
      skippedBytes = bytes;
    },
    /** @param {boolean} isSent Whether all bytes were sent. */
    describe(isSent) {
      if (isSent) return "Finishing…";
      const sentBytes = this.doneBytes - skippedBytes;
      const leftSeconds = (((performance.now() - startMs) / 1000) * (totalBytes - this.doneBytes)) / sentBytes;
      const left = sentBytes > totalBytes / 50 && leftSeconds > 2 ? `, ${formatSeconds(leftSeconds)} left` : "";
      return `Uploading… ${Math.floor(this.percent())} %${left}`;
    },
  };
}

/** @param {number} seconds */
function formatSeconds(seconds) {
  if (seconds < 90) return `${Math.ceil(seconds)} seconds`;
  return seconds < 5400 ? `${Math.ceil(seconds / 60)} minutes` : `${Math.ceil(seconds / 3600)} hours`;
}
